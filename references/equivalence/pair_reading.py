"""Reads both queries of a pair and the schema that they share."""

from __future__ import annotations

from dataclasses import dataclass

from references.ddl import read_schema
from references.equivalence.inference.tables import infer_schema
from references.equivalence.pair import Pair
from references.equivalence.reading.bare_names import with_bare_names
from references.equivalence.reading.checks import with_checks
from references.equivalence.reading.enums import enumerated
from references.equivalence.reading.lengths import with_lengths
from references.equivalence.reading.side import Refusal, RefusalKind, Side, read_side
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
    sides: list[Side] = []
    for name, sql in (("sql_a", pair.sql_a), ("sql_b", pair.sql_b)):
        side = read_side(sql, pair.dialect)
        if isinstance(side, Refusal):
            return _refused(name, side)
        sides.append(side)
    declared = read_schema(pair.schema, pair.constraints, pair.dialect) if pair.schema else None
    if isinstance(declared, BadSchema):
        return PairRefusal(RefusalKind.ERROR, f"schema: {declared.detail}")
    named, schema = with_bare_names(sides, declared)
    bare: list[Side] = []
    for name, side in zip(("sql_a", "sql_b"), named, strict=True):
        if isinstance(side, Refusal):
            return _refused(name, side)
        bare.append(side)
    schema = with_checks(with_lengths(schema, bare)) if schema is not None else infer_schema(bare)
    a, b = (_as_declared(side, schema) for side in bare)
    if isinstance(a, Refusal):
        return _refused("sql_a", a)
    return _refused("sql_b", b) if isinstance(b, Refusal) else PairReading(a, b, schema)


def _as_declared(side: Side, schema: Schema) -> Side | Refusal:
    """The query as the types of its columns have it."""
    found = fitted(side, schema)
    return found if isinstance(found, Refusal) else enumerated(found, schema)


def _refused(name: str, refusal: Refusal) -> PairRefusal:
    return PairRefusal(refusal.kind, f"{name}: {refusal.detail}", name)
