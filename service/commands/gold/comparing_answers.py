"""Layer 2: whether an answer means the same as its gold SQL, on its database or on small ones that are searched."""

from __future__ import annotations

from dataclasses import dataclass, replace

from consumers.judging.comparing.gold_case import GoldEvidence
from consumers.judging.comparing.shown_tables import shown_tables
from evals.runner.answers import ComparedBy, Equivalence, EquivalenceFinding
from evals.runner.cases import BenchmarkCase
from references.comparison.comparing import Comparison, Flag, ResultMatch
from references.comparison.defog import compare_by
from references.comparison.diff import Difference
from references.databases.access import Database, UnknownDatabaseError
from references.databases.opening import open_database
from references.equivalence.pair import Level
from references.equivalence.reading.side import as_written
from references.judging import judge_answer
from references.reference_verdict import AnswerPair, ReferenceFinding, ReferenceVerdict
from service.commands.gold.case_schemas import CaseSchema, CaseSchemas
from service.commands.gold.shown_evidence import RunLog, shown_witness

BOUND = 2
"""Rows per table up to which equality is proved."""
_FEWEST_TRIALS = 100
"""Databases that must have been tried before two queries of which no difference was found count as equal."""

_WEAK_MATCHES = {
    Flag.BOTH_EMPTY: "both results are empty",
    Flag.TIES: "the gold SQL keeps one of several tied rows",
}
"""Matches that other rows in the tables may undo."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerComparer:
    """Compares answers with their gold SQL."""

    schemas: CaseSchemas
    dialect: str | None
    budget: float
    """CPU seconds for one search and proof."""
    rule: str | None = None
    """When two results are the same: a name of `RULES`."""
    shows: bool = False
    """Whether findings carry what a model may be shown."""

    def __call__(self, case: BenchmarkCase, sql: str) -> EquivalenceFinding:
        """Asks the database first, then the declared tables, then inferred ones; each that cannot tell is named."""
        unable: list[str] = []
        finding = self._on_database(case, sql, unable) or self._on_tables(case, sql, unable)
        if finding is None:
            finding = EquivalenceFinding(equivalence=Equivalence.NOT_COMPARED, rationale="; ".join(unable))
        else:
            finding = replace(finding, rationale="; ".join([finding.rationale, *unable]))
        return self._with_schema(case, sql, finding) if self.shows else finding

    def _with_schema(self, case: BenchmarkCase, sql: str, finding: EquivalenceFinding) -> EquivalenceFinding:
        schema = self.schemas.found(case.db_id, self._dialect(case))
        queries = (case.gold_sql, sql)
        known = isinstance(schema, CaseSchema)
        tables = shown_tables(schema.document, queries, self._dialect(case)) if known else ()
        evidence = finding.evidence or GoldEvidence()
        return replace(finding, evidence=replace(evidence, schema=tables, finding=finding.rationale))

    def _on_database(self, case: BenchmarkCase, sql: str, unable: list[str]) -> EquivalenceFinding | None:
        sources = self.schemas.sources
        if sources.databases is None:
            return None
        try:
            with open_database(sources.databases, case.db_id or "", sources.limits, sources.allowance) as database:
                run = RunLog(database.run)
                found = compare_by(case.gold_sql, sql, run, dialect=database.dialect, rule=self.rule)
                finding = self._of_results(case, sql, found, database, unable)
                return finding if finding is None or not self.shows else _shown(finding, run, sql, found.alternative)
        except UnknownDatabaseError as error:
            # a search would pass or fail the answer for another reason than the run is asked for
            return EquivalenceFinding(
                equivalence=Equivalence.NOT_COMPARED,
                rationale=f"the case's database cannot be used: {error}",
                lost_database=str(error),
            )

    def _of_results(
        self, case: BenchmarkCase, sql: str, found: Comparison, database: Database, unable: list[str]
    ) -> EquivalenceFinding | None:
        if found.match is ResultMatch.NOT_COMPARED:
            unable.append(f"the database could not compare them: {found.error}")
            return None
        weak = [said for flag, said in _WEAK_MATCHES.items() if flag in found.flags]
        if weak and found.match is not ResultMatch.NONE:
            schema = self.schemas.of_database(case.db_id or "", database)
            closer = self._searched(case, sql, schema, database.dialect, []) if isinstance(schema, CaseSchema) else None
            if closer is not None and closer.equivalence is Equivalence.DIFFERENT:
                doubt = f"{weak[0]}, and {closer.rationale}"
                return replace(_of_comparison(found), doubt=doubt, evidence=closer.evidence)
        same = found.match is ResultMatch.EXACT and _same_query(sql, found.alternative, database.dialect)
        return replace(_of_comparison(found), settled=True) if same else _of_comparison(found)

    def _on_tables(self, case: BenchmarkCase, sql: str, unable: list[str]) -> EquivalenceFinding | None:
        schema = self.schemas.declared(case.db_id, self._dialect(case))
        if isinstance(schema, str):
            unable.append(f"the declared tables could not compare them: {schema}")
        return self._searched(
            case, sql, schema if isinstance(schema, CaseSchema) else None, self._dialect(case), unable
        )

    def _searched(
        self, case: BenchmarkCase, sql: str, schema: CaseSchema | None, dialect: str | None, unable: list[str]
    ) -> EquivalenceFinding | None:
        ddl = schema.ddl if schema is not None else None
        pair = AnswerPair(reference=case.gold_sql, answer=sql, dialect=dialect, schema=ddl)
        found = judge_answer(pair, bound=BOUND, budget=self.budget)
        finding = _of_reference(found, ComparedBy.SCHEMA if ddl else ComparedBy.INFERRED)
        if finding is None:
            tables = "the declared tables" if ddl else "inferred tables"
            unable.append(f"{tables} could not compare them: {found.finding.reason}")
        elif not ddl:
            return replace(finding, rationale=f"{finding.rationale}; tables inferred from both queries")
        return finding

    def _dialect(self, case: BenchmarkCase) -> str | None:
        named = case.metadata.get("dialect")
        return self.dialect or (named if isinstance(named, str) else None)


def _shown(finding: EquivalenceFinding, run: RunLog, sql: str, gold: str | None) -> EquivalenceFinding:
    """The finding with both results beside the witness that it may have."""
    witness = finding.evidence.witness if finding.evidence is not None else None
    return replace(finding, evidence=replace(run.evidence(sql, gold), witness=witness))


def _same_query(sql: str, gold: str | None, dialect: str) -> bool:
    """Whether both are one query but for layout and comments."""
    written = as_written(sql, dialect)
    return gold is not None and written is not None and written == as_written(gold, dialect)


def _finding(equivalence: Equivalence, rationale: str, by: ComparedBy) -> EquivalenceFinding:
    return EquivalenceFinding(equivalence=equivalence, rationale=rationale, compared_by=by)


def _of_comparison(found: Comparison) -> EquivalenceFinding:
    if found.error is not None:
        said = found.error.removeprefix("answer: ")
        said = f"the answer gives no result: {said}"
        return replace(_finding(Equivalence.DIFFERENT, said, ComparedBy.DATABASE), settled=True)
    notes = "".join(f" ({flag.value})" for flag in sorted(found.flags))
    if found.match is ResultMatch.EXACT:
        return _finding(Equivalence.EQUIVALENT, f"the same rows on the database{notes}", ComparedBy.DATABASE)
    if found.match is ResultMatch.SUBSET:
        named = f": {', '.join(found.further)}" if found.further else ""
        rationale = f"the same rows on the database, with further columns{named}{notes}"
        return _finding(Equivalence.PARTIAL, rationale, ComparedBy.DATABASE)
    if Flag.OTHER_ORDER in found.flags:
        rationale = "the same rows on the database, in another order than the gold SQL requires"
        return _finding(Equivalence.DIFFERENT, rationale, ComparedBy.DATABASE)
    said = _difference(found.difference) if found.difference is not None else ""
    return _finding(Equivalence.DIFFERENT, f"other rows on the database{said}{notes}", ComparedBy.DATABASE)


def _difference(found: Difference) -> str:
    parts: list[str] = []
    if found.columns[0] != found.columns[1]:
        parts.append(f"{found.columns[1]} columns, expected {found.columns[0]}")
    if found.rows[0] != found.rows[1]:
        parts.append(f"{found.rows[1]} rows, expected {found.rows[0]}")
    if found.missing_columns:
        parts.append(f"no column holds the values of {', '.join(found.missing_columns)}")
    return f": {'; '.join(parts)}" if parts else ""


def _of_reference(found: ReferenceFinding, by: ComparedBy) -> EquivalenceFinding | None:
    """The finding of a search and proof; `None` when it decides nothing."""
    if found.finding.unseen:
        return None
    if found.verdict is ReferenceVerdict.EQUIVALENT:
        rationale = f"proved to give the same rows for up to {found.finding.bound} rows per table"
        return replace(_finding(Equivalence.EQUIVALENT, rationale, by), settled=True)
    if found.verdict is ReferenceVerdict.NOT_REFUTED and found.finding.trials >= _FEWEST_TRIALS:
        rationale = f"no small database was found on which they differ ({found.finding.reason})"
        return _finding(Equivalence.EQUIVALENT, rationale, by)
    if found.verdict is ReferenceVerdict.ERROR and found.finding.fault is not None and by is ComparedBy.SCHEMA:
        said = f"the answer gives no result: {found.finding.reason}"
        return replace(_finding(Equivalence.DIFFERENT, said, by), settled=True)
    return _of_difference(found, by) if found.verdict is ReferenceVerdict.DIFFERENT else None


def _of_difference(found: ReferenceFinding, by: ComparedBy) -> EquivalenceFinding:
    witness = found.finding.witness
    evidence = GoldEvidence(witness=shown_witness(witness)) if witness is not None else None
    if found.finding.reason is not None and "in another order" in found.finding.reason:
        return replace(_finding(Equivalence.DIFFERENT, found.finding.reason, by), evidence=evidence)
    same = found.level is not Level.S0
    equivalence = Equivalence.PARTIAL if same else Equivalence.DIFFERENT
    start = "the same rows on ordinary data; they differ where" if same else "other rows on a small database with"
    return replace(_finding(equivalence, f"{start} {found.finding.assumption}", by), evidence=evidence)
