"""The signals: one function for each reason code, named like it. To add one, see `SECTIONS`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Protocol

from scoring.reasons import ReasonCode
from scoring.signals import (
    compared_values,
    complexity,
    conventions,
    definitions,
    filters,
    follow_ups,
    grouping,
    keys,
    limits,
    logic,
    order,
    parts,
    repeats,
    rewriting,
    said,
    scope,
    structure,
    times,
    voids,
    weakening,
)
from scoring.signals.answers import aggregates, distinct, outputs, ratios, units
from scoring.signals.finding import Finding
from scoring.signals.mistakes import bases as mistaken_bases
from scoring.signals.mistakes import bounds as mistaken_bounds
from scoring.signals.mistakes import chosen as mistaken_chosen
from scoring.signals.mistakes import columns as mistaken_columns
from scoring.signals.mistakes import counts as mistaken_counts
from scoring.signals.mistakes import extremes as mistaken_extremes
from scoring.signals.mistakes import fiscal as mistaken_fiscal
from scoring.signals.mistakes import groups as mistaken_groups
from scoring.signals.mistakes import kinds as mistaken_kinds
from scoring.signals.mistakes import naming as mistaken_naming
from scoring.signals.mistakes import nulls as mistaken_nulls
from scoring.signals.mistakes import one_number as mistaken_numbers
from scoring.signals.mistakes import opposites as mistaken_opposites
from scoring.signals.mistakes import pairs as mistaken_pairs
from scoring.signals.mistakes import periods as mistaken_periods
from scoring.signals.mistakes import quotients as mistaken_quotients
from scoring.signals.mistakes import rows as mistaken_rows
from scoring.signals.mistakes import scope as mistaken_scope
from scoring.signals.mistakes import sequences as mistaken_sequences
from scoring.signals.mistakes import stated as mistaken_stated
from scoring.signals.mistakes import unasked as mistaken_unasked
from scoring.signals.mistakes import values as mistaken_values
from scoring.signals.mistakes import wanted as mistaken_wanted
from scoring.signals.mistakes import windows as mistaken_windows
from scoring.signals.mistakes.unmet import counts as unmet_counts
from scoring.signals.mistakes.unmet import ranks as unmet_ranks
from scoring.signals.mistakes.unmet import states as unmet_states
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
            filters.filter_uncertain,
            filters.filters_matched,
            filters.kinds_listed,
            filters.amount_open,
            compared_values.value_altered,
            said.value_recased,
            said.value_padded,
            compared_values.wildcard_unasked,
            compared_values.literal_unasked,
            said.value_unused,
            said.name_unused,
            said.value_unexplained,
            logic.negation_lost,
            scope.negation_per_row,
            scope.join_outer_missing,
            scope.exclusion_wrong_table,
            logic.negation_unasked,
            logic.comparison_flipped,
            logic.bound_shifted,
            logic.conditions_exclude,
            logic.connective_changed,
            scope.both_read_as_either,
            scope.or_unparenthesized,
            compared_values.date_as_number,
            conventions.convention_followed,
            conventions.convention_missing,
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
            weakening.definition_weakens,
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
            outputs.output_redundant,
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
            grouping.grouping_finer,
            grouping.total_per_group,
            repeats.column_ungrouped,
            repeats.column_outside_group_by,
        ),
        "Order and limit": (
            order.order_missing,
            order.order_flipped,
            order.order_unasked,
            order.order_unlinked,
            order.order_changed,
            order.extreme_taken,
            scope.extreme_scope,
            mistaken_extremes.extreme_per_group,
            mistaken_extremes.extreme_dropped,
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
        "Plain mistakes": (
            mistaken_rows.join_multiplies,
            mistaken_rows.rows_counted_for_things,
            mistaken_counts.things_counted_by_rows,
            mistaken_counts.different_counted_as_rows,
            mistaken_counts.uniques_added,
            mistaken_rows.amounts_deduplicated,
            mistaken_rows.groups_split,
            mistaken_rows.condition_on_other_rows,
            mistaken_bounds.bound_at_wrong_level,
            mistaken_bounds.value_for_count,
            mistaken_bounds.total_bounded_by_row,
            mistaken_bounds.row_bounded_by_total,
            mistaken_bounds.values_counted_for_rows,
            mistaken_bounds.rows_counted_for_kinds,
            mistaken_rows.mean_of_means,
            mistaken_groups.repeats_unused,
            mistaken_groups.group_of_extreme_lost,
            mistaken_groups.group_of_one_row,
            mistaken_groups.parts_counted,
            mistaken_groups.null_counted,
            mistaken_groups.alternatives_split,
            mistaken_groups.null_averaged,
            mistaken_groups.count_bounded_for_all,
            mistaken_groups.share_of_all_for_group,
            mistaken_groups.columns_compared_backwards,
            mistaken_stated.stated_distinct_missing,
            mistaken_groups.name_of_any_row,
            mistaken_groups.extreme_of_each_row,
            mistaken_extremes.top_of_all,
            mistaken_scope.compared_with_all,
            mistaken_scope.subquery_uncorrelated,
            mistaken_scope.exclusion_with_null,
            mistaken_scope.null_left_out,
            mistaken_nulls.null_not_zero,
            mistaken_nulls.open_end_lost,
            mistaken_scope.kept_rows_dropped,
            mistaken_scope.outer_join_undone,
            mistaken_scope.absence_flipped,
            mistaken_kinds.all_read_as_some,
            mistaken_kinds.either_for_both,
            mistaken_wanted.tie_asked_cut,
            mistaken_wanted.table_of_others,
            mistaken_wanted.total_beside_groups_missing,
            mistaken_wanted.median_averaged,
            mistaken_columns.date_of_other_event,
            mistaken_stated.stated_column_unread,
            mistaken_stated.stated_aggregate_missing,
            mistaken_stated.stated_value_untested,
            mistaken_columns.amount_of_other_event,
            mistaken_columns.units_measured_otherwise,
            mistaken_columns.key_of_other_role,
            mistaken_opposites.column_of_opposite_kind,
            mistaken_fiscal.fiscal_year_as_calendar,
            mistaken_periods.months_of_years_merged,
            mistaken_windows.running_total_wrong,
            mistaken_windows.moving_window_wrong,
            mistaken_windows.neighbour_wrong,
            mistaken_windows.rank_keeps_more,
            mistaken_windows.date_extreme_flipped,
            mistaken_windows.last_value_of_row,
            mistaken_naming.named_otherwise,
            mistaken_periods.period_of_groups_wrong,
            mistaken_periods.period_ungrouped,
            mistaken_periods.month_miswritten,
            mistaken_periods.rows_for_days,
            mistaken_periods.years_by_calendar,
            mistaken_periods.past_kept,
            mistaken_periods.all_time_cut,
            mistaken_windows.rank_flipped,
            mistaken_pairs.pair_counted_twice,
            mistaken_pairs.roles_swapped,
            mistaken_quotients.change_of_wrong_base,
            mistaken_quotients.change_missing,
            mistaken_quotients.rate_counted,
            mistaken_quotients.share_inverted,
            mistaken_quotients.share_of_itself,
            mistaken_quotients.duration_in_other_unit,
            mistaken_quotients.cents_for_currency,
            mistaken_quotients.zone_unasked,
            mistaken_quotients.year_shifted,
            mistaken_chosen.extreme_after_condition,
            mistaken_chosen.rank_of_finer_groups,
            mistaken_chosen.latest_read_as_largest,
            mistaken_chosen.repeats_kept,
            mistaken_sequences.streak_unchecked,
            mistaken_sequences.overlap_missed,
            mistaken_sequences.weekend_misnumbered,
            mistaken_sequences.hour_shifted,
            mistaken_values.pattern_misplaced,
            mistaken_values.case_of_letters_kept,
            mistaken_values.underscore_as_wildcard,
            mistaken_values.value_cut_short,
            mistaken_values.member_as_substring,
            mistaken_values.states_restricted,
            mistaken_bases.share_base_wrong,
            mistaken_bases.factor_of_other_unit,
            mistaken_bases.percent_unscaled,
            mistaken_bases.group_left_out,
            mistaken_numbers.groups_for_one_number,
            mistaken_numbers.amount_for_count,
            mistaken_numbers.thing_not_shown,
            mistaken_numbers.extreme_summed,
            mistaken_unasked.bound_unasked,
            mistaken_unasked.group_of_other_dimension,
            unmet_states.state_untested,
            unmet_states.birthday_as_date,
            unmet_counts.events_counted_for_people,
            unmet_counts.groups_listed_for_count,
            unmet_counts.lines_averaged_for_whole,
            unmet_counts.key_bounded_for_number,
            unmet_ranks.rank_not_taken,
            unmet_ranks.second_period_missing,
            unmet_ranks.groups_kept_by_rows,
        ),
        "SQL that only seems to answer": (
            voids.condition_void,
            voids.condition_dead,
            voids.result_empty,
            voids.output_constant,
            voids.arithmetic_unasked,
            voids.order_constant,
            voids.rows_sampled,
        ),
        "The question as a whole": (
            structure.words_uncovered,
            structure.columns_unasked,
            structure.set_operation_missing,
            repeats.totals_combined,
            parts.part_unanswered,
            complexity.overly_complex,
            said.long_question,
            complexity.nested_answer,
            parts.yes_no_unanswered,
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
    return {code: finding for code, signal in signals.items() if (finding := signal(case)) is not None}
