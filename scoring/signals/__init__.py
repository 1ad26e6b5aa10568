"""The signals: one function each, a code each. To add one: a member of `ReasonCode`, a function, a line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from scoring.reasons import ReasonCode
from scoring.signals import (
    aggregates,
    definitions,
    filters,
    keys,
    order,
    outputs,
    ratios,
    repeats,
    said,
    scope,
    structure,
)
from scoring.signals.finding import Finding
from scoring.verdict import Case

Signal = Callable[[Case], Finding | None]

SIGNALS: Mapping[ReasonCode, Signal] = MappingProxyType(
    {
        ReasonCode.FILTER_MISSING: filters.missing_filter,
        ReasonCode.FILTER_MISMATCHED: filters.mismatched_filter,
        ReasonCode.FILTER_EXTRA: filters.extra_filter,
        ReasonCode.FILTER_UNCERTAIN: filters.uncertain_filter,
        ReasonCode.FILTERS_MATCHED: filters.matched_filters,
        ReasonCode.VALUE_ALTERED: filters.altered_value,
        ReasonCode.VALUE_RECASED: said.recased_value,
        ReasonCode.WILDCARD_UNASKED: filters.unasked_wildcard,
        ReasonCode.LITERAL_UNASKED: filters.unasked_literal,
        ReasonCode.VALUE_UNUSED: said.unused_value,
        ReasonCode.VALUE_UNEXPLAINED: said.unexplained_value,
        ReasonCode.NEGATION_LOST: filters.lost_negation,
        ReasonCode.NEGATION_BY_ROW: scope.negated_row,
        ReasonCode.EXCLUSION_NARROWED: scope.narrowed_base,
        ReasonCode.NEGATION_UNASKED: filters.unasked_negation,
        ReasonCode.COMPARISON_FLIPPED: filters.flipped_comparison,
        ReasonCode.BOUND_SHIFTED: filters.shifted_bound,
        ReasonCode.CONDITIONS_EXCLUDE: filters.excluding_conditions,
        ReasonCode.CONNECTIVE_CHANGED: filters.changed_connective,
        ReasonCode.EITHER_FOR_BOTH: scope.either_for_both,
        ReasonCode.ALTERNATIVE_LOOSE: scope.loose_alternative,
        ReasonCode.DATE_AS_NUMBER: filters.date_as_number,
        ReasonCode.DEFINITION_IGNORED: definitions.ignored_definition,
        ReasonCode.DEFINITION_FOLLOWED: definitions.followed_definition,
        ReasonCode.DEFINITION_FORMULA_MISSING: definitions.missing_formula,
        ReasonCode.FORMULA_CHANGED: definitions.changed_formula,
        ReasonCode.DEFINITION_VALUE_UNUSED: definitions.unused_definition_value,
        ReasonCode.OUTPUT_MISSING: outputs.missing_output,
        ReasonCode.OUTPUT_REDUNDANT: outputs.redundant_output,
        ReasonCode.OUTPUT_WIDER: outputs.wider_output,
        ReasonCode.OUTPUT_UNLINKED: outputs.unlinked_output,
        ReasonCode.OUTPUT_LINKED: outputs.linked_output,
        ReasonCode.OUTPUT_STAR: outputs.star_output,
        ReasonCode.KEY_FOR_NAME: outputs.key_for_name,
        ReasonCode.KEY_UNASKED: outputs.unasked_key,
        ReasonCode.MEASURE_SHOWN: outputs.shown_measure,
        ReasonCode.COUNT_FOR_LIST: outputs.count_for_list,
        ReasonCode.LIST_FOR_COUNT: outputs.list_for_count,
        ReasonCode.AGGREGATE_MISSING: aggregates.missing_aggregate,
        ReasonCode.AGGREGATE_UNASKED: aggregates.unasked_aggregate,
        ReasonCode.AGGREGATE_SWAPPED: aggregates.swapped_aggregate,
        ReasonCode.AGGREGATE_UNLINKED: aggregates.unlinked_aggregate,
        ReasonCode.COUNT_REPEATS: repeats.repeated_count,
        ReasonCode.AGGREGATE_REPEATS: repeats.repeated_sum,
        ReasonCode.ORDER_COLLAPSED: repeats.collapsed_order,
        ReasonCode.DISTINCT_MISSING: aggregates.missing_distinct,
        ReasonCode.DISTINCT_UNASKED: aggregates.unasked_distinct,
        ReasonCode.GROUPING_MISSING: aggregates.missing_grouping,
        ReasonCode.GROUPING_UNASKED: aggregates.unasked_grouping,
        ReasonCode.GROUPING_FINER: repeats.finer_grouping,
        ReasonCode.COLUMN_UNGROUPED: repeats.ungrouped_column,
        ReasonCode.ORDER_MISSING: order.missing_order,
        ReasonCode.ORDER_FLIPPED: order.flipped_order,
        ReasonCode.ORDER_UNASKED: order.unasked_order,
        ReasonCode.ORDER_UNLINKED: order.unlinked_order,
        ReasonCode.ORDER_CHANGED: order.changed_order,
        ReasonCode.EXTREME_TAKEN: order.taken_extreme,
        ReasonCode.EXTREME_SCOPE: scope.lost_scope,
        ReasonCode.LIMIT_MISSING: order.missing_limit,
        ReasonCode.LIMIT_WRONG: order.wrong_limit,
        ReasonCode.LIMIT_UNASKED: order.unasked_limit,
        ReasonCode.LIMIT_WITHOUT_ORDER: order.limit_without_order,
        ReasonCode.TIES_CUT: scope.cut_ties,
        ReasonCode.PERCENTAGE_UNSCALED: ratios.unscaled_percentage,
        ReasonCode.INTEGER_DIVISION: ratios.integer_division,
        ReasonCode.ROUNDING_UNASKED: structure.unasked_rounding,
        ReasonCode.RATIO_MISSING: ratios.missing_ratio,
        ReasonCode.RATIO_UNASKED: ratios.unasked_ratio,
        ReasonCode.TABLE_UNUSED: structure.unused_table,
        ReasonCode.JOIN_UNLIKE_KEYS: keys.unlike_keys,
        ReasonCode.JOIN_BARE_IDS: keys.bare_ids,
        ReasonCode.JOIN_WITHOUT_KEY: structure.join_without_key,
        ReasonCode.JOIN_OUTER_UNASKED: scope.unasked_outer_join,
        ReasonCode.KEY_AS_WORD: keys.worded_key,
        ReasonCode.WORDS_UNCOVERED: structure.uncovered_words,
        ReasonCode.COLUMNS_UNASKED: structure.unasked_columns,
        ReasonCode.SET_OPERATION_MISSING: structure.missing_set_operation,
        ReasonCode.PART_UNANSWERED: structure.unanswered_part,
        ReasonCode.COMPLEX_ANSWER: structure.complex_answer,
        ReasonCode.NESTED_ANSWER: structure.nested_answer,
        ReasonCode.LABOURED_ANSWER: structure.laboured_answer,
        ReasonCode.LONG_QUESTION: said.long_question,
        ReasonCode.YES_NO_UNANSWERED: structure.unanswered_yes_no,
    }
)
"""Every signal by its reason code, in the order they are read."""


def read_signals(case: Case, signals: Mapping[ReasonCode, Signal] = SIGNALS) -> dict[ReasonCode, Finding]:
    """Those of `signals` that fire on a case."""
    return {code: finding for code, signal in signals.items() if (finding := signal(case)) is not None}
