"""The four normalisation rules: constructs that a question need not ask for (STEF, section 5)."""

from __future__ import annotations

from collections.abc import Iterator

from scoring.rules import Rules
from scoring.specification import Clause, Limit, Op, Projection, QuestionSpec, SortKey, SqlSpec
from scoring.values import Expression
from scoring.verdict import Normalization, NormalizationRule

PINNING = frozenset({Op.EQ, Op.CONTAINS, Op.STARTS_WITH, Op.ENDS_WITH, Op.LIKE})
"""Operators of `=`, LIKE and ILIKE, which pin a grouped column to a literal (STEF, equation 16)."""


_OVER = " over ("
"""Part of every window operand's name. A window is computed from the groups, so it need not be grouped by."""


def required_group_by(sql: SqlSpec) -> Iterator[Normalization]:
    """Rule 1: a SELECT mixes aggregates and plain columns, and GROUP BY covers the plain ones (STEF, equation 15)."""
    for block in sql.blocks:
        keys = [each.operand.name for each in sql.group_by if each.block == block.path]
        if keys and _mixes(_projections(sql, block.path), keys):
            yield Normalization(NormalizationRule.REQUIRED_GROUP_BY, f"GROUP BY {', '.join(keys)}")


def _projections(sql: SqlSpec, path: str) -> list[Projection]:
    own = (each for each in sql.projections if each.block == path)
    return [each for each in own if not each.literal and _OVER not in each.operand.name]


def _mixes(projections: list[Projection], keys: list[str]) -> bool:
    """Whether aggregates stand beside plain columns, and all plain columns are keys."""
    plain = {each.operand.name for each in projections if each.operand.func is None and not each.star}
    return bool(plain) and plain.issubset(keys) and any(each.operand.func for each in projections)


def benign_group_by(sql: SqlSpec) -> Iterator[Normalization]:
    """Rule 2: a GROUP BY column is pinned to one literal by a WHERE filter of its block (STEF, equation 16)."""
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


def _sensible(key: SortKey, aggregates: set[str], grouped: set[str]) -> bool:
    if key.operand.func is not None:
        return key.descending and key.operand.name in aggregates
    return not key.descending and key.operand.name in grouped


def default_order_by(question: QuestionSpec, enriched: QuestionSpec, sql: SqlSpec) -> Iterator[Normalization]:
    """Rule 3: no order was asked for, and each key is an aggregate DESC or a grouped column ASC (STEF, equation 17)."""
    if any(spec.ordering or spec.superlatives for spec in (question, enriched)):
        return
    aggregates = _aggregates(sql)
    for block in sql.blocks:
        keys = [each for each in sql.order_by if each.block == block.path] if block.output else []
        grouped = {each.operand.name for each in sql.group_by if each.block == block.path}
        if keys and all(_sensible(key, aggregates, grouped) for key in keys):
            yield Normalization(NormalizationRule.DEFAULT_ORDER_BY, f"ORDER BY {', '.join(map(_shown, keys))}")


def _aggregates(sql: SqlSpec) -> set[str]:
    """Names of the aggregates that the SELECT or HAVING computes."""
    shown = {each.operand.name for each in sql.projections if each.operand.func is not None}
    return shown | {each.lhs.name for each in sql.having if each.lhs is not None}


def _shown(key: SortKey) -> str:
    return f"{key.operand.name} {'DESC' if key.descending else 'ASC'}"


def asks_top_k(question: QuestionSpec) -> bool:
    """TopKRequest(Sq) of STEF, equation 18: the question asks for a number of first rows or for an extreme."""
    return bool(question.superlatives)


def is_safety_limit(limit: Limit, question: QuestionSpec, rules: Rules) -> bool:
    """SafetyDefault(λ) of STEF, equation 18: the question asks for no top-k, and λ ≥ λ_min."""
    return not asks_top_k(question) and limit.count is not None and limit.count >= rules.lambda_min


def safety_limit(question: QuestionSpec, sql: SqlSpec, rules: Rules) -> Iterator[Normalization]:
    """Rule 4: a LIMIT of at least λ_min where the question asks for no top-k (STEF, equation 18)."""
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
