"""Folds the values of definitions into the same forms as those of SQL."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from scoring.patterns import lazy
from scoring.question.definitions.left_sides import Left
from scoring.question.definitions.parts import Part
from scoring.specification import Op
from scoring.values import (
    Choices,
    DatePart,
    Grain,
    Number,
    Pattern,
    Scalar,
    Text,
    TimeRange,
    Value,
    intersect,
    period,
    shift,
    text,
)
from scoring.words import identifier_words

CERTAIN = 0.9
"""How certain a definition's condition is, in [0, 1]."""

_ISO = lazy(r"(\d{4})[-/](\d{1,2})(?:[-/](\d{1,2}))?(?:[ T](\d{1,2}):(\d{2})(?::(\d{2}))?(?:\.0+)?)?")
_YEAR = lazy(r"[12]\d{3}")
_YEAR_WORDS = frozenset({"year", "yr"})
_COMPACT = lazy(r"([12]\d{3})(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])?")
_DATE_WORDS = frozenset("date period yearmonth month day dt at on dob birthday time timestamp datetime".split())


class Condition(NamedTuple):
    """One condition of a formula at characters [start, end)."""

    left: Left
    op: Op
    rhs: Value | None
    start: int
    end: int
    certain: float = CERTAIN

    @classmethod
    def of(cls, left: Left, op: Op, literal: Part, end: int) -> Condition:
        """The condition with its value folded: a date becomes the range that the operator selects."""
        value = folded(left, literal)
        if isinstance(value, TimeRange):
            side = side_of(value, op)
            if side is not None:
                return cls(left, Op.NOT_WITHIN if op is Op.NE else Op.WITHIN, side, left.start, end)
        if isinstance(value, DatePart) and op in (Op.EQ, Op.NE):
            return cls(left, Op.WITHIN if op is Op.EQ else Op.NOT_WITHIN, value, left.start, end)
        return cls(left, op, value, left.start, end)


def folded(left: Left, literal: Part) -> Scalar:
    """A literal folded as in SQL: by the call around the column, the column's name, and the literal's form.

    >>> from scoring.specification import Column
    >>> born = Left(Column(name="dob"), "year", "", 0)
    >>> str(folded(born, Part("text", "'1980'", "'1980'", 0, 6)))
    '[1980-01-01, 1981-01-01)'
    """
    bare = literal.bare.strip()
    if left.part is not None:
        dated = _part_of_date(left.part, bare)
    else:
        dated = _named_time(left.column.name, bare) or (_dated(bare) if literal.kind == "text" else None)
    if dated is not None:
        return dated
    return Number(float(bare.replace(",", ""))) if literal.kind == "number" else text(bare)


def _part_of_date(part: str, bare: str) -> TimeRange | DatePart | None:
    if part == "year":
        return period(Grain.YEAR, year=int(bare)) if _YEAR.fullmatch(bare) else None
    if part == "date":
        return _dated(bare)
    return DatePart(part, int(bare)) if bare.isdecimal() and len(bare) < 4 else None


def _named_time(name: str, bare: str) -> TimeRange | None:
    """A year, `201305` or `20130521` if the column's name says that it holds times."""
    words = identifier_words(name)
    if _YEAR.fullmatch(bare) and (_YEAR_WORDS & set(words) or name.endswith("year")):
        return period(Grain.YEAR, year=int(bare))
    match = _COMPACT.fullmatch(bare)
    if match is None or not (_DATE_WORDS & set(words[-2:]) or name.endswith("date")):
        return None
    return _dated("-".join(group for group in match.groups() if group))


def _dated(bare: str) -> TimeRange | None:
    """The month, day or second that an ISO date or timestamp names; midnight means the whole day."""
    match = _ISO.fullmatch(bare)
    if match is None:
        return None
    year, month = int(match[1]), int(match[2])
    if not (year and 1 <= month <= 12):
        return None
    if match[3] is None:
        return period(Grain.MONTH, year=year, month=month)
    day = period(Grain.DAY, year=year, month=month, day=int(match[3]))
    if match[4] is None or (match[4], match[5], match[6] or "00") == ("00", "00", "00"):
        return day
    return _second(day, int(match[4]), int(match[5]), int(match[6] or 0))


def _second(day: TimeRange | None, hour: int, minute: int, second: int) -> TimeRange | None:
    if day is None or day.start is None:
        return day
    if hour > 23 or minute > 59 or second > 59:
        return None
    moment = day.start.replace(hour=hour, minute=minute, second=second)
    return TimeRange(moment, shift(moment, Grain.SECOND, 1))


def side_of(value: TimeRange, op: Op) -> TimeRange | None:
    """The range of times for which the comparison holds; `None` if the operator selects no range."""
    sides: dict[Op, tuple[datetime | None, datetime | None]] = {
        Op.EQ: (value.start, value.end),
        Op.NE: (value.start, value.end),
        Op.GE: (value.start, None),
        Op.GT: (value.end, None),
        Op.LT: (None, value.start),
        Op.LE: (None, value.end),
    }
    return TimeRange(*sides[op]) if op in sides else None


def ranged(left: Left, low: Part, high: Part, end: int, *, negated: bool) -> list[Condition]:
    """BETWEEN: two bounds for numbers, one range for times."""
    first, last = folded(left, low), folded(left, high)
    if isinstance(first, TimeRange) and isinstance(last, TimeRange):
        op = Op.NOT_WITHIN if negated else Op.WITHIN
        return [Condition(left, op, TimeRange(first.start, last.end), left.start, end)]
    if negated:
        return [Condition(left, Op.LT, first, left.start, end, 0.4), Condition(left, Op.GT, last, left.start, end, 0.4)]
    return [Condition(left, Op.GE, first, left.start, end), Condition(left, Op.LE, last, left.start, end)]


def listed(left: Left, members: Sequence[Part], end: int) -> Condition:
    """IN: a list, or an equality if it has one member."""
    values = frozenset(folded(left, member) for member in members)
    if len(values) == 1:
        return Condition.of(left, Op.EQ, members[0], end)
    return Condition(left, Op.IN, Choices(values), left.start, end)


def like(pattern: str) -> tuple[Op, Text | Pattern]:
    """The operator and value of a LIKE pattern.

    >>> [like(each)[0].value for each in ("plum", "%plum%", "plum%", "%plum", "p_um")]
    ['=', 'contains', 'starts with', 'ends with', 'like']
    """
    inner = pattern.strip("%")
    if "%" in inner or "_" in inner:
        return Op.LIKE, Pattern(text(pattern).folded)
    opens, closes = pattern.startswith("%"), pattern.endswith("%")
    if opens and closes:
        return Op.CONTAINS, text(inner)
    if opens or closes:
        return (Op.ENDS_WITH if opens else Op.STARTS_WITH), text(inner)
    return Op.EQ, text(inner)


def merged(conditions: Sequence[Condition], *, joined_by_or: bool) -> list[Condition]:
    """Joins conditions of one column: ORed equalities into a list, bounds or parts of a date into a range."""
    if len(conditions) < 2:
        return list(conditions)
    found: list[Condition] = []
    for each in conditions:
        at = next((place for place, other in enumerate(found) if other.left.operand == each.left.operand), None)
        both = _both(found[at], each, joined_by_or=joined_by_or) if at is not None else None
        if at is not None and both is not None:
            found[at] = both
        else:
            found.append(each)
    return found


def _both(first: Condition, second: Condition, *, joined_by_or: bool) -> Condition | None:
    """Two conditions of one column as one, if they can be joined."""
    start, end = min(first.start, second.start), max(first.end, second.end)
    if first.op is second.op and first.rhs == second.rhs:
        return first
    if joined_by_or:
        members = _members(first) | _members(second)
        listed_both = _members(first) and _members(second)
        return Condition(first.left, Op.IN, Choices(members), start, end) if listed_both else None
    if first.op is second.op is Op.WITHIN:
        joined = _within(first.rhs, second.rhs)
        return first._replace(rhs=joined, start=start, end=end) if joined is not None else None
    return None


def _members(condition: Condition) -> frozenset[Scalar]:
    rhs = condition.rhs
    if condition.op is Op.EQ and isinstance(rhs, Text | Number):
        return frozenset({rhs})
    if condition.op is Op.WITHIN and isinstance(rhs, TimeRange) and rhs.start and rhs.end:
        return frozenset({rhs})
    return rhs.members if condition.op is Op.IN and isinstance(rhs, Choices) else frozenset()


def _within(first: Value | None, second: Value | None) -> TimeRange | None:
    if isinstance(first, DatePart) and isinstance(second, TimeRange):
        first, second = second, first
    if isinstance(first, TimeRange) and isinstance(second, TimeRange):
        open_ended = (first.start is None) != (second.start is None) and (first.end is None) != (second.end is None)
        return intersect(first, second) if open_ended else None
    if isinstance(first, TimeRange) and isinstance(second, DatePart) and second.part == "month" and first.start:
        return period(Grain.MONTH, year=first.start.year, month=second.value) if 1 <= second.value <= 12 else None
    return None
