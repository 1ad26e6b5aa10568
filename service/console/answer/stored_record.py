"""Reads parts of a stored record. An older release may have written another shape; such parts are left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast


def entries(record: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    """The objects in a list of the record.

    >>> entries({"a": [{"b": 1}, 2]}, "a"), entries({}, "a"), entries({"a": 1}, "a")
    ([{'b': 1}], [], [])
    """
    found = record.get(name)
    listed = cast("list[object]", found) if isinstance(found, list) else []
    return [cast("Mapping[str, Any]", each) for each in listed if isinstance(each, Mapping)]


def strings(record: Mapping[str, Any], name: str) -> list[str]:
    """The texts in a list of the record."""
    found = record.get(name)
    listed = cast("list[object]", found) if isinstance(found, list) else []
    return [each for each in listed if isinstance(each, str)]


def number(record: Mapping[str, Any], name: str) -> float | None:
    """A number of the record."""
    found = record.get(name)
    return float(found) if isinstance(found, int | float) and not isinstance(found, bool) else None
