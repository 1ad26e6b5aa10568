"""The four production rules: constructs that a question need not ask for (paper section 5)."""

from __future__ import annotations

from collections.abc import Iterator

from scoring.rules import Rules
from scoring.specification import Clause, Limit, Op, QuestionSpec, SortKey, SqlSpec
from scoring.values import Expression
from scoring.verdict import Normalization, NormalizationRule

PINNING = frozenset({Op.EQ, Op.CONTAINS, Op.STARTS_WITH, Op.ENDS_WITH, Op.LIKE})
"""Operators of `=`, LIKE and ILIKE, which pin a grouped column to a literal (eq. 16)."""


_OVER = " over ("
"""What the name of an operand over a window holds; it is computed of the groups, so it is none of their columns."""


def required_group_by(sql: SqlSpec) -> Iterator[Normalization]:
    """Rule 1: a SELECT mixes aggregates and plain columns, and GROUP BY covers the plain ones (eq. 15)."""
    for block in sql.blocks:
        projections = [
            each
            for each in sql.projections
            if each.block == block.path and not each.literal and _OVER not in each.operand.name
        ]
        plain = {each.operand.name for each in projections if each.operand.func is None and not each.star}
        aggregated = any(each.operand.func for each in projections)
        keys = [each.operand.name for each in sql.group_by if each.block == block.path]
        if aggregated and plain and plain <= set(keys):
            yield Normalization(NormalizationRule.REQUIRED_GROUP_BY, f"GROUP BY {', '.join(keys)}")


def benign_group_by(sql: SqlSpec) -> Iterator[Normalization]:
    """Rule 2: a GROUP BY column is pinned to one literal by a WHERE filter of its block (eq. 16)."""
    pinned = {
        (each.block, each.lhs.name)
        for each in sql.filters
        if each.lhs is not None
        and each.op in PINNING
        and each.clause is Clause.WHERE
        and each.alternative is None
        and not isinstance(each.rhs, Expression)
    }
    for key in sql.group_by:
        if (key.block, key.operand.name) in pinned:
            yield Normalization(NormalizationRule.BENIGN_GROUP_BY, f"GROUP BY {key.operand.name}")


def _sensible(key: SortKey, grouped: set[str]) -> bool:
    if key.operand.func is not None:
        return key.descending
    return not key.descending and key.operand.name in grouped


def default_order_by(question: QuestionSpec, enriched: QuestionSpec, sql: SqlSpec) -> Iterator[Normalization]:
    """Rule 3: no order was asked for, and each key is an aggregate DESC or a grouped column ASC (eq. 17)."""
    if question.ordering or question.superlatives or enriched.ordering or enriched.superlatives:
        return
    aggregates = {each.operand.name for each in sql.projections if each.operand.func is not None}
    aggregates |= {each.lhs.name for each in sql.having if each.lhs is not None}
    for path in (block.path for block in sql.blocks if block.output):
        keys = [each for each in sql.order_by if each.block == path]
        grouped = {each.operand.name for each in sql.group_by if each.block == path}
        of_this_select = all(each.operand.func is None or each.operand.name in aggregates for each in keys)
        if keys and of_this_select and all(_sensible(key, grouped) for key in keys):
            shown = ", ".join(f"{key.operand.name} {'DESC' if key.descending else 'ASC'}" for key in keys)
            yield Normalization(NormalizationRule.DEFAULT_ORDER_BY, f"ORDER BY {shown}")


def asks_top_k(question: QuestionSpec) -> bool:
    """TopKRequest(Sq) of eq. 18: some number of first rows, or a superlative, is asked for."""
    return bool(question.superlatives)


def is_safety_limit(limit: Limit, question: QuestionSpec, rules: Rules) -> bool:
    """SafetyDefault(λ) of eq. 18: no top-k asked and λ ≥ λ_min."""
    return not asks_top_k(question) and limit.count is not None and limit.count >= rules.lambda_min


def safety_limit(question: QuestionSpec, sql: SqlSpec, rules: Rules) -> Iterator[Normalization]:
    """Rule 4: a LIMIT of at least λ_min where no top-k is asked."""
    limit = sql.limit
    if limit is not None and is_safety_limit(limit, question, rules):
        yield Normalization(NormalizationRule.SAFETY_LIMIT, f"LIMIT {limit.count}")


def normalize(question: QuestionSpec, enriched: QuestionSpec, sql: SqlSpec, rules: Rules) -> tuple[Normalization, ...]:
    """Every rule that fires, with the construct it excuses."""
    fired: list[Normalization] = []
    if sql.group_by:
        fired += required_group_by(sql)
        fired += benign_group_by(sql)
    if sql.order_by:
        fired += default_order_by(question, enriched, sql)
    if sql.limit is not None:
        fired += safety_limit(question, sql, rules)
    return tuple(fired)
