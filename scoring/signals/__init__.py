"""The signals: one function each, a code each. To add one: a member of `ReasonCode`, a function, a line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from scoring.reasons import ReasonCode
from scoring.signals import aggregates, definitions, filters, order, outputs, ratios, structure
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
        ReasonCode.WILDCARD_UNASKED: filters.unasked_wildcard,
        ReasonCode.LITERAL_UNASKED: filters.unasked_literal,
        ReasonCode.NEGATION_LOST: filters.lost_negation,
        ReasonCode.NEGATION_BY_ROW: filters.negated_row,
        ReasonCode.NEGATION_UNASKED: filters.unasked_negation,
        ReasonCode.COMPARISON_FLIPPED: filters.flipped_comparison,
        ReasonCode.BOUND_SHIFTED: filters.shifted_bound,
        ReasonCode.CONDITIONS_EXCLUDE: filters.excluding_conditions,
        ReasonCode.CONNECTIVE_CHANGED: filters.changed_connective,
        ReasonCode.DATE_AS_NUMBER: filters.date_as_number,
        ReasonCode.DEFINITION_IGNORED: definitions.ignored_definition,
        ReasonCode.DEFINITION_FOLLOWED: definitions.followed_definition,
        ReasonCode.DEFINITION_FORMULA_MISSING: definitions.missing_formula,
        ReasonCode.OUTPUT_MISSING: outputs.missing_output,
        ReasonCode.OUTPUT_REDUNDANT: outputs.redundant_output,
        ReasonCode.OUTPUT_WIDER: outputs.wider_output,
        ReasonCode.OUTPUT_UNLINKED: outputs.unlinked_output,
        ReasonCode.OUTPUT_LINKED: outputs.linked_output,
        ReasonCode.OUTPUT_STAR: outputs.star_output,
        ReasonCode.KEY_FOR_NAME: outputs.key_for_name,
        ReasonCode.COUNT_FOR_LIST: outputs.count_for_list,
        ReasonCode.LIST_FOR_COUNT: outputs.list_for_count,
        ReasonCode.AGGREGATE_MISSING: aggregates.missing_aggregate,
        ReasonCode.AGGREGATE_UNASKED: aggregates.unasked_aggregate,
        ReasonCode.AGGREGATE_SWAPPED: aggregates.swapped_aggregate,
        ReasonCode.AGGREGATE_UNLINKED: aggregates.unlinked_aggregate,
        ReasonCode.COUNT_REPEATS: aggregates.repeated_count,
        ReasonCode.DISTINCT_MISSING: aggregates.missing_distinct,
        ReasonCode.DISTINCT_UNASKED: aggregates.unasked_distinct,
        ReasonCode.GROUPING_MISSING: aggregates.missing_grouping,
        ReasonCode.GROUPING_UNASKED: aggregates.unasked_grouping,
        ReasonCode.ORDER_MISSING: order.missing_order,
        ReasonCode.ORDER_FLIPPED: order.flipped_order,
        ReasonCode.ORDER_UNASKED: order.unasked_order,
        ReasonCode.ORDER_UNLINKED: order.unlinked_order,
        ReasonCode.EXTREME_TAKEN: order.taken_extreme,
        ReasonCode.LIMIT_MISSING: order.missing_limit,
        ReasonCode.LIMIT_WRONG: order.wrong_limit,
        ReasonCode.LIMIT_UNASKED: order.unasked_limit,
        ReasonCode.LIMIT_WITHOUT_ORDER: order.limit_without_order,
        ReasonCode.PERCENTAGE_UNSCALED: ratios.unscaled_percentage,
        ReasonCode.INTEGER_DIVISION: ratios.integer_division,
        ReasonCode.RATIO_MISSING: ratios.missing_ratio,
        ReasonCode.RATIO_UNASKED: ratios.unasked_ratio,
        ReasonCode.TABLE_UNUSED: structure.unused_table,
        ReasonCode.JOIN_UNLIKE_KEYS: structure.unlike_keys,
        ReasonCode.JOIN_WITHOUT_KEY: structure.join_without_key,
        ReasonCode.WORDS_UNCOVERED: structure.uncovered_words,
        ReasonCode.COLUMNS_UNASKED: structure.unasked_columns,
        ReasonCode.SET_OPERATION_MISSING: structure.missing_set_operation,
        ReasonCode.PART_UNANSWERED: structure.unanswered_part,
        ReasonCode.COMPLEX_ANSWER: structure.complex_answer,
        ReasonCode.YES_NO_UNANSWERED: structure.unanswered_yes_no,
    }
)
"""Every signal by its reason code, in the order they are read."""


def read_signals(case: Case, signals: Mapping[ReasonCode, Signal] = SIGNALS) -> dict[ReasonCode, Finding]:
    """Those of `signals` that fire on a case."""
    return {code: finding for code, signal in signals.items() if (finding := signal(case)) is not None}
