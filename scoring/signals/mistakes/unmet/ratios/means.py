"""Signals about averages per day or per thing, where the SQL averages single rows."""

from __future__ import annotations

from scoring.patterns import lazy
from scoring.signals.mistakes.wording import cue, divides, first, stems_of
from scoring.signals.unit_names import is_unit
from scoring.specification import Aggregation
from scoring.specification.shapes import ShapeKind
from scoring.sql.shapes.naming import is_own_key, key_stems, table_words
from scoring.verdict import Case
from scoring.words import identifier_words, stem

_PER_PERIOD = cue(
    "average avg mean",
    r"\b(?:averag(?:e|ed|es|ing)|avg|mean)\b(?P<what>[^.?;,]{1,45}?) (?:per|an?|each) "
    r"(?P<per>day|week|month|hour|night)\b",
)
_PER_THING = cue("average avg mean", r"\b(?:average|avg|mean) (?P<what>[a-z]+(?: [a-z]+)?) per (?P<per>[a-z]+)\b")
_IN_PERIOD = cue(
    "how",
    r"\bhow (?P<what>(?:much|many)\b[^.?;,]{2,80}?) (?:in|per|an?|each|every)(?: (?:an?|one|single|each))? "
    r"(?P<per>day|week|month|hour|night|season|year|shift)\b",
)
_AVERAGE = cue(
    "averag avg mean typical usual normal median",
    r"\b(?:averag\w*|avgs?|mean|typical\w*|usual\w*|normal\w*|median)\b",
)


def asks_average(case: Case) -> bool:
    """Whether the person speaks of an average, or of what is usual."""
    return _AVERAGE.search(case.asked) is not None


_AMOUNTS = frozenset(
    map(
        stem,
        "payout revenue cost spend spending fee amount payment income sale turnover quantity litre liter kg kilo hour "
        "honey "
        "weight minute volume money earning charge discount refund unit item mileage km kwh mwh tip".split(),
    )
)
_GROUPED_TABLES = frozenset("day daily week weekly month monthly hour hourly snapshot stat summary metric agg".split())


def rows_averaged(case: Case) -> str | None:
    """An average per day, or per thing that has several rows, is asked for, and AVG is of single rows.

    >>> rows_averaged(case("Which bases averaged under 50 litres per day?",
    ...     "SELECT base, AVG(litres) FROM refuels GROUP BY base HAVING AVG(litres) < 50"))
    'AVG(litres) of single rows per day'
    """
    means = [each for each in case.sql.aggregations if each.func == "AVG" and each.columns]
    if not means or any(each.func not in ("AVG", "COUNT") for each in case.sql.aggregations):
        return None
    if divides(case) or case.sql.windows:
        return None
    return _per_period(means[0], case) or _of_period(means[0], case) or _per_thing(means[0], case)


_OF_PERIOD = cue(
    "monthly weekly daily yearly annual",
    r"\b(?:average|avg|mean) (?P<per>monthly|weekly|daily|yearly|annual) (?:total )?(?:revenue|sales|turnover|spend"
    r"|spending|income|takings|consumption|output|production|volume|mileage|cost|costs|usage)\b",
)
_PERIODIC = frozenset("month monthly week weekly day daily year yearly annual".split())


def _of_period(mean: Aggregation, case: Case) -> str | None:
    """The mean of the totals of months or days is asked for, and AVG is of single rows."""
    found = _OF_PERIOD.search(case.asked)
    if found is None or len(case.sql.blocks) > 1 or first(case, ShapeKind.GRAIN) is not None:
        return None
    names = {word for each in mean.columns for word in identifier_words(f"{each.name} {each.table or ''}")}
    return None if names & _PERIODIC else f"AVG({mean.column}) of single rows, not of {found['per']} totals"


def _per_period(mean: Aggregation, case: Case) -> str | None:
    found = _PER_PERIOD.search(case.asked)
    if found is None and asks_average(case):
        found = _IN_PERIOD.search(case.asked)  # `how much does a guest spend in a year, on average`
    if found is None or not _is_amount(found["what"]) or first(case, ShapeKind.GRAIN) is not None:
        return None
    names = [word for each in mean.columns for word in identifier_words(f"{each.name} {each.table or ''}")]
    grouped = {word for key in case.sql.group_by for word in identifier_words(key.operand.name)}
    if not _GROUPED_TABLES.isdisjoint({*names, *grouped}) or found["per"] in grouped:
        return None
    return f"AVG({mean.column}) of single rows per {found['per']}"


def _per_thing(mean: Aggregation, case: Case) -> str | None:
    """An amount of another table, which refers to the thing, is averaged over its own rows."""
    found = _PER_THING.search(case.asked)
    own = mean.columns[0].table
    if found is None or own is None or not _is_amount(found["what"]) or len(mean.columns) != 1:
        return None
    thing = stem(found["per"])
    if table_words(own)[-1] == thing or _is_grouped_by(thing, case) or not _refers(own, thing, case):
        return None
    return f"AVG({mean.column}) of rows of {own} per {found['per']}"


def _is_grouped_by(thing: str, case: Case) -> bool:
    grouped = {column for key in case.sql.group_by for column in key.operand.columns}
    keyed = any(thing in (key_stems(each.name) or ())[-1:] for each in grouped)
    return keyed or any(each.table and table_words(each.table)[-1] == thing for each in grouped)


def _refers(table: str, thing: str, case: Case) -> bool:
    """Whether the rows of a table hold the key of a thing whose table is read too."""
    tables = {table_words(each)[-1] for block in case.sql.blocks for each in block.tables}
    keys = [each for each in case.sql.columns if each.table == table and not is_own_key(each)]
    return thing in tables and any((key_stems(each.name) or ())[-1:] == (thing,) for each in keys)


def _is_amount(words: str) -> bool:
    return not _AMOUNTS.isdisjoint(stems_of(words))


_RATE = cue(
    "rate ratio percent pct share proportion margin yield utili occupancy discount efficiency "
    "productivity intensity conversion ctr cpc cpm roi roas % head person capita piece",
    r"\b(?:rate|ratio|percent\w*|pct|share|proportion|margin|yield|utili[sz]ation|occupancy|discount\w*|efficiency"
    r"|productivity|intensity|conversion|ctr|cpc|cpm|roi|roas)\b|%|\b(?:a|per) (?:head|person|capita|piece)\b",
)
_PER_UNIT = lazy(r"\bper (?:\d+ )?([a-z]+)\b")


def asks_rate_of_all(case: Case) -> bool:
    """Whether a person asks for a rate, or an amount per unit, of all rows: with no word of an average, or as paid.

    >>> sql = "SELECT base, AVG(litres / hours) FROM flights GROUP BY base"
    >>> [asks_rate_of_all(case(text, sql)) for text in ("Litres per hour by base", "Average litres per hour by base")]
    [True, False]
    """
    if paid_per_unit(case):
        return True
    if asks_average(case):
        return False
    read = {word for column in case.sql.columns for word in identifier_words(column.name)}
    grouped = {word for key in case.sql.group_by for word in identifier_words(key.operand.name)}
    units = {stem(word) for word in _PER_UNIT.findall(case.asked)}
    by_unit = any(is_unit(unit) or unit in read - grouped for unit in units)
    return by_unit or _RATE.search(case.asked) is not None


_PAID = cue(
    "pay paid get got cost earn charge",
    r"\b(?:pay|paid|get|got|costs?|earn(?:ed)?|charge[ds]?)\b[^.?;,]{0,30}? (?:per|an?|each|for an?|for each) "
    r"(?:kilo(?:gram)?s?|kg|gram|tonne?|ton|lb|pound|kwh|mwh|litre|liter|gallon|barrel|bushel|metre|meter|mile|km|gb"
    r"|hectare|acre)\b|\b(?:kilo|kg|tonne|litre|liter|kwh|mwh|gallon)\b[^.?;,]{1,25}? costs?\b",
)


def paid_per_unit(case: Case) -> bool:
    """Whether the question is what was paid or received for each unit of weight, volume, energy or distance.

    >>> sql = "SELECT AVG(price) FROM bills"
    >>> [paid_per_unit(case(text, sql)) for text in ("What did we pay per litre?", "What do pilots earn a day?")]
    [True, False]
    """
    return _PAID.search(case.asked) is not None


_OF_UNIT = lazy(r"(?:\w+_per|avg|average|mean)_\w+")
_COUNTS_ALIKE = cue(
    "counts count by weight money weigh", r"\bcounts? the same\b|\bby weight\b|\bmoney over\b|\bto weigh\b"
)


def unit_price_averaged(case: Case) -> str | None:
    """What was paid per kilo is asked for, or that all rows count alike, and AVG is of stored prices per kilo.

    >>> unit_price_averaged(case("What did we pay per litre on average?", "SELECT AVG(eur_per_litre) FROM refuels"))
    'AVG(eur_per_litre)'
    """
    if not paid_per_unit(case) and _COUNTS_ALIKE.search(case.asked) is None:
        return None
    means = (each for each in case.sql.aggregations if each.func == "AVG" and len(each.columns) == 1)
    odd = next((each for each in means if _OF_UNIT.fullmatch(each.columns[0].name)), None)
    return f"AVG({odd.column})" if odd is not None else None


_WEIGHTED = cue("weighted", r"\bweighted\b")


def weight_left_out(case: Case) -> str | None:
    """A weighted average is asked for, and nothing is multiplied.

    >>> weight_left_out(case("Average fare, weighted by seats", "SELECT AVG(fare) FROM trips"))
    'AVG(fare) without a weight'
    """
    mean = next((each for each in case.sql.aggregations if each.func == "AVG"), None)
    if mean is None or _WEIGHTED.search(case.asked) is None or _MULTIPLIED.search(case.written) is not None:
        return None
    stored = any("weighted" in identifier_words(column.name) for column in case.sql.columns)
    return None if stored else f"AVG({mean.column}) without a weight"


_MULTIPLIED = lazy(r"[\w)] ?\* ?(?!100)[\w(]")
