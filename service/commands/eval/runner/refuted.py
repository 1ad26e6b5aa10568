"""What search and proof say of an answer that passed on its database: a doubt, a finding to show, or the last word."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from consumers.judging.comparing.gold_case import GoldEvidence
from evals.runner.answers import ComparedBy, Equivalence, EquivalenceFinding
from evals.runner.verified import AnswerVerification, Verified
from references.equivalence.finding_json import witness_of
from references.equivalence.pair import Level
from service.commands.gold.shown_evidence import shown_witness

_PASSING = {Equivalence.EQUIVALENT, Equivalence.PARTIAL}
_ON_TABLES = {ComparedBy.SCHEMA, ComparedBy.INFERRED}


def with_refutation(
    finding: EquivalenceFinding, verified: AnswerVerification, *, model_compares: bool
) -> EquivalenceFinding:
    """The finding with the counterexample of the verification in it, where there is one. A proof settles it.

    On ordinary data it is a difference where nothing was run on a database, and where a model can be asked whether
    the question allows both. Otherwise the answer passes with a doubt: gold SQL often says more than the question.
    """
    example = verified.counterexample
    if verified.outcome is Verified.PROVED:
        return _proved(finding)
    if verified.outcome is not Verified.REFUTED or example is None or finding.equivalence not in _PASSING:
        return finding
    return _refuted(finding, verified, example, model_compares=model_compares)


def _refuted(
    finding: EquivalenceFinding, verified: AnswerVerification, example: Mapping[str, Any], *, model_compares: bool
) -> EquivalenceFinding:
    assumed = verified.assumption or verified.reason
    if verified.level != Level.S0.value:
        said = f"the search shows that they differ where {assumed}"
        return _shown(finding, example, said) if model_compares else finding
    said = f"other rows on a small database with {assumed}"
    if not (verified.keys_known and (model_compares or finding.compared_by in _ON_TABLES)):
        doubted = replace(finding, doubt=finding.doubt or f"{finding.rationale}, and {said}")
        return _shown(doubted, example, said) if model_compares else doubted
    return _shown(_different(finding, verified), example, said)


def _proved(finding: EquivalenceFinding) -> EquivalenceFinding:
    return replace(finding, settled=True) if finding.equivalence is Equivalence.EQUIVALENT else finding


def _different(finding: EquivalenceFinding, verified: AnswerVerification) -> EquivalenceFinding:
    by = ComparedBy.INFERRED if verified.inferred else ComparedBy.SCHEMA
    return replace(finding, equivalence=Equivalence.DIFFERENT, compared_by=by, doubt=None, settled=False)


def _shown(finding: EquivalenceFinding, example: Mapping[str, Any], said: str) -> EquivalenceFinding:
    """The finding that says it, with the counterexample as its witness. What is proved stays as it is."""
    rationale = f"{finding.rationale}; {said}"
    witness = shown_witness(witness_of(example))
    evidence = replace(finding.evidence or GoldEvidence(), witness=witness, finding=rationale)
    return replace(finding, rationale=rationale, evidence=evidence)
