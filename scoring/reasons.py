"""The closed list of reason codes, and what each says: a fault, a form, a hint, or something in the answer's favour."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType


class ReasonCode(StrEnum):
    """Why an answer is believed right or wrong: `scoring/signals/` documents each code at the function of its name."""

    FILTER_MISSING = "FILTER_MISSING"
    FILTER_MISMATCHED = "FILTER_MISMATCHED"
    FILTER_EXTRA = "FILTER_EXTRA"
    FILTER_UNCERTAIN = "FILTER_UNCERTAIN"
    FILTERS_MATCHED = "FILTERS_MATCHED"
    VALUE_ALTERED = "VALUE_ALTERED"
    VALUE_RECASED = "VALUE_RECASED"
    VALUE_PADDED = "VALUE_PADDED"
    WILDCARD_UNASKED = "WILDCARD_UNASKED"
    LITERAL_UNASKED = "LITERAL_UNASKED"
    VALUE_UNUSED = "VALUE_UNUSED"
    NAME_UNUSED = "NAME_UNUSED"
    VALUE_UNEXPLAINED = "VALUE_UNEXPLAINED"
    NEGATION_LOST = "NEGATION_LOST"
    NEGATION_PER_ROW = "NEGATION_PER_ROW"
    JOIN_OUTER_MISSING = "JOIN_OUTER_MISSING"
    EXCLUSION_WRONG_TABLE = "EXCLUSION_WRONG_TABLE"
    NEGATION_UNASKED = "NEGATION_UNASKED"
    COMPARISON_FLIPPED = "COMPARISON_FLIPPED"
    BOUND_SHIFTED = "BOUND_SHIFTED"
    CONDITIONS_EXCLUDE = "CONDITIONS_EXCLUDE"
    CONNECTIVE_CHANGED = "CONNECTIVE_CHANGED"
    BOTH_READ_AS_EITHER = "BOTH_READ_AS_EITHER"
    OR_UNPARENTHESIZED = "OR_UNPARENTHESIZED"
    DEFINITION_IGNORED = "DEFINITION_IGNORED"
    DEFINITION_FOLLOWED = "DEFINITION_FOLLOWED"
    DEFINITION_FORMULA_MISSING = "DEFINITION_FORMULA_MISSING"
    FORMULA_CHANGED = "FORMULA_CHANGED"
    DEFINITION_VALUE_UNUSED = "DEFINITION_VALUE_UNUSED"
    DEFINITION_NUMBER_UNUSED = "DEFINITION_NUMBER_UNUSED"
    FORMULA_COPIED = "FORMULA_COPIED"
    DEFINITION_WEAKENS = "DEFINITION_WEAKENS"
    REWRITING_IGNORED = "REWRITING_IGNORED"
    REWRITING_FOLLOWED = "REWRITING_FOLLOWED"
    DATE_AS_NUMBER = "DATE_AS_NUMBER"
    CONVENTION_FOLLOWED = "CONVENTION_FOLLOWED"
    STORED_CODE_USED = "STORED_CODE_USED"
    WORD_FOR_CODE = "WORD_FOR_CODE"
    CONVENTION_MISSING = "CONVENTION_MISSING"
    CODE_UNKNOWN = "CODE_UNKNOWN"
    CODE_OF_ANOTHER = "CODE_OF_ANOTHER"
    LAST_DAY_CUT = "LAST_DAY_CUT"
    PERIOD_WITHOUT_YEAR = "PERIOD_WITHOUT_YEAR"
    OUTPUT_MISSING = "OUTPUT_MISSING"
    OUTPUT_REDUNDANT = "OUTPUT_REDUNDANT"
    OUTPUT_WIDER = "OUTPUT_WIDER"
    OUTPUT_UNLINKED = "OUTPUT_UNLINKED"
    OUTPUT_UNDEFINED = "OUTPUT_UNDEFINED"
    OUTPUT_LINKED = "OUTPUT_LINKED"
    OUTPUT_STAR = "OUTPUT_STAR"
    KEY_FOR_NAME = "KEY_FOR_NAME"
    KEY_UNASKED = "KEY_UNASKED"
    MEASURE_SHOWN = "MEASURE_SHOWN"
    COUNT_FOR_LIST = "COUNT_FOR_LIST"
    LIST_FOR_COUNT = "LIST_FOR_COUNT"
    AGGREGATE_MISSING = "AGGREGATE_MISSING"
    AGGREGATE_UNASKED = "AGGREGATE_UNASKED"
    AGGREGATE_SWAPPED = "AGGREGATE_SWAPPED"
    AGGREGATE_UNLINKED = "AGGREGATE_UNLINKED"
    COUNT_REPEATS = "COUNT_REPEATS"
    AGGREGATE_REPEATS = "AGGREGATE_REPEATS"
    WHERE_FOR_HAVING = "WHERE_FOR_HAVING"
    ORDER_COLLAPSED = "ORDER_COLLAPSED"
    DISTINCT_MISSING = "DISTINCT_MISSING"
    DISTINCT_UNASKED = "DISTINCT_UNASKED"
    VALUES_REPEATED = "VALUES_REPEATED"
    GROUPING_MISSING = "GROUPING_MISSING"
    GROUPING_UNASKED = "GROUPING_UNASKED"
    GROUPING_FINER = "GROUPING_FINER"
    TOTAL_PER_GROUP = "TOTAL_PER_GROUP"
    COLUMN_UNGROUPED = "COLUMN_UNGROUPED"
    COLUMN_OUTSIDE_GROUP_BY = "COLUMN_OUTSIDE_GROUP_BY"
    ORDER_MISSING = "ORDER_MISSING"
    ORDER_FLIPPED = "ORDER_FLIPPED"
    ORDER_UNASKED = "ORDER_UNASKED"
    ORDER_UNLINKED = "ORDER_UNLINKED"
    ORDER_CHANGED = "ORDER_CHANGED"
    EXTREME_TAKEN = "EXTREME_TAKEN"
    EXTREME_SCOPE = "EXTREME_SCOPE"
    EXTREME_PER_GROUP = "EXTREME_PER_GROUP"
    EXTREME_DROPPED = "EXTREME_DROPPED"
    LIMIT_MISSING = "LIMIT_MISSING"
    LIMIT_WRONG = "LIMIT_WRONG"
    LIMIT_UNASKED = "LIMIT_UNASKED"
    LIMIT_LOW = "LIMIT_LOW"
    LIMIT_WITHOUT_ORDER = "LIMIT_WITHOUT_ORDER"
    TIES_CUT = "TIES_CUT"
    PERCENTAGE_UNSCALED = "PERCENTAGE_UNSCALED"
    INTEGER_DIVISION = "INTEGER_DIVISION"
    ROUNDING_UNASKED = "ROUNDING_UNASKED"
    UNIT_LEFT = "UNIT_LEFT"
    RATIO_MISSING = "RATIO_MISSING"
    RATIO_UNASKED = "RATIO_UNASKED"
    TABLE_UNUSED = "TABLE_UNUSED"
    JOIN_UNLIKE_KEYS = "JOIN_UNLIKE_KEYS"
    JOIN_BARE_IDS = "JOIN_BARE_IDS"
    JOIN_SHARED_FOREIGN_KEY = "JOIN_SHARED_FOREIGN_KEY"
    JOIN_WITHOUT_KEY = "JOIN_WITHOUT_KEY"
    JOIN_OUTER_UNASKED = "JOIN_OUTER_UNASKED"
    KEY_AS_WORD = "KEY_AS_WORD"
    WORDS_UNCOVERED = "WORDS_UNCOVERED"
    COLUMNS_UNASKED = "COLUMNS_UNASKED"
    SET_OPERATION_MISSING = "SET_OPERATION_MISSING"
    TOTALS_COMBINED = "TOTALS_COMBINED"
    PART_UNANSWERED = "PART_UNANSWERED"
    NESTED_ANSWER = "NESTED_ANSWER"
    OVERLY_COMPLEX = "OVERLY_COMPLEX"
    LONG_QUESTION = "LONG_QUESTION"
    YES_NO_UNANSWERED = "YES_NO_UNANSWERED"
    YES_NO_WORDED = "YES_NO_WORDED"
    CONDITION_VOID = "CONDITION_VOID"
    CONDITION_DEAD = "CONDITION_DEAD"
    RESULT_EMPTY = "RESULT_EMPTY"
    OUTPUT_CONSTANT = "OUTPUT_CONSTANT"
    ARITHMETIC_UNASKED = "ARITHMETIC_UNASKED"
    ORDER_CONSTANT = "ORDER_CONSTANT"
    ROWS_SAMPLED = "ROWS_SAMPLED"
    JOIN_MULTIPLIES = "JOIN_MULTIPLIES"
    ROWS_COUNTED_FOR_THINGS = "ROWS_COUNTED_FOR_THINGS"
    AMOUNTS_DEDUPLICATED = "AMOUNTS_DEDUPLICATED"
    GROUPS_SPLIT = "GROUPS_SPLIT"
    CONDITION_ON_OTHER_ROWS = "CONDITION_ON_OTHER_ROWS"
    BOUND_AT_WRONG_LEVEL = "BOUND_AT_WRONG_LEVEL"
    VALUE_FOR_COUNT = "VALUE_FOR_COUNT"
    MEAN_OF_MEANS = "MEAN_OF_MEANS"
    REPEATS_UNUSED = "REPEATS_UNUSED"
    GROUP_OF_EXTREME_LOST = "GROUP_OF_EXTREME_LOST"
    GROUP_OF_ONE_ROW = "GROUP_OF_ONE_ROW"
    PARTS_COUNTED = "PARTS_COUNTED"
    NULL_COUNTED = "NULL_COUNTED"
    ALTERNATIVES_SPLIT = "ALTERNATIVES_SPLIT"
    NULL_AVERAGED = "NULL_AVERAGED"
    COUNT_BOUNDED_FOR_ALL = "COUNT_BOUNDED_FOR_ALL"
    SHARE_OF_ALL_FOR_GROUP = "SHARE_OF_ALL_FOR_GROUP"
    COLUMNS_COMPARED_BACKWARDS = "COLUMNS_COMPARED_BACKWARDS"
    STATED_DISTINCT_MISSING = "STATED_DISTINCT_MISSING"
    NAME_OF_ANY_ROW = "NAME_OF_ANY_ROW"
    EXTREME_OF_EACH_ROW = "EXTREME_OF_EACH_ROW"
    TOP_OF_ALL = "TOP_OF_ALL"
    COMPARED_WITH_ALL = "COMPARED_WITH_ALL"
    SUBQUERY_UNCORRELATED = "SUBQUERY_UNCORRELATED"
    EXCLUSION_WITH_NULL = "EXCLUSION_WITH_NULL"
    NULL_LEFT_OUT = "NULL_LEFT_OUT"
    KEPT_ROWS_DROPPED = "KEPT_ROWS_DROPPED"
    OUTER_JOIN_UNDONE = "OUTER_JOIN_UNDONE"
    ALL_READ_AS_SOME = "ALL_READ_AS_SOME"
    TIE_ASKED_CUT = "TIE_ASKED_CUT"
    TABLE_OF_OTHERS = "TABLE_OF_OTHERS"
    TOTAL_BESIDE_GROUPS_MISSING = "TOTAL_BESIDE_GROUPS_MISSING"
    MEDIAN_AVERAGED = "MEDIAN_AVERAGED"
    DATE_OF_OTHER_EVENT = "DATE_OF_OTHER_EVENT"
    STATED_COLUMN_UNREAD = "STATED_COLUMN_UNREAD"
    STATED_AGGREGATE_MISSING = "STATED_AGGREGATE_MISSING"
    STATED_VALUE_UNTESTED = "STATED_VALUE_UNTESTED"
    UNITS_MEASURED_OTHERWISE = "UNITS_MEASURED_OTHERWISE"
    KEY_OF_OTHER_ROLE = "KEY_OF_OTHER_ROLE"
    COLUMN_OF_OPPOSITE_KIND = "COLUMN_OF_OPPOSITE_KIND"
    FISCAL_YEAR_AS_CALENDAR = "FISCAL_YEAR_AS_CALENDAR"
    MONTHS_OF_YEARS_MERGED = "MONTHS_OF_YEARS_MERGED"
    RUNNING_TOTAL_WRONG = "RUNNING_TOTAL_WRONG"
    MOVING_WINDOW_WRONG = "MOVING_WINDOW_WRONG"
    NEIGHBOUR_WRONG = "NEIGHBOUR_WRONG"
    RANK_KEEPS_MORE = "RANK_KEEPS_MORE"
    DATE_EXTREME_FLIPPED = "DATE_EXTREME_FLIPPED"
    PERIOD_OF_GROUPS_WRONG = "PERIOD_OF_GROUPS_WRONG"
    PERIOD_UNGROUPED = "PERIOD_UNGROUPED"
    MONTH_MISWRITTEN = "MONTH_MISWRITTEN"
    ROWS_FOR_DAYS = "ROWS_FOR_DAYS"
    RANK_FLIPPED = "RANK_FLIPPED"
    PAIR_COUNTED_TWICE = "PAIR_COUNTED_TWICE"
    ROLES_SWAPPED = "ROLES_SWAPPED"
    CHANGE_OF_WRONG_BASE = "CHANGE_OF_WRONG_BASE"
    CHANGE_MISSING = "CHANGE_MISSING"
    RATE_COUNTED = "RATE_COUNTED"
    SHARE_INVERTED = "SHARE_INVERTED"
    SHARE_OF_ITSELF = "SHARE_OF_ITSELF"
    DURATION_IN_OTHER_UNIT = "DURATION_IN_OTHER_UNIT"
    CENTS_FOR_CURRENCY = "CENTS_FOR_CURRENCY"
    ZONE_UNASKED = "ZONE_UNASKED"
    YEAR_SHIFTED = "YEAR_SHIFTED"
    SQL_UNPARSEABLE = "SQL_UNPARSEABLE"
    """The SQL does not parse, and the tenant counts that as incorrect; no signal reads it."""
    JUDGE_CONTRADICTS_EVIDENCE = "JUDGE_CONTRADICTS_EVIDENCE"
    """A model's verdict was better than the evidence allows, and was lowered to the best that is allowed."""
    AGREES_WITH_OTHERS = "AGREES_WITH_OTHERS"
    """Other agents answered the question like this one, more than is usual for the tenant."""
    DIFFERS_FROM_OTHERS = "DIFFERS_FROM_OTHERS"
    """At least two other agents answered the question, and this answer is like theirs less than is usual."""
    MATCHES_REVIEWED = "MATCHES_REVIEWED"
    """A person called the same query to the same question right."""
    REPEATS_REJECTED = "REPEATS_REJECTED"
    """A person called the same query to the same question wrong."""
    DIFFERS_FROM_REVIEWED = "DIFFERS_FROM_REVIEWED"
    """A person called another query to the same question right."""
    JOIN_USUAL_HERE = "JOIN_USUAL_HERE"
    """The names of joined columns look wrong, but other questions of the tenant join the same columns."""
    JOIN_UNUSUAL_HERE = "JOIN_UNUSUAL_HERE"
    """Other questions of the tenant join the same two tables, and none by these columns."""
    SQL_FAILED = "SQL_FAILED"
    """The database did not run the SQL."""
    RAN_EMPTY = "RAN_EMPTY"
    """The SQL ran, and no row came back."""
    RAN_ONLY_NULL = "RAN_ONLY_NULL"
    """The SQL ran, and every value that came back is NULL."""
    RAN_WITH_ROWS = "RAN_WITH_ROWS"
    """The SQL ran, and rows came back."""
    TABLE_UNKNOWN = "TABLE_UNKNOWN"
    """The tenant's schema has no such table."""
    COLUMN_UNKNOWN = "COLUMN_UNKNOWN"
    """The tenant's schema has no such column."""
    TYPE_UNLIKE = "TYPE_UNLIKE"
    """A column of numbers is compared with a text that is not a number."""
    JOIN_DECLARED = "JOIN_DECLARED"
    """The names of joined columns look wrong, but the schema declares them as a key."""
    JOIN_UNDECLARED = "JOIN_UNDECLARED"
    """The schema declares a key between two tables, and the SQL joins them by other columns."""
    DECISION_RULE_FOR = "DECISION_RULE_FOR"
    """A decision rule of the tenant holds, and says that such answers are right more often than the judge says."""
    DECISION_RULE_AGAINST = "DECISION_RULE_AGAINST"
    """A decision rule of the tenant holds, and says that such answers are wrong more often than the judge says."""


FROM_MEMORY = frozenset(
    {
        ReasonCode.AGREES_WITH_OTHERS,
        ReasonCode.DIFFERS_FROM_OTHERS,
        ReasonCode.MATCHES_REVIEWED,
        ReasonCode.REPEATS_REJECTED,
        ReasonCode.DIFFERS_FROM_REVIEWED,
        ReasonCode.JOIN_USUAL_HERE,
        ReasonCode.JOIN_UNUSUAL_HERE,
    }
)
"""Codes that the tenant's earlier answers give (`scoring/memory/`)."""
FROM_DATABASE = frozenset(
    {
        ReasonCode.SQL_FAILED,
        ReasonCode.RAN_EMPTY,
        ReasonCode.RAN_ONLY_NULL,
        ReasonCode.RAN_WITH_ROWS,
        ReasonCode.TABLE_UNKNOWN,
        ReasonCode.COLUMN_UNKNOWN,
        ReasonCode.TYPE_UNLIKE,
        ReasonCode.JOIN_DECLARED,
        ReasonCode.JOIN_UNDECLARED,
    }
)
"""Codes that the database gives: what running the SQL gave, or the tenant's schema (`scoring/database/`)."""
FROM_RULES = frozenset({ReasonCode.DECISION_RULE_FOR, ReasonCode.DECISION_RULE_AGAINST})
"""Codes that the tenant's decision rules give (`scoring/decision_rules.py`)."""
NAMES_ONLY = frozenset({ReasonCode.JOIN_UNLIKE_KEYS, ReasonCode.JOIN_SHARED_FOREIGN_KEY})
"""Codes that suspect a join only because of the names of its columns.

`JOIN_BARE_IDS` is not among them: excusing it by memory lowered the AUC of single agents by .009.
"""
WITHOUT_SIGNAL = (
    frozenset({ReasonCode.SQL_UNPARSEABLE, ReasonCode.JUDGE_CONTRADICTS_EVIDENCE})
    | FROM_MEMORY
    | FROM_DATABASE
    | FROM_RULES
)
"""Codes that no signal gives: the SQL reader, the ceiling on a model's verdict, memory, the database and the tenant's
decision rules give them."""
IN_FAVOUR = frozenset(
    {
        ReasonCode.FILTERS_MATCHED,
        ReasonCode.CONVENTION_FOLLOWED,
        ReasonCode.STORED_CODE_USED,
        ReasonCode.DEFINITION_FOLLOWED,
        ReasonCode.REWRITING_FOLLOWED,
        ReasonCode.OUTPUT_LINKED,
        ReasonCode.EXTREME_TAKEN,
        ReasonCode.AGREES_WITH_OTHERS,
        ReasonCode.MATCHES_REVIEWED,
        ReasonCode.JOIN_USUAL_HERE,
        ReasonCode.RAN_WITH_ROWS,
        ReasonCode.JOIN_DECLARED,
        ReasonCode.DECISION_RULE_FOR,
    }
)
"""Codes that speak for an answer; all others speak against it."""
KNOWLEDGE = frozenset({ReasonCode.CONVENTION_FOLLOWED, ReasonCode.STORED_CODE_USED, ReasonCode.REWRITING_FOLLOWED})
"""Codes in favour of an answer whose agent knows the house. They tell agents apart more than answers of one agent."""
FORMS = frozenset(
    {
        ReasonCode.OUTPUT_REDUNDANT,
        ReasonCode.OUTPUT_WIDER,
        ReasonCode.OUTPUT_STAR,
        ReasonCode.KEY_UNASKED,
        ReasonCode.MEASURE_SHOWN,
        ReasonCode.ORDER_UNASKED,
        ReasonCode.ROUNDING_UNASKED,
        ReasonCode.JOIN_OUTER_UNASKED,
        ReasonCode.TIES_CUT,
        ReasonCode.LIMIT_LOW,
        ReasonCode.VALUES_REPEATED,
        ReasonCode.YES_NO_WORDED,
        ReasonCode.COLUMNS_UNASKED,
        ReasonCode.NESTED_ANSWER,
        ReasonCode.OVERLY_COMPLEX,
        ReasonCode.LONG_QUESTION,
    }
)
"""Codes of how an answer looks. They are shown and move nothing, unless the tenant's rules say `strict_form`.

Execution labels call an answer wrong for one column, one sorting or one rounding more than the reference has. Of right
answers to everyday questions, more than half have such a form.
"""
HINTS: Mapping[ReasonCode, float] = MappingProxyType(
    {
        ReasonCode.FILTER_EXTRA: -0.6,
        ReasonCode.FILTER_UNCERTAIN: -0.3,
        ReasonCode.VALUE_RECASED: -0.3,
        ReasonCode.WILDCARD_UNASKED: -0.5,
        ReasonCode.LITERAL_UNASKED: -0.4,
        ReasonCode.VALUE_UNEXPLAINED: -0.4,
        ReasonCode.NEGATION_UNASKED: -0.4,
        ReasonCode.DEFINITION_IGNORED: -0.5,
        ReasonCode.DEFINITION_FORMULA_MISSING: -0.5,
        ReasonCode.OUTPUT_UNLINKED: -0.5,
        ReasonCode.AGGREGATE_UNASKED: -0.3,
        ReasonCode.AGGREGATE_UNLINKED: -0.5,
        ReasonCode.DISTINCT_UNASKED: -0.3,
        ReasonCode.GROUPING_UNASKED: -0.5,
        ReasonCode.GROUPING_FINER: -0.5,
        ReasonCode.RATIO_UNASKED: -0.3,
        ReasonCode.TABLE_UNUSED: -0.8,
        ReasonCode.JOIN_BARE_IDS: -0.8,
        ReasonCode.JOIN_SHARED_FOREIGN_KEY: -0.5,
        ReasonCode.WORDS_UNCOVERED: -0.5,
        ReasonCode.SET_OPERATION_MISSING: -0.5,
        ReasonCode.YES_NO_UNANSWERED: -0.3,
    }
)
"""Codes that go with wrong answers but are no error themselves, with the most log-odds that each may move."""
FORGERIES: Mapping[ReasonCode, float] = MappingProxyType(
    {
        ReasonCode.CONDITION_VOID: -9.0,
        ReasonCode.CONDITION_DEAD: -9.0,
        ReasonCode.RESULT_EMPTY: -9.0,
        ReasonCode.OUTPUT_CONSTANT: -9.0,
        ReasonCode.ARITHMETIC_UNASKED: -9.0,
        ReasonCode.ORDER_CONSTANT: -9.0,
        ReasonCode.ROWS_SAMPLED: -9.0,
        ReasonCode.DEFINITION_WEAKENS: -9.0,
    }
)
"""Codes of answers that only seem right, with the log-odds that each moves at least: no other evidence outweighs it.

Honest answers hardly ever have them, so labels cannot fit their weights; `sqlassay learn calibrate` keeps these.
"""
PROOFS = frozenset(FORGERIES) - {ReasonCode.DEFINITION_WEAKENS}
"""Forgeries that are proved from the SQL. That an enriched question weakens is a reading of English, and no proof."""
CONTRADICTIONS = frozenset(
    {
        ReasonCode.AGGREGATE_SWAPPED,
        ReasonCode.COMPARISON_FLIPPED,
        ReasonCode.CONNECTIVE_CHANGED,
        ReasonCode.EXTREME_DROPPED,
        ReasonCode.LIMIT_WRONG,
        ReasonCode.ORDER_FLIPPED,
        ReasonCode.WHERE_FOR_HAVING,
    }
)
"""Codes of SQL that says the opposite of a word of the question.

They are rare in labels, so few databases are no reason to bound them.
"""


class Kind(StrEnum):
    """What a reason says of an answer."""

    FAULT = "fault"
    """The answer can be false."""
    HINT = "hint"
    """It goes with wrong answers and is no error itself."""
    FORM = "form"
    """How the answer looks: shown to people, and moves nothing."""
    FAVOUR = "favour"
    """It speaks for the answer."""


def kind_of(code: ReasonCode) -> Kind:
    """What a code says. Every code that is nothing else is a fault.

    >>> [kind_of(code).value for code in (ReasonCode.FILTER_MISSING, ReasonCode.MEASURE_SHOWN)]
    ['fault', 'form']
    """
    if code in IN_FAVOUR:
        return Kind.FAVOUR
    if code in FORMS:
        return Kind.FORM
    return Kind.HINT if code in HINTS else Kind.FAULT
