"""Reads queries that do the same in other steps as one specification.

Change this here when two queries that do the same in other steps get different specifications.
"""

from __future__ import annotations

from scoring.specification import SubqueryRole
from scoring.sql.layers.joined_steps import read_joined_steps
from scoring.sql.layers.layer import Steps
from scoring.sql.layers.merging import merge_layers
from scoring.sql.layers.outer_joins import read_outer_joins
from scoring.sql.layers.rows_once import leave_out_distinct, read_ranks

_MOST_PARTS = 24
"""Most joins, and most blocks, of a query that is compared part by part; no query of a person has more."""


def normalize(spec: Steps) -> None:
    """Brings the parts of a specification into the form that all equal queries have, as far as it is known."""
    if spec.reads or (spec.subqueries and SubqueryRole.DERIVED in [each.role for each in spec.subqueries]):
        merge_layers(spec)
    if len(spec.joins) > _MOST_PARTS or len(spec.blocks) > _MOST_PARTS:
        return
    if spec.joins:
        _normalize_joins(spec)
    if True in [each.distinct for each in spec.blocks]:
        leave_out_distinct(spec)
    if spec.windows and any(each.ranked for each in spec.limits):
        read_ranks(spec)


def _normalize_joins(spec: Steps) -> None:
    if "left" in [each.kind for each in spec.joins]:
        read_outer_joins(spec)
    if len(spec.blocks) > 1 and any("/" in each.table for each in spec.joins):
        read_joined_steps(spec)
