"""The reasons to choose from above the list: those of the newest answers first, the others by what they are about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from scoring.query import UnscoredReason
from scoring.reason_kinds import IN_FAVOUR
from scoring.reasons import ReasonCode
from service.console.meanings import meanings

_FAVOUR = frozenset(each.value for each in IN_FAVOUR)
_KNOWN = [each.value for each in (*ReasonCode, *UnscoredReason)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonGroup:
    """Some reasons under one heading, each with how many of the newest answers have it."""

    heading: str
    reasons: list[tuple[str, int]]


def reason_groups(counts: Counter[str]) -> list[ReasonGroup]:
    """Every reason once.

    >>> [(each.heading, each.reasons) for each in reason_groups(Counter(FILTER_MISSING=3, FILTERS_MATCHED=7))][:2]
    [('Found, against the answer', [('FILTER_MISSING', 3)]), ('Found, in favour', [('FILTERS_MATCHED', 7)])]
    """
    groups: dict[str, list[tuple[str, int]]] = {"Found, against the answer": [], "Found, in favour": []}
    against, favour = groups.values()
    for code, count in sorted(counts.items(), key=lambda each: (-each[1], each[0])):
        (favour if code in _FAVOUR else against).append((code, count))
    known = meanings()
    for code in sorted({*_KNOWN} - counts.keys()):
        heading = str(known[code]["section"]) if code in known else "Others"
        groups.setdefault(heading, []).append((code, 0))
    return [ReasonGroup(heading=heading, reasons=reasons) for heading, reasons in groups.items() if reasons]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownReasons:
    """The reasons of one answer that a list has room for."""

    codes: list[str]
    more: int
    """How many there are beside them."""


_ROOM = 4


def shown_reasons(codes: Sequence[str], wanted: str | None) -> ShownReasons:
    """The first reasons, before them the one that the list is filtered by.

    >>> shown_reasons(["A", "B", "C", "D", "E"], "E")
    ShownReasons(codes=['E', 'A', 'B', 'C'], more=1)
    """
    distinct = list(dict.fromkeys(codes))
    ordered = sorted(distinct, key=lambda code: code != wanted)
    return ShownReasons(codes=ordered[:_ROOM], more=len(ordered[_ROOM:]))
