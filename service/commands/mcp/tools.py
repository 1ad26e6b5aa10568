"""The tools that a model may call: their names, parameters and texts are what it reads of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from consumers.wire.history import MAX_TURN, History
from consumers.wire.texts import shorten
from references.equivalence.pair import Pair
from references.semantics import Semantics
from scoring.query import Query
from scoring.sql.dialects import canonical_dialect
from service.commands.mcp.answers import House, ToolAnswer, score_answer, verify_queries
from service.commands.mcp.conventions import house_record
from service.processes.limited_pool import CallStopped, LimitedPool

CPU_SECONDS = 1.0
"""CPU that one answer may take."""
_CLOCK_SECONDS = 30.0
"""Time that an answer may take, and that a verification may take beside its budget: the processes start first."""
_BOUND = 3
"""Rows of each table up to which equality is proved."""

Text = Annotated[str, Field(max_length=MAX_TURN)]
Dialect = Annotated[str | None, Field(max_length=128, description="The SQL dialect, such as postgres; else guessed.")]
Question = Annotated[Text, Field(description="What the person asked, in their words.")]
Sql = Annotated[Text, Field(description="The SQL that is to answer it.")]
Compared = Annotated[Text, Field(description="One of the two queries.")]
Enriched = Annotated[Text | None, Field(description="The question as the agent understood it, if it was rewritten.")]
Earlier = Annotated[History, Field(description="Earlier turns of the conversation, oldest first.")]
Ddl = Annotated[Text | None, Field(description="CREATE TABLE statements; without them, tables are inferred.")]
RowsCount = Annotated[
    Literal["bag", "set", "list"],
    Field(description="When results are equal: bag counts repeats, set does not, list counts the order too."),
]


@dataclass(frozen=True, slots=True)
class McpTools:
    """The tools over one house."""

    house: House
    pool: LimitedPool
    budget: float
    """CPU seconds of a verification."""

    def all(self) -> tuple[Callable[..., Any], ...]:
        """Every tool; its name and docstring are what a client lists."""
        return (self.score_sql, self.explain_score, self.verify_equivalent, self.house_conventions)

    async def score_sql(
        self,
        question: Question,
        sql: Sql,
        enriched_question: Enriched = None,
        history: Earlier = (),
        dialect: Dialect = None,
    ) -> dict[str, Any]:
        """Score SQL 0-100 against the question that it answers, without running it.

        Gives score, tier, verdict, p_correct (the probability that the SQL is right) and the reasons: `fault` and
        `hint` speak against the SQL, `favour` for it. Without a score, `unscored` says why.
        """
        return (await self._scored(question, sql, enriched_question, history, dialect)).short

    async def explain_score(
        self,
        question: Question,
        sql: Sql,
        enriched_question: Enriched = None,
        history: Earlier = (),
        dialect: Dialect = None,
    ) -> dict[str, Any]:
        """Explain a score: what was read of the question and of the SQL, which filters match, are missing or extra.

        Gives all fields of the evaluation, and `arithmetic`: how the score came about.
        """
        return (await self._scored(question, sql, enriched_question, history, dialect)).full

    async def verify_equivalent(
        self,
        sql_a: Compared,
        sql_b: Compared,
        schema: Ddl = None,
        dialect: Dialect = None,
        semantics: RowsCount = "bag",
    ) -> dict[str, Any]:
        """Check whether two queries mean the same, without a database.

        `verdict` is `different` (`counterexample` has small tables on which the results differ),
        `equivalent_up_to_bound` (proved for tables of up to `bound` rows), `not_refuted`, `unsupported` or `error`.
        """
        pair = Pair(
            sql_a=sql_a,
            sql_b=sql_b,
            schema=schema,
            dialect=_known(dialect) or self.house.dialect,
            semantics=Semantics(semantics),
        )
        found = await self.pool.call(verify_queries, pair, _BOUND, self.budget, seconds=self.budget + _CLOCK_SECONDS)
        if isinstance(found, CallStopped):
            raise ToolError(f"the queries were not compared: {found.detail}; shorten them, or raise --budget")
        return found

    async def house_conventions(self) -> dict[str, Any]:
        """List how queries of this house are written: conditions that come with a table, units, codes and names.

        Read it before you write SQL.
        """
        return house_record(self.house.rules, self.house.dialect)

    async def _scored(
        self, question: str, sql: str, enriched: str | None, history: History, dialect: str | None
    ) -> ToolAnswer:
        query = Query(
            question=question,
            sql=sql,
            enriched_question=enriched,
            history=tuple(each.turn() for each in history),
            dialect=_known(dialect),
        )
        found = await self.pool.call(score_answer, query, CPU_SECONDS, seconds=_CLOCK_SECONDS)
        if isinstance(found, CallStopped):
            raise ToolError(f"the answer was not scored: {found.detail}; shorten the question or the SQL")
        return found


def _known(dialect: str | None) -> str | None:
    if dialect is None:
        return None
    found = canonical_dialect(dialect)
    if found is None:
        raise ToolError(f"unknown dialect {shorten(dialect)!r}: give one such as postgres, or leave it out")
    return found
