"""Signals about averages per day or per thing, where the SQL averages single rows."""

from __future__ import annotations

import re

from scoring.signals.mistakes.wording import cue, divides, first
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
    return _per_period(means[0], case) or _per_thing(means[0], case)


def _per_period(mean: Aggregation, case: Case) -> str | None:
    found = _PER_PERIOD.search(case.asked)
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
    return not _AMOUNTS.isdisjoint(stem(word) for word in re.findall(r"[a-z]+", words))
