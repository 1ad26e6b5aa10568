"""Filters before they are final: bounds in one conjunction fold into ranges, equalities in one OR into lists."""

from __future__ import annotations

from types import MappingProxyType

from scoring.specification import Op, Operand
from scoring.values import (
    MONTHS,
    Choices,
    DatePart,
    Expression,
    Grain,
    Number,
    Pattern,
    RelativeTime,
    Scalar,
    Text,
    TimeRange,
    Value,
    intersect,
    period,
    shift,
)

FLIPPED = MappingProxyType({Op.LT: Op.GT, Op.GT: Op.LT, Op.LE: Op.GE, Op.GE: Op.LE, Op.EQ: Op.EQ, Op.NE: Op.NE})
"""The operator that says the same with its sides exchanged."""
_HUGE = 100_000


class OrGroup:
    """Marks the drafts that come from one OR; compared by identity."""

    __slots__ = ("arms", "complete")

    def __init__(self, arms: list[list[FilterDraft]]) -> None:
        self.arms = [[draft for draft in arm if draft.group is None] for arm in arms]
        """The terms of each arm, without those of an OR inside it."""
        self.complete = all(arm and len(arm) == len(own) for arm, own in zip(arms, self.arms, strict=True))
        """The arms hold nothing else."""


class FilterDraft:
    """A filter whose conjunction is still being read."""

    __slots__ = ("because", "fact", "group", "joins", "lhs", "op", "rhs")

    def __init__(self, lhs: Operand, op: Op, rhs: Value | None) -> None:
        self.lhs = lhs
        self.op = op
        self.rhs = rhs
        self.group: OrGroup | None = None
        self.fact: bool | None = None
        """It always holds, or never."""
        self.because: list[FilterDraft] = []
        """The terms that exclude each other, so that this never holds."""
        self.joins = False
        """It only joins two items of FROM."""

    @property
    def key(self) -> tuple[object, ...]:
        """Identifies what it filters."""
        return self.lhs.name, self.lhs.columns

    @property
    def text(self) -> str:
        """Canonical SQL for people."""
        if self.op is Op.OTHER:
            return self.lhs.name
        if self.rhs is None:
            return f"{self.lhs.name} {self.op}"
        value = f"'{self.rhs.text}'" if isinstance(self.rhs, Pattern) else str(self.rhs)
        return f"{self.lhs.name} {self.op} {value}"


def is_wide(draft: FilterDraft) -> bool:
    """Whether nearly every row satisfies a condition: not NULL, not empty, above 0 or below a huge number."""
    if draft.op is Op.NOT_NULL:
        return True
    value = draft.rhs
    if isinstance(value, Text):
        return draft.op in (Op.NE, Op.GT, Op.GE) and not value.folded.strip()
    if not isinstance(value, Number) or len(draft.lhs.columns) > 1:  # `a - b > 0` compares two columns
        return False
    if draft.op in (Op.GT, Op.GE, Op.NE):
        return value.value <= 1
    return draft.op in (Op.LT, Op.LE) and value.value >= _HUGE


def compares_itself(draft: FilterDraft) -> bool:
    """Whether both sides of a condition are made of the same columns and of no aggregate or query: `id = ABS(id)`."""
    value = draft.rhs
    if not isinstance(value, Expression) or value.subquery or value.functions or draft.op not in (Op.EQ, Op.GE, Op.LE):
        return False
    return bool(value.columns) and set(value.columns) == {column.name for column in draft.lhs.columns}


def fact(truth: bool, shown: str = "") -> list[FilterDraft]:
    """A condition that always holds, or never."""
    draft = FilterDraft(Operand(name=shown or str(truth).lower()), Op.OTHER, None)
    draft.fact = truth
    return [draft]


def join_key() -> list[FilterDraft]:
    """A condition that only joins two items of FROM."""
    draft = FilterDraft(Operand(name="join"), Op.OTHER, None)
    draft.joins = True
    return [draft]


def settle(drafts: list[FilterDraft], *, opened: bool) -> list[FilterDraft]:
    """The terms of an AND without those that always hold; one that never holds stands for all.

    `opened`: the AND holds more than drafts say, such as a subquery.
    """
    kept = [draft for draft in drafts if draft.fact is None and not draft.joins]
    if len(kept) == len(drafts):
        return fold(kept)
    never = next((draft for draft in drafts if draft.fact is False), None)
    if never is not None:
        return _never(kept, never)
    if kept or opened:
        return fold(kept)
    return [draft for draft in drafts if draft.joins][:1] or drafts[:1]


def _never(kept: list[FilterDraft], never: FilterDraft) -> list[FilterDraft]:
    """An AND that never holds, with the terms that it takes away in its text."""
    return fact(False, " and ".join([each.text for each in (*kept[:8], never)])) if kept else [never]


def fold(drafts: list[FilterDraft]) -> list[FilterDraft]:
    """Joins two open bounds of a date into a range, and a year with its month and day into one period."""
    if len(drafts) < 2:
        return drafts
    timed: dict[tuple[object, ...], list[FilterDraft]] = {}
    for draft in drafts:
        if draft.op is Op.WITHIN and draft.group is None:
            timed.setdefault(draft.key, []).append(draft)
    if not timed:
        return drafts
    folded: set[int] = set()
    for same in timed.values():
        if len(same) > 1:
            folded.update(map(id, _join_bounds(same)))
            folded.update(map(id, _join_parts(same)))
    return [draft for draft in drafts if id(draft) not in folded]


def alternatives(arms: list[list[FilterDraft]]) -> list[FilterDraft]:
    """The arms of an OR: equalities and lists on one operand become one list; everything else shares a group."""
    arms = _without_facts(arms)
    kept: list[list[FilterDraft]] = []
    lists: dict[tuple[object, ...], tuple[FilterDraft, set[Scalar]]] = {}
    for arm in arms:
        members = _members(arm)
        if members is None:
            kept.append(arm)
        elif arm[0].key in lists:
            lists[arm[0].key][1].update(members)
        else:
            lists[arm[0].key] = arm[0], set(members)
            kept.append(arm)
    for draft, members in lists.values():
        if len(members) > 1:
            draft.op, draft.rhs = Op.IN, Choices(frozenset(members))
    drafts = [draft for arm in kept for draft in arm]
    if len(kept) > 1:
        group = OrGroup(kept)
        for draft in drafts:
            draft.group = group
    return drafts


def _without_facts(arms: list[list[FilterDraft]]) -> list[list[FilterDraft]]:
    """Only the arm that always holds if there is one, else the arms that may hold."""
    facts = [arm for arm in arms if arm and arm[0].fact is not None]
    if not facts:
        return arms
    always = [arm for arm in facts if arm[0].fact]
    return always[:1] or [arm for arm in arms if not arm or arm[0].fact is None] or arms[:1]


def _members(arm: list[FilterDraft]) -> frozenset[Scalar] | None:
    """The values of an arm that is a single equality or list, else `None`."""
    if len(arm) != 1 or arm[0].group is not None or arm[0].fact is not None or arm[0].joins:
        return None
    rhs = arm[0].rhs
    if arm[0].op is Op.IN and isinstance(rhs, Choices):
        return rhs.members
    if arm[0].op not in (Op.EQ, Op.WITHIN) or rhs is None or isinstance(rhs, (Choices, Expression)):
        return None
    return None if isinstance(rhs, (TimeRange, RelativeTime)) and _is_open(rhs) else frozenset((rhs,))


def _is_open(time: TimeRange | RelativeTime) -> bool:
    return time.start is None or time.end is None


def _join_bounds(same: list[FilterDraft]) -> list[FilterDraft]:
    """Joins the first lower with the first upper bound; returns the draft that is no longer needed."""
    lower = next((each for each in same if _has_open(each.rhs, "end")), None)
    upper = next((each for each in same if _has_open(each.rhs, "start")), None)
    if lower is None or upper is None:
        return []
    joined = _joined(lower.rhs, upper.rhs)
    if joined is None:
        return []
    first, second = (lower, upper) if same.index(lower) < same.index(upper) else (upper, lower)
    first.rhs = joined
    return [second]


def _has_open(rhs: Value | None, side: str) -> bool:
    return isinstance(rhs, (TimeRange, RelativeTime)) and getattr(rhs, side) is None


def _joined(lower: Value | None, upper: Value | None) -> Value | None:
    if isinstance(lower, TimeRange) and isinstance(upper, TimeRange):
        return intersect(lower, upper)
    if not isinstance(lower, RelativeTime) or not isinstance(upper, RelativeTime):
        return None
    if lower.unit is upper.unit or upper.end == 0:
        return RelativeTime(lower.unit, lower.start, upper.end, lower.whole)
    return RelativeTime(upper.unit, 0, upper.end, upper.whole) if lower.start == 0 and not lower.whole else None


def _join_parts(same: list[FilterDraft]) -> list[FilterDraft]:
    """Turns `YEAR(d) = 2023 AND MONTH(d) = 5` into May 2023; returns the drafts that are no longer needed."""
    year = next((each for each in same if _is_year(each.rhs)), None)
    parts = {each.rhs.part: each for each in same if isinstance(each.rhs, DatePart)}
    month = parts.get("month") or parts.get("quarter")
    if year is None or month is None:
        return []
    day = parts.get("day") if "month" in parts else None
    whole = _period(year.rhs, month.rhs, day.rhs if day is not None else None)
    if whole is None:
        return []
    year.rhs = whole
    return [month] if day is None else [month, day]


_THIS_YEAR = RelativeTime(Grain.YEAR, 0, 1, whole=True)


def _is_year(time: Value | None) -> bool:
    if time == _THIS_YEAR:
        return True
    if not isinstance(time, TimeRange) or time.start is None:
        return False
    return (time.start.month, time.start.day) == (1, 1) and time.end == shift(time.start, Grain.YEAR, 1)


def _period(whole: Value | None, part: Value | None, day: Value | None) -> TimeRange | RelativeTime | None:
    """The quarter, month or day of a year; the current month, or the one before, of the current year."""
    if isinstance(part, DatePart) and part.part in ("month", "quarter") and part.value <= 0:
        unit = Grain(part.part)
        current = RelativeTime(unit, part.value, part.value + 1, whole=True)
        return current if whole == _THIS_YEAR and day is None else None
    if not isinstance(whole, TimeRange) or whole.start is None or not isinstance(part, DatePart):
        return None
    year = whole.start.year
    if isinstance(day, DatePart):
        return period(Grain.DAY, year=year, month=part.value, day=day.value)
    unit = Grain(part.part)
    first = period(unit, year=year, month=(part.value - 1) * MONTHS[unit] + 1)
    if first is None or part.last is None:
        return first
    last = period(unit, year=year, month=(part.last - 1) * MONTHS[unit] + 1)
    return None if last is None else TimeRange(first.start, last.end)
