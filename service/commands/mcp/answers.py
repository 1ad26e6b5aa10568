"""What the tools answer, computed in a process that may be ended."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

from consumers.wire.rules_document import RulesDocument
from consumers.wire.schema_document import SchemaDocument
from references.equivalence.explain import explain
from references.equivalence.finding_json import finding_record
from references.equivalence.pair import Pair
from references.equivalence.verify import verify
from scoring.query import Query, Unscored
from scoring.rules import Rules
from service.commands.one_answer.answer_scorer import record_of
from service.commands.rendering.answer import arithmetic
from service.commands.score_lines import LocalScorer, scorer_failed
from service.judges.weights import local_judge
from service.processes.child import limit_cpu

SHORT_FIELDS = ("score", "tier", "verdict", "p_correct", "filter_status", "unscored", "evaluator_version")
"""The fields of a line out that `score_sql` gives beside the reasons."""


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """What the user told of the tenant's database and its conventions."""

    rules: RulesDocument
    schema: SchemaDocument | None
    dialect: str | None

    def ready(self) -> Rules:
        """The rules ready to apply."""
        rules = self.rules.rules(version=0)
        if self.dialect is not None:
            rules = replace(rules, dialect=self.dialect)
        return rules if self.schema is None else replace(rules, schema=self.schema.schema_of_database())


class ToolAnswer(NamedTuple):
    """An answer that was scored."""

    short: dict[str, Any]
    full: dict[str, Any]


_SCORER: list[LocalScorer] = []
"""The scorer of this process, set when it starts."""


def open_scorer(house: House) -> None:
    """Loads the scorer of this process."""
    _SCORER[:] = [LocalScorer(house.ready(), local_judge())]


def score_answer(query: Query, cpu_seconds: float) -> ToolAnswer:
    """Scores an answer, which may take so many seconds of CPU."""
    scorer = _SCORER[0]
    limit_cpu(cpu_seconds)
    try:
        result = scorer(query)
    except Exception as error:  # one answer that trips a bug must not end the session
        result = scorer_failed(error)
    limit_cpu(0)
    full = dict(record_of(result, scorer.rules))
    if not isinstance(result, Unscored):
        full["arithmetic"] = arithmetic(result.composite, result.tier)
    reasons = [
        {name: each.get(name) for name in ("code", "kind", "detail")}
        for each in cast("list[dict[str, Any]]", full["reasons"])
    ]
    return ToolAnswer({**{name: full[name] for name in SHORT_FIELDS}, "reasons": reasons}, full)


def verify_queries(pair: Pair, bound: int, budget: float) -> dict[str, Any]:
    """What is found of a pair within `budget` seconds of CPU, with the finding in Markdown."""
    finding = verify(pair, bound=bound, budget=budget)
    return {**finding_record(finding), "explanation": explain("the two queries", pair.sql_a, pair.sql_b, finding)}
