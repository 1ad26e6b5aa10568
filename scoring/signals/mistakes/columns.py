"""Signals about one of two look-alike columns: of another event, of another measure, or not the one that is stated."""

from __future__ import annotations

import re

from scoring.signals.finding import Finding, differing
from scoring.signals.mistakes.events import event_of, is_time, stretch, timed_events
from scoring.signals.mistakes.wording import IDENTIFIER, asked, said, shapes
from scoring.specification import Aggregation, Column, Op
from scoring.specification.shapes import ShapeKind
from scoring.sql.shapes.naming import is_own_key, key_stems, table_words
from scoring.values import Choices, RelativeTime, Text, TimeRange
from scoring.verdict import Case
from scoring.words import identifier_words, stem

_LITERALS = re.compile(r"'[^'\n]{0,80}'")
_DOTTED = re.compile(r"\b([a-z]\w*)\.([a-z]\w*)\b")


def date_of_other_event(case: Case) -> Finding | None:
    """The time asked for is that of one event, and the SQL tests the time of another.

    Bills paid this year are not those issued this year. Half strength where the SQL tests when the row was made: the
    table may hold no other date.

    >>> date_of_other_event(case("How many bills were paid in 2020?",
    ...     "SELECT COUNT(*) FROM bills WHERE issued_on >= '2020-01-01' AND issued_on < '2021-01-01'")).detail
    'expected → actual: pay → issued_on'
    """
    text = asked(case)
    between = _between(text, case)
    if between is not None:
        return between
    events = timed_events(text)
    tested = _tested_times(case)
    given = {column: event for column in tested if (event := event_of(column)) is not None}
    if len(events) == 1 and given and events.isdisjoint(given.values()):
        event = next(iter(events))
        column = sorted(given)[0]
        if (event, given[column]) in _NEAR:
            return None
        return Finding(
            0.5 if given[column] in ("begin", "start", "plan") else 1.0, f"expected → actual: {event} → {column}"
        )
    changed = [column for column, event in given.items() if event in ("update", "login")]
    if changed and len(changed) == len(given) and not events and not _UPDATES.search(said(case)):
        return Finding(0.5, f"{changed[0]} is the time of a change, which nothing asks for")
    return None


_NEAR = frozenset(
    {
        ("close", "end"),
        ("end", "cancel"),
        ("receive", "deliver"),
        ("deliver", "receive"),
        ("begin", "request"),
        ("begin", "start"),
        ("start", "begin"),
        ("cancel", "end"),
        ("begin", "issue"),
        ("plan", "due"),
        ("begin", "hire"),
        ("refund", "pay"),
        ("pay", "receive"),
        ("pay", "refund"),
        ("close", "approve"),
        ("login", "start"),
        ("close", "deliver"),
    }
)
_UPDATES = re.compile(r"\b(?:updat\w*|modif\w*|chang\w*|edit\w*|log\w*|seen|active|inactive|visit\w*|recent\w*|last)\b")


def _between(text: str, case: Case) -> Finding | None:
    """The two events of a time between are others than those of the two columns subtracted."""
    wanted = stretch(text)
    if not wanted:
        return None
    for operand in [*case.sql.aggregations, *(each.operand for each in case.sql.projections)]:
        names = {column.name: event for column in operand.columns if (event := event_of(column.name))}
        if len(names) == 2 and len(set(names.values())) == 2:
            if set(names.values()) == wanted:
                return None
            if wanted & set(names.values()):
                return Finding(1.0, f"expected → actual: {' to '.join(sorted(wanted))} → {' to '.join(sorted(names))}")
    return None


def _tested_times(case: Case) -> set[str]:
    """The columns whose time conditions test, or groups follow."""
    found: set[str] = set()
    for each in case.sql.filters:
        if each.lhs is not None and isinstance(each.rhs, (TimeRange, RelativeTime)) and len(each.lhs.columns) == 1:
            found.add(each.lhs.columns[0].name)
    return found


def _stated_names(case: Case) -> set[str]:
    """The identifiers that the enriched question writes: with an underscore, or after a table and a dot."""
    text = _LITERALS.sub(" ", (case.query.enriched_question or "").casefold())
    found = set(IDENTIFIER.findall(text)) | {match[2] for match in _DOTTED.finditer(text)}
    return {each for each in found if not each[-1].isdecimal()}


def stated_column_unread(case: Case) -> Finding | None:
    """The enriched question names a column, and the SQL reads another of its kind that no text names.

    >>> stated_column_unread(case("How many trips in 2020?", "SELECT COUNT(*) FROM trips WHERE updated_at >= "
    ...     "'2020-01-01' AND updated_at < '2021-01-01'", "Number of trips whose created_at is in 2020")).detail
    'expected → actual: created_at → updated_at'
    """
    stated = _stated_names(case)
    if not stated:
        return None
    read = {column.name for column in case.sql.columns}
    tables = {table for block in case.sql.blocks for table in block.tables}
    written = case.query.sql.casefold()
    unread = sorted(each for each in stated - read - tables if key_stems(each) is None and each not in written)
    text, tested = said(case), _tested_times(case)
    for name in sorted(_used_columns(case)):
        if name in stated or _is_spoken(name, text):
            continue
        partner = next((each for each in unread if is_time(each) is is_time(name)), None)
        if partner is None and name in tested and stated.isdisjoint(tested):
            partner = next((each for each in sorted(stated) if is_time(each)), None)
        if partner is not None:
            return differing(partner, name)
    return None


def _used_columns(case: Case) -> set[str]:
    """Columns that times are tested of, that are aggregated, or that pairs of rows share."""
    found = _tested_times(case)
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


_AGGREGATE = re.compile(
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
    text = (case.query.enriched_question or "").casefold()
    for match in _AGGREGATE.finditer(text):
        func, name = _FUNCS.get(match[1]), match[3]
        if (
            func is None
            or (match[2] is None and "_" not in name)
            or name[-1].isdecimal()
            or _in_formula(text, match.end())
        ):
            continue
        if any(_is_stated(each, func, name, case) for each in case.sql.aggregations):
            continue
        given = next((each for each in case.sql.aggregations if any(c.name == name for c in each.columns)), None)
        given = given or next(iter(case.sql.aggregations), None)
        return differing(f"{func} of {name}", f"{given.func.lower()}({given.column})" if given is not None else "none")
    return None


def _in_formula(text: str, place: int) -> bool:
    """Whether an operator follows, so that the column is a part of a larger expression."""
    return bool(re.match(r"\s*(?:[-+*/×÷−]|times|minus|plus|multiplied|divided|less|per)", text[place : place + 40]))


def _is_stated(each: Aggregation, func: str, name: str, case: Case) -> bool:
    """Whether an aggregate is the stated one: its function, of that column and no other one in its arithmetic."""
    names = {column.name for column in each.columns}
    if name not in names:
        return False
    divided = func == "AVG" and each.func == "SUM" and bool(case.sql.divisions)
    if each.func != func and not divided and not (func in ("MAX", "MIN") and each.windowed):
        return False
    others = names - {name}
    text = (case.query.enriched_question or "").casefold()
    odd = [
        other
        for other in others
        if re.search(rf"[-+*/] \(?{re.escape(other)}\b|\b{re.escape(other)}\)? [-+*/]", each.column)
    ]
    return not odd or all(_is_spoken(other, text) for other in odd)


_QUOTED = re.compile(r"\b([a-z]\w*)(?: (?:is|=|equals?|being|of|equal to))* ['‘“\"]([^'’”\"]+)['’”\"](?!\w)")


def stated_value_untested(case: Case) -> Finding | None:
    """The enriched question states a column's value, and the SQL tests the column for something else.

    `status <> 'lost'` is not `status 'late'`, and a pattern or a list lets other values through. Half strength where
    only the letters' case differs and the dialect tells cases apart.

    >>> stated_value_untested(case("How many parcels are late?", "SELECT COUNT(*) FROM parcels WHERE status <> 'lost'",
    ...     "Number of parcels with status 'late'")).detail
    "expected → actual: status 'late' → status != 'lost'"
    """
    text = case.query.enriched_question or ""
    for match in _QUOTED.finditer(text):
        name, value = match[1].lower(), match[2]
        tests = [
            each for each in case.sql.filters if each.lhs is not None and any(c.name == name for c in each.lhs.columns)
        ]
        if not all(isinstance(each.rhs, (Text, Choices)) for each in tests) or case.question.negations:
            continue
        if not tests or text.lower().count(f"{name} ") > 2 or re.search(r"\b(?:or|and) ['‘“\"]", text):
            continue
        if any(_allows(each.rhs, value, each.op) for each in tests):
            return _recased(case, name, value)
        if any(_resembles(each.rhs, value) and each.op is Op.EQ for each in tests):
            continue
        return differing(f"{name} '{value}'", tests[0].text)
    return None


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


def _recased(case: Case, name: str, value: str) -> Finding | None:
    """Whether the SQL writes the value in other letters, and neither folds nor compares without case."""
    sql = case.query.sql
    if (
        f"'{value}'" in sql
        or case.sql.dialect in _CASELESS
        or re.search(r"\b(?:lower|upper|ilike|collate)\b", sql, re.IGNORECASE)
    ):
        return None
    found = re.search(rf"'({re.escape(value)})'", sql, re.IGNORECASE)
    if found is None or {found[1].isupper(), value.isupper()} != {True, False} or value.istitle() or found[1].istitle():
        return None
    return differing(f"{name} '{value}'", f"'{found[1]}'")


_UNITS = re.compile(
    r"\b(?:by|in|most|fewest|many|of|total) units\b|\bunits (?:sold|ordered|shipped|returned)\b"
    r"|\bby (?:quantity|volume)\b|\bquantity (?:sold|ordered)\b"
)
_QUANTITIES = frozenset(
    {"quantity", "qty", "unit", "units", "count", "pieces", "piece", "volume", "amount", "sold", "num", "number"}
)
_PRICES = frozenset({"price", "cost", "amount", "revenue", "total", "value"})


def units_measured_otherwise(case: Case) -> Finding | None:
    """Units are asked for, and lines are counted or prices added.

    A line of three pieces is three units.

    >>> units_measured_otherwise(case("Which are our best sellers by units?", "SELECT product, COUNT(*) FROM lines "
    ...     "GROUP BY product ORDER BY COUNT(*) DESC")).detail
    'COUNT(*) for units'
    """
    if not _UNITS.search(asked(case)) or _tables_of_units(case):
        return None
    amounts = [each for each in case.sql.aggregations if each.func in ("SUM", "COUNT", "MAX", "AVG")]
    words = [{word for column in each.columns for word in identifier_words(column.name)} for each in amounts]
    if not amounts or any(each & _QUANTITIES and not each & (_PRICES - _QUANTITIES) for each in words):
        return None
    found = amounts[0]
    return Finding(1.0, f"{found.func}({found.column}) for units")


def _tables_of_units(case: Case) -> bool:
    return any("unit" in table_words(table)[-1:] for block in case.sql.blocks for table in block.tables)


def key_of_other_role(case: Case) -> Finding | None:
    """A table is joined by a key of another role, though it has one for the other table.

    `stops.driver_id = routes.id` links a driver to a route; `stops.route_id` is there, and is read.

    >>> key_of_other_role(case("Stops per route", "SELECT r.name, COUNT(s.route_id) FROM routes r JOIN stops s ON "
    ...     "s.driver_id = r.id GROUP BY r.name")).detail
    'stops.driver_id = routes.id beside stops.route_id'
    """
    text = (case.query.enriched_question or "").casefold()
    keys = {
        (column.table, key_stems(column.name)): column.name for column in case.sql.columns if key_stems(column.name)
    }
    for left, right in _joined(case):
        for foreign, own in ((left, right), (right, left)):
            stems = key_stems(foreign.name)
            if (
                not stems
                or not is_own_key(own)
                or is_own_key(foreign)
                or own.table is None
                or foreign.table == own.table
            ):
                continue
            words = table_words(own.table)
            if stems[-1].endswith(words[-1]) or stems == words:
                continue
            better = keys.get((foreign.table, words[-1:])) or keys.get((foreign.table, words))
            written = f"{words[-1]}_id"
            if better is None and written in text and foreign.name not in text:
                better = written
            if better is not None:
                return Finding(
                    1.0, f"{foreign.table}.{foreign.name} = {own.table}.{own.name} beside {foreign.table}.{better}"
                )
    return None


def _joined(case: Case) -> list[tuple[Column, Column]]:
    found = [pair for join in case.sql.joins for pair in join.pairs]
    given = {each.block: each.operand for each in reversed(case.sql.projections)}
    for each in case.sql.subqueries:
        inner = given.get(each.block)
        if each.key is not None and inner is not None and len(each.key.columns) == 1 and len(inner.columns) == 1:
            found.append((each.key.columns[0], inner.columns[0]))
    return found
