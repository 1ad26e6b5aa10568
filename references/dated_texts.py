"""Moments as texts: `2024-02-29`, `2024-02-29 10:30:00` or `2024-02-29 10:30:00.25`."""

from __future__ import annotations

from datetime import datetime
from functools import lru_cache

_FORMS = {
    10: "%Y-%m-%d",
    16: "%Y-%m-%d %H:%M",
    19: "%Y-%m-%d %H:%M:%S",
    **dict.fromkeys(range(21, 27), "%Y-%m-%d %H:%M:%S.%f"),
}


def moment(text: object) -> datetime | None:
    """The moment that a text names; that of a day is its midnight."""
    return _moment(text) if isinstance(text, str) and len(text) in _FORMS else None


@lru_cache(maxsize=4096)
def _moment(text: str) -> datetime | None:
    try:
        return datetime.strptime(text, _FORMS[len(text)])
    except ValueError:
        return None


def written(when: datetime, *, whole: bool) -> str:
    """A moment as a text, a `whole` day without its time."""
    if whole:
        return when.date().isoformat()
    text = when.isoformat(sep=" ")
    return text.rstrip("0") if "." in text else text
