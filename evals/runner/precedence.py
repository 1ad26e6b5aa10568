"""Which of two opinions counts where a program and a model compare an answer with its gold SQL.

What was proved, and what gives no result, stands. A difference that was found on valid data stands too, unless the
model was shown it and says that the question allows both. Equal rows that prove nothing can be doubted, and never
turned into a failure, by a model alone. What nothing else compared, a model can fail and never pass.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from enum import StrEnum
from typing import Any

from consumers.judging.comparing.gold_opinions import GoldOpinion
from evals.runner.answers import ComparedBy, Equivalence, EquivalenceFinding


class DecidedBy(StrEnum):
    """Whose word the row's `equivalence` is."""

    COMPARISON = "comparison"
    """It stands, whatever the model says."""
    MODEL = "model"
    """The comparison left it open, and the model says that they differ."""
    BOTH = "both"
    """Both say the same, or their two words make `partially_equivalent`."""


_PASSING = {Equivalence.EQUIVALENT, Equivalence.PARTIAL}


def is_open(finding: EquivalenceFinding) -> bool:
    """Whether a model's opinion may change the finding."""
    answered = finding.equivalence is not Equivalence.SKIPPED and finding.lost_database is None
    return answered and not finding.settled


def decide(finding: EquivalenceFinding, opinion: GoldOpinion, *, may_lift: bool) -> EquivalenceFinding:
    """The finding with both opinions in it. `may_lift`: whether the model was asked if the question allows both."""
    said = Equivalence(opinion.equivalence)
    allows_both = opinion.question_allows_both and said in _PASSING and _was_shown(finding)
    equivalence, decided = _decided(finding, said, allows_both=may_lift and allows_both)
    compared_by = finding.compared_by or (ComparedBy.MODEL if decided is DecidedBy.MODEL else None)
    rationale = finding.rationale if decided is not DecidedBy.MODEL else opinion.rationale
    if equivalence is not finding.equivalence and decided is DecidedBy.BOTH:
        rationale = f"{finding.rationale}; the model: {opinion.rationale}"
    return replace(
        finding,
        equivalence=equivalence,
        rationale=rationale,
        compared_by=compared_by,
        opinions=_opinions(finding, opinion.record(), decided),
    )


def unheard(finding: EquivalenceFinding, why: Mapping[str, str]) -> EquivalenceFinding:
    """The finding where the model gave no opinion: it stands, and the row says why."""
    return replace(finding, opinions=_opinions(finding, {"failed": dict(why)}, DecidedBy.COMPARISON))


def disputed(record: Mapping[str, Any]) -> bool:
    """Whether the program and the model disagree on whether an answer passes.

    >>> disputed({"opinions": {"comparison": {"equivalence": "different"}, "model": {"equivalence": "equivalent"}}})
    True
    >>> disputed({"opinions": {"comparison": {"equivalence": "different"}, "model": {"failed": {}}}}), disputed({})
    (False, False)
    """
    opinions = record.get("opinions")
    if not opinions or "equivalence" not in opinions["model"]:
        return False
    compared = opinions["comparison"]["equivalence"]
    if compared == Equivalence.NOT_COMPARED.value:
        return False
    return (Equivalence(compared) in _PASSING) != (Equivalence(opinions["model"]["equivalence"]) in _PASSING)


def _was_shown(finding: EquivalenceFinding) -> bool:
    """Whether the model saw the difference: the witness, or both results on the case's database."""
    seen = finding.evidence
    return seen is not None and (
        seen.witness is not None or (seen.gold_result is not None and seen.answer_result is not None)
    )


def _decided(finding: EquivalenceFinding, said: Equivalence, *, allows_both: bool) -> tuple[Equivalence, DecidedBy]:
    found = finding.equivalence
    if not is_open(finding):
        return found, DecidedBy.COMPARISON
    if found in {Equivalence.NOT_COMPARED, Equivalence.PARTIAL} and said is Equivalence.DIFFERENT:
        return said, DecidedBy.MODEL
    if found is said:
        return found, DecidedBy.BOTH
    lifted = found is Equivalence.DIFFERENT and allows_both
    doubted = found is Equivalence.EQUIVALENT
    if lifted or doubted:
        return Equivalence.PARTIAL, DecidedBy.BOTH
    return found, DecidedBy.COMPARISON


def _opinions(finding: EquivalenceFinding, model: Mapping[str, object], decided: DecidedBy) -> dict[str, object]:
    compared_by = finding.compared_by.value if finding.compared_by is not None else None
    evidence = finding.evidence
    return {
        "comparison": {
            "equivalence": finding.equivalence.value,
            "rationale": finding.rationale,
            "compared_by": compared_by,
            "witness": evidence.witness if evidence is not None else None,
        },
        "model": dict(model),
        "decided_by": decided.value,
    }
