"""Signals about a second thing that is asked for beside the first, and that the answer has not."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.signals.mistakes.wording import cue
from scoring.specification import Aggregation, Op, Projection
from scoring.verdict import Case
from scoring.words import identifier_words, stem

_TWO_NUMBERS = cue(
    "how many number of",
    r"\b(?:how many|number of)\b[^.?;]{3,70}?(?:,| and| &|\?) (?:and |also )?"
    r"(?:how many|how much|what (?:share|%|percent|pct))\b"
    r"(?! (?:more|less|times|days|hours))",
)
"""`how many members do we have and how many of them are new`."""


def second_number_missing(case: Case) -> str | None:
    """Two numbers are asked for, one of them perhaps of those that the other counts, and the answer is one number.

    >>> second_number_missing(case("How many pilots do we have and how many of them are new?",
    ...     "SELECT COUNT(*) FROM pilots WHERE is_new = 1"))
    'how many pilots do we have and how many: one number'
    """
    found, sql = _TWO_NUMBERS.search(case.asked), case.sql
    if found is None or len(case.answer) != 1 or sql.group_by or sql.set_operations or sql.windows:
        return None
    total = case.answer[0]
    return f"{found.group()}: one number" if total.operand.func is not None and not total.star else None


_AND_HOW_MANY = cue(
    "how many",
    r"^[^.;]{12,240}?(?:,| and| &| \+|\?)(?: and| also)* (?:on |in |for |of )?"
    r"how many (?:different |distinct )?([a-z]+)\b(?! (?:more|less|times|days?|hours?|minutes?|weeks?|months?)\b)",
)
_AMOUNTS_THEMSELVES = frozenset(
    "day hour minute week month year time point mile kilo litre liter unit piece seat few euro eur dollar usd pound gbp"
    " cent kg kwh mwh km gb mb ton tonne percent".split()
)


def number_beside_missing(case: Case) -> str | None:
    """A number of things is asked for beside something else, and the answer counts nothing and reads no such column.

    >>> number_beside_missing(case("Which base has the most hours and how many pilots flew there?",
    ...     "SELECT base, SUM(hours) FROM flights GROUP BY base ORDER BY SUM(hours) DESC LIMIT 1"))
    'how many pilots: nothing is counted'
    """
    found, sql = _AND_HOW_MANY.search(case.asked), case.sql
    if found is None or sql.set_operations or any(each.star for each in case.answer):
        return None
    thing = stem(found[1])
    counts = any(each.func not in _MEASURING or each.conditional for each in sql.aggregations) or sql.windows
    shown = {word for each in case.answer for word in _words_of(each)}
    if counts or thing in shown | _AMOUNTS_THEMSELVES or not shown.isdisjoint(_NUMBERS):
        return None
    return f"how many {found[1]}: nothing is counted"


_MEASURING = frozenset({"SUM", "AVG", "MIN", "MAX"})
_NUMBERS = frozenset("count number num nr no qty quantity n cnt amount total".split())


def _words_of(shown: Projection) -> set[str]:
    """The words of a column of the answer, and of what it is called."""
    names = [*(column.name for column in shown.operand.columns), shown.alias or ""]
    return {stem(word) for name in names for word in identifier_words(name)}


_TOTAL_AND_FIRST = cue(
    "total overall",
    r"\b(?:total|overall)(?: \w+)? ?(?:and|\+|&|plus|as well as) (?:the |our )?(?:top |biggest |largest )?"
    r"(?:\d+|five|three|ten|top|biggest)\b",
)


def total_beside_first_missing(case: Case) -> str | None:
    """A total is asked for beside the first rows, and the answer has these alone.

    >>> total_beside_first_missing(case("Fees in May, total + 5 biggest pilots",
    ...     "SELECT pilot, SUM(fee) FROM fees GROUP BY pilot ORDER BY 2 DESC LIMIT 5"))
    'total + 5: the first 5 alone'
    """
    found, sql = _TOTAL_AND_FIRST.search(case.asked), case.sql
    if found is None or sql.limit is None or sql.windows or sql.set_operations or len(sql.blocks) > 1:
        return None
    return f"{found.group()}: the first {sql.limit.count} alone"


_AND_CHANGE = cue(
    "change growth delta difference diff changed",
    r"(?:\band|\bwith|\bplus|\+|&|,) (?:show |add |give )?(?:the |its |their |also )?(?:% |pct |percent |net )?"
    r"(?:change|growth|delta|difference|diff)\b(?: \w+){0,2}? "
    r"(?:on|vs\.?|versus|from|over|against|to|since|compared)\b",
)


def change_beside_missing(case: Case) -> str | None:
    """A change on the time before is asked for beside the values, and the SQL sets nothing beside anything.

    >>> change_beside_missing(case("Flights per week and the change on the week before",
    ...     "SELECT week, COUNT(*) FROM flights GROUP BY week"))
    'and the change on: nothing is compared'
    """
    found, sql = _AND_CHANGE.search(case.asked), case.sql
    if found is None or not sql.aggregations or len(sql.joins) > _FEW_JOINS or _compares(case):
        return None
    return f"{found.group()}: nothing is compared"


def _compares(case: Case) -> bool:
    """Whether something may set values beside each other: a window, a table read twice, a difference, a name."""
    sql = case.sql
    tables = [table for block in sql.blocks for table in block.tables]
    if sql.windows or sql.set_operations or len(sql.blocks) > 1 or len(tables) > len(set(tables)):
        return True
    apart = any(each.conditional for each in sql.aggregations) or any("-" in each.operand.name for each in case.answer)
    return apart or _BESIDE.search(case.written) is not None


_BESIDE = lazy(r"prev|prior|last_|change|growth|delta|diff|neighbor|lag", re.IGNORECASE)
_FEW_JOINS = 2
_SPLIT = cue("split", r"\bsplit (?:up )?(?:between|into) (?:\w+ ){1,3}?(?:and|&|vs\.?) (?:the |our )?\w+")


def split_missing(case: Case) -> str | None:
    """Numbers are to be split between two kinds, and the answer has one column of totals by time.

    >>> split_missing(case("How do claims split between pilots and guests per month?",
    ...     "SELECT month, COUNT(*) FROM claims GROUP BY month"))
    'split between pilots and guests: one total'
    """
    found, sql = _SPLIT.search(case.asked), case.sql
    if found is None or len(sql.aggregations) != 1 or len(sql.group_by) > 1 or len(sql.blocks) > 1 or sql.joins:
        return None
    keys = [key.operand.name for key in sql.group_by]
    timed = all(re.search(r"month|week|year|quarter|day|date", name) for name in keys)
    tested = any(each.op in (Op.IN, Op.EQ) and each.alternative is not None for each in sql.filters)
    plain = timed and not sql.aggregations[0].conditional and not tested
    return f"{found.group()}: one total" if plain else None


_AND_AVERAGE = cue(
    "average avg mean median",
    r"(?:\band|&|\+|\bplus|,) (?:the |their |its |our )?(?:average|avg\.?|mean|median) (?:of )?(?:the |their )?"
    r"([a-z]{3,})",
)
_AVERAGES = frozenset({"AVG", "MEDIAN", "PERCENTILE_CONT", "PERCENTILE_DISC", "QUANTILE", "MODE"})
_AVERAGING = lazy(r"\b(?:avg|mean|median|quantile|percentile|approx_)", re.IGNORECASE)


def average_beside_missing(case: Case) -> str | None:
    """An average is asked for beside something else, and nothing is averaged, nor is a column read that is called so.

    >>> average_beside_missing(case("Number of flights and avg delay per base",
    ...     "SELECT base, COUNT(*) AS flights FROM flights GROUP BY base"))
    'and avg delay: nothing is averaged'
    """
    found, sql = _AND_AVERAGE.search(case.asked), case.sql
    if found is None or not sql.aggregations or any(each.star for each in case.answer):
        return None
    if _AVERAGING.search(case.written) is not None or any(each.func in _AVERAGES for each in sql.aggregations):
        return None
    read = {word for name in _names(case) for word in identifier_words(name)}
    noun = stem(found[1])
    divides = any(" over ()" not in each.denominator for each in sql.divisions)
    return None if divides or noun in read else f"{found.group().strip(' ,')}: nothing is averaged"


def _names(case: Case) -> set[str]:
    """The names of all columns and tables that are read, and what columns of the answer are called."""
    tables = {table for block in case.sql.blocks for table in block.tables}
    return tables | {column.name for column in case.sql.columns} | {each.alias or "" for each in case.sql.projections}


_TWO_NOUNS = cue(
    "and & vs +",
    r"^(?:so |ok |hi |pls |please |show |give |get |me |us |the |our |number of |how many |count of |# of )*"
    r"(?P<one>[a-z]{4,}) ?(?:and|&|\+|vs\.?) (?P<other>[a-z]{4,}) (?:per|by|each|every|for each)\b",
)
_KINDRED = 4
"""Letters by which names of one thing begin alike."""


def second_noun_missing(case: Case) -> str | None:
    """Two numbers are asked for by name, and one is given, under the name of the first.

    >>> second_noun_missing(case("starters and dropouts per month", "SELECT date_trunc('month', began_on), COUNT(*) "
    ...     "AS starters FROM lessons GROUP BY 1"))
    'dropouts: only starters is given'
    """
    found = _TWO_NOUNS.search(case.asked)
    if found is None or not case.sql.group_by or not _gives_one_number(case):
        return None
    one, other = stem(found["one"]), stem(found["other"])
    measures = [each for each in case.answer if each.operand.func is not None]
    called = bool(measures) and all(one in identifier_words(each.alias or "") for each in measures)
    kindred = other[:_KINDRED] in case.written.casefold() or _kin(other, case)
    return None if kindred or not called else f"{found['other']}: only {found['one']} is given"


def _gives_one_number(case: Case) -> bool:
    """Whether all numbers of the answer are of the same rows."""
    several = len({each.column for each in _own(case)}) > 1 or case.sql.set_operations or case.sql.divisions
    return not several and not any(each.conditional or each.subqueries for each in case.answer)


def _own(case: Case) -> list[Aggregation]:
    """The aggregates of rows, without those of other aggregates."""
    return [each for each in case.sql.aggregations if "(" not in each.column]


def _kin(noun: str, case: Case) -> bool:
    """Whether a name that is read and nothing asks for may be short for the noun: it begins with its first letters."""
    read = {word for column in case.sql.columns for word in identifier_words(column.name)}
    return any(len(word) > 1 and (noun.startswith(word) or word.startswith(noun[:3])) for word in read)
