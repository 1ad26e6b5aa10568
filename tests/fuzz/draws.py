"""Decisions drawn from bytes, so that any engine that makes bytes can steer the making of an input."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")


class Draws:
    """Reads decisions from bytes; after the last byte every decision is the first choice."""

    def __init__(self, raw: bytes) -> None:
        self._raw, self._place = raw, 0

    def number(self, below: int) -> int:
        """A number from 0 to below `below`."""
        size = 1 if below <= 1 << 8 else 2 if below <= 1 << 16 else 4
        taken = self._raw[self._place : self._place + size]
        self._place += size
        return int.from_bytes(taken) % below if taken else 0

    def choice(self, items: Sequence[Item]) -> Item:
        """One of the items."""
        return items[self.number(len(items))]

    def one_in(self, many: int) -> bool:
        """Whether the last of `many` choices was drawn."""
        return self.number(many) == many - 1

    @property
    def ended(self) -> bool:
        """Whether all bytes are read."""
        return self._place >= len(self._raw)
