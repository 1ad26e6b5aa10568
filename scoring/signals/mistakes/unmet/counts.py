"""Signals about numbers of people, of groups and of lines, where the SQL counts or averages other rows."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.signals.finding import Finding
from scoring.signals.mistakes.unmet.grain import divided_by_others, groups_of_others, whole_by_people
from scoring.signals.mistakes.unmet.ratios.averages import groups_of_other_period
from scoring.signals.mistakes.unmet.ratios.means import rows_averaged
from scoring.signals.mistakes.unmet.ratios.sides import repeated_below, rows_for_each
from scoring.signals.mistakes.wording import cue, follows, shapes
from scoring.specification import Clause, Column, Op, SqlFilter
from scoring.specification.shapes import Shape, ShapeKind
from scoring.sql.shapes.naming import is_own_key, key_stems, refers, table_words
from scoring.values import Number
from scoring.verdict import Case
from scoring.words import identifier_words, stem

_PEOPLE = frozenset(
    map(
        stem,
        "customer client user member guest patient buyer donor viewer player subscriber visitor student pupil "
        "passenger rider driver shopper traveller traveler tenant supplier vendor volunteer employee person household "
        "company merchant author owner".split(),
    )
)
_EVENTS = frozenset(
    map(
        stem,
        "order appointment booking visit session login payment purchase transaction call review sale ticket "
        "stay reservation checkin event donation vote view play rental invoice delivery shipment click claim "
        "lesson repair message subscription contract consignment enrolment enrollment".split(),
    )
)
_COUNTED = lazy(
    r"\b(?:how many|number of|count of|# of|no\.? of|of (?:the|our|all|those)(?= [^.?;]{3,60}\bhow many)) "
    r"(\w+)(?: (\w+))?"
)


def events_counted_for_people(case: Case) -> Finding | None:
    """People are to be counted, and COUNT(*) counts their visits, orders or calls: who came twice counts twice.

    >>> events_counted_for_people(case("How many patients did each doctor see?",
    ...     "SELECT doctor_id, COUNT(*) FROM appointments GROUP BY doctor_id")).detail
    'COUNT(*) of appointments for the number of patients'
    """
    people = _people_asked(case)
    if not _counts_all_rows(case):
        return _keys_counted(people, case)
    joined = _things_repeated(case)
    if people is None or joined is not None:
        return joined
    repeated = _people_repeated(stem(people), case)
    if repeated is not None:
        return Finding(1.0, f"{repeated.text} for the number of {people}")
    tables = case.sql.blocks[0].tables
    names = [table_words(table) for table in tables]
    names += [key_stems(key.operand.name) or () for key in case.sql.group_by]
    if not tables or any(stem(people) in name for name in names) or table_words(tables[-1])[-1] not in _EVENTS:
        return None
    return Finding(1.0, f"COUNT(*) of {tables[-1]} for the number of {people}")


_NOT_THOSE = cue("not", r"\b(?P<these>[a-z]{3,})(?:,| and)? not (?:the )?(?P<those>[a-z]{3,}s)\b")


def _those_not_meant(case: Case) -> str | None:
    """What is to be counted and what is not are both named, and the keys of the latter are counted.

    >>> _those_not_meant(case("How many came? people, not sessions", "SELECT COUNT(session_id) FROM sessions"))
    'COUNT(session_id), though not of sessions'
    """
    found = _NOT_THOSE.search(case.asked)
    counts = [each for each in case.sql.aggregations if each.func == "COUNT" and not each.conditional]
    if found is None or not counts or any(each.distinct for each in counts):
        return None
    those = stem(found["those"])
    keys = [each for each in counts if each.columns and (key_stems(each.columns[0].name) or ("",))[-1:] == (those,)]
    return f"COUNT({keys[0].column}), though not of {found['those']}" if keys else None


def _keys_counted(people: str | None, case: Case) -> Finding | None:
    """COUNT of the people's key over a table of what happens, or of the key of what is not meant, counts rows."""
    others = _those_not_meant(case)
    if people is None or others is not None:
        return Finding(1.0, others) if others is not None else None
    keys = _counted_keys(case) if len(case.sql.blocks) == 1 and not case.sql.blocks[0].distinct else []
    own = _own_keys_counted(case)
    if own is not None:
        return Finding(1.0, f"COUNT(DISTINCT {own.name}) of {own.table} for the number of {people}")
    found = next((key for key in keys if _is_of_happening(key, stem(people))), None)
    if found is None or _ONE_EACH.search(case.said) is not None:
        return None
    return Finding(1.0, f"COUNT({found.name}) of {found.table} for the number of {people}")


def _own_keys_counted(case: Case) -> Column | None:
    """The own key of a table of what happens, where nothing but its different values is counted."""
    counts = [each for each in case.sql.aggregations if each.func == "COUNT"]
    keys = [each.columns[0] for each in counts if each.distinct and len(each.columns) == 1]
    if len(keys) != 1 or len(counts) != 1 or len(case.sql.blocks) != 1:
        return None
    happens = not _MOMENTARY.isdisjoint(table_words(keys[0].table or "")[-1:])
    return keys[0] if happens and is_own_key(keys[0]) else None


def _counted_keys(case: Case) -> list[Column]:
    """The columns of which values are counted, and not different ones; without those that are grouped by."""
    counts = [each for each in case.sql.aggregations if each.func == "COUNT"]
    if any(each.distinct for each in counts):
        return []
    grouped = {column for key in case.sql.group_by for column in key.operand.columns}
    return [each.columns[0] for each in counts if len(each.columns) == 1 and each.columns[0] not in grouped]


def _is_of_happening(key: Column, people: str) -> bool:
    """Whether a column refers to people from a table of what happens, so that it may hold one of them twice."""
    happens = not _MOMENTARY.isdisjoint(table_words(key.table or "")[-1:])
    return happens and (key_stems(key.name) or ("",))[-1] == people and not is_own_key(key)


def _people_asked(case: Case) -> str | None:
    counted = (word for words in _COUNTED.findall(case.asked) for word in words)
    return next((word for word in counted if stem(word) in _PEOPLE), None)


def _people_repeated(people: str, case: Case) -> Shape | None:
    """COUNT(*) over the table of the people, whose rows a table of what happens often repeats."""
    tables = [table_words(table)[-1] for table in case.sql.blocks[0].tables]
    if _MOMENTARY.isdisjoint(tables) or _ONE_EACH.search(case.said) is not None:
        return None
    counts = (each for each in shapes(case, ShapeKind.REPEATED_ROWS) if each.text.startswith("COUNT(*)"))
    return next((each for each in counts if _is_short_for(each.columns[0].table or "", people)), None)


_HOW_MANY = cue(
    "how many number of count of",
    r"\b(?:how many|(?:number|count) of)(?: of)?(?: the| our| my)? ([a-z]+)(?: ([a-z]+))?",
)
_HAPPENINGS = frozenset(
    map(stem, "event log alert alarm error scan reading ping fault incident login click session order purchase".split())
) | {"transaction", "txn"}
_ONLY_ONE = frozenset("first latest last current newest rn rank seq sequence primary".split())
"""Words of what one row of each thing has."""


def _things_repeated(case: Case) -> Finding | None:
    """COUNT(*) over the table of the things asked for, whose rows a table of what happened to them repeats."""
    found = _HOW_MANY.search(case.asked) if case.sql.joins else None
    if found is None:
        return None
    things = {stem(word) for word in found.groups("")} - _HAPPENINGS
    for one, other in (pair for join in case.sql.joins for pair in join.pairs):
        for own, foreign in ((one, other), (other, one)):
            if _happened_to(things, own, foreign) and not _is_one(case):
                return Finding(1.0, f"COUNT(*) over rows of {own.table} repeated by {foreign.table}")
    return None


def _happened_to(things: set[str], own: Column, foreign: Column) -> bool:
    """Whether a table of what happens refers to the things by their own key."""
    happened = not _HAPPENINGS.isdisjoint(table_words(foreign.table or "")[-1:])
    return happened and refers(foreign, own) and table_words(own.table or "")[-1] in things


def _is_one(case: Case) -> bool:
    """Whether each thing has one row: rows are grouped by a key, or a condition or a table tells the first or last."""
    tested = [column for each in case.sql.filters if each.lhs is not None for column in each.lhs.columns]
    names = [column.name for column in tested] + [table for block in case.sql.blocks for table in block.tables]
    told = any(not _ONLY_ONE.isdisjoint(identifier_words(name)) for name in names)
    keyed = any(key_stems(column.name) is not None for key in case.sql.group_by for column in key.operand.columns)
    return told or keyed or _ONE_EACH.search(case.said) is not None


def _is_short_for(table: str, word: str) -> bool:
    """Whether a table is called by a word, or by its first letters: `cust`."""
    last = table_words(table)[-1]
    return len(last) >= _LETTERS and word.startswith(last)


_LETTERS = 3
_LASTING = frozenset(map(stem, "subscription contract enrolment enrollment".split()))
_MOMENTARY = _EVENTS - _LASTING | frozenset(map(stem, "appt trip ride treatment watch scan txn flight loan".split()))
_ONE_EACH = lazy(r"\b(?:first|latest|last|current|most recent|newest|initial) (?:ever )?\w+ (?:was|is|were)\b")


def _counts_all_rows(case: Case) -> bool:
    counts = [each for each in case.sql.aggregations if each.func == "COUNT"]
    return len(case.sql.blocks) == 1 and bool(counts) and all(each.column == "*" for each in counts)


_THOSE_WITH = lazy(
    r"^(?:so |and |hey |hi |ok )?(?:how many|number of|count of|total number of) (?:\w+ ){1,3}?(?:have|has|had|with|"
    r"made|placed|did|bought|took|ordered|booked|logged|visited|used|own|owned) (?:more than|at least|over|fewer than|"
    r"less than|exactly|only|\d|two|three|multiple|several)\b"
)


def groups_listed_for_count(case: Case) -> Finding | None:
    """The number of groups is asked for, and the answer lists them, each with its own number.

    >>> groups_listed_for_count(case("How many users have more than one device?",
    ...     "SELECT user_id, COUNT(*) FROM devices GROUP BY user_id HAVING COUNT(*) > 1")).detail
    'one row for each user_id'
    """
    sql = case.sql
    if not sql.having or case.question.group_by or follows(case) or not _THOSE_WITH.match(case.asked):
        return None
    keys = [each.operand.name for each in sql.group_by if each.block == "main"]
    if not keys or sql.windows or len(sql.blocks) > 1 or re.search(r"\b(?:per|each|by)\b", case.asked):
        return None
    return Finding(1.0, f"one row for each {', '.join(keys[:3])}")


_LINES_MEAN = cue(
    "average avg mean median aov",
    r"\b(?:average|avg|mean) (order|basket|invoice|cart|bill|receipt|check|booking|purchase|ticket|rental|hire|sale) "
    r"(?:value|size|total|amount|revenue|worth)\b"
    r"|\bmedian (order|basket|invoice|cart|bill|receipt|booking|purchase|ticket) (?:value|size|total|amount)\b"
    r"|\b(?:average|avg|mean) \w+ (?:per|in an?) (order|basket|invoice|cart|booking)\b"
    r"|\b(?:average|avg|mean) (basket)\b"
    r"|\b(?:average|avg|mean) (bill|invoice|receipt) (?:at|in|for|of|from|per|each)\b"
    r"|\b(aov)\b|\b(?:avg|average|mean) (order|basket|cart|invoice)s? (?:val|amt)\b",
)
_MEANS = frozenset({"AVG", "MEDIAN", "PERCENTILE_CONT"})
_LINES = frozenset(map(stem, "item line detail row position entry".split()))


def lines_averaged_for_whole(case: Case) -> Finding | None:
    """The average of whole orders is asked for, and AVG is taken over their lines.

    >>> lines_averaged_for_whole(case("What is the average order value?",
    ...     "SELECT AVG(price * quantity) FROM order_items")).detail
    'AVG over order_items for the average order'
    """
    other = groups_of_others(case) or groups_of_other_period(case) or whole_by_people(case)
    if other is None and len(case.sql.blocks) == 1:
        other = (
            rows_averaged(case)
            or divided_by_others(case)
            or rows_for_each(case)
            or repeated_below(case)
            or _lines_averaged(case)
        )
    return Finding(1.0, other) if other is not None else None


def _lines_averaged(case: Case) -> str | None:
    found, sql = _LINES_MEAN.search(case.asked), case.sql
    if found is None:
        return None
    means = [each for each in sql.aggregations if each.func in _MEANS]
    for column in (column for each in means for column in each.columns):
        if column.table is not None and table_words(column.table)[-1] in _LINES:
            whole = next(word for word in found.groups() if word is not None).replace("aov", "order")
            return f"{means[0].func} over {column.table} for the average {whole}"
    return None


def key_bounded_for_number(case: Case) -> Finding | None:
    """A number of things is bounded in the question, and the SQL bounds a key: keys count nothing.

    >>> key_bounded_for_number(case("Pilots with at least 100 flights",
    ...     "SELECT p.name FROM pilots p JOIN flights f ON f.pilot_id = p.id WHERE f.id >= 100")).detail
    'id >= 100'
    """
    if re.search(r"\bids?\b", case.asked):
        return None
    said = {each.rhs.value for each in case.question.filters if isinstance(each.rhs, Number)}
    exact = _EXACTLY.search(case.asked) is not None
    keys = (each for each in case.sql.filters if _bounds_key(each, exact=exact))
    found = next((each for each in keys if exact or _value(each) in said), None)
    return Finding(1.0, found.text) if found is not None else None


_EXACTLY = cue("exactly only just", r"\b(?:exactly|only|just) (?:one|two|three|[123]) [a-z]+s?\b")


def _bounds_key(each: SqlFilter, *, exact: bool) -> bool:
    if each.op is Op.EQ and exact and _value(each) not in (1, 2, 3):
        return False
    ops = (Op.LT, Op.LE, Op.GT, Op.GE, Op.EQ) if exact else (Op.LT, Op.LE, Op.GT, Op.GE)
    if each.op not in ops or each.clause is not Clause.WHERE or each.lhs is None:
        return False
    names = [column.name for column in each.lhs.columns]
    return names == [each.lhs.name] and identifier_words(names[0])[-1:] == ("id",)


def _value(each: SqlFilter) -> float | None:
    return each.rhs.value if isinstance(each.rhs, Number) else None


_EVERY_ONE = cue("every all each", r"\b(?:every|all(?: of)?(?: the| our)?(?: \d+)?|each (?:and every )?(?:one of )?)\b")


def repeats_reach_all(case: Case) -> Finding | None:
    """Who has done all of a kind is asked for, and rows are counted up to their number: one done twice counts twice.

    Half strength, as rows may be stored once for each.

    >>> repeats_reach_all(case("Pilots who flew every route", "SELECT pilot FROM flights GROUP BY pilot HAVING "
    ...     "COUNT(route_id) = (SELECT COUNT(*) FROM routes)")).detail
    'count(route_id) = (select count(*) from routes) counts repeats'
    """
    if _EVERY_ONE.search(case.asked) is None:
        return None
    for each in case.sql.filters:
        if each.lhs is None or each.lhs.func != "COUNT" or each.lhs.distinct or not each.lhs.columns:
            continue
        of_all = each.op in (Op.EQ, Op.GE) and _COUNT_OF_ALL.search(each.text) is not None
        if of_all and not any(is_own_key(column) for column in each.lhs.columns):
            return Finding(0.5, f"{each.text} counts repeats")
    return None


_COUNT_OF_ALL = lazy(r"= \(select count\(")
