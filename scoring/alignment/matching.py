"""Do one required filter and one SQL filter say the same? Left sides, operators and values are compared."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from scoring.alignment.lengths import BOUNDS, bounds_birth, has_other_unit, meets_length, recurs_yearly
from scoring.alignment.same_values import TIMES, Context, as_number, is_false, same_value
from scoring.alignment.scales import compares_share, is_measured, scale_of, unit_factor
from scoring.linking import LINKED, likeness
from scoring.specification import NEGATION, Clause, Filter, Op, QuestionFilter, SqlFilter
from scoring.values import Boolean, Choices, Expression, Number, Text, TimeRange, Value
from scoring.words import letters

CERTAIN = 0.5
"""Certainty, in [0, 1], from which a condition read from words is required."""
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


def meets(required: QuestionFilter, present: SqlFilter, context: Context) -> bool:
    """Whether the SQL filter says what is required: left side, operator and value agree."""
    if (
        recurs_yearly(required, present, context)
        or bounds_birth(required, present, context)
        or _has_so_many(required, present)
    ):
        return True
    return _says(required, present, context) and same_subject(required, present) is not False


def clashes(required: QuestionFilter, present: SqlFilter, context: Context) -> bool:
    """Whether this filter mismatches an unmet required one: the same column, the same value, or another time."""
    about = same_subject(required, present)
    if about is None:
        both_times = isinstance(required.rhs, TIMES) and _is_time(present.rhs)
        return both_times or _same_values(required, present, context) or _overlap(required.rhs, present.rhs, context)
    return about


def _is_time(value: Value | None) -> bool:
    """Whether a value is a time or a list of times."""
    if isinstance(value, Choices):
        return all(isinstance(each, TIMES) for each in value.members)
    return isinstance(value, TIMES)


def _overlap(wanted: Value | None, there: Value | None, context: Context) -> bool:
    """Whether two lists of values share a member."""
    if not isinstance(wanted, Choices) or there is None:
        return False
    theirs = there.members if isinstance(there, Choices) else frozenset({there})
    return any(same_value(mine, other, context) for mine in wanted.members for other in theirs)


def _says(required: QuestionFilter, present: SqlFilter, context: Context) -> bool:
    if required.alternatives and required.op in BOUNDS and has_other_unit(required, present):
        return present.op in BOUNDS and meets_length(required, present, context)
    if isinstance(required.rhs, Number) and isinstance(present.rhs, Number):
        factor = scale_of(present) * unit_factor(required.rhs.unit, present)
        if factor != 1 and _says_plainly(required, replace(present, rhs=Number(present.rhs.value * factor)), context):
            return True
        if factor < 1 and is_measured(required.rhs.unit) and required.rhs.value:
            return False
    return _says_plainly(required, present, context)


def _says_plainly(required: QuestionFilter, present: SqlFilter, context: Context) -> bool:
    if bounds_agree(required, present) or meets_length(required, present, context):
        return True
    if compares_share(required, present) or _bounds_year(required, present):
        return True
    present = _to_the_end(required, present)
    if required.op is Op.NOT_EXISTS and present.op in (Op.EQ, Op.NE):
        return _says_none(present)
    return compatible(required, effective_op(present, context)) and (
        required.rhs is present.rhs or _same_values(required, present, context)
    )


def _says_none(present: SqlFilter) -> bool:
    """Whether a flag is not set, or a text is empty."""
    if present.op is Op.NE:
        return isinstance(present.rhs, Boolean) and not is_false(present.rhs)
    return is_false(present.rhs) or (isinstance(present.rhs, Text) and not present.rhs.folded)


def _to_the_end(required: QuestionFilter, present: SqlFilter) -> SqlFilter:
    """The condition with its end included where the question says nothing of it: `within 7 days`."""
    open_ended = required.op is Op.LE and required.span.lower().startswith("within")
    return replace(present, op=Op.LE) if open_ended and present.op is Op.LT else present


def _bounds_year(required: QuestionFilter, present: SqlFilter) -> bool:
    """Whether a column of any name is held against the number of a year: `after 1996` and `built > 1996`."""
    wanted, year = required.rhs, present.rhs
    if not isinstance(wanted, TimeRange) or not isinstance(year, Number) or year.value not in _YEARS:
        return False
    first = datetime(int(year.value) + (present.op in (Op.GT, Op.LE)), 1, 1)
    if present.op in (Op.GT, Op.GE):
        return (wanted.start, wanted.end) == (first, None)
    return present.op in (Op.LT, Op.LE) and (wanted.start, wanted.end) == (None, first)


_YEARS = range(1000, 2200)


def _has_so_many(required: QuestionFilter, present: SqlFilter) -> bool:
    """Whether `with two orders` is met by at least two, or by two that differ: `a.id < b.id`."""
    wanted, lhs = required.rhs, present.lhs
    counts = required.op is Op.EQ and required.lhs is not None and required.lhs.func == "COUNT"
    if not counts or required.certain > _BARE or not isinstance(wanted, Number) or wanted.value < 2:
        return False
    if lhs is not None and lhs.func == "COUNT" and isinstance(present.rhs, Number):
        return (present.op, present.rhs.value) in ((Op.GE, wanted.value), (Op.GT, wanted.value - 1))
    return wanted.value == 2 and _are_two(present)


def _are_two(present: SqlFilter) -> bool:
    """Whether two rows of one table are told apart: `a.id < b.id`."""
    if present.lhs is None or not isinstance(present.rhs, Expression) or present.op not in (Op.LT, Op.GT, Op.NE):
        return False
    return len(present.lhs.columns) == 1 and present.rhs.text == present.lhs.name


_BARE = 0.6
"""Certainty of a number that has no `exactly` before it."""


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


def effective_op(present: SqlFilter, context: Context) -> Op:
    """The filter's operator as the answer's rows see it: negated in a block whose rows are left out."""
    anti_joined = present.clause is Clause.ON and present.block in context.anti_joined
    negated = anti_joined != (present.block in context.excluded)
    return NEGATION.get(present.op, present.op) if negated else present.op


def compatible(required: Filter, there: Op) -> bool:
    """Whether the operators agree once the values do.

    `x` of a question is also met by `%x%`, a list of one by equality, and NOT EXISTS by any exclusion. `contains x`
    is met by equality too where the question names no column: a box contains 'tea'.
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
    >>> from scoring.values import Boolean, Choices, Expression, Number, Text, TimeRange, Value
    >>> bounds_agree(
    ...     QuestionFilter(lhs=None, op=Op.GT, rhs=Number(5), span="over 5", start=0),
    ...     SqlFilter(lhs=None, op=Op.GE, rhs=Number(6), block="main", clause=Clause.WHERE))
    True
    """
    if required.op not in BOUNDS or present.op not in BOUNDS:
        return False
    if _ends_with_hour(required, present):
        return True
    mine = as_number(required.rhs) if required.rhs is not None else None
    theirs = as_number(present.rhs) if present.rhs is not None else None
    if mine is None or theirs is None or mine != int(mine) or theirs != int(theirs):
        return False
    (side, closed), (their_side, their_closed) = BOUNDS[required.op], BOUNDS[present.op]
    inclusive = mine if closed else mine + side
    their_inclusive = theirs if their_closed else theirs + their_side
    return side == their_side and inclusive == their_inclusive


def _ends_with_hour(required: QuestionFilter, present: SqlFilter) -> bool:
    """Whether a time of day ends as an hour begins: `between 6 and 9 in the morning` and `hour < 9`."""
    hour = present.lhs is not None and present.lhs.name.startswith(("hour(", "extract(hour"))
    return hour and (required.op, present.op) == (Op.LE, Op.LT) and required.rhs == present.rhs


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
