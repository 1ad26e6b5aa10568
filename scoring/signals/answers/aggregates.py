"""Signals about aggregates and repeated values."""

from __future__ import annotations

import re

from scoring.alignment.outputs.amounts import UNIT_WORDS, asks_amount, asks_quantity, holds_any_amount
from scoring.alignment.outputs.shown_names import is_called, shown_names
from scoring.display import show_filter
from scoring.linking import LINKED, best_likeness, content_words, is_named
from scoring.patterns import lazy
from scoring.signals.answers.called import mean_and_sum_swapped
from scoring.signals.answers.outputs import is_head_count, measure_beside
from scoring.signals.answers.stand_ins import is_cryptic
from scoring.signals.definitions import is_defined
from scoring.signals.finding import Finding, counted, differing
from scoring.specification import Aggregation, Definition, Op, SqlFilter
from scoring.values import Number, Text
from scoring.verdict import Case
from scoring.words import identifier_words, letters, stem


def aggregate_missing(case: Case) -> Finding | None:
    """The question asks for an aggregate that the SQL does not compute.

    A stored column of the same name counts as computed, and so do equivalents: SUM of a condition for a COUNT, a
    division for an AVG.

    >>> aggregate_missing(case("What is the average weight of the parcels?", "SELECT weight FROM parcels")).detail
    'not computed: AVG'
    """
    lacking = [func for func in case.aggregation.missing if not _is_stored(func, case) and not _is_literal(func, case)]
    if not lacking and _counts_for_sum(case):
        lacking = ["SUM"]
    return counted(lacking, "not computed", most=1)


def _counts_for_sum(case: Case) -> bool:
    """Whether the answer is nothing but a count where `how much` or the total of an amount is asked for."""
    question = case.question
    if not case.answer or any(each.operand.func != "COUNT" for each in case.answer) or case.sql.divisions:
        return False
    summed = [content_words(each.column) for each in question.aggregations if each.func == "SUM"]
    if any(each.func == "COUNT" for each in question.aggregations) or question.ratios:
        return False
    return any(map(asks_amount, summed)) or (_MUCH.match(question.text) is not None and not summed)


_MUCH = lazy(r"how much (?!time|more|less)", re.IGNORECASE)


def _is_literal(func: str, case: Case) -> bool:
    """Whether the word that names an aggregate is in a text that the SQL compares with: a title `about variance`."""
    texts = (each.rhs.folded for each in case.sql.filters if isinstance(each.rhs, Text))
    return any(func.casefold() in text for text in texts)


_AVERAGES = frozenset({"average", "avg", "mean"})
_SHORT = ("avg", "average", "mean")


def _is_stored(func: str, case: Case) -> bool:
    """Whether the value asked for is a column, or another aggregate gives it."""
    computed = {each.func for each in case.sql.aggregations}
    if func == "AVG":
        return bool(case.sql.divisions) or _stores_average(case)
    if func == "COUNT" and any(is_head_count(column, case.asked) for column in case.sql.columns):
        return True
    if func not in _AMOUNTS:
        return False
    return not computed.isdisjoint(_AMOUNTS) or _stores_amount(func, case)


def _stores_average(case: Case) -> bool:
    if any(
        not _AVERAGES.isdisjoint(identifier_words(column.name)) or letters(column.name).startswith(_SHORT)
        for column in case.sql.columns
    ):
        return True
    defined = (each for each in case.enriched.definitions if each.columns and not each.functions)
    return any(
        not _AVERAGES.isdisjoint(content_words(each.phrase)) or not _AVERAGES.isdisjoint(content_words(each.text))
        for each in defined
        if any(letters(column) in case.read for column in each.columns)
    )


def _stores_amount(func: str, case: Case) -> bool:
    """Whether a column, or a definition's column, is named like the thing to be counted or summed."""
    phrases = [content_words(each.column) for each in case.question.aggregations if each.func == func]
    columns = [frozenset(identifier_words(column.name)) for column in case.sql.columns]
    named = any(words and any(words[-1] in own for own in columns) for words in phrases) or _ends_a_name(phrases, case)
    if func == "SUM" and any("total" in own for own in columns):
        return True
    return named or any(_defines(definition, phrases, case) for definition in case.enriched.definitions)


def _ends_a_name(phrases: list[tuple[str, ...]], case: Case) -> bool:
    """Whether a column's name ends in a word with a digit, as `reading_m3` does in `m3`."""
    words = tuple(each[-1] for each in phrases if each and each[-1][-1].isdigit())
    return bool(words) and any(letters(column.name).endswith(words) for column in case.sql.columns)


def _defines(definition: Definition, phrases: list[tuple[str, ...]], case: Case) -> bool:
    """Whether a definition gives a plain column that is read for the thing to be aggregated."""
    if not definition.columns or definition.functions:
        return False
    defined = set(content_words(definition.phrase))
    read = any(letters(column) in case.read for column in definition.columns)
    return read and any(words and not defined.isdisjoint(words) for words in phrases)


def aggregate_unasked(case: Case) -> Finding | None:
    """The answer shows an aggregate that nothing asks for.

    Words such as `total` or `how much` ask for a COUNT or a SUM without naming it. A measure that rows are ordered by
    is `MEASURE_SHOWN`.

    >>> aggregate_unasked(case("What is the weight of the parcels?", "SELECT SUM(weight) FROM parcels")).detail
    'not asked for: SUM'
    """
    if not case.aggregation.extra:
        return None
    amounts = any(each.func in _AMOUNTS for each in case.question.aggregations) or _implies_amounts(case)
    measure = measure_beside(case)  # MEASURE_SHOWN reports it
    reported = {each.operand.func for each in case.answer if each.operand.name == measure}
    first = _FIRST.search(case.asked) is not None
    extra = [
        func
        for func in case.aggregation.extra
        if func not in reported and not (amounts and func in _AMOUNTS) and not (first and func in _EARLIEST)
    ]
    return counted(extra, "not asked for", most=1)


def _implies_amounts(case: Case) -> bool:
    """Whether a text asks for counts or sums without naming them: `open tickets by priority`, `revenue in May`."""
    first, second = [each.lower for each in case.question.tokens[:2]] if len(case.question.tokens) > 1 else ("", "")
    return first not in _LISTING or second in ("did", "do", "does") or not _AMOUNT_WORDS.isdisjoint(case.spoken)


_EARLIEST = frozenset({"MIN", "ARG_MIN"})
_FIRST = lazy(r"\b(?:first|1st|new|returning|initial|start|earliest|since when)\b")
_AMOUNTS = frozenset({"COUNT", "SUM"})
_AMOUNT_WORDS = frozenset(
    map(
        stem,
        "much time total takings revenue sales turnover income spend many by per each every vs versus compare compared "
        "split breakdown trend growth monthly daily "
        "weekly yearly quarterly".split(),
    )
)
_LISTING = frozenset("which who whose list show name names find give get display what where when tell return".split())
"""Words with which a text begins that asks for rows or for a value of one."""


_MEASURING = frozenset({"AVG", "SUM", "MIN", "MAX"})
"""Aggregates that measure a column."""


_MEAN_GAP = lazy(r"(?i)\bmax\b[^/]{1,80}\bmin\b[^/]{1,60}/[^/]{0,20}count\([^()]*\) - 1\b")
"""The mean time from one to the next: from the first to the last, divided by one less than their number."""


def aggregate_swapped(case: Case) -> Finding | None:
    """The SQL computes another aggregate than the one asked for.

    Only AVG, SUM, MIN and MAX are compared: whether to count or to sum depends on how a table stores its counts.

    >>> aggregate_swapped(case("What is the average price of the parcels?", "SELECT SUM(price) FROM parcels")).detail
    'expected → actual: AVG → SUM'
    """
    if _MEAN_GAP.search(case.written) is not None:
        return None
    asked = sorted(_MEASURING.intersection(case.aggregation.missing))
    given = sorted(_MEASURING.intersection(case.aggregation.extra))
    if not asked or not given:
        return mean_and_sum_swapped(case)
    return differing(", ".join(asked), ", ".join(given))


def aggregate_unlinked(case: Case) -> Finding | None:
    """An aggregate is taken of a column that does not resemble the thing to be aggregated.

    The function is right and the column is not; or rows are counted where units or copies are asked for, of which a row
    holds several. Columns that a definition names do not count, nor do formulas, columns
    of any amount (`total`), and those whose alias is called like the thing.

    >>> aggregate_unlinked(case("What is the average weight of parcels?", "SELECT AVG(price) FROM parcels")).detail
    'expected → actual: AVG of weight → avg(price)'
    """
    for asked in case.question.aggregations:
        words = content_words(asked.column)
        if asked.func == "COUNT" and asks_quantity(words) and _counts_rows(words[-1], case):
            return differing(f"sum of {asked.column}", "count of rows")
        taken = [each for each in case.sql.aggregations if each.func == asked.func and each.columns]
        if asked.func == "COUNT" or not words or not taken:
            continue
        if any(_may_be(asked.column, words, each, case) for each in taken):
            continue
        first = taken[0]
        return differing(f"{asked.func} of {asked.column}", f"{first.func.lower()}({first.column})")
    return None


def _is_of_group(words: tuple[str, ...], taken: Aggregation, case: Case) -> bool:
    """Whether words name what the rows of an aggregate are grouped by: `the average of their category`."""
    keys = [key.operand.name for key in case.sql.group_by if key.block == taken.block]
    return any(set(words) <= set(identifier_words(key)) for key in keys)


def _counts_rows(quantity: str, case: Case) -> bool:
    """Whether all that the SQL computes is a count of rows, and nothing in it is called like the quantity."""
    if not case.sql.aggregations or any(each.func != "COUNT" or each.distinct for each in case.sql.aggregations):
        return False
    names = shown_names(case.sql).values()
    called = frozenset(word for name in case.read for word in identifier_words(name)).union(*names)
    return not is_named(quantity, called)


def _may_be(phrase: str, words: tuple[str, ...], taken: Aggregation, case: Case) -> bool:
    """Whether an aggregate may be of the thing that a phrase names."""
    if any(is_defined(column, case) for column in taken.columns) or _is_of_group(words, taken, case):
        return True
    column = next((each for each in taken.columns if each.name == taken.column), None)
    if column is None:
        return True
    own = identifier_words(column.name)
    if is_cryptic(column.name):
        return True
    if max(best_likeness(word, own) for word in words) >= LINKED:
        return True
    if holds_any_amount(column.name, column.table) or words[-1] in UNIT_WORDS:
        return True
    return is_called(phrase, _alias_words(taken, case))


def _alias_words(taken: Aggregation, case: Case) -> frozenset[str]:
    """The words of the aliases of what an aggregate is part of, and of what it is taken of."""
    names = shown_names(case.sql)
    inner = names.get(taken.column, frozenset())
    outer = [
        words
        for each in case.sql.projections
        if each.operand.func == taken.func and set(taken.columns).issubset(each.operand.columns)
        for words in [names.get(each.operand.name, frozenset())]
    ]
    return inner.union(*outer)


_AGGREGATED = lazy(
    r"\b(?:whose|with|where|have|has|having)(?: the| an?| their| its)? (?:average|avg|mean|total)\b", re.IGNORECASE
)
_STORED_WORDS = frozenset({"average", "avg", "mean", "total", "sum", "score", "rating"})
_BOUNDS = frozenset({Op.LT, Op.LE, Op.GT, Op.GE})


def _defines_comparison(definition: Definition) -> bool:
    """Whether a definition says how to compare: the average may be a stored column."""
    return bool(definition.filters or definition.functions or len(definition.phrase.split()) > 1)


def where_for_having(case: Case) -> Finding | None:
    """An average or a total is to be compared, and WHERE compares each row's own value.

    `routes with an average weight over 20` needs HAVING AVG(weight) > 20. Columns named like an average or a total
    may store it.

    >>> where_for_having(case("Which routes have an average weight over 20?",
    ...     "SELECT route FROM parcels WHERE weight > 20 GROUP BY route")).detail
    'weight > 20'
    """
    bounds = [each for each in case.sql.filters if each.op in _BOUNDS]
    if not bounds or any(each.lhs is not None and each.lhs.func not in (None, "COUNT") for each in case.sql.filters):
        return None
    if not _AGGREGATED.search(case.question.text) or any(
        _defines_comparison(each) for each in case.enriched.definitions
    ):
        return None
    found = next((each for each in bounds if _compares_rows(each)), None)
    return Finding(1.0, show_filter(found)) if found is not None else None


def _compares_rows(bound: SqlFilter) -> bool:
    """Whether a column that is not named like an average or a total is compared with a number."""
    if not isinstance(bound.rhs, Number) or bound.lhs is None or not bound.lhs.columns:
        return False
    return _STORED_WORDS.isdisjoint(identifier_words(bound.lhs.columns[0].name))
