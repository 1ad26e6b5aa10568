"""The signals: one function for each reason code, named like it. To add one, see `SECTIONS`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Protocol

from scoring.forgery import VOIDS
from scoring.forgery.weakening import definition_weakens
from scoring.reason_kinds import UNASKED
from scoring.reasons import ReasonCode
from scoring.signals import (
    compared_values,
    complexity,
    connectives,
    definitions,
    filters,
    follow_ups,
    grouping,
    keys,
    limits,
    logic,
    negations,
    order,
    order_followed,
    parts,
    repeats,
    rewriting,
    said,
    scope,
    structure,
    times,
)
from scoring.signals.answers import aggregates, distinct, outputs, ratios, units
from scoring.signals.finding import Finding
from scoring.signals.house_rules import conventions, look_alikes, time_zones
from scoring.signals.mistakes import PLAIN_MISTAKES, extremes
from scoring.verdict import Case


class Signal(Protocol):
    """Looks for one thing in a case; its docstring is its entry in `docs/reasons.md`."""

    __name__: str

    def __call__(self, case: Case, /) -> Finding | None: ...


SECTIONS: Mapping[str, tuple[Signal, ...]] = MappingProxyType(
    {
        "Conditions": (
            filters.filter_missing,
            filters.filter_mismatched,
            filters.filter_extra,
            filters.filters_matched,
            filters.kinds_listed,
            filters.amount_open,
            filters.amount_divided,
            compared_values.value_altered,
            said.value_padded,
            compared_values.wildcard_unasked,
            said.value_unused,
            said.name_unused,
            logic.negation_lost,
            negations.negation_per_row,
            scope.join_outer_missing,
            scope.exclusion_wrong_table,
            logic.comparison_flipped,
            logic.bound_shifted,
            logic.conditions_exclude,
            connectives.connective_changed,
            scope.both_read_as_either,
            scope.or_unparenthesized,
            compared_values.date_as_number,
            conventions.convention_followed,
            conventions.convention_missing,
            look_alikes.look_alike_read,
            time_zones.time_zone_differs,
            conventions.code_unknown,
            conventions.code_of_another,
            conventions.stored_code_used,
            conventions.word_for_code,
            times.last_day_cut,
            times.period_without_year,
        ),
        "Definitions of the enriched question": (
            definitions.definition_ignored,
            definitions.definition_followed,
            definitions.definition_formula_missing,
            definitions.formula_changed,
            definitions.definition_value_unused,
            definitions.definition_number_unused,
            definitions.formula_copied,
            definition_weakens,
            rewriting.rewriting_ignored,
            rewriting.rewriting_followed,
        ),
        "Follow-up questions": (
            follow_ups.follow_up_condition_lost,
            follow_ups.follow_up_group_lost,
            follow_ups.follow_up_measure_lost,
            follow_ups.follow_up_ignored,
            follow_ups.follow_up_kept,
        ),
        "Columns of the answer": (
            outputs.output_missing,
            outputs.output_wider,
            outputs.output_unlinked,
            outputs.output_undefined,
            outputs.output_linked,
            outputs.output_star,
            keys.key_for_name,
            keys.key_unasked,
            outputs.measure_shown,
            outputs.count_for_list,
            outputs.list_for_count,
        ),
        "Aggregates, repeated rows and grouping": (
            aggregates.aggregate_missing,
            aggregates.aggregate_unasked,
            aggregates.aggregate_swapped,
            aggregates.aggregate_unlinked,
            repeats.count_repeats,
            repeats.aggregate_repeats,
            aggregates.where_for_having,
            repeats.order_collapsed,
            distinct.distinct_missing,
            distinct.distinct_unasked,
            distinct.values_repeated,
            grouping.grouping_missing,
            grouping.grouping_unasked,
            grouping.total_per_group,
            repeats.column_ungrouped,
            repeats.column_outside_group_by,
        ),
        "Order and limit": (
            order.order_missing,
            order.order_flipped,
            order.order_unasked,
            order.order_unlinked,
            order_followed.order_changed,
            order.extreme_taken,
            scope.extreme_scope,
            extremes.extreme_per_group,
            extremes.extreme_dropped,
            limits.limit_missing,
            limits.limit_wrong,
            limits.limit_unasked,
            limits.limit_low,
            limits.limit_without_order,
            scope.ties_cut,
        ),
        "Ratios, rounding and units": (
            ratios.percentage_unscaled,
            ratios.integer_division,
            structure.rounding_unasked,
            units.unit_left,
            ratios.ratio_missing,
            ratios.ratio_unasked,
        ),
        "Tables and joins": (
            structure.table_unused,
            keys.join_unlike_keys,
            keys.join_bare_ids,
            keys.join_shared_foreign_key,
            structure.join_without_key,
            scope.join_outer_unasked,
            keys.key_as_word,
        ),
        "Plain mistakes": PLAIN_MISTAKES,
        "SQL that only seems to answer": VOIDS,
        "The question as a whole": (
            structure.words_uncovered,
            structure.set_operation_missing,
            repeats.totals_combined,
            parts.part_unanswered,
            complexity.overly_complex,
            said.long_question,
            said.plain_question,
            said.question_not_english,
            complexity.nested_answer,
            parts.yes_no_worded,
        ),
    }
)
"""Every signal, under its heading in `docs/reasons.md`.

A new signal is a function listed here and a member of `ReasonCode` of the same name. `sqlassay learn calibrate` gives
it a weight, and `make contracts` writes its documentation.
"""
SIGNALS: Mapping[ReasonCode, Signal] = MappingProxyType(
    {ReasonCode[signal.__name__.upper()]: signal for signals in SECTIONS.values() for signal in signals}
)
"""Every signal by its reason code, in the order in which they are read; equally strong reasons keep this order."""


def read_signals(case: Case, signals: Mapping[ReasonCode, Signal] = SIGNALS) -> dict[ReasonCode, Finding]:
    """The findings of those `signals` that fire on a case."""
    unread = UNASKED if case.question.language else frozenset[ReasonCode]()
    return {
        code: finding
        for code, signal in signals.items()
        if code not in unread and (finding := signal(case)) is not None
    }
