"""Reads SQL into its specification: checks the text, parses it, walks the tree once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType

from sqlglot import exp

from scoring.query import Unscored, UnscoredReason
from scoring.schema import DatabaseSchema, UnknownNames
from scoring.specification import Clause, SqlFilter, SqlSpec
from scoring.sql import aggregates, arithmetic, expressions, subqueries, windows
from scoring.sql.blocks import read_query
from scoring.sql.bounds import declares_values, screen, shortened
from scoring.sql.builder import SpecificationBuilder
from scoring.sql.calendar import dates
from scoring.sql.conditions import record
from scoring.sql.evaluation.rules import rules_of
from scoring.sql.from_items import CteScope
from scoring.sql.parameters.placeholders import with_numbers
from scoring.sql.parsing import Parsed, parse_condition, parse_query
from scoring.sql.probes.queries import probing_query
from scoring.sql.query_blocks import UnresolvedError
from scoring.sql.respelling import part_names
from scoring.sql.scopes import BlockPlace, Reader, Scope, Walk
from scoring.sql.shapes.reading import read_shapes
from scoring.sql.unknown_names import unknown_names
from scoring.sql.voids import supplied_values
from scoring.sql.voids.arms import note_undone_unions
from scoring.sql.voids.idle import note_unread_columns

READERS: MappingProxyType[type[exp.Expr], Reader] = MappingProxyType(
    {
        **expressions.READERS,
        **arithmetic.READERS,
        **dates.READERS,
        **aggregates.READERS,
        **supplied_values.READERS,
        **windows.READERS,
        **subqueries.READERS,
    }
)
"""Readers by kind of node. Later modules override earlier ones: a call may be an aggregate."""


def specify(sql: str, dialect: str | None, schema: DatabaseSchema | None = None) -> SqlSpec | Unscored:
    """The specification of one query, or the reason why it has none; with the names that are not in the schema."""
    text = screen(sql)
    if isinstance(text, Unscored):
        return text
    # the names that a query declares are no placeholders
    parsed = parse_query(text if declares_values(text) else with_numbers(text), dialect)
    if isinstance(parsed, Unscored):
        return parsed
    unknown = None if schema is None else _unknown(parsed, schema)
    part_names(parsed.tree, parsed.text, {} if schema is None else schema.parts)
    spec = _guarded(walk_query, parsed)
    if isinstance(spec, Unscored):
        return spec
    return probing_query(spec, parsed.tree) or (spec if unknown is None else replace(spec, unknown=unknown))


def _unknown(parsed: Parsed, schema: DatabaseSchema) -> UnknownNames | None:
    """The names that the schema does not have; `None` where they cannot be resolved."""
    try:
        return unknown_names(parsed, schema)
    except UnresolvedError:
        return None


def specify_predicate(text: str, dialect: str | None) -> tuple[SqlFilter, ...] | Unscored:
    """The filters of one predicate, or the reason why it has none."""
    screened = screen(f"SELECT {text}")
    if isinstance(screened, Unscored):
        return screened
    parsed = parse_condition(text, dialect)
    if isinstance(parsed, Unscored):
        return parsed
    part_names(parsed.tree, text)
    spec = _guarded(_walk_condition, parsed)
    if isinstance(spec, Unscored):
        return spec
    if spec.subqueries or not spec.filters:
        return Unscored(UnscoredReason.UNPARSEABLE_SQL, f"not a condition on columns: {shortened(text)}")
    return spec.filters


def walk_query(parsed: Parsed) -> SqlSpec:
    """The specification of a parsed query; raises if the parser left out a part of the tree."""
    walk = _walk(parsed)
    walk.spec.shapes = read_shapes(parsed.tree, parsed.nodes)
    read_query(walk, parsed.tree, _main(is_output=True))
    if walk.spec.computed:
        note_unread_columns(walk.spec)
    spec = walk.spec.build(parsed.nodes)
    return note_undone_unions(spec) if spec.set_operations else spec


def _walk_condition(parsed: Parsed) -> SqlSpec:
    walk = _walk(parsed)
    record(Scope(walk, _main(is_output=False)), parsed.tree, Clause.WHERE)
    return walk.spec.build(parsed.nodes)


def _guarded(walk: Callable[[Parsed], SqlSpec], parsed: Parsed) -> SqlSpec | Unscored:
    """Walks a tree; trees that are too deep or incomplete are unscored."""
    try:
        return walk(parsed)
    except RecursionError:
        return Unscored(UnscoredReason.SQL_TOO_DEEP, "an expression nests deeper than can be followed")
    except (AttributeError, KeyError, TypeError, IndexError) as error:
        # The parser accepts some broken calls and leaves out what they need; no list of them would be complete.
        return Unscored(
            UnscoredReason.UNPARSEABLE_SQL, f"{parsed.dialect}: incomplete expression ({shortened(str(error))})"
        )


def _main(*, is_output: bool) -> BlockPlace:
    return BlockPlace(path="main", outer=None, ctes=CteScope(), is_output=is_output)


def _walk(parsed: Parsed) -> Walk:
    return Walk(
        SpecificationBuilder(parsed.dialect),
        rules_of(None if parsed.is_guessed else parsed.dialect),
        lenient=parsed.lenient,
        readers=READERS,
        read_query=read_query,
        read_subquery=subqueries.read_subquery,
    )
