"""What a refutation says of an answer that passed on its database: a doubt, or the finding that a model is shown."""

from __future__ import annotations

from dataclasses import replace

from consumers.judging.comparing.gold_case import GoldEvidence
from evals.runner.answers import ComparedBy, Equivalence, EquivalenceFinding
from evals.runner.verified import AnswerVerification, Verified
from references.equivalence.finding_json import witness_of
from references.equivalence.pair import Level
from service.commands.eval.runner.shown_evidence import shown_witness

_PASSING = {Equivalence.EQUIVALENT, Equivalence.PARTIAL}
_ON_TABLES = {ComparedBy.SCHEMA, ComparedBy.INFERRED}


def with_refutation(
    finding: EquivalenceFinding, verified: AnswerVerification, *, model_compares: bool
) -> EquivalenceFinding:
    """The finding with the counterexample of the verification in it, where there is one.

    On ordinary data it is a difference where nothing was run on a database, and where a model can be asked whether
    the question allows both. Otherwise the answer passes with a doubt: gold SQL often says more than the question.
    """
    refuted = verified.outcome is Verified.REFUTED and verified.counterexample is not None
    if not refuted or finding.equivalence not in _PASSING:
        return finding
    ordinary = verified.level == Level.S0.value
    start = "other rows on a small database with" if ordinary else "the search shows that they differ where"
    said = f"{start} {verified.assumption or verified.reason}"
    if not ordinary:
        return _shown(finding, verified, said) if model_compares else finding
    by = ComparedBy.INFERRED if verified.inferred else ComparedBy.SCHEMA
    stands = verified.keys_known and (model_compares or finding.compared_by in _ON_TABLES)
    if not stands:
        doubted = replace(finding, doubt=finding.doubt or f"{finding.rationale}, and {said}")
        return _shown(doubted, verified, said) if model_compares else doubted
    different = replace(finding, equivalence=Equivalence.DIFFERENT, compared_by=by, doubt=None, settled=False)
    return _shown(different, verified, said)


def _shown(finding: EquivalenceFinding, verified: AnswerVerification, said: str) -> EquivalenceFinding:
    """The finding that says it, with the counterexample as its witness. What is proved stays as it is."""
    assert verified.counterexample is not None  # noqa: S101 the caller asked
    rationale = f"{finding.rationale}; {said}"
    witness = shown_witness(witness_of(verified.counterexample))
    evidence = replace(finding.evidence or GoldEvidence(), witness=witness, finding=rationale)
    return replace(finding, rationale=rationale, evidence=evidence)
