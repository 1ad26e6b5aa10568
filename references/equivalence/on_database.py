"""A pair on a database that the user named: a difference there needs nothing granted, and is looked for first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, cast

from references.comparison.results import QueryResult, unified
from references.comparison.verdict import Flag, Match, compare
from references.equivalence.difference import difference
from references.equivalence.pair import EquivalenceVerdict, Finding, Pair, Rung, Witness
from references.sandbox import Failure, Result, Row
from references.semantics import Semantics

ASSUMPTION = "nothing: they differ on the database that was named"
_SHOWN = 20
"""Rows of each side that are shown."""

Run: TypeAlias = Callable[[str], QueryResult | Failure]
"""Runs one query on the database, read-only and within its limits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OnDatabase:
    """What both queries gave on one database."""

    told: str
    """For a person: how many rows, or which side does not run."""
    rung: Rung | None = None
    """Where they differ: S0, or S3 to S6 where only ties, repeats, columns or nothing against 0 set them apart."""
    alone_a: Result | None = None
    """Rows that only the first gave."""
    alone_b: Result | None = None


def run_on(pair: Pair, run: Run, dialect: str) -> OnDatabase:
    """Runs both queries, as they are written, on one database; never raises for what they hold."""
    gave: dict[str, QueryResult] = {}
    for name, sql in (("sql_a", pair.sql_a), ("sql_b", pair.sql_b)):
        result = run(sql)
        if isinstance(result, Failure):
            return OnDatabase(told=f"the database that was named does not run {name}: {result.detail}")
        gave[name] = result
    left, right = _plain(gave["sql_a"], gave["sql_b"])
    rung = difference(left, right, pair.semantics)
    if rung is None:
        return OnDatabase(told=f"both give the same {_count(left)} on the database that was named")
    if rung is Rung.S0 and _by_ties(pair, run, dialect):
        rung = Rung.S3
    counts = f"on the database that was named A gives {_count(left)} and B {_count(right)}"
    return OnDatabase(told=counts, rung=rung, alone_a=_alone(left, right), alone_b=_alone(right, left))


def with_database(found: OnDatabase, verify: Callable[[], Finding]) -> Finding:
    """The finding of a pair that was run on a database.

    Where that tells the two apart, a small witness of a rung as low is shown in its place, if the search has one.
    """
    small = verify()
    if found.rung is None or small.verdict is EquivalenceVerdict.ERROR:
        return _told(small, found)
    if small.rung is not None and small.rung <= found.rung:
        return _told(small, found)
    nothing = Result(columns=(), rows=())
    witness = Witness(columns={}, rows={}, result_a=found.alone_a or nothing, result_b=found.alone_b or nothing)
    return Finding(
        verdict=EquivalenceVerdict.DIFFERENT,
        rung=found.rung,
        assumption=ASSUMPTION,
        reason=f"{found.told}; shown are rows that only one of them gives",
        trials=small.trials + 1,
        cpu_seconds=small.cpu_seconds,
        witness=witness,
    )


def _told(finding: Finding, found: OnDatabase) -> Finding:
    return replace(finding, reason="; ".join(each for each in (finding.reason, found.told) if each))


def _plain(a: QueryResult, b: QueryResult) -> tuple[Result, Result]:
    """Both with their values in one form: a database types them as it likes."""
    rows_a, rows_b = unified(a, b)
    left, right = cast("Sequence[Row]", rows_a), cast("Sequence[Row]", rows_b)
    return Result(columns=a.columns, rows=tuple(left)), Result(columns=b.columns, rows=tuple(right))


def _by_ties(pair: Pair, run: Run, dialect: str) -> bool:
    """Whether one of them leaves open which rows it gives, and might have given the other's."""
    if pair.semantics is Semantics.LIST:
        return False
    ways = ((pair.sql_a, pair.sql_b), (pair.sql_b, pair.sql_a))
    found = [compare(reference, answer, run, dialect=dialect) for reference, answer in ways]
    return any(each.match is not Match.NONE and Flag.TIES in each.flags for each in found)


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
