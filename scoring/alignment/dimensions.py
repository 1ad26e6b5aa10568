"""Projection, aggregation and grouping: what the question wants of each and what the SQL gives (Stage 3)."""

from __future__ import annotations

from collections.abc import Iterable, Set

from scoring.alignment.requirements import mapped_column
from scoring.linking import LINKED, content_words, likeness
from scoring.rules import Rules
from scoring.specification import Direction, Output, Projection, QuestionSpec, RatioKind, SqlSpec
from scoring.verdict import Dimension, Normalization, NormalizationRule

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
    return tuple(
        [
            each
            for each in question.outputs
            if _is_said(each.phrase.casefold(), said) and not (each.head in _COUNTS and question.aggregations)
        ]
    )


def _is_said(phrase: str, said: str) -> bool:
    """Whether the text contains a phrase or all its words: `first and last name` contains `first name`."""
    return phrase in said or (" " in phrase and all(word in said for word in phrase.split()))


def named_outputs(
    question: QuestionSpec, enriched: QuestionSpec, answer: tuple[Projection, ...], rules: Rules
) -> tuple[Output, ...]:
    """The outputs asked for that resemble some column of the answer."""
    given = [each for each in answer if not each.star]
    named: list[Output] = []
    for output in question.outputs:
        columns = _given_columns(output.phrase, enriched, rules)
        if any(_names(output.phrase, each, columns) for each in given):
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


def names(phrase: str, projection: Projection, enriched: QuestionSpec, rules: Rules) -> bool:
    """Whether a phrase names a column of the answer: by the tenant's mapping, a definition of Qe, or likeness."""
    return _names(phrase, projection, _given_columns(phrase, enriched, rules))


def _names(phrase: str, projection: Projection, given: Set[str]) -> bool:
    """Whether a column of the answer is one given for the phrase, or resembles it."""
    if given and not given.isdisjoint([column.name for column in projection.operand.columns]):
        return True
    return likeness(phrase, projection.operand) >= LINKED


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
    if _counts_groups(question) or sql.having:
        allowed.add("COUNT")
    extra = sorted(shown - allowed)
    return Dimension(match=not missing and not extra, missing=tuple(missing), extra=tuple(extra))


def _functions(sql: SqlSpec) -> set[str]:
    return {each.func for each in sql.aggregations}


def _otherwise_computed(func: str, question: QuestionSpec, sql: SqlSpec) -> bool:
    """Whether the SQL gives the value of an aggregate that it does not call."""
    computed = _functions(sql)
    if func in _EXTREMES:
        return bool(sql.order_by) and bool(sql.limits) and computed.isdisjoint(_EXTREMES)
    if func == "AVG":
        return computed >= {"SUM", "COUNT"}
    if func not in {"COUNT", "SUM"}:
        return False
    if question.ratios and not computed.isdisjoint({"COUNT", "SUM"}):
        return True
    return func == "COUNT" and "SUM" in computed and _sums_conditions(sql)


def _sums_conditions(sql: SqlSpec) -> bool:
    return any(each.conditional for each in sql.aggregations)


def _licensed(question: QuestionSpec, enriched: QuestionSpec, sql: SqlSpec) -> set[str]:
    """Aggregates that superlatives, ratios and definitions bring without naming them."""
    funcs = {func for definition in enriched.definitions for func in definition.functions}
    for superlative in question.superlatives:
        funcs |= {EXTREMES[superlative.direction]} | (_COUNTING if superlative.counted else set())
    if question.ratios:
        funcs |= _COUNTING | {"AVG"}
    if any(each.kind is RatioKind.DIFFERENCE for each in question.ratios):
        funcs |= _EXTREMES
    asked = {each.func for each in question.aggregations}
    if "AVG" in asked and sql.divisions:
        funcs |= _COUNTING
    if "COUNT" in asked and _sums_conditions(sql):
        funcs.add("SUM")
    return funcs


_COUNTING = frozenset({"COUNT", "SUM"})


def _counts_groups(question: QuestionSpec) -> bool:
    return question.yes_no or bool(question.group_by) or any(each.counted for each in question.superlatives)


def align_grouping(
    question: QuestionSpec,
    enriched: QuestionSpec,
    sql: SqlSpec,
    rules: Rules,
    normalizations: Iterable[Normalization],
) -> Dimension:
    """Groupings asked for that no GROUP BY or PARTITION BY makes, and keys that neither question nor rule excuses.

    Left out are keys that rule 1 requires or rule 2 pins (STEF, sections 5.1 and 5.2), and keys of a block with
    HAVING: `couriers with more than 100 parcels` needs grouping by courier.
    """
    if not sql.group_by and not sql.windows:
        return Dimension(match=False, missing=question.group_by) if question.group_by else _AS_ASKED
    grouped = sql.group_by or any(window.partition_by for window in sql.windows)
    missing = () if grouped else question.group_by
    excused = _excused(normalizations)
    extra = [
        key
        for key in _unasked_keys(question, sql)
        if key not in excused and not _named_group(key, question, enriched, rules) and not is_period(key, question)
    ]
    return Dimension(match=not missing and not extra, missing=missing, extra=tuple(extra))


def _unasked_keys(question: QuestionSpec, sql: SqlSpec) -> list[str]:
    """Grouping keys of the answer, where the question asks for no grouping."""
    if question.group_by or question.superlatives:
        return []
    blocks = sql.outputs - {each.block for each in sql.having}
    return [each.operand.name for each in sql.group_by if each.block in blocks]


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


_PERIODS = {
    "hourly": ("hour", "%h"),
    "daily": ("day", "date", "%d"),
    "weekly": ("week", "%w"),
    "monthly": ("month", "%m"),
    "quarterly": ("quarter",),
    "yearly": ("year", "%y"),
    "annual": ("year", "%y"),
    "annually": ("year", "%y"),
}


def is_period(key: str, question: QuestionSpec) -> bool:
    """Whether a grouping key is the period of `monthly revenue`. A monthly fee needs no grouping, so it asks for none.

    >>> from scoring.question import read_question
    >>> monthly = read_question("Monthly revenue in 2025")
    >>> is_period("date_trunc('month', paid_at)", monthly), is_period("region", monthly)
    (True, False)
    """
    if any(each.func == "AVG" for each in question.aggregations):
        return False
    marks = [mark for token in question.tokens for mark in _PERIODS.get(token.lower, ())]
    return any(mark in key.lower() for mark in marks)
