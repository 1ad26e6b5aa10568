"""Projection and aggregation: what the question wants of each and what the SQL gives (Stage 3)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Set

from scoring.alignment.outputs.amounts import UNIT_WORDS
from scoring.alignment.outputs.shown_names import alias_words, is_called
from scoring.alignment.requirements import mapped_column
from scoring.linking import LINKED, content_words, likeness
from scoring.patterns import lazy
from scoring.rules import Rules
from scoring.specification import Direction, Output, Projection, QuestionSpec, RatioKind, SqlSpec
from scoring.verdict import Dimension

EXTREMES = {Direction.MOST: "MAX", Direction.LEAST: "MIN"}
"""The aggregate that gives a superlative's value."""
_EXTREMES = frozenset(EXTREMES.values())


def output_projections(sql: SqlSpec) -> tuple[Projection, ...]:
    """The columns of the answer: those of the first output block (the arms of a union repeat them)."""
    first = next((block.path for block in sql.blocks if block.output), None)
    return tuple([each for each in sql.projections if each.block == first])


_COUNTS = frozenset({"number", "count", "total", "quantity"})


def named_things(question: QuestionSpec) -> tuple[Output, ...]:
    """The outputs that name a thing. `number of` is an aggregate, and `how much` alone names nothing."""
    if not question.outputs:
        return ()
    said = question.text.casefold()
    words = {token.lower for token in question.tokens}
    return tuple(
        [
            each
            for each in question.outputs
            if _is_said(each.phrase.casefold(), said, words) and not (each.head in _COUNTS and question.aggregations)
        ]
    )


def _is_said(phrase: str, said: str, tokens: Set[str]) -> bool:
    """Whether the text contains a phrase or all its words: `first and last name` contains `first name`."""
    if phrase.isalpha():
        return phrase in tokens
    return phrase in said or (" " in phrase and all(word in said for word in phrase.split()))


def named_outputs(
    questions: tuple[QuestionSpec, QuestionSpec],
    answer: tuple[Projection, ...],
    aliases: Mapping[str, frozenset[str]],
    rules: Rules,
) -> tuple[Output, ...]:
    """The outputs asked for that resemble some column of the answer, or its alias."""
    question, enriched = questions
    given = [(each, alias_words(each.operand, aliases)) for each in answer if not each.star]
    named: list[Output] = []
    for output in question.outputs:
        columns = _given_columns(output.phrase, enriched, rules)
        if any(is_called(output.phrase, called) or _names(output.phrase, each, columns) for each, called in given):
            named.append(output)
    return tuple(named)


def align_projection(
    questions: tuple[QuestionSpec, QuestionSpec],
    projections: tuple[Projection, ...],
    named: tuple[Output, ...],
    rules: Rules,
) -> Dimension:
    """Outputs asked for that no column of the answer gives, and columns that nothing asked for names.

    Any column can give a count, a `*` or an entity (`the singers`): without a schema, words say no more.
    """
    if any(each.star for each in projections):
        return _AS_ASKED
    question = questions[0]
    asked = len(question.outputs)
    missing = [output.phrase for output in question.outputs if output not in named] if len(named) < asked else []
    lacking = tuple(missing) if len(projections) < asked or _no_link(missing, asked) else ()
    surplus = len(projections) - max(asked, 1) - len(question.aggregations)
    extra = _unasked(questions, projections, rules) if surplus > 0 and asked else ()
    return Dimension(match=False, missing=lacking, extra=extra) if lacking or extra else _AS_ASKED


_AS_ASKED = Dimension()


def _unasked(
    questions: tuple[QuestionSpec, QuestionSpec], projections: tuple[Projection, ...], rules: Rules
) -> tuple[str, ...]:
    """Plain columns of the answer that no output or grouping names."""
    question, enriched = questions
    plain = [each for each in projections if each.operand.func is None]
    phrases = dict.fromkeys((*(output.phrase for output in question.outputs), *question.group_by))
    given = {phrase: _given_columns(phrase, enriched, rules) for phrase in phrases}
    return tuple(
        [
            each.operand.name
            for each in plain
            if not any(_names(phrase, each, columns) for phrase, columns in given.items())
        ]
    )


def _no_link(missing: list[str], asked: int) -> bool:
    return asked > 1 and 0 < len(missing) < asked


def _names(phrase: str, projection: Projection, given: Set[str]) -> bool:
    """Whether a column of the answer is one given for the phrase, or resembles it."""
    if given and not given.isdisjoint([column.name for column in projection.operand.columns]):
        return True
    if likeness(phrase, projection.operand) >= LINKED:
        return True
    first, space, head = phrase.rpartition(" ")
    return bool(space) and head.lower() in _FILLING and likeness(first, projection.operand) >= _SURE


_FILLING = frozenset("number numbers date dates code codes address addresses amount value time level".split())
"""Heads that columns leave out: `phone number` is a column `phone`."""
_SURE = 0.8


def _given_columns(phrase: str, enriched: QuestionSpec, rules: Rules) -> frozenset[str]:
    """The columns that the tenant's mapping and Qe's definitions give for a phrase."""
    given = defined_columns(phrase, enriched) if enriched.definitions else _NO_COLUMNS
    mapped = mapped_column(phrase, rules)
    return given if mapped is None else given | {mapped}


_NO_COLUMNS: frozenset[str] = frozenset()


def defined_columns(phrase: str, enriched: QuestionSpec) -> frozenset[str]:
    """Columns that Qe's definitions give for the words of `phrase`."""
    words = set(content_words(phrase))
    return frozenset(
        column
        for definition in enriched.definitions
        if words and words & set(content_words(definition.phrase))
        for column in definition.columns
    )


def align_aggregation(
    question: QuestionSpec, enriched: QuestionSpec, sql: SqlSpec, answer: tuple[Projection, ...]
) -> Dimension:
    """Aggregate functions asked for and not computed, and computed where nothing asked for one.

    ORDER BY with LIMIT also gives an extreme, SUM over COUNT an average, and a ratio brings its own aggregates.
    """
    asked = {each.func for each in question.aggregations}
    shown = {each.operand.func for each in answer if each.operand.func is not None}
    if not asked and not shown:
        return _AS_ASKED
    missing = [func for func in sorted(asked - _functions(sql)) if not _otherwise_computed(func, question, sql)]
    allowed = asked | _licensed(question, enriched, sql)
    if _counts_groups(question) or sql.having or any(each.head == "count" for each in question.outputs):
        allowed.add("COUNT")
    extra = sorted(shown - allowed)
    return Dimension(match=not missing and not extra, missing=tuple(missing), extra=tuple(extra))


def _functions(sql: SqlSpec) -> set[str]:
    return {each.func for each in sql.aggregations}


def _otherwise_computed(func: str, question: QuestionSpec, sql: SqlSpec) -> bool:
    """Whether the SQL gives the value of an aggregate that it does not call."""
    computed = _functions(sql)
    if func in _EXTREMES:
        return (bool(sql.order_by) or _ranks(sql)) and bool(sql.limits) and computed.isdisjoint(_EXTREMES)
    if func == "AVG":
        return computed >= {"SUM", "COUNT"}
    if func == "MEDIAN":
        return _takes_middle(sql)
    if func not in {"COUNT", "SUM"}:
        return False
    if question.ratios and not computed.isdisjoint({"COUNT", "SUM"}):
        return True
    return func == "COUNT" and _is_counted(question, sql)


def _is_counted(question: QuestionSpec, sql: SqlSpec) -> bool:
    """Whether the SQL counts otherwise: a sum of conditions, a difference of dates, or a list of what is counted."""
    computed = _functions(sql)
    if not computed and THEM.search(question.text) is not None:
        return True
    return _counts_units(question) or ("SUM" in computed and _sums_conditions(sql))


def _counts_units(question: QuestionSpec) -> bool:
    """`How many days has it been running?` asks for a difference of dates."""
    counted = [content_words(each.column)[-1:] for each in question.aggregations if each.func == "COUNT"]
    return any(words and words[0] in UNIT_WORDS for words in counted)


def _ranks(sql: SqlSpec) -> bool:
    return any(each.ranked for each in sql.limits)


def _takes_middle(sql: SqlSpec) -> bool:
    """Whether a quantile is computed, or rows are numbered to take those in the middle."""
    called = sql.functions | _functions(sql) | {each.func for each in sql.windows}
    if any("QUANTILE" in each or "PERCENTILE" in each for each in called):
        return True
    return not called.isdisjoint({"ROW_NUMBER", "NTILE", "PERCENT_RANK", "CUME_DIST"})


def _sums_conditions(sql: SqlSpec) -> bool:
    return any(each.conditional for each in sql.aggregations)


_LATEST = lazy(r"\b(?:last|latest|newest|most recent(?:ly)?|current|first|earliest|oldest)\b", re.IGNORECASE)
_WHEN_LAST = lazy(r"\bwhen\b.{0,80}\b(?:last|latest|most recently|first|earliest)\b", re.IGNORECASE)
_MEASURED_PER = lazy(
    r"\b(?:time|duration|length|size|age|score|rating|price|delay|wait|latency)s? (?:\w+ ){0,3}?"
    r"(?:per|by|for each|in each)\b",
    re.IGNORECASE,
)
_PERCENTILE = lazy(r"\b(?:percentiles?|quantiles?|quartiles?|median|p\d{2})\b", re.IGNORECASE)
PICKING = frozenset({"ARG_MAX", "ARG_MIN", "ANYLAST", "FIRST", "LAST", "FIRST_VALUE", "LAST_VALUE"})
"""Aggregates that take one value by the order of another."""


def _licensed(question: QuestionSpec, enriched: QuestionSpec, sql: SqlSpec) -> set[str]:
    """Aggregates that superlatives, ratios and definitions bring without naming them."""
    funcs = {func for definition in enriched.definitions for func in definition.functions}
    for superlative in question.superlatives:
        funcs |= {EXTREMES[superlative.direction]} | PICKING | (_COUNTING if superlative.counted else set())
    if question.ratios:
        funcs |= _COUNTING | {"AVG"}
    if any(each.kind is RatioKind.DIFFERENCE for each in question.ratios):
        funcs |= _EXTREMES
    asked = {each.func for each in question.aggregations}
    if "AVG" in asked and sql.divisions:
        funcs |= _COUNTING
    if "COUNT" in asked and _sums_conditions(sql):
        funcs.add("SUM")
    return funcs | _worded(question.text, sql)


def _worded(text: str, sql: SqlSpec) -> set[str]:
    """Aggregates that are asked for in other words: `when did each last order`, `response time per agent`, `p95`."""
    funcs = set(_EXTREMES) if _WHEN_LAST.search(text) is not None else set[str]()
    if _LATEST.search(text) is not None and not _functions(sql).isdisjoint(PICKING):
        funcs |= PICKING | _EXTREMES
    if sql.group_by and _MEASURED_PER.search(text) is not None:
        funcs.add("AVG")
    if _PERCENTILE.search(text) is not None:
        funcs |= {each for each in _functions(sql) if "QUANTILE" in each or "PERCENTILE" in each}
    return funcs


THEM = lazy(
    r"\b(?:who|which|what) (?:ones )?(?:are|were) (?:they|those|these)\b|\b(?:list|name|show) (?:them|their)\b|"
    r"\bwhich ones\b",
    re.IGNORECASE,
)
"""`How many … and who are they?`"""
_COUNTING = frozenset({"COUNT", "SUM"})


def _counts_groups(question: QuestionSpec) -> bool:
    return question.yes_no or bool(question.group_by) or any(each.counted for each in question.superlatives)
