"""Which conditions the SQL must apply and which it may: Qu's filters and Qe's definitions of them (Stage 1)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from scoring.alignment.bare_periods import same_bare_period
from scoring.alignment.enrichment import Rewriting
from scoring.alignment.lengths import meets_length
from scoring.alignment.matching import CERTAIN, NEGATIVE, effective_op
from scoring.alignment.named_values import applies
from scoring.alignment.same_values import Context, resolves, same_value
from scoring.alignment.stated import Stated
from scoring.alignment.telling_apart import texts_of
from scoring.alignment.weakening import DefinedWords
from scoring.immutable import immutable
from scoring.linking import content_words
from scoring.patterns import lazy
from scoring.question.house_years import in_house_years
from scoring.rules import Rules
from scoring.specification import (
    Column,
    Filter,
    FilterOrigin,
    Op,
    Operand,
    QuestionFilter,
    QuestionSpec,
    SqlFilter,
    SqlSpec,
)
from scoring.values import DatePart, Grain, Number, RelativeTime, Text, TimeRange

DOUBTFUL = 0.4
"""Certainty of a definition that may be of the opposite of the question's phrase."""


@immutable(kw_only=False)
class Requirements:
    """What Stage 3 checks the SQL against."""

    required: tuple[QuestionFilter, ...]
    permitted: tuple[QuestionFilter, ...]
    """Not missing if absent, not an extra if present."""
    ignored: tuple[QuestionFilter, ...]


def requirements(
    questions: tuple[QuestionSpec, QuestionSpec],
    sql: SqlSpec,
    rewritten: Rewriting,
    rules: Rules,
    context: Context,
    by_word: DefinedWords | None = None,
) -> Requirements:
    """Sorts the filters of Qu and Qe, mappings applied, into required, permitted and ignored.

    `by_word` are the definitions of Qe, if they were looked at before.
    """
    question, enriched = questions
    if by_word is None or by_word.definitions is not enriched.definitions:
        by_word = DefinedWords(enriched.definitions if question.filters else ())
    question = in_house_years(question, rules.fiscal_year, context.moment)
    wanted = _mapped(_wanted(question, enriched, by_word, sql, context), rules)
    ignored = _ignored(wanted, question, rules) if rules.ignore_filters else []
    judged = [each for each in wanted if each not in ignored] if ignored else wanted
    added = _mapped(_added_by_enrichment(enriched, rewritten), rules)
    return Requirements(
        required=tuple([each for each in judged if each.certain >= CERTAIN]),
        permitted=(*[each for each in judged if each.certain < CERTAIN], *added),
        ignored=tuple(ignored),
    )


def _mapped(filters: list[QuestionFilter], rules: Rules) -> list[QuestionFilter]:
    return [map_filter(each, rules) for each in filters] if rules.column_mappings else filters


def _wanted(
    question: QuestionSpec, enriched: QuestionSpec, by_word: DefinedWords, sql: SqlSpec, context: Context
) -> list[QuestionFilter]:
    """The conditions of Qu, each in the words of its definition where Qe has one."""
    own = [_resolved(_turned(each, question, sql, context), enriched, context) for each in question.filters]
    if by_word.definitions:
        own = [each for each in own if not _defined(each, by_word, sql, context)]
    defining = [each for each in _definitions(enriched) if not _overruled(each, own, context)]
    weighed = [replace(each, certain=DOUBTFUL) if _opposite(each, question, enriched) else each for each in defining]
    return _without_repeats([*weighed, *own], context)


def _definitions(enriched: QuestionSpec) -> list[QuestionFilter]:
    """Qe's conditions that say what a phrase means."""
    found = [each for each in enriched.filters if each.source is FilterOrigin.DEFINITION]
    return found + [each for each in _in_definitions(enriched, FilterOrigin.DEFINITION) if each not in found]


def _added_by_enrichment(enriched: QuestionSpec, rewritten: Rewriting) -> list[QuestionFilter]:
    """Conditions that only Qe has, but those that contradict Qu."""
    contradicting = [there for _, there in rewritten.changed]
    added = [each for each in enriched.filters if each.source is FilterOrigin.ENRICHED and each not in contradicting]
    return [*added, *_in_definitions(enriched, FilterOrigin.ENRICHED)]


def _in_definitions(enriched: QuestionSpec, source: FilterOrigin) -> Iterable[QuestionFilter]:
    return [each for definition in enriched.definitions for each in definition.filters if each.source is source]


def _ignored(wanted: list[QuestionFilter], question: QuestionSpec, rules: Rules) -> list[QuestionFilter]:
    return [each for each in wanted if is_ignored(each, rules) or _names_ignored(each, question, rules)]


def _turned(own: QuestionFilter, question: QuestionSpec, sql: SqlSpec, context: Context) -> QuestionFilter:
    """A time that a negation seems to exclude, as one that is asked for, where the SQL excludes a word between them.

    `not cancelled in 2024` excludes what was cancelled. `not hired in 2024` excludes the year. The other way round,
    `with no inspection done in 2024` may exclude it, where the SQL leaves out rows of that time.
    """
    if own.op is Op.WITHIN and _is_left_out(own, question, sql, context):
        return replace(own, op=Op.NOT_WITHIN)
    if own.op is not Op.NOT_WITHIN or not question.excluded:
        return own
    between = {token.stem for token in question.tokens if token.start in question.excluded and token.start < own.start}
    excluded = (text for each in sql.filters if each.op in NEGATIVE for text in texts_of(each.rhs))
    return replace(own, op=Op.WITHIN) if any(between & set(content_words(text)) for text in excluded) else own


def _is_left_out(own: QuestionFilter, question: QuestionSpec, sql: SqlSpec, context: Context) -> bool:
    """Whether the SQL leaves out rows of a time before which the question has a negation."""
    if not _is_lacking(own, question):
        return False
    lasts = [each for each in sql.filters if each.lhs is not None and each.lhs.func == "MAX"]
    if any(meets_length(replace(own, op=Op.NOT_WITHIN), each, context) for each in lasts):
        return True
    left_out = [each for each in sql.filters if each.op is Op.WITHIN and effective_op(each, context) is not each.op]
    return any(same_value(own.rhs, each.rhs, context) for each in left_out)


_LACKING = lazy(
    r"\b(?:no|none|nothing|nobody|noone|without|never|neither|not|lack\w*|missing|\w+n't|(?:do|does|did|has|have|had|is|are|was|were)nt)\b",
    re.IGNORECASE,
)


def _is_lacking(own: QuestionFilter, question: QuestionSpec) -> bool:
    """Whether a negation stands before a time in its sentence, and no other time between them."""
    before = re.split(r"[.?!;,]", question.text[: own.start])[-1]
    return own.source is FilterOrigin.QUESTION and _LACKING.search(before) is not None


def _resolved(own: QuestionFilter, enriched: QuestionSpec, context: Context) -> QuestionFilter:
    """A relative date as the absolute range that Qe gives for it, where the event itself has no time."""
    if isinstance(own.rhs, DatePart):
        return _dated(own, own.rhs, enriched, context.moment)
    if not isinstance(own.rhs, RelativeTime):
        return own
    if context.moment is not None:
        return _fiscal(own, own.rhs, enriched, context.moment)
    ranges = (each.rhs for each in enriched.filters if isinstance(each.rhs, TimeRange))
    found = next((each for each in ranges if resolves(own.rhs, each)), None)
    return own if found is None else replace(own, rhs=found)


def _fiscal(own: QuestionFilter, asked: RelativeTime, enriched: QuestionSpec, now: datetime) -> QuestionFilter:
    """A year or quarter to date as the range that Qe gives for it, where Qe says that a company's own year is meant."""
    if asked.unit not in (Grain.YEAR, Grain.QUARTER) or not asked.whole or not _FISCAL.search(enriched.text):
        return own
    first = asked.resolve(now).start
    ranges = (each.rhs for each in enriched.filters if isinstance(each.rhs, TimeRange))
    found = next((each for each in ranges if first and each.start and abs(first - each.start) < _A_YEAR), None)
    return own if found is None else replace(own, rhs=found, alternatives=(*own.alternatives, asked))


_FISCAL = lazy(r"\b(?:fiscal|financial year|fy|fytd)\b", re.IGNORECASE)
_A_YEAR = timedelta(days=366)


def _dated(own: QuestionFilter, part: DatePart, enriched: QuestionSpec, now: datetime | None) -> QuestionFilter:
    """A month or quarter without a year as the range that Qe gives for it."""
    ranges = (each.rhs for each in enriched.filters if isinstance(each.rhs, TimeRange))
    moment = None if part.year is None else now
    found = next((each for each in ranges if same_bare_period(part, each, moment)), None)
    return own if found is None else replace(own, rhs=found, alternatives=(*own.alternatives, part))


def _names_ignored(each: QuestionFilter, question: QuestionSpec, rules: Rules) -> bool:
    """Whether the question names an ignored column right before the value."""
    if each.source is not FilterOrigin.QUESTION:
        return False
    before = question.text[max(0, each.start - 40) : each.start].lower()
    return any(
        column in before and re.search(rf"\b{re.escape(column)}\W+(?:\w+\W+)?$", before)
        for column in rules.ignore_filters
    )


def _defined(own: QuestionFilter, by_word: DefinedWords, sql: SqlSpec, context: Context) -> bool:
    """Whether a definition of Qe takes the place of this condition of Qu.

    It must define all words of the condition, and give the same value in another notation or a code for it; or only
    say what it is, where the SQL applies the value. Two different dates contradict each other, and there Qu wins.
    `a7 holds the stock of 1996` takes the place of `in 1996`.
    """
    for place in by_word.covering(own):
        definition = by_word.definitions[place]
        if not any(_conflict(own, each, context) for each in definition.filters) and (
            by_word.stated(own, place) is Stated.RESTRICTS or applies(own, definition, sql, context)
        ):
            return True
    return False


_NEGATING = frozenset({"not", "no", "non", "never", "without", "isn't", "aren't", "doesn't", "outside", "abnormal"})


def _opposite(defined: QuestionFilter, question: QuestionSpec, enriched: QuestionSpec) -> bool:
    """Whether either the definition's phrase or Qu negates, and the other does not."""
    for definition in enriched.definitions:
        if defined in definition.filters:
            negated = bool(_NEGATING & set(definition.phrase.lower().replace("-", " ").split()))
            return negated != bool(question.negations)
    return False


def _overruled(defined: QuestionFilter, own: list[QuestionFilter], context: Context) -> bool:
    """Whether Qu gives another value for the same words."""
    said = set(content_words(defined.span))
    return any(
        _conflict(each, defined, context) and bool(said) and said <= set(content_words(each.span)) for each in own
    )


def _conflict(own: QuestionFilter, defined: QuestionFilter, context: Context) -> bool:
    both_times = isinstance(own.rhs, TimeRange) and isinstance(defined.rhs, TimeRange)
    return both_times and own.rhs is not None and not same_value(own.rhs, defined.rhs, context)


def _without_repeats(filters: list[QuestionFilter], context: Context) -> list[QuestionFilter]:
    """Drops each condition that repeats an earlier one; definitions come first."""
    kept: list[QuestionFilter] = []
    for each in filters:
        if not any(_repeats(each, earlier, context) for earlier in kept):
            kept.append(each)
    return kept


def _repeats(later: QuestionFilter, earlier: QuestionFilter, context: Context) -> bool:
    if later.op is not earlier.op or later.rhs is None or earlier.rhs is None:
        return later == earlier
    named = later.lhs is not None and later.lhs.columns and earlier.lhs is not None and earlier.lhs.columns
    if named and later.lhs is not None and earlier.lhs is not None and later.lhs.columns != earlier.lhs.columns:
        return False
    if isinstance(later.rhs, _COMPARED):
        return same_value(later.rhs, earlier.rhs, context)
    return later.rhs == earlier.rhs


_COMPARED = (RelativeTime, TimeRange, Text, Number)


def map_filter(each: QuestionFilter, rules: Rules) -> QuestionFilter:
    """The filter with the tenant's column mapping applied to its left side."""
    if each.lhs is None or not rules.column_mappings:
        return each
    column = mapped_column(each.lhs.name, rules)
    if column is None:
        return each
    return replace(each, lhs=Operand(name=column, columns=(Column(name=column),), func=each.lhs.func))


def mapped_column(phrase: str, rules: Rules) -> str | None:
    """The column that the tenant maps `phrase` to, plural or singular, if any."""
    if not rules.column_mappings:
        return None
    if phrase in rules.column_mappings:
        return rules.column_mappings[phrase]
    return rules.by_words.get(content_words(phrase))


def map_sql_filter(each: SqlFilter, rules: Rules) -> SqlFilter:
    """The SQL filter with its column named as the tenant's mappings name it."""
    if each.lhs is None or len(each.lhs.columns) != 1 or each.lhs.name not in rules.column_mappings:
        return each
    column = rules.column_mappings[each.lhs.name]
    mapped = Column(name=column, table=each.lhs.columns[0].table)
    return replace(each, lhs=replace(each.lhs, name=column, columns=(mapped,)))


def is_ignored(each: Filter, rules: Rules) -> bool:
    """Whether the tenant leaves filters on this column out of alignment."""
    if each.lhs is None or not rules.ignore_filters:
        return False
    names = {column.name for column in each.lhs.columns} or {each.lhs.name.replace(" ", "_")}
    return bool(names & rules.ignore_filters) or each.lhs.name in rules.ignore_filters
