"""The record of one answer, and the rule by which it passes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from consumers.judging.comparing.gold_case import GoldEvidence
from evals.runner.cases import BenchmarkCase, GenerationFailure, GenerationResult
from evals.runner.gold_kinds import gold_kinds
from evals.runner.verified import AnswerVerification


class Equivalence(StrEnum):
    """Whether an answer means the same as the gold SQL."""

    EQUIVALENT = "equivalent"
    PARTIAL = "partially_equivalent"
    """The same rows with further columns, or the same on ordinary data only."""
    DIFFERENT = "different"
    NOT_COMPARED = "not_compared"
    """Nothing could compare them. The rationale names all that was tried."""
    SKIPPED = "skipped"
    """The answer failed an earlier check."""


class ComparedBy(StrEnum):
    """What compared an answer with its gold SQL."""

    DATABASE = "database"
    """Both were run on the case's database."""
    SCHEMA = "schema"
    """A search for a small database of the declared tables on which they differ, and a proof that there is none."""
    INFERRED = "inferred"
    """The same search and proof on tables that both queries suggest: there was neither a database nor DDL."""
    DRY_RUN = "dry_run"
    """The warehouse would not run the answer."""
    MODEL = "model"
    """A model alone, shown the gold SQL, which says that they differ."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StructuralCheck:
    """Layer 1: whether the answer parses, and whether all that it names exists."""

    parse_ok: bool
    detail: str = ""
    """Why it does not parse, or why its names were not checked."""
    grounding_ok: bool | None = None
    """`None` when the names were not checked."""
    hallucinated_tables: tuple[str, ...] = ()
    hallucinated_columns: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether nothing failed."""
        return self.parse_ok and self.grounding_ok is not False


@dataclass(frozen=True, slots=True, kw_only=True)
class EquivalenceFinding:
    """Layer 2: whether the answer means the same as the gold SQL, and why."""

    equivalence: Equivalence
    rationale: str
    compared_by: ComparedBy | None = None
    doubt: str | None = None
    """Why a match says little: both results are empty, or a tied row was accepted, and the queries differ elsewhere."""
    lost_database: str | None = None
    """What is wrong with the case's database, when that kept the two from being compared."""
    settled: bool = False
    """Whether no opinion can change it: equality is proved, or the answer gives no result."""
    evidence: GoldEvidence | None = None
    """What a model may be shown; `None` where none is asked."""
    opinions: Mapping[str, Any] | None = None
    """What the comparison and the model each say, and which decided; `None` where no model was asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerScore:
    """The score of the answer alone, without gold SQL and schema."""

    score: float | None = None
    p_correct: float | None = None
    verdict: str | None = None
    reasons: Sequence[Mapping[str, Any]] = ()
    unscored: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredCase:
    """One answer with all that was found about it."""

    case: BenchmarkCase
    sample: int
    """From 1; the answers to a case that is asked several times."""
    backend: str
    generated: GenerationResult | GenerationFailure
    structure: StructuralCheck
    equivalence: EquivalenceFinding
    score: AnswerScore = field(default_factory=AnswerScore)
    gold_doubts: Sequence[Mapping[str, str]] | None = None
    """Why the result of the gold SQL is not determined, each with its code; `None` when that was not checked."""
    method: str | None = None
    """What gave the answer, in a run of several methods."""
    verification: AnswerVerification = field(default_factory=AnswerVerification)
    dry_run: Mapping[str, object] | None = None
    """What the warehouse says of the answer; `None` where it was not asked."""
    cleaned: bool = False
    """Whether the backend wrote something around the SQL, which was taken off."""
    dated: frozenset[str] = frozenset()
    """Names of columns of the case's tables that are declared as dates."""

    @property
    def passes(self) -> bool:
        """Parsed, no grounding failure, equivalent or partially so."""
        return self.structure.passed and self.equivalence.equivalence in {Equivalence.EQUIVALENT, Equivalence.PARTIAL}

    def _error(self) -> dict[str, str] | None:
        if isinstance(self.generated, GenerationFailure):
            return {"kind": self.generated.kind, "detail": self.generated.detail}
        lost = self.equivalence.lost_database
        return None if lost is None else {"kind": "database", "detail": lost}

    def record(self) -> dict[str, object]:
        """The line of `cases.jsonl`."""
        case, generated = self.case, self.generated
        failed = isinstance(generated, GenerationFailure)
        return {
            "case_id": case.case_id,
            "sample": self.sample,
            "method": self.method,
            "question": case.question,
            "gold_sql": case.gold_sql,
            "generated_sql": None if failed else generated.sql,
            "cleaned": self.cleaned,
            "error": self._error(),
            "parse_ok": self.structure.parse_ok,
            "grounding_ok": self.structure.grounding_ok,
            "hallucinated_tables": list(self.structure.hallucinated_tables),
            "hallucinated_columns": list(self.structure.hallucinated_columns),
            "equivalence": self.equivalence.equivalence.value,
            "rationale": self.equivalence.rationale,
            "compared_by": self.equivalence.compared_by.value if self.equivalence.compared_by else None,
            "dry_run": dict(self.dry_run) if self.dry_run is not None else None,
            "opinions": dict(self.equivalence.opinions) if self.equivalence.opinions is not None else None,
            "doubt": self.equivalence.doubt,
            "gold_doubts": None if self.gold_doubts is None else [dict(each) for each in self.gold_doubts],
            "pass": self.passes,
            "ex_test": self.verification.ex_test,
            "ex_verified": self.verification.verified(),
            "score": self.score.score,
            "p_correct": self.score.p_correct,
            "verdict": self.score.verdict,
            "reasons": [dict(each) for each in self.score.reasons],
            "unscored": self.score.unscored,
            "backend": self.backend,
            "backend_metadata": {} if failed else dict(generated.metadata),
            "schema": case.schema,
            "complexity": case.complexity,
            "category": case.category,
            **_computed_labels(case, self.dated),
            "metadata": dict(case.metadata),
        }


def _computed_labels(case: BenchmarkCase, dated: frozenset[str]) -> dict[str, object]:
    """The labels that the gold SQL itself gives."""
    named = case.metadata.get("dialect")
    gold = gold_kinds(case.gold_sql, named if isinstance(named, str) else None, dated)
    return {
        "question_kinds": [kind.value for kind in gold.kinds] if gold is not None else [],
        "difficulty": gold.difficulty.value if gold is not None else None,
    }


def failed_answer(
    case: BenchmarkCase,
    sample: int,
    backend: str,
    failure: GenerationFailure,
    gold_doubts: Sequence[Mapping[str, str]] | None = None,
) -> AnsweredCase:
    """The answer of a backend that gave no SQL: it does not pass, and nothing was compared."""
    said = f"the backend gave no SQL ({failure.kind}): {failure.detail}"
    return AnsweredCase(
        case=case,
        sample=sample,
        backend=backend,
        generated=failure,
        structure=StructuralCheck(parse_ok=False, detail=said),
        equivalence=EquivalenceFinding(equivalence=Equivalence.SKIPPED, rationale=said),
        gold_doubts=gold_doubts,
    )
