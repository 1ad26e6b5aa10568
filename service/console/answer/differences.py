"""Where the SQL of another answer to the same question differs, part by part of the stored specifications."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from service.console.answer.stored_record import entries

_PARTS: Mapping[str, tuple[str, str]] = {
    "conditions": ("filters", "text"),
    "conditions on groups": ("having", "text"),
    "columns": ("projections", "operand"),
    "grouping": ("group_by", "operand"),
    "order": ("order_by", "operand"),
    "tables": ("joins", "table"),
    "limit": ("limits", "count"),
}
_MOST = 6
"""Most differences of one side that are shown of a part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlDifference:
    """What only one of two answers has of a part."""

    part: str
    here: list[str]
    there: list[str]


def differences(here: Mapping[str, Any], there: Mapping[str, Any]) -> list[SqlDifference]:
    """The differences of two SQL specifications; empty where they say the same.

    >>> differences({"filters": [{"text": "a = 1"}]}, {"filters": [{"text": "a = 2"}]})
    [SqlDifference(part='conditions', here=['a = 1'], there=['a = 2'])]
    """
    return list(_differences(here, there))


def _differences(here: Mapping[str, Any], there: Mapping[str, Any]) -> Iterator[SqlDifference]:
    for part, (name, field) in _PARTS.items():
        own, other = _texts(here, name, field), _texts(there, name, field)
        only_here, only_there = [each for each in own if each not in other], [each for each in other if each not in own]
        if only_here or only_there:
            yield SqlDifference(part=part, here=only_here[:_MOST], there=only_there[:_MOST])


def _texts(specification: Mapping[str, Any], name: str, field: str) -> dict[str, None]:
    return dict.fromkeys(str(each.get(field)) for each in entries(specification, name))
