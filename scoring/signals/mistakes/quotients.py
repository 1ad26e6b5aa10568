"""Signals about rates, changes, units and zones."""

from __future__ import annotations

import re
from collections.abc import Sequence

from scoring.patterns import lazy
from scoring.signals.finding import Finding, differing
from scoring.signals.mistakes.events import event_of
from scoring.signals.mistakes.unmet.ratios.changes import change_otherwise
from scoring.signals.mistakes.unmet.ratios.measures import nights_one_more, turned_outside, whole_units_averaged
from scoring.signals.mistakes.unmet.ratios.shares import all_over_some, inverted_by_words
from scoring.signals.mistakes.unmet.twins import part_of_itself
from scoring.signals.mistakes.wording import asked, cue, divides, first, said, shapes
from scoring.specification import Division
from scoring.specification.shapes import Shape, ShapeKind
from scoring.verdict import Case
from scoring.words import identifier_words, stem

_CHANGE = lazy(
    r"\b(?:change|changed|growth|grew|grow|increase|increased|decrease|decreased|rise|drop|decline|uplift"
    r"|difference)\b"
    r"|\b(?:go|goes|went|gone) up\b"
    r"|\b(?:month|year|week|quarter|day)[- ](?:over|on)[- ](?:month|year|week|quarter|day)\b|\b(?:mom|yoy|wow|qoq)\b"
)
_PERCENT = lazy(r"%|\bpercent(?:age)?\b|\bpct\b|\brate\b|\bgrowth\b")
_PERCENT_CHANGE = cue(
    "% percent pct relative growth diff",
    r"(?:%|\bpercent(?:age)?|\bpct|\brelative)[ -](?:change|growth|increase|decrease|difference|drop"
    r"|rise)|\bgrowth rate\b"
    r"|\b(?:change|growth|increase|decrease|difference|drop|grew|grown|changed?) (?:in|as|by what"
    r"|how many|a) ?(?:%|percent|pct)"
    r"|\b(?:with|and|plus|,) (?:the |its )?diff(?:erence)? (?:in|as)(?: a)? ?(?:%|percent|pct)"
    r"|\b(?:growth|change) (?:in|of) [^.?]{0,30}(?:%|\bpercent\b|\bpct\b)",
)


def change_of_wrong_base(case: Case) -> Finding | None:
    """A change is divided by the later value, or counted backwards, or not a change at all.

    From 100 to 150 is 50 %, not 33 % and not 150 %. The base is the earlier value. A change in points has no base.

    >>> change_of_wrong_base(case("Percent change of fares over the previous month",
    ...     "SELECT (fare - LAG(fare) OVER (ORDER BY month)) / fare FROM fares")).detail
    '(fare - LAG(fare) OVER (ORDER BY month)) / NULLIF(fare, 0): later value'
    """
    text, changes = asked(case), shapes(case, ShapeKind.CHANGE)
    inverted = _OLD_OVER_NEW.search(case.written.casefold()) if _GAIN.search(text) is not None else None
    otherwise = inverted.group() if inverted is not None else change_otherwise(case)
    if otherwise is not None:
        return Finding(1.0, otherwise)
    if not changes or not _CHANGE.search(text) or not _PERCENT.search(text) or re.search(r"\bmargin\b", text):
        return None
    falls = re.search(r"\b(?:decrease|drop|decline|fell|fall|reduction|loss)\w*\b", text)
    for each in changes:
        wrong = [word for word in each.words if word == "later value" or not falls]
        if wrong:
            return Finding(1.0, f"{each.text}: {wrong[0]}")
    return None


_OLD_OVER_NEW = lazy(
    r"\b(?:\w+\.)?(?:old|prev|previous|prior)_?\w* (?:\* 1\.0 )?/ (?:nullif\()?(?:\w+\.)?(?:new|cur|current|curr)_?\w*"
    r"(?:, 0\))?\)? - 1\b"
)
_GAIN = lazy(r"\b(?:uplift|growth|increase|change|grew|rise|drop|decrease)\b")


def change_missing(case: Case) -> Finding | None:
    """A relative change is asked for, and nothing is divided.

    The values stand side by side, and the reader has to divide.

    >>> change_missing(case("Fares by month with the % change",
    ...     "SELECT month, SUM(fare) FROM trips GROUP BY month")).detail
    '% change: nothing is divided'
    """
    found = _PERCENT_CHANGE.search(asked(case))
    if found is None or divides(case) or _stores(case, {"change", "growth", "pct", "percent", "rate"}):
        return None
    return Finding(1.0, f"{found.group()}: nothing is divided")


def _stores(case: Case, words: set[str]) -> bool:
    return any(not words.isdisjoint(identifier_words(column.name)) for column in case.sql.columns)


_RATE = lazy(
    r"\b(?:share|proportion|percentage|percent|pct|fraction) of\b|\b(?:what|which) (?:share|proportion"
    r"|percentage|percent|fraction|%)"
    r"|\b(?:cancell?ation|conversion|return|churn|retention|success|failure|error|defect|completion"
    r"|approval|rejection|response|click|open|bounce"
    r"|attendance|no-show|acceptance|refund|utili[sz]ation|renewal|default|pass|win|hit|repeat|late"
    r"|on-time|delay|turnover|dropout|fill|read|reply) rates?\b"
)
_COUNTING = frozenset({"COUNT", "SUM", "MAX", "MIN"})
_STORED_RATES = {"rate", "ratio", "pct", "percent", "percentage", "share", "proportion", "fraction"}


def rate_counted(case: Case) -> Finding | None:
    """A rate or a share is asked for, and a number of rows comes.

    How many were cancelled is no cancellation rate: the base is missing.

    >>> rate_counted(case("Cancellation rate per month",
    ...     "SELECT month, COUNT(*) FROM trips WHERE state = 'X' GROUP BY month")).detail
    'cancellation rate: nothing is divided'
    """
    funcs = {each.func for each in case.sql.aggregations}
    if not funcs or not funcs <= _COUNTING:
        return None
    found = _RATE.search(asked(case))
    if found is None or divides(case) or _stores(case, _STORED_RATES):
        return None
    return Finding(1.0, f"{found.group()}: nothing is divided")


def share_inverted(case: Case) -> Finding | None:
    """All rows are divided by some of them, where a share is asked for.

    A share is at most 1: the part stands above the line.

    >>> share_inverted(case("What share of parcels is late?",
    ...     "SELECT COUNT(*) * 1.0 / SUM(CASE WHEN late = 1 THEN 1 ELSE 0 END) FROM parcels")).strength
    1.0
    """
    found = first(case, ShapeKind.INVERTED)
    if found is None and not case.sql.divisions:
        return None
    upside_down = _per_inverted(case) or _alias_inverted(case) or _part_below(case) or _inverted_by_words(case)
    return upside_down or _average_inverted(found, case)


def _inverted_by_words(case: Case) -> Finding | None:
    by_words = inverted_by_words(case) or all_over_some(case)
    return Finding(1.0, by_words) if by_words is not None else None


def _average_inverted(found: Shape | None, case: Case) -> Finding | None:
    """A number of rows over a sum where an average is asked for, or all rows over some where a share is."""
    if re.search(r"\b(?:average|avg|mean)\b", asked(case)):
        odd = next((each for each in case.sql.divisions if _counts_over_sum(each.numerator, each.denominator)), None)
        return Finding(1.0, f"{odd.numerator} / {odd.denominator}") if odd is not None else None
    if found is None or not (_OF_ALL.search(asked(case)) or _RATE.search(asked(case))):
        return None
    return Finding(1.0, found.text)


_PER_THING = lazy(r"\b([a-z]+s|[a-z]*(?:revenue|cost|income|spend)) per (?:\d+ )?([a-z]+)\b")


def _per_inverted(case: Case) -> Finding | None:
    """The things themselves are divided by what each of them has: guests / stays for `stays per guest`."""
    match = _PER_THING.search(asked(case)) or _PER_THING.search(said(case))
    for each in case.sql.divisions if match is not None else ():
        if match is not None and _is_upside_down(stem(match[1]), stem(match[2]), each):
            return Finding(1.0, f"{each.numerator} / {each.denominator}")
    return None


_ALIAS = lazy(r"(?:\w+_)?([a-z]+)_per_([a-z]+)")


def _alias_inverted(case: Case) -> Finding | None:
    """What the answer calls its number is the other way round than what it divides: hours / fees AS fees_per_hour."""
    if len(case.sql.divisions) != 1:
        return None
    division = case.sql.divisions[0]
    above, below = (
        {stem(w) for w in re.findall(r"[a-z]+", side)} for side in (division.numerator, division.denominator)
    )
    for each in case.answer:
        named = _ALIAS.fullmatch(each.alias or "")
        if named is not None and stem(named[2]) in above - below and stem(named[1]) not in above:
            return Finding(1.0, f"{division.numerator} / {division.denominator} as {each.alias}")
    return None


_PART_OF = lazy(r"\b([a-z]{6,})[- ](?:rate|share|percentage|percent|pct|%)")


def _part_below(case: Case) -> Finding | None:
    """The part that names a rate stands below the line, and what it is a part of above."""
    match = _PART_OF.search(asked(case))
    for each in case.sql.divisions if match is not None else ():
        part = match[1][:6] if match is not None else ""
        above, below = (re.findall(r"[a-z]+", side) for side in (each.numerator, each.denominator))
        if any(word.startswith(part) for word in below) and not any(word.startswith(part) for word in above):
            return Finding(1.0, f"{each.numerator} / {each.denominator}")
    return None


def _is_upside_down(thing: str, per: str, division: Division) -> bool:
    """Whether `per` is counted or added above the line, and not below it, where `thing` is or all rows are."""
    part = re.search(r"(count\(distinct|sum\() ?(\w+)\)", division.numerator)
    whole = re.search(r"(?:count|sum)\((?:distinct )?(\w+|\*)\)", division.denominator)
    if part is None or whole is None:
        return False
    above, below = identifier_words(part[2]), identifier_words(whole[1])
    counted = part[1].startswith("count") or thing in below
    return counted and per in above and thing not in above and per not in below


def _counts_over_sum(numerator: str, denominator: str) -> bool:
    """Whether a number of rows is divided by a sum of one column, which is an average upside down."""
    return (
        numerator.startswith("count(")
        and re.fullmatch(r"(?:nullif\()?sum\([a-z]\w*\)(?:, 0\))?", denominator) is not None
    )


_OF_ALL = lazy(r"\b(?:share|proportion|percentage|percent|pct|fraction|rate)\b|%")


def share_of_itself(case: Case) -> Finding | None:
    """A part is divided by rows that are restricted like it, so each share is 1.

    WHERE drops the rest before the base is counted, or a total over a window is of each group alone.

    >>> share_of_itself(case("What share of parcels is late?", "SELECT SUM(CASE WHEN late = 1 THEN 1 END) * 1.0 / "
    ...     "COUNT(*) FROM parcels WHERE late = 1")).strength
    1.0
    """
    twice = part_of_itself(case)
    if twice is not None:
        return Finding(1.0, twice)
    found = first(case, ShapeKind.OWN_BASE)
    if found is None or not (_OF_ALL.search(asked(case)) or _OF_ALL.search(said(case))):
        return None
    return Finding(1.0, found.text)


_UNIT = lazy(
    r"(?:\(|\b(?:in|how many|number of|average|avg|mean|median|total) (?:\w+ )?)(second|minute|hour|day|week)s\b"
)


def duration_in_other_unit(case: Case) -> Finding | None:
    """A length of time comes in another unit than asked for, as one field of it, or cut to whole units.

    EXTRACT(HOUR FROM a - b) of 26 hours is 2, and a stay of three nights is one of four days. Where DATEDIFF is a whole
    number and AVG of such is one too, 1.9 is 1.

    >>> duration_in_other_unit(case("How many hours do repairs take on average?",
    ...     "SELECT AVG(julianday(ended) - julianday(began)) FROM repairs")).detail
    'expected → actual: hour → day'
    """
    whole = whole_units_averaged(case) or nights_one_more(case)
    return Finding(1.0, whole) if whole is not None else _in_other_unit(case)


def _in_other_unit(case: Case) -> Finding | None:
    lengths = shapes(case, ShapeKind.DURATION)
    if not lengths and first(case, ShapeKind.FIELD_OF_INTERVAL) is None:
        return None
    units = set(_UNIT.findall(asked(case))) or set(_UNIT.findall(said(case)))
    given = {each.words[0] for each in lengths}
    found = _part_of_length(units, case) or _backwards(lengths, case) or _cut_to_hours(lengths)
    if found is not None or len(units) != 1 or not given or units & given or (units, given) == ({"day"}, {"other"}):
        return found
    return None if turned_outside(units, given, case) else differing(units.pop(), ", ".join(sorted(given)))


def _part_of_length(units: set[str], case: Case) -> Finding | None:
    """One field of an interval stands for the whole of it."""
    field = first(case, ShapeKind.FIELD_OF_INTERVAL)
    if field is None or not (units or _LENGTH.search(asked(case))):
        return None
    return Finding(1.0, f"{field.text}: only the {field.words[0]} of the time between")


def _cut_to_hours(lengths: Sequence[Shape]) -> Finding | None:
    """Whole hours are averaged, so up to an hour of each length is lost: a doubt, as some mean no more."""
    cut = next((each for each in lengths if "cut" in each.words), None)
    return Finding(0.15, f"{cut.text}: whole hours") if cut is not None else None


def _backwards(lengths: Sequence[Shape], case: Case) -> Finding | None:
    """The time of an end is subtracted from that of a beginning."""
    found = next((each for each in lengths if _runs_backwards(each)), None)
    if found is None or "abs(" in case.written.casefold():
        return None
    return Finding(1.0, f"{found.text}: the end before the beginning")


_LENGTH = lazy(r"\b(?:time|long|duration|delay|wait)\b")


_BEGINNINGS = frozenset({"begin", "start", "request", "hire", "birth", "issue"})
_ENDS = frozenset({"ship", "deliver", "close", "end", "cancel", "pay", "reply", "refund", "receive"})


def _runs_backwards(shape: Shape) -> bool:
    """Whether the time of an end is subtracted from that of a beginning."""
    events = [event_of(column.name) for column in shape.columns]
    return len(events) == 2 and "arriv" not in shape.columns[1].name and events[0] in _BEGINNINGS and events[1] in _ENDS


_MAJOR = lazy(r"\b(?:dollars?|euros?|pounds?|usd|eur|gbp|chf)\b|[$€£]")
_MINOR = frozenset({"cent", "penny", "minor", "pence"})
_SHORT_MINOR = lazy(r"(?!\w*temp)\w*[^\W_]_(?:cts?|p|c)|[b-df-hj-np-tv-z]{2,}ct")
"""How names of amounts in cents or pence end that are cut short: `fee_ct`, `disc_p`, `prcct`."""


def cents_for_currency(case: Case) -> Finding | None:
    """An amount is asked for in a currency, and cents come.

    >>> cents_for_currency(case("What is the total fare in dollars?", "SELECT SUM(fare_cents) FROM trips")).detail
    'fare_cents is not divided by 100'
    """
    if not _MAJOR.search(asked(case)) or re.search(r"\bcents?\b", asked(case)):
        return None
    if (
        any(each.denominator.startswith(("100", "-100", "(100")) for each in case.sql.divisions)
        or re.search(r"\b0?\.01\b|\b1?00\b|\b1e2\b", case.written) is not None
    ):
        return None
    shown = [column for each in case.answer for column in each.operand.columns]
    cents = next((column.name for column in shown if _is_minor(column.name)), None)
    return Finding(1.0, f"{cents} is not divided by 100") if cents is not None else None


def _is_minor(name: str) -> bool:
    """Whether an amount is named as one in cents or pence.

    >>> [name for name in ("fare_cents", "fee_ct", "disc_p", "PRCCT", "product", "Amount__c") if _is_minor(name)]
    ['fare_cents', 'fee_ct', 'disc_p', 'PRCCT']
    """
    return not _MINOR.isdisjoint(identifier_words(name)) or _SHORT_MINOR.fullmatch(name.casefold()) is not None


def year_shifted(case: Case) -> Finding | None:
    """The year is read from a shifted date, from a week's year, or from a fiscal year that nothing asks for.

    The first months belong to another year than asked for.

    >>> year_shifted(case("How many trips in 2020?", "SELECT COUNT(*) FROM trips WHERE fiscal_year = 2020")).detail
    'fiscal_year'
    """
    fiscal = [each for each in case.sql.columns if "fiscal" in identifier_words(each.name)]
    found = first(case, ShapeKind.SHIFTED_YEAR)
    if not (fiscal or found) or re.search(r"\b(?:fiscal|fy\d*|financial year|season|iso|week)\b", said(case)):
        return None
    column = next((each.name for each in sorted(fiscal, key=str)), None)
    if column is not None and any(
        each.lhs and any(c.name == column for c in each.lhs.columns) for each in case.sql.filters
    ):
        return Finding(1.0, column)
    return Finding(1.0, found.text) if found is not None else None
