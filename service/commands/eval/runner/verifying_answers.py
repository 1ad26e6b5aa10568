"""Verifies answers that pass EX-TEST, as SpotIt does: search and proof on the case's tables, then cross-checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evals.runner.cases import BenchmarkCase
from evals.runner.verified import AnswerVerification, Verified
from references.comparison.sets import same_set
from references.databases.access import UnknownDatabaseError
from references.databases.opening import open_database
from references.equivalence.finding_json import finding_record, witness_of
from references.equivalence.pair import EquivalenceVerdict, Pair, PairFinding
from references.equivalence.verify import recheck
from references.judging import judge_answer
from references.reference_verdict import AnswerPair, ReferenceFinding, ReferenceVerdict
from references.semantics import Semantics
from service.commands.gold.case_schemas import CaseSchema, CaseSchemas

_OUTCOMES = {
    ReferenceVerdict.DIFFERENT: Verified.REFUTED,
    ReferenceVerdict.EQUIVALENT: Verified.PROVED,
    ReferenceVerdict.NOT_REFUTED: Verified.NOT_REFUTED,
}
"""Every other verdict says that nothing could be verified."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyPlan:
    """How far answers are verified."""

    bound: int = 3
    """Rows per table up to which equality is proved."""
    seconds: float = 20.0
    """CPU seconds for one answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerVerifier:
    """Verifies answers against their gold SQL; results are the same when they hold the same set of rows."""

    schemas: CaseSchemas
    dialect: str | None
    plan: VerifyPlan

    def __call__(self, case: BenchmarkCase, sql: str, recorded: bool | None) -> AnswerVerification:
        """EX-TEST, then search and proof unless it failed. `recorded` is an EX-TEST that was made elsewhere."""
        passed = recorded if recorded is not None else self._tested(case, sql)
        if passed is False:
            return AnswerVerification(ex_test=False)
        ddl = self._ddl(case)
        pair = AnswerPair(reference=case.gold_sql, answer=sql, dialect=self._dialect(case), schema=ddl)
        found = judge_answer(pair, bound=self.plan.bound, budget=self.plan.seconds, semantics=Semantics.SET)
        declared = isinstance(self.schemas.declared(case.db_id), CaseSchema)
        return replace(_verification(found, passed), inferred=ddl is None, keys_known=declared or ddl is None)

    def crossed(self, case: BenchmarkCase, answers: Sequence[Mapping[str, Any]]) -> list[dict[str, Any] | None]:
        """For each answer to the case, what the counterexamples of the others show (Algorithm 2 of SpotIt).

        `answers` has `sql` and `ex_verified` of each. `None` where an answer was refuted before, or is not refuted now.
        """
        known = [
            (place, witness_of(verified["counterexample"]))
            for place, each in enumerate(answers)
            if (verified := each["ex_verified"]) is not None and verified["counterexample"] is not None
        ]
        witnesses = [witness for _, witness in sorted(known, key=lambda each: _level(answers[each[0]]))]
        return [self._rechecked(case, each, witnesses) for each in answers]

    def _rechecked(self, case: BenchmarkCase, answer: Mapping[str, Any], witnesses: Sequence[Any]) -> Any:
        verified = answer["ex_verified"]
        if verified is None or verified["outcome"] not in {Verified.PROVED.value, Verified.NOT_REFUTED.value}:
            return None
        pair = Pair(
            sql_a=verified["alternative"] or case.gold_sql,
            sql_b=answer["sql"],
            schema=self._ddl(case),
            dialect=self._dialect(case) or "sqlite",
            semantics=Semantics.SET,
        )
        before = PairFinding(verdict=EquivalenceVerdict.NOT_REFUTED, bound=verified["bound"])
        found = recheck(pair, before, witnesses) if witnesses else None
        if found is None or found.witness is None or found.level is None:
            return None
        record = finding_record(found)
        return {
            "level": record["level"],
            "bound": found.witness.largest,
            "counterexample": record["counterexample"],
        }

    def _tested(self, case: BenchmarkCase, sql: str) -> bool | None:
        sources = self.schemas.sources
        if sources.databases is None:
            return None
        try:
            with open_database(sources.databases, case.db_id or "", sources.limits, sources.allowance) as database:
                return same_set(case.gold_sql, sql, database.run)
        except UnknownDatabaseError:
            return None

    def _ddl(self, case: BenchmarkCase) -> str | None:
        schema = self.schemas.found(case.db_id, self._dialect(case))
        return schema.ddl if isinstance(schema, CaseSchema) else None

    def _dialect(self, case: BenchmarkCase) -> str | None:
        named = case.metadata.get("dialect")
        if self.dialect is None and isinstance(named, str):
            return named
        databases = self.schemas.sources.databases
        return self.dialect or ("sqlite" if databases is not None and "://" not in databases else None)


def _level(answer: Mapping[str, Any]) -> str:
    return str(answer["ex_verified"]["level"])


def _verification(found: ReferenceFinding, passed: bool | None) -> AnswerVerification:
    finding, record = found.finding, finding_record(found.finding)
    witness = finding.witness
    return AnswerVerification(
        ex_test=passed,
        outcome=_OUTCOMES.get(found.verdict, Verified.UNSUPPORTED),
        level=found.level.value if found.level is not None else None,
        bound=witness.largest if witness is not None else finding.bound,
        reason=finding.reason or finding.assumption,
        assumption=str(record["assumption"]) if record["assumption"] is not None else None,
        counterexample=record["counterexample"],  # pyright: ignore[reportArgumentType] a record holds plain JSON
        alternative=found.alternative,
        cpu_seconds=finding.cpu_seconds,
    )
