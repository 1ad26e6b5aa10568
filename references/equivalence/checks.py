"""Checks findings independently: a witness on the schema as given, and the proof on pairs that the search decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import thread_time

from references.equivalence.data.planning import populate
from references.equivalence.data.relevant import relevant
from references.equivalence.difference import difference_level
from references.equivalence.facts.gathering import gathered
from references.equivalence.pair import Contents, Pair, Witness
from references.equivalence.pair_reading import PairReading, read_pair
from references.equivalence.reading.side import Side
from references.equivalence.search.bench import reversed_rows
from references.sandbox import Failure, Folding, Layout, Row, Sandbox
from references.schema import Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class ProofAnswer:
    """What the proof alone says about a pair."""

    covered: bool
    """Whether the proof covers both queries."""
    equal_up_to: int
    """Rows per table up to which they are proved equal on any data."""
    folded: bool
    """Whether it treats texts that differ only in letter case as equal."""
    cpu_seconds: float


def runs_again(pair: Pair, witness: Witness) -> bool:
    """Whether the queries differ on a witness in the tables as declared, with its rows in either order."""
    read = read_pair(pair) if pair.schema else None
    if not isinstance(read, PairReading):
        return False
    sides, schema = (read.a, read.b), read.schema
    rows = _declared_rows(schema, witness)
    if rows is None:
        return False
    tables = [schema.tables[name] for name in rows]
    layouts = [Layout(name=each.name, columns=tuple((c.name, c.declared) for c in each.columns)) for each in tables]
    sandbox = Sandbox(layouts, folding=sides[0].folding)
    try:
        contents = {schema.tables[name].name: cells for name, cells in rows.items()}
        return all(_differ(sandbox, sides, pair, each) for each in (contents, reversed_rows(contents)))
    finally:
        sandbox.close()


def _declared_rows(schema: Schema, witness: Witness) -> Contents | None:
    """The witness's rows in the declared columns, with NULL for missing ones; `None` if a table is not declared."""
    found: dict[str, tuple[Row, ...]] = {}
    for name, rows in witness.rows.items():
        table = schema.tables.get(name.lower())
        if table is None:
            return None
        places = {column.lower(): place for place, column in enumerate(witness.columns[name])}
        order = [places.get(column.name.lower()) for column in table.columns]
        found[name.lower()] = tuple(tuple(None if at is None else row[at] for at in order) for row in rows)
    return found


def _differ(sandbox: Sandbox, sides: tuple[Side, Side], pair: Pair, contents: Mapping[str, Sequence[Row]]) -> bool:
    sandbox.fill(contents)
    a, b = sandbox.run(sides[0].sql), sandbox.run(sides[1].sql)
    if isinstance(a, Failure) or isinstance(b, Failure):
        return False
    return difference_level(a, b, pair.semantics) is not None


def ask_proof(pair: Pair, *, bound: int, budget: float) -> ProofAnswer:
    """Runs only the proof on a pair, up to `bound` rows per table. Needs the solver's package."""
    from references.equivalence.proof.certificate import ANY, prove  # noqa: PLC0415 - the solver is an extra
    from references.equivalence.proof.logic import Unprovable, z3  # noqa: PLC0415 - as above

    began = thread_time()
    read = read_pair(pair)
    proved, covered = 0, isinstance(read, PairReading)
    if isinstance(read, PairReading):
        schema, sides = read.schema, (read.a, read.b)
        population = populate(schema, gathered(schema, sides), relevant(schema, sides), typed=sides[0].translated)
        try:
            while proved < bound:
                left = int(1000 * (budget - (thread_time() - began)))
                if not prove(*sides, population, pair.semantics, proved + 1, ANY, max(left, 0)).equal:
                    break
                proved += 1
        except (Unprovable, RecursionError, z3.Z3Exception):
            covered = False
    folded = isinstance(read, PairReading) and read.a.folding is Folding.ALWAYS
    return ProofAnswer(covered=covered, equal_up_to=proved, folded=folded, cpu_seconds=thread_time() - began)
