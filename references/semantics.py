"""What makes two results the same."""

from __future__ import annotations

from enum import StrEnum


class Semantics(StrEnum):
    BAG = "bag"
    """The same rows, each as often, in any order."""
    SET = "set"
    """The same rows, however often each occurs."""
    LIST = "list"
    """The same rows in the same order."""
