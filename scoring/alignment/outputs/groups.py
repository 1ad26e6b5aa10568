"""Groupings: those that the question asks for, the ways in which SQL makes them, and those that nothing asks for."""

from __future__ import annotations

import re
from collections.abc import Iterable

from scoring.alignment.outputs.dimensions import defined_columns
from scoring.alignment.outputs.periods_named import is_period, names_time
from scoring.alignment.outputs.shown_names import alias_words, table_words
from scoring.alignment.requirements import mapped_column
from scoring.linking import STOP_WORDS, content_words, is_named
from scoring.patterns import lazy
from scoring.rules import Rules
from scoring.specification import GroupKey, Operand, Projection, QuestionSpec, SqlSpec, SubqueryRole
from scoring.values import Text
from scoring.verdict import Dimension, Normalization, NormalizationRule
from scoring.words import identifier_words, stem

_WORD = lazy(r"[^\W\d_]+")
_AGENT = r"(?<!down )(?<!split )(?<!grouped )(?<!segmented )(?<!out )\bby (?:\w+ )?"
_UNITS = frozenset(
    stem(word)
    for word in (
        "night hour day week month year minute second unit item piece person head capita seat mile kilometre kilometer "
        "km metre meter kg kilo gram tonne litre liter share square click thousand transaction"
    ).split()
)
"""What an average or a price is given per."""


def align_grouping(
    questions: tuple[QuestionSpec, QuestionSpec],
    sql: SqlSpec,
    answer: tuple[Projection, ...],
    rules: Rules,
    normalizations: Iterable[Normalization],
) -> Dimension:
    """Groupings asked for that the SQL makes in no way, and keys that neither question nor rule excuses.

    Left out are keys that rule 1 requires or rule 2 pins (STEF, sections 5.1 and 5.2), and keys of a block with
    HAVING: `couriers with more than 100 parcels` needs grouping by courier.
    """
    question, enriched = questions
    missing = _missing(question, sql, answer)
    excused = _excused(normalizations)
    aliases = _aliases(sql) if sql.group_by else {}
    extra = [
        key.operand.name
        for key in _unasked_keys(question, sql)
        if key.operand.name not in excused
        and not _named_group(key.operand.name, question, enriched, rules)
        and not is_period(key.operand.name, question)
        and not _is_said(key.operand, aliases, question)
    ]
    return Dimension(match=not missing and not extra, missing=missing, extra=tuple(extra))


def _missing(question: QuestionSpec, sql: SqlSpec, answer: tuple[Projection, ...]) -> tuple[str, ...]:
    if not question.group_by or _groups(sql, answer):
        return ()
    values = frozenset(word for each in sql.filters if isinstance(each.rhs, Text) for word in each.rhs.folded.split())
    return tuple(
        [
            each
            for each in question.group_by
            if values.isdisjoint(each.split())  # `payments by card` is a condition
            and not (_is_agent(each, question) or _is_per(each, question, sql))
        ]
    )


def _groups(sql: SqlSpec, answer: tuple[Projection, ...]) -> bool:
    """Whether the SQL gives something for each of several groups, or aggregates nothing.

    Beside GROUP BY and PARTITION BY there are correlated subqueries, DISTINCT ON, a UNION of the groups, and a
    conditional aggregate for each of them.
    """
    if sql.group_by or sql.set_operations or _partitions(sql) or all(each.windowed for each in sql.aggregations):
        return True
    if any(each.correlated and each.role is not SubqueryRole.NOT_EXISTS for each in sql.subqueries):
        return True
    return sum(each.conditional and each.operand.func is not None for each in answer) > 1 or _filtered(sql) > 1


def _partitions(sql: SqlSpec) -> bool:
    return any(window.partition_by for window in sql.windows) or any(limit.partition for limit in sql.limits)


def _filtered(sql: SqlSpec) -> int:
    """How many conditional aggregates the answer may show side by side."""
    return sum(each.conditional for each in sql.aggregations) if len(sql.outputs) == 1 else 0


def _is_agent(phrase: str, question: QuestionSpec) -> bool:
    """Whether a phrase names no group: who did it (`orders by new members`), or what is compared.

    A plural after a bare `by` is who did it, `more than average on each expense` compares, and a total across all
    accounts is one.
    """
    text, last = question.text.casefold(), phrase.rpartition(" ")[2]
    _, compares, rest = text.partition("than average")
    if (compares and last in rest) or f"across all {phrase}" in text:
        return True
    return last != stem(last) and re.search(_AGENT + re.escape(last), text) is not None


def _is_per(phrase: str, question: QuestionSpec, sql: SqlSpec) -> bool:
    """Whether `per X` asks for a ratio that the SQL divides or reads from a column: `revenue per guest`."""
    words = content_words(phrase)
    if not words or f"per {phrase}" not in question.text.casefold():
        return False
    if _is_unit_of(words, question, sql):
        return True
    if any({"per", words[-1]} <= {*identifier_words(column.name)} for column in sql.columns):
        return True
    below = frozenset(word for each in sql.divisions for word in identifier_words(each.denominator))
    return is_named(words[-1], below | table_words(sql) if "count" in below else below)


def _is_unit_of(words: tuple[str, ...], question: QuestionSpec, sql: SqlSpec) -> bool:
    """Whether an average or a quotient is per unit, or per row: `price per kilo coffee`, `nights per stay`."""
    averaged = any(each.func == "AVG" for each in question.aggregations)
    if averaged and (words[-1] in _UNITS or _reads_only(words[-1], sql)):
        return True
    return words[0] in _UNITS and bool(sql.divisions) and not sql.group_by


def _reads_only(word: str, sql: SqlSpec) -> bool:
    """Whether each row is of the thing that an average is per: `nights per stay` of stays."""
    tables = {table for block in sql.blocks for table in block.tables}
    return len(tables) == 1 and word in identifier_words(tables.pop())[-1:]


def _unasked_keys(question: QuestionSpec, sql: SqlSpec) -> list[GroupKey]:
    """Grouping keys of the answer, where the question asks for no grouping."""
    if question.group_by or question.superlatives:
        return []
    blocks = sql.outputs - {each.block for each in sql.having}
    return [each for each in sql.group_by if each.block in blocks]


def _aliases(sql: SqlSpec) -> dict[str, frozenset[str]]:
    return {each.operand.name: frozenset(identifier_words(each.alias)) for each in sql.projections if each.alias}


def _is_said(key: Operand, aliases: dict[str, frozenset[str]], question: QuestionSpec) -> bool:
    """Whether the question names a key: by its columns, its alias, the labels of its CASE or the part of a date."""
    own = frozenset(map(stem, _WORD.findall(key.name))) | alias_words(key, aliases)
    own |= {word for column in key.columns for word in identifier_words(column.name)}
    said = [word for word in question.stems - STOP_WORDS if len(word) > 2]
    return any(is_named(word, own) for word in said) or names_time(key.name, question)


def _excused(normalizations: Iterable[Normalization]) -> set[str]:
    rules = {NormalizationRule.REQUIRED_GROUP_BY, NormalizationRule.BENIGN_GROUP_BY}
    return {
        name
        for each in normalizations
        if each.rule in rules
        for name in each.construct.removeprefix("GROUP BY ").split(", ")
    }


def _named_group(key: str, question: QuestionSpec, enriched: QuestionSpec, rules: Rules) -> bool:
    mapped = {mapped_column(phrase, rules) for phrase in question.group_by}
    defined = {column for phrase in question.group_by for column in defined_columns(phrase, enriched)}
    return key in mapped | defined
