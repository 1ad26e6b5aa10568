"""Which version a rollback puts in force."""

from __future__ import annotations

from collections.abc import Sequence


def version_before(history: Sequence[int | None]) -> int | None:
    """The version that was in force before the one in force, or `None` for none. `history` is newest first.

    A version that a rollback has left is not chosen again by the next one.

    >>> version_before([3, 3, 1, None]), version_before([1, 3, 1, None]), version_before([2])
    (1, None, None)
    """
    current = history[0]
    return next((each for each in history if each is None or (current is not None and each < current)), None)
