"""Signals about averages per thing, where the groups that are averaged are those of other things."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.signals.mistakes.unmet.ratios.averages import averaged_totals, finer_than_thing, is_calendar
from scoring.signals.mistakes.wording import cue
from scoring.specification import Aggregation
from scoring.sql.shapes.naming import key_stems
from scoring.verdict import Case
from scoring.words import identifier_words, stem

_PER_THING = cue(
    "average avg mean",
    r"\b(?:average|avg|mean)\b[^.?;,]{1,30}? (?:per|each|by each|for each) (?P<per>[a-z]+)\b(?: (?P<head>[a-z]+))?"
    r"|\b(?:average|avg|mean) (?P<own>[a-z]+) (?:value|worth|size|total|amount)\b"
    r"|\bdo(?:es)? (?:the|an|our) average (?P<one>[a-z]+)\b",
)
_SEVERAL = cue(
    "have has had having own hold with all",
    r"\b(?:have|has|had|having|own|hold|with) (?:\d(?:-\d)?|several|multiple|many|more than one|two|two or three|a few"
    r"|up to \w+) (?P<some>[a-z]+)\b|\ball (?:of )?(?:the |their |its )?(?:\w+'s )?(?P<all>[a-z]+) (?:together"
    r"|combined)\b",
)
"""What each thing may have several of: no total of one of those is a total of the thing."""
_PERIODS = frozenset("day week month quarter year hour night minute date weekday".split())
_ALIKE = (
    frozenset(map(stem, "customer client user member account person people buyer guest patient subscriber".split())),
    frozenset(
        map(stem, "order purchase basket cart transaction booking sale invoice receipt ticket bill check".split())
    ),
    frozenset(map(stem, "employee worker rep agent staff driver technician".split())),
    frozenset(map(stem, "store shop branch site location outlet".split())),
    frozenset(map(stem, "product item sku article".split())),
)


def groups_of_others(case: Case) -> str | None:
    """The average per thing is asked for, and totals of other things, or of finer groups, are averaged.

    >>> groups_of_others(case("Average fee per claim", "SELECT AVG(t) FROM (SELECT pilot_id, SUM(fee) AS t FROM claims "
    ...     "GROUP BY pilot_id) x"))
    'AVG(sum(fee)) of each pilot_id, not of each claim'
    """
    found = _PER_THING.search(case.asked)
    thing = stem(found["per"] or found["own"] or found["one"]) if found is not None else ""
    if found is None or thing in _PERIODS:
        return None
    if not _is_in_sql(thing, case):
        head = stem(found["head"] or "")  # `per active user`
        return finer_than_thing(case, head) if head and _is_in_sql(head, case) else None
    return _groups_of_others((thing, stem(found["head"] or thing)), found["per"] is not None, case)


def _groups_of_others(things: tuple[str, str], per: bool, case: Case) -> str | None:
    """The same for a thing and the word after it: `per active member`."""
    thing = things[0]
    finer = finer_than_thing(case, thing) or (_of_times(things, case) if per else None)
    if finer is not None:
        return finer
    for mean in case.sql.aggregations:
        odd = _averaged_key(mean, things, case) if mean.func == "AVG" else None
        if odd is not None:
            return f"AVG({mean.column}) of each {odd}, not of each {thing}"
    return None


def _of_times(things: tuple[str, str], case: Case) -> str | None:
    """Totals of days or months are averaged, where those of each thing are asked for, and its key is read."""
    keyed = any((key_stems(column.name) or ("",))[-1] in things for column in case.sql.columns)
    for mean, keys, _ in averaged_totals(case) if keyed else ():
        if keys and all(map(is_calendar, keys)):
            return f"AVG({mean.column}) of each {keys[0].name}, not of each {things[1]}"
    return None


def _averaged_key(mean: Aggregation, things: tuple[str, str], case: Case) -> str | None:
    """The key of the totals that are averaged, if it is none of the things'."""
    inner = _totals(mean, case)
    keys = [key.operand.name for key in case.sql.group_by if inner is not None and key.block == inner.block]
    stems = [words[-1] if (words := key_stems(name)) else "" for name in keys]
    named = next((word for word in things if any(are_alike(word, each) for each in stems)), things[0])
    return _odd_key(named, dict(zip(stems, keys, strict=True)), case) if all(stems) else None


def _is_in_sql(thing: str, case: Case) -> bool:
    """Whether something in the SQL is called by the thing."""
    names = [column.name for column in case.sql.columns] + [each.alias or "" for each in case.sql.projections]
    names += [table for block in case.sql.blocks for table in block.tables]
    return any(thing in identifier_words(name) for name in names)


def _totals(mean: Aggregation, case: Case) -> Aggregation | None:
    """The total of groups that is averaged."""
    totals = (each for each in case.sql.aggregations if each.func in ("SUM", "COUNT") and each.block != mean.block)
    return next((each for each in totals if _is_scaled(mean.column, f"{each.func.lower()}({each.column})")), None)


def _is_scaled(text: str, total: str) -> bool:
    """Whether a text is a total, or one turned into another unit."""
    scaled = re.fullmatch(r"(?:1(?:\.0)? \* )?(.+?)(?: \* 1(?:\.0)?)?(?: / 10(?:00|24))?", text)
    return scaled is not None and scaled[1] == total


def _odd_key(thing: str, keys: dict[str, str], case: Case) -> str | None:
    """The key that makes the groups others than those of the thing."""
    if not keys:
        return None
    if any(are_alike(thing, each) for each in keys):
        return next(
            (name for each, name in keys.items() if not are_alike(thing, each) and not _is_said(each, case)), None
        )
    return next((name for each, name in keys.items() if not _is_said(each, case)), None)


def _is_said(word: str, case: Case) -> bool:
    several = _SEVERAL.search(case.said)
    if several is not None and stem(several["some"] or several["all"]).startswith(word):
        return False
    return any(each.startswith(word) for each in case.spoken)


def are_alike(one: str, other: str) -> bool:
    """Whether two words may name the same thing, or one is short for the other.

    >>> are_alike("customer", "client"), are_alike("customer", "cust"), are_alike("pilot", "claim")
    (True, True, False)
    """
    short = min(len(one), len(other)) > 2 and (one.startswith(other) or other.startswith(one))
    return short or any(one in family and other in family for family in _ALIKE)


_PER_ALIAS = lazy(r"per_([a-z]+)")
_COUNTED_KEY = lazy(r"(?:nullif\()?count\((?:distinct )?([a-z]\w*)\)(?:, 0\))?")


def divided_by_others(case: Case) -> str | None:
    """A number per thing is asked for and so called, and it is divided by the number of other things.

    >>> divided_by_others(case("How many hours does a guest fly on average?", "SELECT SUM(hours) / COUNT(flight_id) AS "
    ...     "hours_per_guest FROM flights"))
    'count(flight_id) below the line of hours_per_guest'
    """
    aliases = [each.alias for each in case.answer if each.alias and _PER_ALIAS.search(each.alias)]
    names = [match[1] for alias in aliases if (match := _PER_ALIAS.search(alias))]
    if len(names) != 1 or len(case.sql.divisions) != 1 or stem(names[0]) not in case.spoken:
        return None
    counted = _COUNTED_KEY.fullmatch(case.sql.divisions[0].denominator)
    stems = key_stems(counted[1]) if counted is not None else None
    if not stems or are_alike(stem(names[0]), stems[-1]) or stem(names[0]) not in _ALIKE[0]:
        return None
    return f"{case.sql.divisions[0].denominator} below the line of {aliases[0]}"


_WHOLES = cue("average avg mean", r"\b(?:average|avg|mean) (?:order|basket|cart|invoice|booking|bill)\b")
_PER_PERSON = lazy(r"\bper (?:\w+ )?(?:customer|member|user|client|guest|person|buyer|account|head)\b")


def whole_by_people(case: Case) -> str | None:
    """The average order is asked for, and the sum of all is divided by the number of those who ordered.

    >>> whole_by_people(case("Average basket", "SELECT SUM(total) / COUNT(DISTINCT customer_id) FROM orders"))
    'count(distinct customer_id) below the line'
    """
    if _WHOLES.search(case.asked) is None or _PER_PERSON.search(case.asked) is not None:
        return None
    for each in case.sql.divisions:
        counted = _COUNTED_KEY.fullmatch(each.denominator)
        key = (key_stems(counted[1]) or ("",))[-1] if counted is not None else ""
        if key in _ALIKE[0] and "distinct" in each.denominator and each.numerator.startswith("sum("):
            return f"{each.denominator} below the line"
    return None
