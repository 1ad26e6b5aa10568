"""Rewrites of a query that keep its meaning, on sqlglot's syntax trees.

A rewrite changes a tree in place and says whether it found something to change. It may change the meaning where the
data allows it (a join repeats rows, a sort ties): `references/` decides which pairs mean the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from sqlglot import exp

from tests.scoring.invariance.rewrites import conditions, ctes, distinct, extremes, guards, joins, names, semijoins

Rewrite = Callable[[exp.Query], bool]

REWRITES: Mapping[str, tuple[Rewrite, ...]] = MappingProxyType(
    {
        "IN, EXISTS and JOIN": (
            semijoins.in_to_exists,
            semijoins.exists_to_in,
            semijoins.in_to_join,
            semijoins.in_to_distinct_join,
            semijoins.join_to_in,
            semijoins.join_to_exists,
            semijoins.not_in_to_outer_join,
            semijoins.outer_join_to_not_exists,
        ),
        "CTE and subquery": (
            ctes.cte_to_subquery,
            ctes.subquery_to_cte,
            ctes.filter_in_cte,
            ctes.filter_in_subquery,
            ctes.answer_in_cte,
            ctes.scalar_in_cte,
            ctes.scalar_by_cross_join,
            ctes.having_in_subquery,
            ctes.aggregate_before_join,
        ),
        "BETWEEN and bounds": (
            conditions.between_to_bounds,
            conditions.bounds_to_between,
        ),
        "whole numbers: a bound one further": (conditions.bounds_shifted,),
        "extreme by LIMIT or by subquery": (
            extremes.limit_to_extreme,
            extremes.extreme_to_limit,
            extremes.extreme_to_not_exists,
            extremes.limit_to_row_number,
        ),
        "guards: NULLIF, COALESCE, CAST, CASE": (
            guards.divisor_guarded,
            guards.quotient_guarded,
            guards.count_coalesced,
            guards.comparison_coalesced,
            guards.comparison_cast,
            guards.nulls_excluded,
        ),
        "ratios and conditional counts": (
            guards.cast_to_factor,
            guards.factor_to_cast,
            guards.hundred_moved,
            guards.share_to_average,
            guards.sum_case_to_count_case,
            guards.sum_case_to_filter,
            guards.sum_case_to_iif,
        ),
        "redundant DISTINCT": (
            distinct.distinct_answer,
            distinct.plain_answer,
            distinct.distinct_subquery,
            distinct.distinct_to_group_by,
            distinct.count_of_column,
            distinct.count_of_distinct_keys,
        ),
        "aliases": (
            names.aliases_renamed,
            names.aliases_dropped,
            names.qualifiers_dropped,
            names.qualifiers_added,
            names.outputs_named,
            names.outputs_unnamed,
            names.group_by_ordinal,
            names.order_by_alias,
        ),
        "parentheses and comparisons": (
            conditions.parentheses_added,
            conditions.parentheses_dropped,
            conditions.comparison_turned,
            conditions.comparison_negated,
            conditions.list_to_or,
            conditions.always_true,
            conditions.terms_turned,
        ),
        "joins: order of tables, columns, place of conditions": (
            joins.tables_swapped,
            joins.sides_swapped,
            joins.comma_join,
            joins.conditions_in_on,
            joins.left_join,
            joins.other_side_of_key,
        ),
    }
)
"""The rewrites, by the row of the table that they count for."""
