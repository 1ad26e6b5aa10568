"""Signals about what the enriched question states: a column, an aggregate of a column, a column's value."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.signals.finding import Finding, differing
from scoring.signals.mistakes.events import is_time, tested_times
from scoring.signals.mistakes.wording import IDENTIFIER, cue, said, shapes
from scoring.specification import Aggregation, Op, SqlFilter
from scoring.specification.shapes import ShapeKind
from scoring.sql.shapes.naming import is_own_key, key_stems, table_words
from scoring.values import Choices, Text
from scoring.verdict import Case
from scoring.words import identifier_words, letters, stem

_LITERALS = lazy(r"'[^'\n]{0,80}'")
_DOTTED = lazy(r"\b([a-z]\w*)\.([a-z]\w*)\b")


def _enriched(case: Case) -> str:
    return (case.query.enriched_question or "").casefold()


def _stated_names(case: Case) -> set[str]:
    """The identifiers that the enriched question writes: with an underscore, or after a table and a dot."""
    text = _enriched(case)
    if "_" not in text and "." not in text:
        return set()
    text = _LITERALS.sub(" ", text)
    text = _NOT_THIS.sub(" ", text)
    found = set(IDENTIFIER.findall(text)) | {match[2] for match in _DOTTED.finditer(text)}
    return {each for each in found if not each[-1].isdecimal()}


_NOT_THIS = lazy(r"\b(?:not|instead of|rather than) (?:the |from |by )?\w+(?:\.\w+)?")


def stated_column_unread(case: Case) -> Finding | None:
    """The enriched question names a column, and the SQL reads another of its kind that no text names.

    >>> stated_column_unread(case("How many trips in 2020?", "SELECT COUNT(*) FROM trips WHERE updated_at >= "
    ...     "'2020-01-01' AND updated_at < '2021-01-01'", "Number of trips whose created_at is in 2020")).detail
    'expected → actual: created_at → updated_at'
    """
    used = _used_columns(case) if case.query.enriched_question else set[str]()
    stated = _stated_names(case) if used else set[str]()
    odd = [each for each in sorted(used - stated) if not _is_spoken(each, said(case))] if stated else []
    for name in odd:
        partner = _unread_partner(name, stated, case)
        if partner is not None:
            return differing(partner, name)
    return None


def _unread_partner(name: str, stated: set[str], case: Case) -> str | None:
    """The stated column in whose place another of its kind is read or, of times, tested."""
    tested = tested_times(case)
    alike = next((each for each in _unread(stated, case) if is_time(each) is is_time(name)), None)
    if alike is not None or name not in tested or not stated.isdisjoint(tested):
        return alike
    conditions = {column.name for each in case.sql.filters if each.lhs is not None for column in each.lhs.columns}
    tables = {table for block in case.sql.blocks for table in block.tables}
    return next((each for each in sorted(stated - conditions - tables) if is_time(each)), None)


def _unread(stated: set[str], case: Case) -> list[str]:
    """The stated names that the SQL neither reads nor writes, keys left out."""
    read = {column.name for column in case.sql.columns} | {table for block in case.sql.blocks for table in block.tables}
    written = case.written.casefold()
    return sorted(each for each in stated - read if key_stems(each) is None and each not in written)


def _used_columns(case: Case) -> set[str]:
    """Columns that times are tested of, that are aggregated, or that pairs of rows share."""
    found = tested_times(case)
    for each in case.sql.aggregations:
        if each.func != "COUNT":
            found |= {column.name for column in each.columns if key_stems(column.name) is None}
    for shape in shapes(case, ShapeKind.GRAIN):
        found |= {column.name for column in shape.columns if column.table}
    for shape in shapes(case, ShapeKind.RANKED):
        found |= {column.name for column in shape.columns if is_time(column.name)}
    for shape in shapes(case, ShapeKind.SELF_PAIR):
        found |= {column.name for column in shape.columns}
    return found


def _is_spoken(name: str, text: str) -> bool:
    """Whether a text has the words of a column."""
    words = [word for word in identifier_words(name) if word not in ("at", "on", "date", "time", "ts")]
    spoken = {stem(word) for word in re.findall(r"[a-z0-9]+", text)}
    return name in text or (bool(words) and all(word in spoken for word in words))


_AGGREGATE = lazy(
    r"\b(sum|total|average|avg|mean|max|maximum|highest|min|minimum|lowest)s? (?:of|over) (?:the |all "
    r"|each )?(?:(\w+)\.)?([a-z]\w*)\b"
)
_FUNCS = {
    word: func
    for func, words in {
        "SUM": "sum total",
        "AVG": "average avg mean",
        "MAX": "max maximum",
        "MIN": "min minimum",
    }.items()
    for word in words.split()
}


def stated_aggregate_missing(case: Case) -> Finding | None:
    """The enriched question states an aggregate of a column, and the SQL computes another.

    `sum of orders.total` is neither a count of orders nor the sum of a difference.

    >>> stated_aggregate_missing(case("What did trips cost?", "SELECT SUM(fare - tax) FROM trips",
    ...     "Sum of trips.fare over all trips")).detail
    'expected → actual: SUM of fare → sum(fare - tax)'
    """
    text = _enriched(case)
    for match in _AGGREGATE.finditer(text):
        func, name = _FUNCS.get(match[1]), match[3]
        named = (match[2] is not None or "_" in name) and not name[-1].isdecimal()
        if func is None or not named or _in_formula(text, match.end()):
            continue
        if not any(_is_stated(each, func, name, case) for each in case.sql.aggregations):
            return differing(f"{func} of {name}", _computed(name, case))
    return None


def _computed(name: str, case: Case) -> str:
    """The aggregate that the SQL computes: one of the column, if there is one."""
    own = [each for each in case.sql.aggregations if any(column.name == name for column in each.columns)]
    given = next(iter([*own, *case.sql.aggregations]), None)
    return f"{given.func.lower()}({given.column})" if given is not None else "none"


def _in_formula(text: str, place: int) -> bool:
    """Whether an operator follows, so that the column is a part of a larger expression."""
    return bool(re.match(r"\s*(?:[-+*/×÷−]|times|minus|plus|multiplied|divided|less|per)", text[place : place + 40]))


def _is_stated(each: Aggregation, func: str, name: str, case: Case) -> bool:
    """Whether an aggregate is the stated one: its function, of that column and no other one in its arithmetic."""
    names = {column.name for column in each.columns}
    divided = func == "AVG" and each.func == "SUM" and bool(case.sql.divisions)
    windowed = func in ("MAX", "MIN") and each.windowed
    if name not in names or not (each.func == func or divided or windowed):
        return False
    odd = [other for other in names - {name} if _is_operand(other, each.column)]
    return all(_is_spoken(other, _enriched(case)) for other in odd)


def _is_operand(name: str, expression: str) -> bool:
    """Whether a column stands beside an operator."""
    return re.search(rf"[-+*/] \(?{re.escape(name)}\b|\b{re.escape(name)}\)? [-+*/]", expression) is not None


_QUOTED = cue("' ‘ “ \"", r"\b([a-z]\w*)(?: (?:is|=|equals?|being|of|equal to))* ['‘“\"]([^'’”\"]+)['’”\"](?!\w)")


_OTHER_VALUE = lazy(
    r"\b(?:or|and) ['‘“\"]|\b(?:leav(?:e|es|ing)|left) out\b|\bw/o\b|\b(?:ignor|skipp?|omit|dropp?)(?:s|ed|ing|ting)?\b"
)


def stated_value_untested(case: Case) -> Finding | None:
    """The enriched question states a column's value, and the SQL tests the column for something else.

    `status <> 'lost'` is not `status 'late'`, and a pattern or a list lets other values through. Nor is `'LATE'` where
    the dialect tells cases apart.

    >>> stated_value_untested(case("How many parcels are late?", "SELECT COUNT(*) FROM parcels WHERE status <> 'lost'",
    ...     "Number of parcels with status 'late'")).detail
    "expected → actual: status 'late' → status != 'lost'"
    """
    text = case.query.enriched_question or ""
    unread = _condition_unread(text, case) if "_" in text else None
    if unread is not None:
        return unread
    if not text or not _tests_texts(case) or case.question.negations or _OTHER_VALUE.search(text):
        return None
    return _other_value(text, case)


_CONDITION = lazy(r"\b([a-z][a-z0-9]*(?:_[a-z0-9]+)+) ?(?:=|<>|!=|[<>]=?) ?(?:'|\d|true\b|false\b)", re.IGNORECASE)


def _condition_unread(text: str, case: Case) -> Finding | None:
    """A condition that a text writes out, on a column that the SQL does not read at all: `is_complete = 1`."""
    written = letters(case.written)
    lost = next((match for match in _CONDITION.finditer(text[:4000]) if letters(match[1]) not in written), None)
    return Finding(1.0, f"never read: {lost[1].lower()}") if lost is not None else None


_LEFT_OUT = lazy(r"\b(?:without|excluding|except|excluded?|no|not|non)\b[\w -]{0,40}\($", re.IGNORECASE)
"""What stands before a value that is left out: `without contractors (emp_type = 'C')`."""


def _other_value(text: str, case: Case) -> Finding | None:
    """The first value of a column that a text states and the SQL does not test."""
    for match in _QUOTED.matches(text):
        name, value = match[1].lower(), match[2]
        tests = _tests_of(name, case)
        if not tests or text.lower().count(f"{name} ") > 2 or _LEFT_OUT.search(text[: match.start()]):
            continue
        if any(_allows(each.rhs, value, each.op) for each in tests):
            return _recased(case, name, value)
        if not any(_resembles(each.rhs, value) and each.op is Op.EQ for each in tests):
            return differing(f"{name} '{value}'", tests[0].text)
    return None


def _tests_texts(case: Case) -> bool:
    return any(isinstance(each.rhs, (Text, Choices)) for each in case.sql.filters)


def _tests_of(name: str, case: Case) -> list[SqlFilter]:
    """The filters on a column, where all test it for texts."""
    found = [each for each in case.sql.filters if each.lhs and any(column.name == name for column in each.lhs.columns)]
    return found if all(isinstance(each.rhs, (Text, Choices)) for each in found) else []


def _allows(rhs: object, value: str, op: Op) -> bool:
    """Whether a filter keeps that value and no other."""
    folded = " ".join(value.casefold().split())
    if isinstance(rhs, Choices):
        return {each.folded for each in rhs.members if isinstance(each, Text)} == {folded}
    return isinstance(rhs, Text) and rhs.folded == folded and op in (Op.EQ, Op.IN, Op.STARTS_WITH, Op.CONTAINS, Op.LIKE)


def _resembles(rhs: object, value: str) -> bool:
    """Whether two values begin alike or share a word: other spellings of one name."""
    folded = value.casefold()
    if not isinstance(rhs, Text):
        return False
    shared = set(folded.split()) & set(rhs.folded.split())
    return rhs.folded[:5] == folded[:5] or bool(shared)


_CASELESS = frozenset({"mysql", "tsql", "sqlserver"})


_FOLDED = lazy(r"\b(?:lower|upper|ilike|collate)\b", re.IGNORECASE)


def _recased(case: Case, name: str, value: str) -> Finding | None:
    """Whether the SQL writes the value in other letters, and neither folds nor compares without case."""
    sql = case.written
    if f"'{value}'" in sql or case.sql.dialect in _CASELESS or _FOLDED.search(sql):
        return None
    found = re.search(rf"'({re.escape(value)})'", sql, re.IGNORECASE)
    if found is None or {found[1].isupper(), value.isupper()} != {True, False} or (found[1] + value).istitle():
        return None
    return None if found[1].istitle() or value.istitle() else differing(f"{name} '{value}'", f"'{found[1]}'")


_DISTINCT = cue("_id", r"\b(?:distinct|unique|different) (?:values of )?(?:\w+\.)?([a-z]\w*_id)s?\b")


def stated_distinct_missing(case: Case) -> Finding | None:
    """The enriched question states distinct values of a key, and the SQL counts rows or another key.

    >>> stated_distinct_missing(case("How many pilots flew?", "SELECT COUNT(*) FROM flights",
    ...     "Number of distinct flights.pilot_id")).detail
    'expected → actual: distinct pilot_id → count(*)'
    """
    counts = [each for each in case.sql.aggregations if each.func == "COUNT"]
    if not counts:
        uncounted = None if _COUNTS.search(case.written) is not None else _DIFFERENT.search(said(case))
        return differing(f"distinct {uncounted[1]}", "no count") if uncounted is not None else None
    plain = not any(each.distinct for each in counts)
    match = _DISTINCT.search(_enriched(case)) or (_DIFFERENT.search(said(case)) if plain else None)
    if match is None or _is_once(match[1] if "_" in match[1] else f"{match[1]}_id", case):
        return None
    prefix = "distinct " if counts[0].distinct else ""
    return differing(f"distinct {match[1]}", f"count({prefix}{counts[0].column})")


_COUNTS = lazy(r"count|distinct|uniq|hll|rank|row_number|size|length|card|\bas (?:n|num|no)_", re.IGNORECASE)
_DIFFERENT = cue(
    "different distinct unique",
    r"\b(?:how many|number of|count of|count)(?: the| our)? (?:different|distinct|unique) (?:\w+ )?([a-z]+?)s\b",
)


def _is_once(name: str, case: Case) -> bool:
    """Whether each value of a key is counted once: by DISTINCT, a group, a set operation, or in its own table."""
    sql = case.sql
    merged = bool(sql.set_operations) or any(block.distinct for block in sql.blocks)
    about = any(each.func.startswith("APPROX") for each in sql.aggregations)
    heads = [table_words(table)[-1:] for block in sql.blocks for table in block.tables]
    own = (key_stems(name) or ())[-1:] in heads and not _counts_others(case)
    return merged or about or own or name in _counted_once(case)


def _counts_others(case: Case) -> bool:
    """Whether every count is of another key that is its table's own: inspections where cranes are joined."""
    counted = [column for each in case.sql.aggregations if each.func == "COUNT" for column in each.columns]
    return len(counted) == 1 and is_own_key(counted[0]) and len(case.sql.joins) > 0


def _counted_once(case: Case) -> set[str]:
    """The columns that DISTINCT or a group counts once."""
    distinct = {column.name for each in case.sql.aggregations if each.distinct for column in each.columns}
    return distinct | {
        part
        for key in case.sql.group_by
        for column in key.operand.columns
        for part in (column.name, *_JSON_KEYS.findall(key.operand.name))
    }


_JSON_KEYS = lazy(r"'(\w+)'")
