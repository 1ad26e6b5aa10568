"""Runs a pair on a database that the user named: a difference there needs no assumption."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, cast

from references.comparison.comparing import Flag, ResultMatch, compare
from references.comparison.results import QueryResult, unified
from references.equivalence.difference import difference_level
from references.equivalence.pair import EquivalenceVerdict, Level, Pair, PairFinding, Witness
from references.sandbox import Failure, Result, Row
from references.semantics import Semantics

ASSUMPTION = "none: they differ on the named database"
_SHOWN = 20
"""Rows of each side that are shown."""

Run: TypeAlias = Callable[[str], QueryResult | Failure]
"""Runs one query on the database, read-only and within its limits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OnDatabase:
    """What both queries give on one database."""

    summary: str
    """How many rows each side gives, or which side does not run."""
    level: Level | None = None
    """The level of the difference: S0, or S3 to S6 for ties, repeated rows, columns, and empty results."""
    alone_a: Result | None = None
    """Rows that only the first query gives."""
    alone_b: Result | None = None


def run_on(pair: Pair, run: Run, dialect: str) -> OnDatabase:
    """Runs both queries as written on one database. Never raises because of what they contain."""
    gave: dict[str, QueryResult] = {}
    for name, sql in (("sql_a", pair.sql_a), ("sql_b", pair.sql_b)):
        result = run(sql)
        if isinstance(result, Failure):
            return OnDatabase(summary=f"the named database does not run {name}: {result.detail}")
        gave[name] = result
    left, right = _plain(gave["sql_a"], gave["sql_b"])
    level = difference_level(left, right, pair.semantics)
    if level is None:
        return OnDatabase(summary=f"both give the same {_count(left)} on the named database")
    if level is Level.S0 and _by_ties(pair, run, dialect):
        level = Level.S3
    counts = f"on the named database A gives {_count(left)} and B {_count(right)}"
    return OnDatabase(summary=counts, level=level, alone_a=_alone(left, right), alone_b=_alone(right, left))


def with_database(found: OnDatabase, verify: Callable[[], PairFinding]) -> PairFinding:
    """Combines the finding of the search with what a named database shows.

    When the queries differ there, a small witness on a level as low is preferred to its rows.
    """
    small = verify()
    if found.level is None or small.verdict is EquivalenceVerdict.ERROR:
        return _with_summary(small, found)
    if small.level is not None and small.level <= found.level:
        return _with_summary(small, found)
    nothing = Result(columns=(), rows=())
    witness = Witness(columns={}, rows={}, result_a=found.alone_a or nothing, result_b=found.alone_b or nothing)
    return PairFinding(
        verdict=EquivalenceVerdict.DIFFERENT,
        level=found.level,
        assumption=ASSUMPTION,
        reason=f"{found.summary}; the rows shown are given by one side only",
        trials=small.trials + 1,
        cpu_seconds=small.cpu_seconds,
        witness=witness,
    )


def _with_summary(finding: PairFinding, found: OnDatabase) -> PairFinding:
    return replace(finding, reason="; ".join(each for each in (finding.reason, found.summary) if each))


def _plain(a: QueryResult, b: QueryResult) -> tuple[Result, Result]:
    """Both results with values of the same type: databases type them differently."""
    rows_a, rows_b = unified(a, b)
    left, right = cast("Sequence[Row]", rows_a), cast("Sequence[Row]", rows_b)
    return Result(columns=a.columns, rows=tuple(left)), Result(columns=b.columns, rows=tuple(right))


def _by_ties(pair: Pair, run: Run, dialect: str) -> bool:
    """Whether ties let one query return the other's rows too."""
    if pair.semantics is Semantics.LIST:
        return False
    ways = ((pair.sql_a, pair.sql_b), (pair.sql_b, pair.sql_a))
    found = [compare(reference, answer, run, dialect=dialect) for reference, answer in ways]
    return any(each.match is not ResultMatch.NONE and Flag.TIES in each.flags for each in found)


def _count(result: Result) -> str:
    return f"{len(result.rows)} row{'' if len(result.rows) == 1 else 's'}"


def _alone(result: Result, other: Result) -> Result:
    left = Counter(other.rows)
    rows: list[Row] = []
    for row in result.rows:
        if left[row] > 0:
            left[row] -= 1
        elif len(rows) < _SHOWN:
            rows.append(row)
    return Result(columns=result.columns, rows=tuple(rows))
