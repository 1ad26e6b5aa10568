"""Reads both queries of a pair and the schema that they share."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from references.ddl import read_schema
from references.equivalence.inference.tables import infer_schema
from references.equivalence.pair import Pair
from references.equivalence.reading.bare_names import with_bare_names
from references.equivalence.reading.checks import with_checks
from references.equivalence.reading.enums import enumerated
from references.equivalence.reading.laterals.lowering import without_laterals
from references.equivalence.reading.lengths import with_lengths
from references.equivalence.reading.ordered_checks import with_known_values, with_open_orders
from references.equivalence.reading.side import Refusal, RefusalKind, Side, read_side
from references.equivalence.reading.stars import with_listed_columns
from references.equivalence.reading.typed import fitted
from references.schema import BadSchema, Schema


@dataclass(frozen=True, slots=True)
class PairReading:
    """Both queries as they run on one schema."""

    a: Side
    b: Side
    schema: Schema


@dataclass(frozen=True, slots=True)
class PairRefusal:
    """Why a pair cannot be run."""

    kind: RefusalKind
    detail: str
    fault: str | None = None
    """`sql_a` or `sql_b`; `None` when it is the schema."""


def read_pair(pair: Pair) -> PairReading | PairRefusal:
    """Reads a pair: its queries in their dialect, with the names and types of the tables as declared or inferred."""
    sides = _both(read_side(sql, pair.dialect) for sql in (pair.sql_a, pair.sql_b))
    if isinstance(sides, PairRefusal):
        return sides
    declared = read_schema(pair.schema, pair.constraints, pair.dialect) if pair.schema else None
    if isinstance(declared, BadSchema):
        return PairRefusal(RefusalKind.ERROR, f"schema: {declared.detail}")
    flat = _both(without_laterals(side, declared) for side in sides)
    if isinstance(flat, PairRefusal):
        return flat
    named, schema = with_bare_names(flat, declared)
    bare = _both(named)
    if isinstance(bare, PairRefusal):
        return bare
    schema = with_checks(with_lengths(schema, bare)) if schema is not None else infer_schema(bare)
    listed = _both(with_listed_columns(bare, schema))
    if isinstance(listed, PairRefusal):
        return listed
    known = _both(with_open_orders(*(_as_declared(side, schema) for side in listed)))
    return known if isinstance(known, PairRefusal) else PairReading(*known, schema)


def _both(sides: Iterable[Side | Refusal]) -> tuple[Side, Side] | PairRefusal:
    """Both queries, or why the first that is refused is."""
    found: list[Side] = []
    for name, side in zip(("sql_a", "sql_b"), sides, strict=True):
        if isinstance(side, Refusal):
            return PairRefusal(side.kind, f"{name}: {side.detail}", name)
        found.append(side)
    return found[0], found[1]


def _as_declared(side: Side, schema: Schema) -> Side | Refusal:
    """The query as the types of its columns have it."""
    found = fitted(side, schema)
    known = found if isinstance(found, Refusal) else with_known_values(found, schema)
    return known if isinstance(known, Refusal) else enumerated(known, schema)
