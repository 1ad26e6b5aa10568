"""Does a condition that a definition gives tell rows apart? Both values of a flag, or all but one value, do not."""

from __future__ import annotations

from scoring.alignment.matching import NEGATIVE
from scoring.question.english.weakening import FLAGS
from scoring.specification import Op, QuestionFilter
from scoring.values import Boolean, Choices, Number, Pattern, Text, Value
from scoring.words import identifier_words

_NO = frozenset({"0", "n", "f", "no", "false", "none", "null", "-", ""})
_YES = frozenset({"1", "y", "t", "yes", "true"})


def tells_nothing_apart(own: QuestionFilter, each: QuestionFilter) -> bool:
    """Whether a condition keeps both values of a flag, or only excludes some value that is no `no`."""
    given = {text.casefold() for text in texts_of(each.rhs)}
    if each.op in (Op.IN, Op.WITHIN) and given & _NO and given & _YES:
        return True
    if own.op in NEGATIVE:
        return False
    if isinstance(each.rhs, Number):
        return (each.op is Op.NE and each.rhs.value != 0) or _keeps_both(each, each.rhs.value)
    if each.op in (Op.IS_NULL, Op.NOT_NULL):
        return each.op is Op.IS_NULL or is_flag(each)
    return each.op in (Op.NE, Op.NOT_IN) and not given <= _NO


def _keeps_both(each: QuestionFilter, bound: float) -> bool:
    """Whether a bound keeps 0 and 1, the values of a flag."""
    if each.op in (Op.GT, Op.GE):
        return bound < 0 or (bound == 0 and each.op is Op.GE)
    return (bound > 1 or (bound == 1 and each.op is Op.LE)) and each.op in (Op.LT, Op.LE) and is_flag(each)


def is_flag(each: QuestionFilter) -> bool:
    """Whether a condition is on a column that says in which state a row is, not what it is named."""
    columns = [column.name for column in each.lhs.columns] if each.lhs is not None else []
    return any(not FLAGS.isdisjoint(identifier_words(name)) for name in columns)


def texts_of(value: Value | None) -> list[str]:
    """The texts that a value is, or that its members are; numbers and truths as texts."""
    if isinstance(value, Choices):
        return [text for member in sorted(value.members, key=str) for text in texts_of(member)]
    if isinstance(value, Text):
        return [value.folded]
    if isinstance(value, Pattern):
        return [value.text.casefold().replace("%", " ").replace("_", " ")]
    return [str(value)] if isinstance(value, Number | Boolean) else []
