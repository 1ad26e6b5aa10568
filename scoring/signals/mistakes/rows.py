"""Signals about rows that are counted or added too often, too seldom, or at the wrong level."""

from __future__ import annotations

import re
from collections.abc import Iterable

from scoring.linking import content_words
from scoring.patterns import lazy
from scoring.signals.finding import Finding
from scoring.signals.mistakes.unmet.joined import (
    both_sides_added,
    bound_of_repeated,
    counted_by_name,
    total_repeated_by_counted,
)
from scoring.signals.mistakes.unmet.ratios.means import asks_rate_of_all, unit_price_averaged, weight_left_out
from scoring.signals.mistakes.unmet.times.each_latest import latest_of_each_pair
from scoring.signals.mistakes.wording import HAS_ONE, asked, cue, first, said, said_stems, shapes
from scoring.specification import Column
from scoring.specification.shapes import Shape, ShapeKind
from scoring.sql.shapes.naming import key_stems, table_words
from scoring.verdict import Case
from scoring.words import identifier_words, stem


def join_multiplies(case: Case) -> Finding | None:
    """A total of one table's column is taken after a join that repeats its rows.

    An invoice with three payments adds its total three times. The other table refers to the key of the first, or two
    tables refer to one and repeat each other. Half strength for counts, and where a condition may leave one row for
    each.

    >>> join_multiplies(case("What is the total weight per route?", "SELECT v.route, SUM(v.weight) FROM vans v "
    ...     "JOIN stops s ON s.van_id = v.id GROUP BY v.route")).detail
    'SUM(v.weight) over rows repeated by s'
    """
    if case.question.distinct:
        return None
    found = [each for shape in shapes(case, ShapeKind.REPEATED_ROWS) if (each := _repeated(shape, case)) is not None]
    return max(found, key=lambda each: each.strength) if found else _repeated_by_third(case)


def _repeated(shape: Shape, case: Case) -> Finding | None:
    """What a join repeats, unless it is the price of a plan, or a count for which it does not matter."""
    counts = shape.text.startswith("COUNT")
    if _adds_prices(shape) or (counts and not _counts_repeats(shape, case)):
        return None
    doubtful = (counts and not HAS_ONE.search(said(case))) or "restricted" in shape.words
    return Finding(0.5 if doubtful else 1.0, shape.text)


def _repeated_by_third(case: Case) -> Finding | None:
    """What tables repeat that have a third thing, or a column that is the key of neither, in common."""
    repeated = total_repeated_by_counted(case) or both_sides_added(case) or counted_by_name(case)
    return Finding(1.0, repeated) if repeated is not None else bound_of_repeated(case)


def _counts_repeats(shape: Shape, case: Case) -> bool:
    """Whether repeated rows are counted for things asked for, for the base of a share, or beside another count."""
    if "restricted" in shape.words:
        return False
    return _multiplies_counts(case) or _counts_thing(shape, case) or _is_base(shape, case)


def _multiplies_counts(case: Case) -> bool:
    """Whether plain counts of two joined tables stand side by side: each repeats the rows of the other."""
    counts = [
        each for each in case.sql.aggregations if each.func == "COUNT" and not each.distinct and not each.windowed
    ]
    tables = {(each.block, column.table) for each in counts for column in each.columns if column.table}
    joined = {(join.block, join.table) for join in case.sql.joins}
    return len(tables & joined) > 1


_CATALOGUES = frozenset("plan tier tariff package product membership rate".split())
_PRICES = frozenset("price fee rate tariff".split())


def _adds_prices(shape: Shape) -> bool:
    """Whether the price of a plan is added for each row that is on it: the value of all subscriptions."""
    column = shape.columns[0] if shape.columns else None
    if column is None or column.table is None or not shape.text.startswith("SUM"):
        return False
    return not _PRICES.isdisjoint(identifier_words(column.name)) and table_words(column.table)[-1] in _CATALOGUES


def _counts_thing(shape: Shape, case: Case) -> bool:
    """Whether the question counts the rows that are repeated, and not those that repeat them."""
    tables = {table_words(each.table)[-1] for each in shape.columns[:1] if each.table}
    return any(words[-1] in tables for words in _counted_phrases(case))


_SHARE_OF = lazy(r"(?:%|\b(?:pct|percent\w*|share|proportion)) of (?:the |our |all )?(?:\w+ )?(\w+)\b")


def _is_base(shape: Shape, case: Case) -> bool:
    """Whether the rows that are repeated are the base of a share of them."""
    found = _SHARE_OF.search(asked(case))
    if found is None or not shape.columns or not shape.columns[0].table:
        return False
    base = any(f"count({shape.columns[0].name})" in each.denominator for each in case.sql.divisions)
    return base and table_words(shape.columns[0].table)[-1] in {stem(word) for word in found.group().split()[-2:]}


def _counted_phrases(case: Case) -> list[tuple[str, ...]]:
    found = [content_words(each.column) for each in case.question.aggregations if each.func == "COUNT"]
    return [words for words in found if words]


def rows_counted_for_things(case: Case) -> Finding | None:
    """Rows of another table are counted than those of the thing asked for.

    Order lines are no orders, and a log has many rows for each user. Counting the distinct keys, or grouping by them,
    counts each thing once.

    >>> rows_counted_for_things(case("How many pilots flew in 2020?",
    ...     "SELECT COUNT(*) FROM flights WHERE year = 2020 AND pilot_id > 0")).detail
    'COUNT(*) counts flights, not pilots'
    """
    if any(each.distinct for each in case.sql.aggregations) or any(block.distinct for block in case.sql.blocks):
        return None
    for each in shapes(case, ShapeKind.COUNTED_ROWS):
        for words in _counted_phrases(case):
            found = _other_rows(each, words[-1], case)
            if found:
                certain = words[-1] in table_words(found)[:-1]
                return Finding(1.0 if certain else 0.5, f"{each.text} counts {found}, not {words[-1]}s")
    return None


_SAME_ROWS = frozenset(
    {"attribute", "detail", "info", "data", "profile", "record", "master", "list", "table", "fact", "dim", "view"}
)
"""Last words of tables with one row for each thing: `pilot_details`."""


def _other_rows(shape: Shape, thing: str, case: Case) -> str:
    """The table whose rows are counted in place of a thing, if it is certain that they differ."""
    table = shape.words[0] if len(set(shape.words)) == 1 else ""
    words = table_words(table)
    grouped = [key_stems(key) or () for key in shape.columns[0].name.split()]
    if not words or _row_word(words) == thing or _ends(grouped, thing):
        return ""
    named = thing in words[:-1] or _ends(_foreign_keys(table, case), thing)
    return table if named and not any(_is_named(column, thing) for column in shape.columns[1:]) else ""


def _foreign_keys(table: str, case: Case) -> list[tuple[str, ...]]:
    """The words of the keys that the SQL reads of a table."""
    return [key_stems(each.name) or () for each in case.sql.columns if each.table == table]


def _ends(names: Iterable[tuple[str, ...]], word: str) -> bool:
    """Whether some name ends with a word."""
    return any(word in name[-1:] for name in names)


def _row_word(words: tuple[str, ...]) -> str:
    """What a table's rows are."""
    return "".join(words[-2:-1] if words[-1:] and words[-1] in _SAME_ROWS and len(words) > 1 else words[-1:])


def _is_named(column: Column, thing: str) -> bool:
    """Whether a column that is no key is named like a thing: its values may be what is counted."""
    return thing in identifier_words(column.name) and thing not in (key_stems(column.name) or ())[-1:]


def amounts_deduplicated(case: Case) -> Finding | None:
    """Amounts are added or averaged, or rows counted, after equal ones were dropped.

    Two orders of the same amount count once. SUM(DISTINCT …), a DISTINCT below the sum and a UNION without ALL all do
    it, unless a key tells the rows apart.

    >>> amounts_deduplicated(case("What is the total fare?", "SELECT SUM(DISTINCT fare) FROM trips")).detail
    'SUM(DISTINCT fare)'
    """
    dropped = (each for each in shapes(case, ShapeKind.UNITED_COUNT) if "dropped" in each.words)
    found = first(case, ShapeKind.DEDUPLICATED) or next(dropped, None)
    if found is None or case.question.distinct:
        return None
    meant = re.search(r"\b(?:distinct|unique|different|dedup\w*|once)\b", said(case))
    return Finding(1.0, found.text) if meant is None else None


def groups_split(case: Case) -> Finding | None:
    """Rows are grouped by the key of a thing that the answer neither shows nor is asked for.

    Each group of the answer falls into several rows, and a total or a rank is of a part of it.

    >>> groups_split(case("Which 3 pilots flew most hours?", "SELECT p.name FROM pilots p JOIN flights f ON "
    ...     "f.pilot_id = p.id JOIN planes a ON a.id = f.plane_id GROUP BY p.name, a.id "
    ...     "ORDER BY SUM(f.hours) DESC LIMIT 3")).detail
    'grouped by planes.id'
    """
    for each in shapes(case, ShapeKind.HIDDEN_KEY):
        column = each.columns[0]
        keyed = key_stems(column.name)
        words = set(identifier_words(column.name))
        if keyed is not None:
            words = {*keyed, *table_words(column.table or "")[-1:]}
        spoken = said_stems(case)
        if _begins_with_said(column, spoken):
            continue
        if words.isdisjoint(spoken):
            return Finding(1.0, each.text)
        if (
            keyed is not None
            and words.isdisjoint({word for phrase in case.question.group_by for word in content_words(phrase)})
            and words.isdisjoint(case.question.stems)
        ):
            return Finding(1.0, each.text)
    pair = latest_of_each_pair(case)
    return Finding(1.0, pair) if pair is not None else _finer_than_said(case)


def _begins_with_said(column: Column, spoken: set[str]) -> bool:
    """Whether a name in one piece begins with a word that is said: `customerkey`."""
    (name, *more) = identifier_words(column.name) or ("",)
    return not more and any(name.startswith(one) for one in spoken if len(one) > _ROOT)


_ROOT = 4
"""Letters from which a word may begin a key's name: `customerkey`."""
_ONE_LINE = cue(
    "one single",
    r"\b(?:one|a single|1) (?:line|row|record|figure|number) (?:per|for each|for every|each) (\w+)\b"
    r"(?! \w+ (?:and|per|by)\b| and\b|,| per\b| by\b)",
)


def _finer_than_said(case: Case) -> Finding | None:
    """More is grouped by than what each has one row of: `one row per region`, by region and clerk."""
    found = _ONE_LINE.search(said(case))
    keys = [each.operand for each in case.sql.group_by if each.block in case.sql.outputs] if found is not None else []
    thing = stem(found[1]) if found is not None else ""
    others = [key for key in keys if key.columns and not _speaks_of(thing, key.columns[0])]
    told = len(others) < len(keys) and any(key_stems(key.columns[0].name) is None for key in others)
    return Finding(1.0, f"{others[0].name} beside one row per {thing}") if told else None


def _speaks_of(thing: str, column: Column) -> bool:
    return thing in (*identifier_words(column.name), *identifier_words(column.table or ""))


def condition_on_other_rows(case: Case) -> Finding | None:
    """A condition on the rows that are added or counted is tested on other rows of the same table.

    `customer_id IN (SELECT customer_id FROM orders WHERE …)` keeps all orders of a customer who has one such order. A
    question about things who did something may mean that, and does not count.

    >>> condition_on_other_rows(case("What did flights cost in 2020?", "SELECT SUM(cost) FROM flights WHERE pilot_id "
    ...     "IN (SELECT pilot_id FROM flights WHERE year = 2020)")).detail
    'flights kept by pilot_id of others of its rows'
    """
    found = first(case, ShapeKind.LEVEL)
    if found is None or _RELATIVE.search(asked(case)):
        return None
    return Finding(1.0, found.text)


_RELATIVE = lazy(
    r"\b(?:who|whose|that|which (?:have|has|had|were|was|are)|with|having|both|also|whom|by (?:customers|users))\b"
)


def mean_of_means(case: Case) -> Finding | None:
    """An average is taken of averages, so small groups weigh as much as large ones.

    A route with one trip counts like one with a thousand. A question that asks for the average of averages means it.
    A rate, or an amount per unit, is not the average of the ratios of single rows. AVG of prices per unit has half
    strength: some people mean just that.

    >>> mean_of_means(case("What is the average fare by country?", "SELECT country, AVG(a) FROM (SELECT country, "
    ...     "route, AVG(fare) AS a FROM trips GROUP BY country, route) t GROUP BY country")).detail
    'AVG of AVG(fare)'
    """
    found = first(case, ShapeKind.MEAN_OF_MEANS)
    text = said(case)
    if found is not None and not _NESTED_MEANS.search(text) and text.count("average") + text.count("avg") < 4:
        return Finding(1.0, found.text)
    ratio = first(case, ShapeKind.MEAN_OF_RATIOS)
    if ratio is not None and (_POOLED.search(text) or asks_rate_of_all(case)):
        return Finding(1.0, ratio.text)
    unweighted = weight_left_out(case) if _NO_WEIGHT.search(text) is None else None
    if unweighted is not None:
        return Finding(1.0, unweighted)
    price = unit_price_averaged(case) if _NO_WEIGHT.search(text) is None else None
    return Finding(1.0 if _POOLED.search(text) else 0.5, price) if price is not None else None


_NO_WEIGHT = lazy(r"\b(?:unweighted|no weight\w*|not weighted|without weight\w*|simple|plain)\b")
_NESTED_MEANS = lazy(
    r"\b(?:average|avg|mean) (?:of (?:the |all |each )*(?:[\w']+ )?(?:average|avg|mean|monthly|daily"
    r"|weekly|yearly|rate|ratio|share|per\b)"
    r"|\w+ly\b)|each \w+ (?:counts|weighs)"
    r"|\b(?:each|every) \w+['’]s own\b|equal(?:ly)?[ -]weight|unweighted|per-\w+ (?:average|rate|mean)"
    r"|(?:average|avg|mean)\b[^.\n]{0,80}\b(?:average|avg|mean)\b[^.\n]{0,80}\bper\b"
)
_POOLED = lazy(
    r"\b(?:all|total|summed|sum of) (?:\w+ ){1,3}(?:divided by|over|/) (?:all|total|the (?:sum|total)|sum of)\b"
    r"|\(\w+ (?:over|divided by|/) \w+\)|\boverall\b|\bweighted\b|\bover all\b|\ball individual\b"
    r"|\bcounts? the same\b|\b(?:over|for|in) the whole\b|\bacross all\b"
    r"|\btotal \w+ divided by\b|\bthat is\b[^.;]{0,40}\bdivided by\b"
    r"|\ball (?:of )?(?:the |our )?\w+ (?:put |taken |added )?together\b|\btaken together\b|\bby weight\b"
    r"|\bmoney over\b|\b(?:has|have|ought) to weigh\b"
)
