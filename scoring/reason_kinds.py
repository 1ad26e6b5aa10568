"""What each reason code says: a fault, a hint, a form, or something in the answer's favour; and where it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from scoring.reasons import ReasonCode

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
    frozenset({ReasonCode.SQL_UNPARSEABLE, ReasonCode.JUDGE_CONTRADICTS_EVIDENCE, ReasonCode.RULE_EXCUSES})
    | FROM_MEMORY
    | FROM_DATABASE
    | FROM_RULES
)
"""Codes that no signal gives: the SQL reader, the ceiling on a model's verdict, memory, the database and the tenant's
decision and learned rules give them."""
IN_FAVOUR = frozenset(
    {
        ReasonCode.FILTERS_MATCHED,
        ReasonCode.KINDS_LISTED,
        ReasonCode.CONVENTION_FOLLOWED,
        ReasonCode.STORED_CODE_USED,
        ReasonCode.DEFINITION_FOLLOWED,
        ReasonCode.REWRITING_FOLLOWED,
        ReasonCode.PLAIN_QUESTION,
        ReasonCode.FOLLOW_UP_KEPT,
        ReasonCode.OUTPUT_LINKED,
        ReasonCode.EXTREME_TAKEN,
        ReasonCode.AGREES_WITH_OTHERS,
        ReasonCode.MATCHES_REVIEWED,
        ReasonCode.JOIN_USUAL_HERE,
        ReasonCode.RAN_WITH_ROWS,
        ReasonCode.JOIN_DECLARED,
        ReasonCode.DECISION_RULE_FOR,
        ReasonCode.RULE_EXCUSES,
    }
)
"""Codes that speak for an answer; all others speak against it."""
KNOWLEDGE = frozenset({ReasonCode.CONVENTION_FOLLOWED, ReasonCode.STORED_CODE_USED, ReasonCode.REWRITING_FOLLOWED})
"""Codes in favour of an answer whose agent knows the house. They tell agents apart more than answers of one agent."""
FORMS = frozenset(
    {
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
        ReasonCode.NESTED_ANSWER,
        ReasonCode.OVERLY_COMPLEX,
        ReasonCode.LONG_QUESTION,
    }
)
"""Codes of how an answer looks. They are shown and move nothing, unless the tenant's rules say `strict_form`.

Execution labels call an answer wrong for one column, one sorting or one rounding more than the reference has. Of right
answers to everyday questions, more than half have such a form.
"""
UNASKED = frozenset(
    {
        ReasonCode.AGGREGATE_UNASKED,
        ReasonCode.DISTINCT_UNASKED,
        ReasonCode.FILTER_EXTRA,
        ReasonCode.GROUPING_UNASKED,
        ReasonCode.LIMIT_UNASKED,
        ReasonCode.ORDER_UNASKED,
        ReasonCode.OUTPUT_WIDER,
        ReasonCode.RATIO_UNASKED,
        ReasonCode.ROUNDING_UNASKED,
        ReasonCode.TOTAL_PER_GROUP,
        ReasonCode.WILDCARD_UNASKED,
    }
)
"""Codes of what the SQL has and the question does not ask for; of a question that is not read they say nothing."""
READINGS: Mapping[ReasonCode, float] = MappingProxyType(
    {
        ReasonCode.NEGATION_LOST: -2.0,
        ReasonCode.ORDER_MISSING: -3.0,
        ReasonCode.ORDER_UNLINKED: -1.3,
        ReasonCode.LIMIT_MISSING: -1.6,
        ReasonCode.LIMIT_UNASKED: -1.0,
        ReasonCode.KEY_AS_WORD: -4.7,
    }
)
"""Hints that only read words of the question, with the most log-odds that each may move.

Of answers that nobody had tuned to, as many right ones as wrong ones had each of them alone.
"""
HINTS: Mapping[ReasonCode, float] = MappingProxyType(
    {
        **READINGS,
        ReasonCode.FILTER_EXTRA: -0.6,
        ReasonCode.WILDCARD_UNASKED: -0.5,
        ReasonCode.DEFINITION_IGNORED: -0.5,
        ReasonCode.DEFINITION_FORMULA_MISSING: -0.5,
        ReasonCode.OUTPUT_UNLINKED: -0.5,
        ReasonCode.AGGREGATE_UNASKED: -0.3,
        ReasonCode.AGGREGATE_UNLINKED: -0.5,
        ReasonCode.DISTINCT_UNASKED: -0.3,
        ReasonCode.GROUPING_UNASKED: -0.5,
        ReasonCode.RATIO_UNASKED: -0.3,
        ReasonCode.TABLE_UNUSED: -0.8,
        ReasonCode.JOIN_BARE_IDS: -0.8,
        ReasonCode.JOIN_SHARED_FOREIGN_KEY: -0.5,
        ReasonCode.WORDS_UNCOVERED: -0.5,
        ReasonCode.SET_OPERATION_MISSING: -0.5,
        ReasonCode.ROWS_COUNTED_FOR_THINGS: -0.7,
        ReasonCode.WORD_FOR_CODE: -2.0,
        ReasonCode.JOIN_UNLIKE_KEYS: -0.8,
        ReasonCode.AMOUNT_OPEN: -1.5,
        ReasonCode.AMOUNT_DIVIDED: -0.75,
        ReasonCode.QUESTION_NOT_ENGLISH: -0.5,
    }
)
"""Codes that go with wrong answers but are no error themselves, with the most log-odds that each may move.

`FILTER_EXTRA` weighs nothing unless labels say so: it is there for models and decision rules, which name it.
"""
AMOUNT_DOUBTS = frozenset({ReasonCode.AMOUNT_OPEN, ReasonCode.AMOUNT_DIVIDED})
"""Doubts about which rows an amount counts, or about how the house works it out."""
DOUBTS = AMOUNT_DOUBTS | {
    ReasonCode.WORDS_UNCOVERED,
    ReasonCode.WORD_FOR_CODE,
    ReasonCode.QUESTION_NOT_ENGLISH,
}
"""Hints at what the SQL leaves open: they make the judge less sure of an answer, and alone they take no verdict."""
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


class ReasonKind(StrEnum):
    """What a reason says of an answer."""

    FAULT = "fault"
    """The answer can be false."""
    HINT = "hint"
    """It goes with wrong answers and is no error itself."""
    FORM = "form"
    """How the answer looks: shown to people, and moves nothing."""
    FAVOUR = "favour"
    """It speaks for the answer."""


def kind_of(code: ReasonCode) -> ReasonKind:
    """What a code says. Every code that is nothing else is a fault.

    >>> [kind_of(code).value for code in (ReasonCode.FILTER_MISSING, ReasonCode.MEASURE_SHOWN)]
    ['fault', 'form']
    """
    if code in IN_FAVOUR:
        return ReasonKind.FAVOUR
    if code in FORMS:
        return ReasonKind.FORM
    return ReasonKind.HINT if code in HINTS else ReasonKind.FAULT
