"""One pair of queries, one finding: equal as written, told apart by a database, or proved equal on all small ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from time import thread_time
from zlib import crc32

from sqlglot import exp

from references.equivalence.inference import gathered, infer_schema
from references.equivalence.pair import ASSUMPTIONS, EquivalenceVerdict, Finding, Pair
from references.equivalence.population import Population, populate
from references.equivalence.reading import Refusal, RefusalKind, Side, read_side
from references.equivalence.search import Bench, Clock, search, smallest
from references.sandbox import Failure, FailureKind, Limits
from references.schema import BadSchema, Schema, Table, read_schema


class Deadline(Clock):
    """Time is up after so many seconds of this thread's CPU."""

    __slots__ = ("_end",)

    def __init__(self, seconds: float) -> None:
        self._end = thread_time() + seconds

    def up(self) -> bool:
        return thread_time() > self._end


def verify(pair: Pair, *, bound: int = 3, budget: float = 10.0) -> Finding:
    """What can be said of a pair within `budget` seconds of CPU; never raises for what the pair holds."""
    began = thread_time()
    try:
        finding = _verified(pair, bound, budget)
    except RecursionError:
        finding = _unsupported("nests deeper than can be followed")
    return replace(finding, cpu_seconds=round(thread_time() - began, 6))


def _verified(pair: Pair, bound: int, budget: float) -> Finding:
    sides: list[Side] = []
    for name, sql in (("sql_a", pair.sql_a), ("sql_b", pair.sql_b)):
        side = read_side(sql, pair.dialect)
        if isinstance(side, Refusal):
            return _refused(name, side)
        sides.append(side)
    schema = read_schema(pair.schema, pair.constraints, pair.dialect) if pair.schema else infer_schema(sides)
    if isinstance(schema, BadSchema):
        return Finding(verdict=EquivalenceVerdict.ERROR, reason=f"schema: {schema.detail}")
    return _searched(pair, sides, schema, budget)


def _searched(pair: Pair, sides: Sequence[Side], schema: Schema, budget: float) -> Finding:
    tables = relevant(schema, sides)
    population = populate(schema, gathered(schema, sides), tables)
    bench = Bench(sides[0], sides[1], population, pair.semantics, Limits(), typeless=schema.inferred)
    try:
        for name, side, failure in zip(("sql_a", "sql_b"), sides, bench.failures(), strict=True):
            if failure is not None:
                return _failed(name, side, failure)
        return _sought(pair, bench, population, schema, Deadline(budget))
    finally:
        bench.close()


def _sought(pair: Pair, bench: Bench, population: Population, schema: Schema, deadline: Deadline) -> Finding:
    sought = search(bench, population, crc32(f"{pair.sql_a}\0{pair.sql_b}".encode()), deadline)
    if sought.found is not None:
        found = smallest(bench, population, sought.found)
        witness = bench.witness(found.contents)
        if witness is not None:
            return Finding(
                verdict=EquivalenceVerdict.DIFFERENT,
                rung=found.rung,
                assumption=ASSUMPTIONS[found.rung],
                trials=sought.trials,
                witness=witness,
                notes=tuple(guesses(schema)),
            )
    return Finding(
        verdict=EquivalenceVerdict.NOT_REFUTED,
        reason="time ran out" if sought.exhausted else "no witness was found",
        trials=sought.trials,
        notes=tuple(guesses(schema)),
    )


def relevant(schema: Schema, sides: Sequence[Side]) -> list[Table]:
    """The tables that the queries name, with the columns they may read and those that must be filled."""
    trees = [side.tree for side in sides]
    named = {table.name.lower() for tree in trees for table in tree.find_all(exp.Table)}
    words = {each.name.lower() for tree in trees for each in tree.find_all(exp.Identifier)}
    whole = any(_takes_all(node) for tree in trees for node in tree.walk())
    tables: list[Table] = []
    for folded, table in schema.tables.items():
        if folded not in named:
            continue
        needed = {name for key in table.keys for name in key.columns}
        needed |= {each.column for each in schema.references if each.table == folded and each.parent in named}
        needed |= {each.parent_column for each in schema.references if each.parent == folded and each.table in named}
        columns = [
            each
            for each in table.columns
            if whole or not each.nullable or each.name.lower() in words or each.name.lower() in needed
        ]
        tables.append(replace(table, columns=tuple(columns or table.columns[:1])))
    return tables


def _takes_all(node: exp.Expr) -> bool:
    """`*` or a natural join: columns that no query names count too."""
    if isinstance(node, exp.Star):
        return not isinstance(node.parent, exp.Count)
    return isinstance(node, exp.Join) and node.method == "NATURAL"


def guesses(schema: Schema) -> Iterator[str]:
    """What was guessed of the schema, in words."""
    for table in schema.tables.values():
        for key in table.keys:
            if key.guessed:
                yield f"key {table.name}({', '.join(key.columns)}): {key.reason}"
    for each in schema.references:
        if each.guessed:
            yield f"{each.table}.{each.column} refers to {each.parent}.{each.parent_column}: {each.reason}"
    for each in schema.ignored:
        yield f"constraint not honoured: {each}"


def _refused(name: str, refusal: Refusal) -> Finding:
    if refusal.kind is RefusalKind.UNSUPPORTED:
        return _unsupported(f"{name}: {refusal.detail}")
    return Finding(verdict=EquivalenceVerdict.ERROR, reason=f"{name}: {refusal.detail}")


def _unsupported(reason: str) -> Finding:
    return Finding(verdict=EquivalenceVerdict.UNSUPPORTED, reason=reason)


def _failed(name: str, side: Side, failure: Failure) -> Finding:
    """SQL of another dialect that SQLite cannot run is beyond this tool; SQLite's own is in error."""
    missing = failure.detail.startswith(("no such column", "no such table", "ambiguous column"))
    if failure.kind is not FailureKind.ERROR or (side.translated and not missing):
        return _unsupported(f"{name}: {failure.detail}")
    return Finding(verdict=EquivalenceVerdict.ERROR, reason=f"{name} does not execute: {failure.detail}")
