"""Required filters that a bound parameter of unknown value may meet."""

from __future__ import annotations

from collections.abc import Sequence

from scoring.alignment.matching import compatible, effective_op, same_subject
from scoring.alignment.same_values import TIMES, Context
from scoring.specification import Op, QuestionFilter, SqlFilter
from scoring.values import is_unknown
from scoring.verdict import FilterMatch

_LOWER = frozenset({Op.GT, Op.GE})
_UPPER = frozenset({Op.LT, Op.LE})


def met_by_parameters(
    unmet: Sequence[QuestionFilter], present: Sequence[SqlFilter], context: Context
) -> tuple[list[FilterMatch], list[QuestionFilter]]:
    """Pairs unmet filters with filters of unknown value, each with one, those on the same column first."""
    free = [each for each in present if is_unknown(each.rhs)]
    if not free:
        return [], list(unmet)
    surely = _pairs(unmet, free, context, subject=True)
    taken = [each for match in surely for each in match.present]
    left = _without(unmet, surely)
    perhaps = _pairs(left, [each for each in free if each not in taken], context, subject=None)
    return [*surely, *perhaps], _without(left, perhaps)


def _without(unmet: Sequence[QuestionFilter], met: Sequence[FilterMatch]) -> list[QuestionFilter]:
    return [each for each in unmet if not any(match.required is each for match in met)]


def _pairs(
    unmet: Sequence[QuestionFilter], free: Sequence[SqlFilter], context: Context, *, subject: bool | None
) -> list[FilterMatch]:
    """Pairs of filters of which the column is known to be the same (`True`), or not known (`None`)."""
    found: list[FilterMatch] = []
    for each in unmet:
        first = next((other for other in free if _may_meet(each, other, context, subject=subject)), None)
        if first is not None:
            taken = _with_others(each, first, free)
            free = [other for other in free if other not in taken]
            found.append(FilterMatch(each, taken))
    return found


def _may_meet(required: QuestionFilter, present: SqlFilter, context: Context, *, subject: bool | None) -> bool:
    return same_subject(required, present) is subject and _allows(required, effective_op(present, context))


def _allows(required: QuestionFilter, there: Op) -> bool:
    if required.op in _LOWER or required.op in _UPPER:
        return there in (_LOWER if required.op in _LOWER else _UPPER)
    if isinstance(required.rhs, TIMES) and required.op in (Op.WITHIN, Op.EQ):
        return there in _LOWER | _UPPER | {Op.EQ, Op.WITHIN, Op.IN, Op.LIKE}
    return compatible(required, there)


def _with_others(required: QuestionFilter, found: SqlFilter, free: Sequence[SqlFilter]) -> tuple[SqlFilter, ...]:
    """The filter, and for a period those beside it on the same column: its other bound, or its year and its month."""
    if not isinstance(required.rhs, TIMES) or found.lhs is None:
        return (found,)
    columns = found.lhs.columns
    return tuple(each for each in free if each is found or (each.lhs is not None and each.lhs.columns == columns))
