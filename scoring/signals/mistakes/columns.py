"""Signals about one of two look-alike columns: of another event, of another measure, or of another role."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.signals.finding import Finding
from scoring.signals.mistakes.events import event_of, stretch, tested_times, timed_events
from scoring.signals.mistakes.unmet.ratios.shares import amount_shared_by_rows
from scoring.signals.mistakes.unmet.references import key_among_others
from scoring.signals.mistakes.unmet.times.moments import (
    age_of_issue,
    cash_by_bill,
    event_by_its_name,
    is_told,
    pays_from_due,
    start_for_loss,
)
from scoring.signals.mistakes.unmet.times.occasions import other_occasion
from scoring.signals.mistakes.wording import asked, cue, said
from scoring.specification import Aggregation, Column
from scoring.sql.shapes.naming import is_own_key, key_stems, table_words
from scoring.values import Text
from scoring.verdict import Case
from scoring.words import identifier_words, stem


def date_of_other_event(case: Case) -> Finding | None:
    """The time asked for is that of one event, and the SQL tests the time of another.

    Bills paid this year are not those issued this year. Half strength where the SQL tests when the row was made or
    planned, and a doubt where it tests when something started: the table may hold no other date.

    >>> date_of_other_event(case("How many bills were paid in 2020?",
    ...     "SELECT COUNT(*) FROM bills WHERE issued_on >= '2020-01-01' AND issued_on < '2021-01-01'")).detail
    'expected → actual: pay → issued_on'
    """
    tested = list(tested_times(case))
    return None if _is_meant_here(tested, case) else _of_other_event(tested, case)


def _of_other_event(tested: list[str], case: Case) -> Finding | None:
    given = {column: event for column in tested if (event := event_of(column)) is not None}
    found = _plainly_other(case)
    if found is not None or not given:
        return found
    events = timed_events(asked(case)) or timed_events((case.query.enriched_question or "").casefold())
    if len(events) == 1 and not (events == {"cancel"} and _tests_cancelled(case)):
        event = events.pop()
        found = _other_event(event, given, told=is_told(event, case)) if len(given) == len(tested) else None
    return found or (_time_of_change(given, case) if not events else None)


def _is_meant_here(tested: list[str], case: Case) -> bool:
    """Whether the house says of one of the times that its words mean it."""
    return not {each.column.rpartition(".")[2] for each in case.rules.look_alikes}.isdisjoint(tested)


def _plainly_other(case: Case) -> Finding | None:
    between = _between(asked(case), case) or age_of_issue(case) or pays_from_due(case)
    named = start_for_loss(case) or cash_by_bill(case) or event_by_its_name(case)
    return between or named or other_occasion(case)


def _tests_cancelled(case: Case) -> bool:
    """Whether a state says that something was cancelled: what was due at the time may be meant."""
    values = [each.rhs.folded for each in case.sql.filters if isinstance(each.rhs, Text)]
    return any(value.startswith(("cancel", "churn")) for value in values)


def _other_event(event: str, given: dict[str, str], *, told: bool) -> Finding | None:
    """The first of the tested times, where all are those of other events than the one asked for."""
    if not given or event in given.values():
        return None
    if any((event, other) in _NEAR for other in given.values()):
        return None
    column = min(given)
    strength = _STRENGTHS.get(given[column], 1.0) if told or event not in _GONE else 1.0
    return Finding(strength, f"expected → actual: {event} → {column}")


_GONE = frozenset({"ship", "deliver", "pay", "close", "cancel"})
"""What many things never come to, so that all that was begun is no count of it."""


def _time_of_change(given: dict[str, str], case: Case) -> Finding | None:
    changed = sorted(column for column, event in given.items() if event in ("update", "login"))
    if not changed or len(changed) < len(given) or timed_events(asked(case)) or _UPDATES.search(said(case)):
        return None
    if _SILENT.search(asked(case)):
        return None
    return Finding(_A_DOUBT, f"{changed[0]} is the time of a change, which nothing asks for")


_A_DOUBT = 0.17


_SILENT = lazy(r"n['’]?t\b|\bnot\b|\bnever\b|\b(?:inactive|idle|stale|silent|offline)\b")
"""Who has done nothing for a while is found by the last time that something was done."""
_STRENGTHS = {"begin": 0.5, "plan": 0.5, "start": _A_DOUBT}
"""What the times count that a table may have in place of the one asked for."""
_NEAR = frozenset({
    ("close", "end"), ("end", "cancel"), ("receive", "deliver"), ("deliver", "receive"),
    ("begin", "request"), ("begin", "start"), ("start", "begin"), ("cancel", "end"),
    ("begin", "issue"), ("plan", "due"), ("begin", "hire"), ("refund", "pay"),
    ("sign", "begin"), ("begin", "sign"), ("receive", "pay"), ("start", "hire"),
    ("start", "plan"), ("end", "plan"), ("end", "due"), ("pay", "receive"),
    ("pay", "refund"), ("close", "approve"), ("login", "start"), ("close", "deliver"),
})  # fmt: skip
_UPDATES = lazy(r"\b(?:updat\w*|modif\w*|chang\w*|edit\w*|log\w*|seen|active|inactive|visit\w*|recent\w*|last)\b")


def _between(text: str, case: Case) -> Finding | None:
    """The two events of a time between are others than those of the two columns subtracted."""
    operands = [*case.sql.aggregations, *(each.operand for each in case.sql.projections)]
    operands = [each for each in operands if len(each.columns) > 1]
    wanted = stretch(text) if operands else frozenset[str]()
    for operand in operands if wanted else ():
        names = {column.name: event for column in operand.columns if (event := event_of(column.name))}
        events = set(names.values())
        if len(names) == 2 and len(events) == 2 and events & wanted:
            odd = f"expected → actual: {' to '.join(sorted(wanted))} → {' to '.join(sorted(names))}"
            return Finding(1.0, odd) if events ^ wanted else None
    return None


_EVENTS_OF_MONEY = frozenset("paid claimed billed invoiced requested quoted approved refunded".split())
_PAID = lazy(r"\b(?:pay(?:ing)? out|paid out|payouts?)\b")


def amount_of_other_event(case: Case) -> Finding | None:
    """The amount of one event is asked for, and that of another is added.

    What was claimed is not what was paid.

    >>> amount_of_other_event(case("What did we pay out in 2020?",
    ...     "SELECT SUM(claimed_amount) FROM claims WHERE year = 2020")).detail
    'expected → actual: paid → claimed_amount'
    """
    sums = [each for each in case.sql.aggregations if each.func in ("SUM", "AVG") and not each.conditional]
    added = {column.name for each in sums for column in each.columns}
    name = min(added, default="")
    counted = _quantity_of_other_event(name, case) if len(added) == 1 else None
    if counted is not None:
        return counted
    events = _EVENTS_OF_MONEY.intersection(name.split("_"))
    if len(added) != 1 or not events:
        return None
    wanted = _EVENTS_OF_MONEY.intersection(re.findall(r"[a-z]+", _PAID.sub("paid", asked(case))))
    given = events - wanted
    if len(wanted) != 1 or len(given) != 1 or not given.isdisjoint(re.findall(r"[a-z]+", said(case))):
        return None
    return Finding(1.0, f"expected → actual: {min(wanted)} → {name}")


_EVENTS_OF_GOODS = frozenset({"ordered", "delivered", "shipped", "received", "returned", "sold"})


def _quantity_of_other_event(name: str, case: Case) -> Finding | None:
    """A quantity of goods is asked for by one event, and the SQL adds that of another: delivered, not ordered."""
    given = _EVENTS_OF_GOODS.intersection(identifier_words(name)) or _EVENTS_OF_GOODS.intersection(name.split("_"))
    wanted = _EVENTS_OF_GOODS.intersection(re.findall(r"[a-z]+", asked(case)))
    if len(given) != 1 or len(wanted) != 1 or not given.isdisjoint(re.findall(r"[a-z]+", said(case))):
        return None
    return Finding(1.0, f"expected → actual: {min(wanted)} → {name}")


_UNITS = cue(
    "unit quantity volume",
    r"\b(?:by|in|most|fewest|many|of|total) units\b|\bunits (?:sold|ordered|shipped|returned)\b"
    r"|\bby (?:quantity|volume)\b|\bquantity (?:sold|ordered)\b",
)
_QUANTITIES = frozenset(
    {
        "quantity",
        "qty",
        "unit",
        "units",
        "count",
        "pieces",
        "piece",
        "volume",
        "amount",
        "sold",
        "num",
        "number",
        "hand",
        "stock",
    }
)
_PRICES = frozenset({"price", "cost", "amount", "revenue", "total", "value"})


def units_measured_otherwise(case: Case) -> Finding | None:
    """Units are asked for, and lines are counted or prices added.

    A line of three pieces is three units. Nor is the number that a column holds the number of its rows.

    >>> units_measured_otherwise(case("Which are our best sellers by units?", "SELECT product, COUNT(*) FROM lines "
    ...     "GROUP BY product ORDER BY COUNT(*) DESC")).detail
    'COUNT(*) for units'
    """
    counted, shared = _counts_quantity(case) or _counts_lines(case), amount_shared_by_rows(case)
    if counted is not None or shared is not None:
        return Finding(1.0, shared or f"COUNT({counted}) for what it holds")
    if not _UNITS.search(asked(case)) or _tables_of_units(case):
        return None
    amounts = [each for each in case.sql.aggregations if each.func in ("SUM", "COUNT", "MAX", "AVG")]
    if not amounts or any(map(_adds_units, amounts)):
        return None
    found = amounts[0]
    return Finding(1.0, f"{found.func}({found.column}) for units")


def _counts_quantity(case: Case) -> str | None:
    """A counted column of which a text says that it holds a number of things."""
    for each in case.sql.aggregations:
        if each.func == "COUNT" and len(each.columns) == 1 and not each.distinct:
            name = each.columns[0].name
            if re.search(
                rf"\b{re.escape(name)} (?:holds|has|gives|contains|is) [^.;,]{{0,20}}\bnumber of\b", said(case)
            ):
                return name
            if name.endswith("s") and key_stems(name) is None and _asks_number_of(name, case):
                return name
    return None


def _asks_number_of(name: str, case: Case) -> bool:
    """Whether things are asked for that a column in the plural holds the number of: `seats`."""
    tables = {table for block in case.sql.blocks for table in block.tables}
    asks = re.search(rf"\b(?:how many|number of) {re.escape(name)}\b", asked(case)) is not None
    return asks and name not in tables


_SOLD = lazy(r"\b(?:how many|number of) (\w+?)s? [^.?]{0,40}?\b(?:sold|sell|selling|ordered|bought|returned)\b")
_LINES = frozenset({"line", "item", "position"})
_NO_PIECES = frozenset({"order", "customer", "sale", "line", "item", "person", "people", "client", "user", "time"})


def _counts_lines(case: Case) -> str | None:
    """The lines of orders that are counted where pieces of a thing are sold: a line may have several."""
    found = _SOLD.search(asked(case))
    tables = [table_words(table) for block in case.sql.blocks for table in block.tables]
    heads = {words[-1] for words in tables if words}
    if found is None or heads.isdisjoint(_LINES) or found[1] in heads | _NO_PIECES:
        return None
    counts = [each for each in case.sql.aggregations if each.func == "COUNT"]
    plain = len(counts) == len(case.sql.aggregations) == 1 and not counts[0].distinct and _is_each_row(counts[0])
    return counts[0].column if plain else None


def _is_each_row(count: Aggregation) -> bool:
    return count.column == "*" or any(is_own_key(column) for column in count.columns)


def _adds_units(each: Aggregation) -> bool:
    """Whether an aggregate is one of quantities, and no number of the lines that hold them."""
    words = {word for column in each.columns for word in identifier_words(column.name)}
    priced = words & (_PRICES - _QUANTITIES - ({"total"} if "unit" in words else frozenset()))
    return bool(words & _QUANTITIES) and not priced and each.func != "COUNT"


def _tables_of_units(case: Case) -> bool:
    return any("unit" in table_words(table)[-1:] for block in case.sql.blocks for table in block.tables)


def key_of_other_role(case: Case) -> Finding | None:
    """A table is joined by a key of another role, though it has one for the other table.

    `stops.driver_id = routes.id` links a driver to a route; `stops.route_id` is there, and is read.

    >>> key_of_other_role(case("Stops per route", "SELECT r.name, COUNT(s.route_id) FROM routes r JOIN stops s ON "
    ...     "s.driver_id = r.id GROUP BY r.name")).detail
    'stops.driver_id = routes.id beside stops.route_id'
    """
    for left, right in _joined(case):
        for foreign, own in ((left, right), (right, left)):
            other = _is_of_other_role(foreign, own)
            better = _better_key(foreign, own, case) if other else None
            odd = f"{foreign.table}.{foreign.name} = {own.table}.{own.name}"
            if better is not None:
                return Finding(1.0, f"{odd} beside {foreign.table}.{better}")
            if other and not _THINGS.isdisjoint((key_stems(foreign.name) or ())[-1:]):
                return Finding(1.0, odd)
    sought = key_among_others(case)
    return Finding(1.0, sought) if sought is not None else None


_THINGS = frozenset(
    map(
        stem,
        "product item order invoice payment category flight plane vehicle room hotel course class lesson event ticket "
        "city country region store shop warehouse department patient doctor student teacher supplier customer song "
        "album book film movie recipe meter sensor device contract policy claim shipment parcel route station".split(),
    )
)
"""Things that are no role of another one: a product is no customer, whatever the database."""


def _is_of_other_role(foreign: Column, own: Column) -> bool:
    """Whether a foreign key names another thing than the table whose own key it is compared with."""
    stems = key_stems(foreign.name)
    if (
        foreign.name == own.name
        or not stems
        or own.table is None
        or foreign.table == own.table
        or not is_own_key(own)
        or is_own_key(foreign)
    ):
        return False
    return not stems[-1].endswith(table_words(own.table)[-1])


def _better_key(foreign: Column, own: Column, case: Case) -> str | None:
    """Another key of the same table that names the other table: one that is read, or that a text writes."""
    words = table_words(own.table or "")
    keys = {key_stems(column.name): column.name for column in case.sql.columns if column.table == foreign.table}
    text = (case.query.enriched_question or "").casefold()
    written = f"{words[-1]}_id"
    stated = written if written in text and written != own.name and foreign.name not in text else None
    return keys.get(words[-1:]) or keys.get(words) or stated


def _joined(case: Case) -> list[tuple[Column, Column]]:
    found = [pair for join in case.sql.joins for pair in join.pairs]
    given = {each.block: each.operand for each in reversed(case.sql.projections)}
    for each in case.sql.subqueries:
        inner = given.get(each.block)
        if each.key is not None and inner is not None and len(each.key.columns) == 1 and len(inner.columns) == 1:
            found.append((each.key.columns[0], inner.columns[0]))
    return found
