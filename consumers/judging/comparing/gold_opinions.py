"""Reads what a model says of an answer beside its gold SQL: only an offered verdict or score counts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from consumers.judging.comparing.gold_judges import GoldVerdict, ReplyForm
from consumers.judging.opinions import invalid_reply, probability, reply_object, unmasked_text
from consumers.judging.prompting import Prompt
from consumers.judging.ruled_prompts import rules_applied
from consumers.wire.texts import json_type, shorten
from scoring.query import Unscored

_GRADES = {
    1: GoldVerdict.DIFFERENT,
    2: GoldVerdict.DIFFERENT,
    3: GoldVerdict.PARTIAL,
    4: GoldVerdict.EQUIVALENT,
    5: GoldVerdict.EQUIVALENT,
}
_HALF = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldOpinion:
    """What a model says of an answer beside its gold SQL."""

    equivalence: GoldVerdict
    p_correct: float
    """The probability, in [0, 1], that the answer is right."""
    rationale: str
    """In the model's words."""
    question_allows_both: bool = False
    """Whether it says that the question can be read so that both queries answer it."""
    rules_applied: tuple[int, ...] = ()
    """Numbers of the learned rules that decided."""
    judge: str = ""
    """The prompt's version, as `llm/comparison-1`."""
    model: str = ""
    prompt_hash: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    """Money by the configured prices; of all calls for this opinion."""

    def record(self) -> dict[str, object]:
        """The opinion as JSON."""
        return {
            "equivalence": self.equivalence.value,
            "p_correct": self.p_correct,
            "question_allows_both": self.question_allows_both,
            "rationale": self.rationale,
            "rules_applied": list(self.rules_applied),
            "judge": self.judge,
            "model": self.model,
            "prompt_hash": self.prompt_hash,
            "tokens_in": self.tokens_in,
            "tokens_out": self.tokens_out,
            "cost": self.cost,
        }


def read_gold_opinion(text: str, prompt: Prompt, form: ReplyForm) -> GoldOpinion | Unscored:
    """Reads a model's text and its stand-ins; `Unscored` where it holds nothing that was offered."""
    said = reply_object(text)
    if isinstance(said, Unscored):
        return said
    rationale = said.get("rationale")
    if rationale is not None and not isinstance(rationale, str):
        return invalid_reply(f"rationale is {json_type(rationale)}")
    found = _READERS[form](said)
    if isinstance(found, str):
        return invalid_reply(found)
    equivalence, p_correct = found
    return GoldOpinion(
        equivalence=equivalence,
        p_correct=p_correct,
        rationale=unmasked_text(rationale, prompt),
        question_allows_both=form is ReplyForm.THREE_WAY and said.get("question_allows_both") is True,
        rules_applied=rules_applied(said.get("rules_applied"), prompt.rules),
    )


def _named(said: Mapping[str, object], offered: frozenset[GoldVerdict]) -> tuple[GoldVerdict, float] | str:
    """A named verdict with its confidence, or what is wrong with it."""
    named, confidence = said.get("equivalence"), probability(said.get("confidence"))
    if not isinstance(named, str) or named not in offered:
        return f"equivalence {shorten(repr(named), 40)} was not offered"
    if confidence is None:
        return f"confidence {shorten(repr(said.get('confidence')), 40)} is not a probability"
    # a judge that takes a side is at least evenly sure of it
    sure, verdict = max(confidence, _HALF), GoldVerdict(named)
    return verdict, sure if verdict is not GoldVerdict.DIFFERENT else round(1 - sure, 4)


def _graded(said: Mapping[str, object]) -> tuple[GoldVerdict, float] | str:
    """A whole grade from 1 to 5 as a verdict, and where it stands between the two; or what is wrong with it."""
    grade = said.get("score")
    if isinstance(grade, bool) or not isinstance(grade, int | float) or grade not in _GRADES:
        return f"score {shorten(repr(grade), 40)} is not a whole number from 1 to 5"
    return _GRADES[int(grade)], (grade - 1) / 4


def _shared(said: Mapping[str, object]) -> tuple[GoldVerdict, float] | str:
    """A score from 0 to 1 as a probability, and the side of one half that it is on; or what is wrong with it."""
    share = probability(said.get("score"))
    if share is None:
        return f"score {shorten(repr(said.get('score')), 40)} is not a number from 0 to 1"
    return GoldVerdict.EQUIVALENT if share >= _HALF else GoldVerdict.DIFFERENT, share


_TWO = frozenset({GoldVerdict.EQUIVALENT, GoldVerdict.DIFFERENT})
_READERS: Mapping[ReplyForm, Callable[[Mapping[str, object]], tuple[GoldVerdict, float] | str]] = {
    ReplyForm.THREE_WAY: lambda said: _named(said, frozenset(GoldVerdict)),
    ReplyForm.TWO_WAY: lambda said: _named(said, _TWO),
    ReplyForm.GRADE: _graded,
    ReplyForm.SHARE: _shared,
}
