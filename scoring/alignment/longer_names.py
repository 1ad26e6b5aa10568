"""Names of which the question's reader took a part: `Porto` of `cars at Porto airport`."""

from __future__ import annotations

from collections.abc import Sequence

from scoring.specification import Op, QuestionFilter, QuestionSpec, SqlFilter
from scoring.values import Choices, Text, Value
from scoring.verdict import FilterMatch


def named_longer(
    unmet: Sequence[QuestionFilter], present: Sequence[SqlFilter], question: QuestionSpec
) -> list[FilterMatch]:
    """Such names, met by a value that stands whole in the question, or by a list of such values.

    `cars at Porto airport` asks for 'porto airport', and `who know SQL and Python` for both members of a list.
    """
    said = question.text.casefold()
    found: list[FilterMatch] = []
    for each in unmet:
        if isinstance(each.rhs, Text) and each.op is Op.EQ and not (each.lhs is not None and each.lhs.columns):
            wanted = each.rhs.folded.split()
            found += [FilterMatch(each, (other,)) for other in present if _holds(wanted, other, said)][:1]
    return found


def _holds(wanted: list[str], present: SqlFilter, said: str) -> bool:
    texts = _texts(present.rhs) if present.op in (Op.EQ, Op.IN) else []
    spoken = all(text and text in said for text in texts)
    return spoken and any(text.split()[: len(wanted)] == wanted for text in texts)


def _texts(value: Value | None) -> list[str]:
    """The texts of a value, or of a list of texts only."""
    members = value.members if isinstance(value, Choices) else {value}
    texts = [each.folded for each in members if isinstance(each, Text)]
    return texts if len(texts) == len(members) else []
