"""Doubts about the gold SQL of a case: whether its own result is determined, on its database where there is one."""

from __future__ import annotations

from dataclasses import dataclass, field

from evals.runner.cases import BenchmarkCase
from references.databases.access import UnknownDatabaseError
from references.databases.opening import open_database
from references.databases.row_orders import reversed_rows
from references.lint import ReferenceDoubt, lint
from scoring.sql.dialects import canonical_dialect, guess
from service.commands.gold.case_schemas import Sources

MOST_SHOWN = 20
"""Doubts of one case that are recorded."""
_LONGEST_DETAIL = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldDoubts:
    """Looks for doubts about gold SQL, once for each case."""

    sources: Sources
    dialect: str | None
    seen: dict[str, list[dict[str, str]]] = field(default_factory=dict[str, list[dict[str, str]]])

    def __call__(self, case: BenchmarkCase) -> list[dict[str, str]]:
        """The code of each doubt and its detail; those about rows need the case's database."""
        if case.case_id not in self.seen:
            found = self._found(case)[:MOST_SHOWN]
            self.seen[case.case_id] = [
                {"code": each.doubt.value, "detail": each.detail[:_LONGEST_DETAIL]} for each in found
            ]
        return self.seen[case.case_id]

    def _found(self, case: BenchmarkCase) -> tuple[ReferenceDoubt, ...]:
        if self.sources.databases is not None:
            try:
                with open_database(
                    self.sources.databases, case.db_id or "", self.sources.limits, self.sources.allowance
                ) as database:
                    return lint(case.gold_sql, database.dialect, database.run, reversed_rows(database))
            except UnknownDatabaseError:
                pass
        named = case.metadata.get("dialect")
        dialect = self.dialect or (named if isinstance(named, str) else None)
        return lint(case.gold_sql, (canonical_dialect(dialect) if dialect else None) or guess(case.gold_sql))
