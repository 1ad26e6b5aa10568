"""The judges that compare with gold SQL: what each is shown, and how it replies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from consumers.judging.reply_schema import closed_object

_TEXT, _SHARE, _YES_OR_NO = {"type": "string"}, {"type": "number"}, {"type": "boolean"}


class GoldVerdict(StrEnum):
    """What a model says of an answer beside its gold SQL."""

    EQUIVALENT = "equivalent"
    PARTIAL = "partially_equivalent"
    DIFFERENT = "different"


class GoldPart(StrEnum):
    """A part of the data that a judge may be shown. SQL and dialect are always shown."""

    QUESTION = "question"
    """With the enriched question."""
    SCHEMA = "schema"
    RESULTS = "results"
    """The first rows of both results."""
    WITNESS = "witness"
    """The small database on which the two differ, and what the comparison found."""
    BACKGROUND = "background"


class ReplyForm(StrEnum):
    """The fields of a reply."""

    THREE_WAY = "three_way"
    """`equivalence` of three values, `question_allows_both`, `confidence`."""
    TWO_WAY = "two_way"
    """`equivalence` of two values, `confidence`."""
    GRADE = "grade"
    """`score`, a whole number from 1 to 5."""
    SHARE = "share"
    """`score`, a number from 0 to 1."""


def _equivalence(*verdicts: GoldVerdict) -> Mapping[str, object]:
    return {"type": "string", "enum": [each.value for each in verdicts]}


_FIELDS: Mapping[ReplyForm, Mapping[str, object]] = {
    ReplyForm.THREE_WAY: {
        "rationale": _TEXT,
        "question_allows_both": _YES_OR_NO,
        "equivalence": _equivalence(*GoldVerdict),
        "confidence": _SHARE,
    },
    ReplyForm.TWO_WAY: {
        "rationale": _TEXT,
        "equivalence": _equivalence(GoldVerdict.EQUIVALENT, GoldVerdict.DIFFERENT),
        "confidence": _SHARE,
    },
    ReplyForm.GRADE: {"rationale": _TEXT, "score": {"type": "integer"}},
    ReplyForm.SHARE: {"rationale": _TEXT, "score": _SHARE},
}


def gold_reply_schema(form: ReplyForm, *, ruled: bool) -> Mapping[str, object]:
    """The schema of a reply; with `rules_applied` where the prompt holds learned rules."""
    fields = dict(_FIELDS[form])
    if ruled:
        fields["rules_applied"] = {"type": "array", "items": {"type": "integer"}}
    return closed_object(fields, tuple(fields))


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldJudge:
    """A way to ask a model about an answer and its gold SQL."""

    name: str
    """As `--judge` names it."""
    prompt: str
    """Its prompt file."""
    shows: frozenset[GoldPart]
    form: ReplyForm

    @property
    def may_lift(self) -> bool:
        """Whether it can say, with the witness before it, that the question allows both queries."""
        return self.form is ReplyForm.THREE_WAY and GoldPart.WITNESS in self.shows


_ALL = frozenset(GoldPart)
COMPARISON = GoldJudge(name="llm", prompt="comparison-1", shows=_ALL, form=ReplyForm.THREE_WAY)
"""Our own."""
BASELINES = (
    GoldJudge(
        name="miniature_mull",
        prompt="miniature-mull-1",
        shows=frozenset({GoldPart.SCHEMA}),
        form=ReplyForm.TWO_WAY,
    ),
    GoldJudge(
        name="explain_compare",
        prompt="explain-compare-1",
        shows=frozenset({GoldPart.QUESTION, GoldPart.SCHEMA}),
        form=ReplyForm.TWO_WAY,
    ),
    GoldJudge(
        name="flex",
        prompt="flex-1",
        shows=_ALL - {GoldPart.WITNESS},
        form=ReplyForm.TWO_WAY,
    ),
    GoldJudge(
        name="g_eval",
        prompt="g-eval-1",
        shows=frozenset({GoldPart.QUESTION, GoldPart.SCHEMA}),
        form=ReplyForm.GRADE,
    ),
)
"""Judges of the literature that need no training, in their order of publication."""
PAIR_JUDGE = GoldJudge(
    name="pair_score", prompt="pair-1", shows=frozenset({GoldPart.SCHEMA, GoldPart.BACKGROUND}), form=ReplyForm.SHARE
)
"""Scores a pair of queries that answer no question."""
GOLD_JUDGES: Mapping[str, GoldJudge] = {each.name: each for each in (COMPARISON, *BASELINES, PAIR_JUDGE)}
