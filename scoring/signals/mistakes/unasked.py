"""Signals about what nothing asks for: a bound on an amount, a fixed period, groups of another dimension."""

from __future__ import annotations

import re

from scoring.linking import content_words, is_named
from scoring.patterns import lazy
from scoring.signals.finding import Finding, differing
from scoring.signals.grouping import grouping_keys
from scoring.signals.mistakes.events import is_time
from scoring.signals.mistakes.wording import asked, follows, said, said_stems
from scoring.specification import Clause, Op, Operand, SqlFilter
from scoring.sql.shapes.naming import key_stems
from scoring.values import Number, TimeRange
from scoring.verdict import Case
from scoring.words import identifier_words, stem

_BOUNDS = frozenset({Op.GT, Op.GE, Op.LT, Op.LE})
_LEAST_BOUND = 2
"""Smaller numbers bound nothing that matters: `> 0`, `>= 1`."""
_VAGUE = lazy(
    r"\b(?:big\w*|larg\w*|small\w*|high\w*|low\w*|heav\w*|light\w*|good|better|best|bad|worst|poor\w*|long\w*|short\w*"
    r"|old\w*|young\w*|new\w*|recent\w*|fresh\w*|frequent\w*|regular\w*|loyal\w*|active\w*|inactive|dormant|lapsed|idle"
    r"|churn\w*|expensive|cheap\w*|pricey|costly|top|key|major|minor|main|important|significant\w*|serious|popular"
    r"|vip|premium|valuable|strong\w*|weak\w*|risky?|adults?|minors?|child\w*|kids?|seniors?|pension\w*|teen\w*|several"
    r"|(?<!how )many|few|multiple|repeat\w*|bulk|wholesale|late|delay\w*|overdue|slow\w*|fast\w*|stale"
    r"|outstanding|excess\w*"
    r"|over|above|below|under|more|less|least|exceed\w*|beyond|between|qualif\w*|eligib\w*|material|notable|busy"
    r"|quiet|full|empty|near\w*|almost|outlier\w*|extreme\w*|abnormal\w*|unusual\w*|anomal\w*|failing|pass\w*"
    r"|critical\w*|severe|warning|enough|real\w*|genuine|proper\w*|valid\w*|meaningful|open|due|owe|owing|owed|debt\w*"
    r"|arrears|unpaid|credit\w*|spender\w*|whales?|power|super|hot|cold|warm|rich|poor|wealthy|profitable|loss\w*)\b"
)
_AMOUNTS = frozenset(
    map(
        stem,
        "amount price cost balance revenue fee salary pay wage value spend spent fare budget payment tax discount "
        "limit total gross net rating score stars weight distance duration income profit margin deposit premium "
        "charge quantity qty points stock hours minutes size age capacity payload volume mileage".split(),
    )
)


def bound_unasked(case: Case) -> Finding | None:
    """A number bounds an amount or a count, or a fixed period bounds a date, and nothing asks for a bound.

    `balance > 100` loses customers that were asked for. Words that leave a bound open (`big`, `recent`, `frequent`) may
    want one, and conditions on flags, states and codes are usually conventions.

    >>> bound_unasked(case("List the pilots", "SELECT name FROM pilots WHERE pay > 100")).detail
    'pay > 100'
    """
    found = [each for each in case.filters.extra if each.clause in (Clause.WHERE, Clause.HAVING)]
    odd = next((each for each in found if _bounds_amount(each) or _bounds_time(each, case)), None)
    if odd is None or odd.alternative is not None or case.question.superlatives or _is_vague(case):
        return None
    return None if _is_spoken(odd, case) else Finding(1.0, odd.text)


def _is_vague(case: Case) -> bool:
    """Whether the question leaves a bound open, goes on with an earlier one, or names none of the tables."""
    heads = [word for block in case.sql.blocks for table in block.tables for word in identifier_words(table)[-1:]]
    named = any(is_named(word, case.spoken) for word in heads)
    return not named or follows(case) or _VAGUE.search(said(case)) is not None


def _bounds_amount(each: SqlFilter) -> bool:
    """Whether a filter bounds an amount, or an aggregate, by a number."""
    if each.op not in _BOUNDS or not isinstance(each.rhs, Number) or each.lhs is None or each.rhs.value < _LEAST_BOUND:
        return False
    if each.lhs.func is not None:
        return each.clause is Clause.HAVING and each.lhs.func in ("COUNT", "SUM", "AVG")
    plain = [column.name for column in each.lhs.columns] == [each.lhs.name]
    return plain and not _AMOUNTS.isdisjoint(identifier_words(each.lhs.name))


_TIMED = lazy(
    r"\b(?:19|20)\d\d\b|\d|\b(?:today|yesterday|tomorrow|now|currently|current|this|last|past|next|previous|since|until"
    r"|until|before|after|during|when|year|month|week|quarter|day|date|season|term|spring|summer|autumn|winter|fall"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*|ytd|mtd|fy|period|still|upcoming|future|ever|yet|ago"
    r"|tonight|morning|evening|weekend|historic\w*|annual\w*|daily|weekly|monthly|yearly|growth|latest|first)\b"
)


def _bounds_time(each: SqlFilter, case: Case) -> bool:
    """Whether a filter keeps a fixed period of a column, and no text speaks of a time."""
    fixed = each.op is Op.WITHIN and isinstance(each.rhs, TimeRange) and each.rhs.start is not None
    if any(
        not _SNAPSHOTS.isdisjoint(identifier_words(column.name)) for column in (each.lhs.columns if each.lhs else ())
    ):
        return False  # the latest state that is stored
    return fixed and not case.question.time_ranges and not case.enriched.time_ranges and not _TIMED.search(said(case))


_SNAPSHOTS = frozenset({"snapshot", "partition", "partitiondate", "asof", "load", "loaded", "effective", "eff"})


def _is_spoken(each: SqlFilter, case: Case) -> bool:
    """Whether a text speaks of what is bounded, or of the bound."""
    if isinstance(each.rhs, Number) and re.search(rf"(?<!\d){each.rhs.value:g}(?!\d)", said(case).replace(",", "")):
        return True
    words = {word for column in (each.lhs.columns if each.lhs else ()) for word in identifier_words(column.name)}
    if each.lhs is not None and each.lhs.func is not None:
        return any(is_named(word, case.spoken) for word in words - {"id"})
    return any(is_named(word, case.spoken) for word in words)


_DIMENSIONS = tuple(
    frozenset(map(stem, words.split()))
    for words in (
        "region area territory zone district",
        "city town municipality",
        "country nation market",
        "state province",
        "brand make manufacturer maker vendor supplier",
        "category type class segment kind genre group family tier",
        "product item sku article",
        "customer client account buyer member guest patient company user",
        "store shop branch outlet location site venue",
        "channel source medium campaign",
        "department division team unit function",
        "employee staff rep agent salesperson seller manager driver rider courier adviser",
        "warehouse depot hub facility",
        "carrier shipper",
        "status state stage",
        "gender sex",
        "priority severity urgency",
        "plan package subscription",
        "title role position job grade",
        "currency",
        "language",
        "hotel property",
        "course subject module",
        "vehicle truck van car",
        "doctor physician clinician",
        "clinic hospital ward practice",
        "payment method",
        "browser device platform",
        "year quarter month week day",
    )
)
_PERIODS = _DIMENSIONS[-1]


def group_of_other_dimension(case: Case) -> Finding | None:
    """Groups of one dimension are asked for, and those of another come.

    `by region` is not by city. Only well-known dimensions count, of which neither is another word for the other, and
    columns of that very name that are read and not grouped by.

    >>> group_of_other_dimension(case("Total tax per region", "SELECT city, SUM(tax) FROM bills GROUP BY city")).detail
    'expected → actual: region → city'
    """
    wanted, keys = case.question.group_by, grouping_keys(case)
    if not len(wanted) == len(keys) == 1:
        return None
    unused = _read_beside(content_words(wanted[0]), keys[0], case)
    return differing(unused, keys[0].name) if unused is not None else _of_dimension(wanted, keys, case)


def _of_dimension(wanted: tuple[str, ...], keys: list[Operand], case: Case) -> Finding | None:
    """The well-known dimension of the groups, where it is no other word for the one that is asked for."""
    words = content_words(wanted[0])
    if len(words) != 1 or len(keys[0].columns) != 1 or words[0] in _PERIODS:
        return None  # PERIOD_UNGROUPED looks for periods
    column = keys[0].columns[0]
    given = _dimension(column.name)
    if given in said_stems(case) or not re.search(rf"\b(?:per|by|each|every) {words[0][:4]}", asked(case)):
        return None
    if words[0] in {part for name in _names(case) for part in identifier_words(name)}:
        return None
    alike, others = _alike(words[0]), _alike(given)
    return differing(words[0], column.name) if alike and others and alike.isdisjoint(others) else None


def _read_beside(phrase: tuple[str, ...], key: Operand, case: Case) -> str | None:
    """The column that is named like the groups asked for, where it is read and neither grouped by nor shown."""
    named = [column for column in case.sql.columns if column.name and identifier_words(column.name) == phrase]
    shown = {column for each in case.answer for column in each.operand.columns} | set(key.columns)
    spoken = any(is_named(_dimension(column.name), case.spoken) for column in key.columns)
    if named and is_time(named[0].name) and case.question.time_ranges:
        return None  # `lanes of august, by departure date`: which date counts
    return named[0].name if named and shown.isdisjoint(named) and not spoken else None


def _dimension(column: str) -> str:
    """The word for what a column tells: `city` of city_name and of city_id."""
    words = [each for each in key_stems(column) or identifier_words(column) if each not in ("name", "code")]
    return words[-1] if words else ""


def _alike(word: str) -> frozenset[str]:
    """All words for the dimension of a word, if it is a well-known one."""
    return frozenset[str]().union(*(each for each in _DIMENSIONS if word in each))


def _names(case: Case) -> set[str]:
    """The names of all that the SQL reads and of its columns."""
    columns = {column.name for column in case.sql.columns}
    aliases = {each.alias for each in case.sql.projections if each.alias}
    return columns | aliases | {table for block in case.sql.blocks for table in block.tables}
