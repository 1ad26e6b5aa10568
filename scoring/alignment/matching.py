"""Do one required filter and one SQL filter say the same? Values, operators and left sides, compared."""

from __future__ import annotations

from datetime import datetime, timedelta

from scoring.immutable import immutable
from scoring.linking import LINKED, likeness
from scoring.specification import NEGATION, Clause, Filter, Op, QuestionFilter, SqlFilter
from scoring.values import (
    Boolean,
    Choices,
    DatePart,
    Expression,
    Number,
    Pattern,
    RelativeTime,
    Text,
    TimeRange,
    Value,
)
from scoring.words import letters

TEXTUAL = frozenset({Op.EQ, Op.CONTAINS, Op.STARTS_WITH, Op.ENDS_WITH, Op.LIKE, Op.IN})
NEGATIVE = frozenset(
    {Op.NE, Op.NOT_IN, Op.NOT_CONTAINS, Op.NOT_STARTS_WITH, Op.NOT_ENDS_WITH, Op.NOT_LIKE}
    | {Op.NOT_WITHIN, Op.NOT_EXISTS}
)
ABSENT = frozenset({Op.NOT_EXISTS, Op.IS_NULL})
"""Operators that say there is none."""
_VALUED = TEXTUAL | {Op.WITHIN}
_WHOLE = frozenset({Op.EQ, Op.WITHIN, Op.IN})
_PRESENT = frozenset({Op.EXISTS, Op.NOT_NULL})
FALSE_WORDS = frozenset({"0", "n", "no", "f", "false"})
"""Texts that stand for no."""
TIMES = (RelativeTime, TimeRange, DatePart)
_BOUNDS = {Op.GT: (1, False), Op.GE: (1, True), Op.LT: (-1, False), Op.LE: (-1, True)}


CERTAIN = 0.5
"""Certainty, in [0, 1], from which a condition read from words is required."""


@immutable(kw_only=False)
class Context:
    """What a comparison depends on besides the two filters."""

    moment: datetime | None
    """What relative dates are told from; `None` leaves any range of the right width acceptable."""
    excluded: frozenset[str] = frozenset()
    """Query blocks whose rows are left out of the answer (NOT IN, NOT EXISTS, EXCEPT): their conditions negate."""
    anti_joined: frozenset[str] = frozenset()
    """Blocks that keep only rows without a partner (LEFT JOIN … IS NULL): their ON conditions negate."""


def meets(required: QuestionFilter, present: SqlFilter, context: Context) -> bool:
    """Whether the SQL filter says what is required: left side, operator and value agree."""
    return _says(required, present, context) and same_subject(required, present) is not False


def clashes(required: QuestionFilter, present: SqlFilter, context: Context) -> bool:
    """Whether an unmet required filter is mismatched by this one: the same column, the very value, or another time."""
    about = same_subject(required, present)
    if about is None:
        both_times = isinstance(required.rhs, TIMES) and isinstance(present.rhs, TIMES)
        return both_times or _same_values(required, present, context) or _overlap(required.rhs, present.rhs, context)
    return about


def _overlap(wanted: Value | None, there: Value | None, context: Context) -> bool:
    """Some members of a list of values are the same."""
    if not isinstance(wanted, Choices) or there is None:
        return False
    theirs = there.members if isinstance(there, Choices) else frozenset({there})
    return any(same_value(mine, other, context) for mine in wanted.members for other in theirs)


def _says(required: QuestionFilter, present: SqlFilter, context: Context) -> bool:
    if bounds_agree(required, present):
        return True
    if required.op is Op.NOT_EXISTS and present.op is Op.EQ:
        return is_false(present.rhs)
    return compatible(required, effective_op(present, context)) and (
        required.rhs is present.rhs or _same_values(required, present, context)
    )


def _same_values(required: QuestionFilter, present: SqlFilter, context: Context) -> bool:
    if same_value(required.rhs, present.rhs, context):
        return required.rhs is not None
    return any(same_value(form, present.rhs, context) for form in required.alternatives)


def same_subject(required: QuestionFilter, present: SqlFilter) -> bool | None:
    """Whether both filter the same column; `None` where the question does not say or words cannot tell."""
    if present.lhs is None or required.lhs is None:
        return None
    if required.lhs.columns:
        return _same_column(required, present)
    if required.lhs.func is not None and present.lhs.func is not None:
        return True if required.lhs.func == present.lhs.func else None
    linked = likeness(required.lhs.name, present.lhs) >= LINKED
    if required.lhs.func is not None:
        return linked
    return True if linked else None


def _same_column(required: QuestionFilter, present: SqlFilter) -> bool:
    if required.lhs is None or present.lhs is None:
        return False
    wanted: set[str] = set()
    for column in required.lhs.columns:
        wanted.add(letters(column.name))
        if column.table is not None:
            wanted.add(letters(column.table + column.name))
    return any(letters(column.name) in wanted for column in present.lhs.columns)


def same_value(wanted: Value | None, there: Value | None, context: Context) -> bool:
    """Whether two right sides stand for the same value, whatever their notation."""
    if wanted is None or there is None:
        return wanted is there
    if type(wanted) is Text and type(there) is Text:
        return wanted.folded == there.folded or plain(wanted) == plain(there)
    if wanted == there:
        return True
    if isinstance(wanted, Choices) or isinstance(there, Choices):
        return _same_choices(wanted, there, context)
    if isinstance(wanted, TIMES) or isinstance(there, TIMES):
        return same_time(wanted, there, context)
    if isinstance(wanted, Text) and isinstance(there, Pattern):
        return wanted.folded in there.text.casefold()
    if isinstance(wanted, Expression) and isinstance(there, Expression):
        return bool(set(wanted.functions) & set(there.functions))
    mine, theirs = as_number(wanted), as_number(there)
    return mine is not None and theirs is not None and _close(mine, theirs, wanted)


def _close(mine: float, theirs: float, wanted: Value) -> bool:
    if abs(mine - theirs) <= 1e-9 * max(1.0, abs(mine)):
        return True
    percent = isinstance(wanted, Number) and wanted.unit == "%"
    return percent and abs(mine / 100 - theirs) <= 1e-9


def _same_choices(wanted: Value, there: Value, context: Context) -> bool:
    ours = wanted.members if isinstance(wanted, Choices) else frozenset({wanted})
    theirs = there.members if isinstance(there, Choices) else frozenset({there})
    return len(ours) == len(theirs) and all(any(same_value(a, b, context) for b in theirs) for a in ours)


def plain(literal: Text) -> str:
    """The literal without surrounding marks and a final stop, for comparison."""
    return literal.folded.strip(" .,;:?!'\"")


def as_number(value: Value) -> float | None:
    """The number a literal stands for, if any."""
    if isinstance(value, Number):
        return value.value
    if isinstance(value, Boolean):
        return float(value.value)
    if isinstance(value, Text):
        try:
            return float(value.folded.replace(",", ""))
        except ValueError:
            return None
    return None


def same_time(wanted: Value, there: Value, context: Context) -> bool:
    """Whether two times, or a time and a year's number, are one range."""
    if isinstance(wanted, RelativeTime):
        return _same_relative(wanted, there, context)
    if isinstance(wanted, TimeRange) and isinstance(there, RelativeTime):
        return context.moment is not None and _near(wanted, there.resolve(context.moment))
    if isinstance(wanted, TimeRange) and isinstance(there, TimeRange):
        return _near(wanted, there)
    year, number = (wanted, there) if isinstance(wanted, TimeRange) else (there, wanted)
    if isinstance(year, TimeRange):
        return _whole_year(year) is not None and as_number(number) == _whole_year(year)
    if isinstance(there, RelativeTime) and isinstance(wanted, Number):
        return wanted.value in (abs(there.start or 0), abs(there.end or 0))
    return False


def _same_relative(wanted: RelativeTime, there: Value, context: Context) -> bool:
    if isinstance(there, RelativeTime):
        return _open_to_now(wanted) == _open_to_now(there)
    if not isinstance(there, TimeRange):
        return False
    if context.moment is not None:
        return _resolves_to(wanted.resolve(context.moment), there, context.moment)
    return _right_width(wanted, there)


def _resolves_to(wanted: TimeRange, there: TimeRange, now: datetime) -> bool:
    """To the day; a range that reaches to now need not say so, for nothing has happened after it."""
    day = timedelta(days=1)
    reaches_now = wanted.end is None or wanted.end >= now - day
    return _near(wanted, there, slack=day) or (
        there.end is None and reaches_now and _same_bound(wanted.start, there.start, day)
    )


def _open_to_now(relative: RelativeTime) -> RelativeTime:
    """`last 30 days` reaches to now whether or not the SQL says so."""
    if relative.start is not None and relative.start < 0 and relative.end == 0 and not relative.whole:
        return RelativeTime(relative.unit, relative.start, None)
    return relative


def resolves(wanted: RelativeTime, there: TimeRange) -> bool:
    """Whether an absolute range has the width and grain of a relative phrase."""
    return _right_width(wanted, there)


def _right_width(wanted: RelativeTime, there: TimeRange) -> bool:
    """Without a moment, any range of the phrase's width and grain resolves it."""
    if there.start is None or (there.end is None and wanted.end is not None and wanted.whole):
        return False
    if there.end is None or wanted.start is None or wanted.end is None:
        return True
    expected = wanted.resolve(there.end if wanted.end == 0 else there.start)
    if expected.start is None or expected.end is None:
        return True
    width = expected.end - expected.start
    return abs((there.end - there.start) - width) <= max(timedelta(days=1), width * 0.04)


def _near(mine: TimeRange, theirs: TimeRange, slack: timedelta = timedelta(seconds=1)) -> bool:
    return _same_bound(mine.start, theirs.start, slack) and _same_bound(mine.end, theirs.end, slack)


def _same_bound(mine: datetime | None, theirs: datetime | None, slack: timedelta) -> bool:
    if mine is None or theirs is None:
        return mine is theirs
    return abs(mine - theirs) <= slack


def _whole_year(when: TimeRange) -> int | None:
    if when.start is None or when.end is None:
        return None
    whole = when.start == datetime(when.start.year, 1, 1) and (when.end - when.start).days in (365, 366)
    return when.start.year if whole else None


def is_false(value: Value | None) -> bool:
    """Whether a literal stands for no: 0, FALSE, 'n'."""
    if isinstance(value, Text):
        return value.folded in FALSE_WORDS
    return value is not None and as_number(value) == 0


def effective_op(present: SqlFilter, context: Context) -> Op:
    """The filter's operator as the answer's rows see it: negated in a block whose rows are left out."""
    anti_joined = present.clause is Clause.ON and present.block in context.anti_joined
    negated = anti_joined != (present.block in context.excluded)
    return NEGATION.get(present.op, present.op) if negated else present.op


def compatible(required: Filter, there: Op) -> bool:
    """Whether the operators agree once the values do.

    `x` of a question is also met by `%x%`; a list of one by equality; NOT EXISTS by any exclusion; and what
    `contains x`, where no text is named to hold it, by equality too (a box contains 'tea').
    """
    wanted = required.op
    if wanted is there:
        return True
    for alike in (ABSENT, _PRESENT):
        if wanted in alike:
            return there in alike or (wanted is Op.NOT_EXISTS and there in NEGATIVE)
    if (wanted in NEGATIVE) != (there in NEGATIVE):
        return False
    if wanted in NEGATIVE:
        return True
    if wanted in _VALUED and there in _VALUED:
        lenient = wanted is Op.CONTAINS and required.lhs is None
        return lenient or wanted in _WHOLE or there is Op.LIKE
    return False


def bounds_agree(required: QuestionFilter, present: SqlFilter) -> bool:
    """`> 5` and `>= 6` are one bound on whole numbers.

    >>> from scoring.specification import Clause
    >>> bounds_agree(
    ...     QuestionFilter(lhs=None, op=Op.GT, rhs=Number(5), span="over 5", start=0),
    ...     SqlFilter(lhs=None, op=Op.GE, rhs=Number(6), block="main", clause=Clause.WHERE))
    True
    """
    if required.op not in _BOUNDS or present.op not in _BOUNDS:
        return False
    mine = as_number(required.rhs) if required.rhs is not None else None
    theirs = as_number(present.rhs) if present.rhs is not None else None
    if mine is None or theirs is None or mine != int(mine) or theirs != int(theirs):
        return False
    (side, closed), (their_side, their_closed) = _BOUNDS[required.op], _BOUNDS[present.op]
    inclusive = mine if closed else mine + side
    their_inclusive = theirs if their_closed else theirs + their_side
    return side == their_side and inclusive == their_inclusive


def contradicts(extra: SqlFilter, required: QuestionFilter, met_by: tuple[SqlFilter, ...]) -> bool:
    """Whether an extra condition can never hold together with the filter that met a required one."""
    return any(_excludes(extra, present) for present in met_by if present.alternative is None)


def _excludes(extra: SqlFilter, present: SqlFilter) -> bool:
    if extra.lhs is None or present.lhs is None or extra.lhs.name != present.lhs.name:
        return False
    if extra.block != present.block or extra.alternative is not None:
        return False
    if extra.op is NEGATION.get(present.op) and extra.rhs == present.rhs:
        return True
    if extra.op is Op.EQ and present.op is Op.EQ:
        return extra.rhs != present.rhs and not isinstance(extra.rhs, Expression)
    if isinstance(extra.rhs, TimeRange) and isinstance(present.rhs, TimeRange):
        return extra.op is present.op is Op.WITHIN and _disjoint(extra.rhs, present.rhs)
    return _bounds_exclude(extra, present) or _bounds_exclude(present, extra)


def _bounds_exclude(one: SqlFilter, other: SqlFilter) -> bool:
    low = as_number(one.rhs) if one.rhs is not None and one.op in {Op.GT, Op.GE, Op.EQ} else None
    high = as_number(other.rhs) if other.rhs is not None and other.op in {Op.LT, Op.LE, Op.EQ} else None
    if low is None or high is None:
        return False
    return low > high or (low == high and (one.op is Op.GT or other.op is Op.LT))


def _disjoint(left: TimeRange, right: TimeRange) -> bool:
    def before(end: datetime | None, start: datetime | None) -> bool:
        return end is not None and start is not None and end <= start

    return before(left.end, right.start) or before(right.end, left.start)


def split_name(required: QuestionFilter, present: tuple[SqlFilter, ...]) -> tuple[SqlFilter, ...]:
    """The equalities that together spell a name the question gives as one (`Ann Lee`: first 'ann', last 'lee')."""
    if not isinstance(required.rhs, Text) or required.op is not Op.EQ:
        return ()
    words = required.rhs.folded.split()
    if len(words) < 2:
        return ()
    parts = [
        each
        for each in present
        if each.op in TEXTUAL
        and isinstance(each.rhs, Text)
        and each.rhs.folded
        and each.rhs.folded in required.rhs.folded
    ]
    said = {word for each in parts if isinstance(each.rhs, Text) for word in each.rhs.folded.split()}
    return tuple(parts) if said >= set(words) else ()
