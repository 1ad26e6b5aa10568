"""The type of the fixture `wait_until`."""

from collections.abc import Awaitable, Callable

WaitUntil = Callable[[Callable[[], Awaitable[bool]]], Awaitable[None]]
"""Waits until a condition holds."""
