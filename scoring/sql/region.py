"""Whether conditions can hold together: the values that those on one operand leave."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import datetime
from typing import TypeAlias

from scoring.specification import NEGATION, Op
from scoring.sql.drafts import FilterDraft, OrGroup
from scoring.values import Boolean, Choices, Number, Scalar, Text, TimeRange, Value

_MOST_HOLES = 20
_EXACT = (Text, Number, Boolean)


class Region:
    """The values of one operand that satisfy the conditions added so far."""

    __slots__ = ("barred", "ends", "high", "holes", "low", "null", "starts", "values")

    def __init__(self) -> None:
        self.values: frozenset[Scalar] | None = None
        """The only values left, if they are listed."""
        self.barred: set[Scalar] = set()
        self.low = (-math.inf, False)
        """The least number, and whether it is left out itself."""
        self.high = (math.inf, False)
        self.starts: list[TimeRange] = []
        self.ends: list[TimeRange] = []
        self.holes: tuple[TimeRange, ...] = ()
        """Times that are left out."""
        self.null: bool | None = None
        """Only NULL is left, or only other values."""

    def add(self, op: Op, rhs: Value | None) -> bool:
        """Adds a condition; returns whether a value may still be left."""
        if op in (Op.IS_NULL, Op.NOT_NULL):
            return self._add_null(absent=op is Op.IS_NULL)
        if op is not Op.OTHER and not self._add_null(absent=False):
            return False
        if isinstance(rhs, TimeRange) and op in (Op.WITHIN, Op.NOT_WITHIN):
            return self._add_time(rhs) if op is Op.WITHIN else self._add_hole(rhs)
        self._narrow(op, rhs)
        return self._is_possible()

    def _narrow(self, op: Op, rhs: Value | None) -> None:
        if op in _BOUNDS and isinstance(rhs, Number):
            self._add_bound(op, rhs.value)
        elif op in (Op.EQ, Op.IN):
            self._add_values(_listed(rhs))
        elif op in (Op.NE, Op.NOT_IN):
            self.barred.update(_listed(rhs) or ())
        elif op in _TEXTUAL and isinstance(rhs, Text) and self.values is not None:
            self.values = frozenset(each for each in self.values if _matches(op, each, rhs.folded))

    def admits(self, op: Op, rhs: Value | None) -> bool:
        """Whether a value may be left when one more condition is added."""
        copy = Region()
        copy.values, copy.barred, copy.low, copy.high = self.values, self.barred, self.low, self.high
        copy.starts, copy.ends, copy.null, copy.holes = self.starts, self.ends, self.null, self.holes
        if op in (Op.NE, Op.NOT_IN):
            copy.barred = self.barred if self.values is None else {*self.barred, *(_listed(rhs) or ())}
        return copy.add(op, rhs) if op not in (Op.NE, Op.NOT_IN) else copy._admits_another()

    def _admits_another(self) -> bool:
        return self._add_null(absent=False) and self._is_possible()

    def _add_null(self, *, absent: bool) -> bool:
        if self.null is None:
            self.null = absent
        return self.null is absent

    def _add_bound(self, op: Op, value: float) -> None:
        if op in (Op.GT, Op.GE):
            self.low = max(self.low, (value, op is Op.GT))
        elif (value, op is not Op.LT) < (self.high[0], not self.high[1]):
            self.high = (value, op is Op.LT)

    def _add_values(self, values: frozenset[Scalar] | None) -> None:
        if values is None:
            return
        if self.values is None:
            self.values = values
        elif len({type(each) for each in self.values | values}) == 1:
            self.values &= values

    def _add_time(self, time: TimeRange) -> bool:
        latest = max([each.start for each in (*self.starts, time) if each.start is not None], default=None)
        first = min([each.end for each in (*self.ends, time) if each.end is not None], default=None)
        self.starts, self.ends = [TimeRange(latest, None)], [TimeRange(None, first)]
        return self._has_time(latest, first)

    def _add_hole(self, time: TimeRange) -> bool:
        if time.start is None or time.end is None:
            return self._add_time(TimeRange(time.end, time.start))
        self.holes = (*self.holes[:_MOST_HOLES], time)
        return self._has_time(self.starts[0].start if self.starts else None, self.ends[0].end if self.ends else None)

    def _has_time(self, start: datetime | None, end: datetime | None) -> bool:
        """Whether a time is left from `start` until before `end`."""
        if start is None or end is None:
            return True
        if start >= end:
            return False
        return not any(_covers(hole, start, end) for hole in self.holes)

    def _is_possible(self) -> bool:
        low, high = self.low, self.high
        if low[0] > high[0] or (low[0] == high[0] and (low[1] or high[1])):
            return False
        if self.values is None:
            return not (low[0] == high[0] and Number(low[0]) in self.barred)
        return any(each not in self.barred and self._holds(each) for each in self.values)

    def _holds(self, value: Scalar) -> bool:
        if not isinstance(value, Number):
            return True
        (low, above), (high, below) = self.low, self.high
        return (low < value.value or (low == value.value and not above)) and (
            value.value < high or (value.value == high and not below)
        )


Regions: TypeAlias = dict[tuple[object, ...], Region]
"""Regions by what a draft filters."""


def _covers(hole: TimeRange, start: datetime, end: datetime) -> bool:
    return hole.start is not None and hole.end is not None and hole.start <= start and end <= hole.end


def impossible(drafts: Sequence[FilterDraft]) -> bool:
    """Whether no row can satisfy all of an AND's terms; terms with a group are the arms of one OR."""
    regions: Regions = {}
    for draft in drafts:
        if draft.group is None and not regions.setdefault(draft.key, Region()).add(draft.op, draft.rhs):
            return True
    if not regions:
        return False
    groups = {id(draft.group): draft.group for draft in drafts if draft.group is not None}
    return any(_all_excluded(group, regions) for group in groups.values())


def _all_excluded(group: OrGroup, regions: Regions) -> bool:
    """Whether each arm of an OR has a condition that the others exclude."""
    return all(any(_excluded(draft, group, regions) for draft in arm) for arm in group.arms)


def _excluded(draft: FilterDraft, group: OrGroup, regions: Regions) -> bool:
    region = regions.get(draft.key)
    return region is not None and draft.group is group and not region.admits(draft.op, draft.rhs)


def certain(arms: Sequence[Sequence[FilterDraft]]) -> bool:
    """Whether every row satisfies an OR: none can satisfy the opposite of all its arms."""
    regions: Regions = {}
    several: list[Sequence[FilterDraft]] = []
    for arm in arms:
        for part in _flat(arm):
            if len(part) > 1:
                several.append(part)
            elif _rejected(part[0], regions):
                return True
    return any(all(_is_met(draft, regions) for draft in arm) for arm in several)


def contains(wide: FilterDraft, others: Sequence[FilterDraft]) -> bool:
    """Whether all values of some conditions on one operand satisfy another one: `c > ''` holds where `c = 'x'` does."""
    region = Region()
    region.add(wide.op, wide.rhs)
    return all(each.key == wide.key and _listed(each.rhs) and region.admits(each.op, each.rhs) for each in others)


def _flat(arm: Sequence[FilterDraft]) -> Sequence[Sequence[FilterDraft]]:
    """The arms of an OR that is an arm itself, else the arm; none if not all of it is known."""
    group = arm[0].group
    if group is None:
        return [arm]
    return group.arms if group.complete and all(draft.group is group for draft in arm) else []


def _rejected(draft: FilterDraft, regions: Regions) -> bool:
    """Adds the opposite of a condition; whether nothing is left then."""
    opposite = NEGATION.get(draft.op)
    if opposite is None:
        return False
    return not regions.setdefault(draft.key, Region()).add(opposite, draft.rhs)


def _is_met(draft: FilterDraft, regions: Regions) -> bool:
    """Whether a condition holds wherever the opposites of the other arms do."""
    region, opposite = regions.get(draft.key), NEGATION.get(draft.op)
    if region is None or draft.group is not None or opposite is None:
        return False
    return not region.admits(opposite, draft.rhs)


def _listed(rhs: Value | None) -> frozenset[Scalar] | None:
    """The exact values of an equality or a list; `None` if one of them is not exact."""
    if rhs is None:
        return None
    members = rhs.members if isinstance(rhs, Choices) else frozenset((rhs,))
    return members if members and all(isinstance(each, _EXACT) for each in members) else None


def _matches(op: Op, value: Scalar, part: str) -> bool:
    if not isinstance(value, Text):
        return True
    whole = value.folded
    found = {
        Op.CONTAINS: part in whole,
        Op.NOT_CONTAINS: part not in whole,
        Op.STARTS_WITH: whole.startswith(part),
        Op.NOT_STARTS_WITH: not whole.startswith(part),
        Op.ENDS_WITH: whole.endswith(part),
        Op.NOT_ENDS_WITH: not whole.endswith(part),
    }
    return found[op]


_BOUNDS = frozenset({Op.GT, Op.GE, Op.LT, Op.LE})
_TEXTUAL = frozenset({Op.CONTAINS, Op.NOT_CONTAINS, Op.STARTS_WITH, Op.NOT_STARTS_WITH, Op.ENDS_WITH, Op.NOT_ENDS_WITH})
