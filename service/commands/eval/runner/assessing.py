"""Checks, compares and scores one answer. Runs in a process that may be killed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evals.runner.answers import AnswerScore, EquivalenceFinding, StructuralCheck
from evals.runner.cases import BenchmarkCase
from evals.runner.cleaning import cleaned_sql
from evals.runner.verified import AnswerVerification
from references.comparison.comparing import ResultMatch, compare
from references.databases.access import UnknownDatabaseError
from references.databases.opening import open_database
from references.equivalence.reading.canonical import same_query
from references.equivalence.reading.side import Side, read_side
from scoring.query import Query, Unscored
from scoring.record import Record
from scoring.rules import Rules
from scoring.sql.query_blocks import UnresolvedError
from scoring.sql.unknown_names import unknown_names
from service.commands.eval.runner.gold_doubts import GoldDoubts
from service.commands.eval.runner.verifying_answers import AnswerVerifier, VerifyPlan
from service.commands.gold.case_schemas import CaseSchema, CaseSchemas, Sources
from service.commands.gold.comparing_answers import AnswerComparer
from service.commands.gold.parsed_answers import parsed_answer, parses
from service.commands.score import read_judge
from service.commands.score_lines import LocalScorer


@dataclass(frozen=True, slots=True, kw_only=True)
class AssessmentPlan:
    """How answers are checked, the same for the whole run."""

    sources: Sources
    grounding: bool
    """Whether names are checked where a schema is known."""
    dialect: str | None = None
    weights: str | None = None
    budget: float = 5.0
    """CPU seconds for one search and proof."""
    semantics: str | None = None
    """When two results on a database are the same; `None` is in order where the gold SQL has an ORDER BY."""
    verify: VerifyPlan | None = None
    """How far answers that pass EX-TEST are verified; `None` where they are not."""
    shows: bool = False
    """Whether findings carry what a model may be shown."""


@dataclass(frozen=True, slots=True)
class Assessor:
    """What a process needs to check answers."""

    plan: AssessmentPlan
    schemas: CaseSchemas
    scorer: LocalScorer
    comparer: AnswerComparer
    gold_doubts: GoldDoubts
    verifier: AnswerVerifier


_ASSESSOR: list[Assessor] = []
"""The one of this process."""


def prepare(plan: AssessmentPlan) -> None:
    """Prepares this process."""
    schemas = CaseSchemas(plan.sources)
    comparer = AnswerComparer(
        schemas=schemas, dialect=plan.dialect, budget=plan.budget, rule=plan.semantics, shows=plan.shows
    )
    doubts = GoldDoubts(sources=plan.sources, dialect=plan.dialect)
    verifier = AnswerVerifier(schemas=schemas, dialect=plan.dialect, plan=plan.verify or VerifyPlan())
    _ASSESSOR[:] = [Assessor(plan, schemas, LocalScorer(Rules(), read_judge(plan.weights)), comparer, doubts, verifier)]


def check(case: BenchmarkCase, sql: str) -> tuple[StructuralCheck, AnswerScore]:
    """Layer 1, and the score of the local judge."""
    assessor = _ASSESSOR[0]
    query = query_of(case, sql, assessor.plan.dialect)
    return _structure(assessor, case, sql), score_of(assessor.scorer.record(query))


def query_of(case: BenchmarkCase, sql: str, dialect: str | None) -> Query:
    """The answer as the judge sees it: without the gold SQL."""
    enriched, named = case.metadata.get("enriched_question"), case.metadata.get("dialect")
    return Query(
        question=case.question,
        sql=sql,
        enriched_question=enriched if isinstance(enriched, str) else None,
        dialect=dialect or (named if isinstance(named, str) else None),
    )


def score_of(record: Record) -> AnswerScore:
    """The score in a record of the scorer."""
    return AnswerScore(
        score=record["score"],  # pyright: ignore[reportArgumentType] a record holds plain JSON
        p_correct=record["p_correct"],  # pyright: ignore[reportArgumentType]
        verdict=record["verdict"],  # pyright: ignore[reportArgumentType]
        reasons=record["reasons"],  # pyright: ignore[reportArgumentType]
        unscored=record["unscored"],  # pyright: ignore[reportArgumentType]
    )


def _structure(assessor: Assessor, case: BenchmarkCase, sql: str) -> StructuralCheck:
    query = query_of(case, sql, assessor.plan.dialect)
    parsed = parsed_answer(sql, query.dialect)
    if isinstance(parsed, Unscored):
        return StructuralCheck(parse_ok=parses(parsed), detail=parsed.detail or parsed.reason.value)
    if not assessor.plan.grounding:
        return StructuralCheck(parse_ok=True)
    schema = assessor.schemas.found(case.db_id, query.dialect)
    if not isinstance(schema, CaseSchema):
        return StructuralCheck(parse_ok=True, detail=f"names were not checked: {schema}" if schema else "")
    try:
        found = unknown_names(parsed, schema.tables)
    except UnresolvedError as error:
        return StructuralCheck(parse_ok=True, detail=f"names were not checked: {error}")
    return StructuralCheck(
        parse_ok=True,
        grounding_ok=not found,
        hallucinated_tables=found.tables,
        hallucinated_columns=found.columns,
        detail=f"the database has no {', '.join([*found.tables, *found.columns])}" if found else "",
    )


def compare_with_gold(case: BenchmarkCase, sql: str) -> EquivalenceFinding:
    """Layer 2."""
    return _ASSESSOR[0].comparer(case, sql)


def clean(case: BenchmarkCase, text: str) -> str | None:
    """The SQL of an answer with something around it; `None` when there is nothing to take off."""
    return cleaned_sql(text, query_of(case, text, _ASSESSOR[0].plan.dialect).dialect)


def verify_with_gold(case: BenchmarkCase, sql: str, recorded: bool | None) -> AnswerVerification:
    """EX-TEST, and search and proof on what passes it."""
    return _ASSESSOR[0].verifier(case, sql, recorded)


def cross_check_case(case: BenchmarkCase, answers: Sequence[Mapping[str, Any]]) -> list[dict[str, Any] | None]:
    """What the counterexamples against some answers to a case show of the others."""
    return _ASSESSOR[0].verifier.crossed(case, answers)


def doubts_of_gold(case: BenchmarkCase) -> list[dict[str, str]]:
    """Why the result of the gold SQL is not determined; whatever the answer is."""
    return _ASSESSOR[0].gold_doubts(case)


def dates_of(case: BenchmarkCase) -> frozenset[str]:
    """Names of columns that the case's tables declare as dates and nothing else, in lower case."""
    return _ASSESSOR[0].schemas.dates(case.db_id)


def meanings(case: BenchmarkCase, answers: Sequence[str | None]) -> list[int | None]:
    """A number for each answer to a case: answers with the same number mean the same; `None` is a missing answer.

    Two answers mean the same when they are the same query, or give the same rows on the case's database.
    """
    sources = _ASSESSOR[0].schemas.sources
    known: list[str] = []
    found: list[int | None] = []
    for sql in answers:
        if sql is None:
            found.append(None)
            continue
        place = next((n for n, other in enumerate(known) if _same(sources, case, other, sql)), None)
        if place is None:
            known.append(sql)
        found.append(len(known) - 1 if place is None else place)
    return found


def _same(sources: Sources, case: BenchmarkCase, one: str, other: str) -> bool:
    if one.split() == other.split():
        return True
    left, right = read_side(one, None), read_side(other, None)
    if isinstance(left, Side) and isinstance(right, Side) and same_query(left.tree, right.tree):
        return True
    if sources.databases is None or case.db_id is None:
        return False
    try:
        with open_database(sources.databases, case.db_id, sources.limits, sources.allowance) as database:
            found = compare(one, other, database.run, dialect=database.dialect)
            return found.match is ResultMatch.EXACT
    except UnknownDatabaseError:
        return False
