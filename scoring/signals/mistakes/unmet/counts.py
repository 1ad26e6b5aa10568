"""Signals about numbers of people, of groups and of lines, where the SQL counts or averages other rows."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.signals.finding import Finding
from scoring.signals.mistakes.unmet.grain import divided_by_others, groups_of_others, whole_by_people
from scoring.signals.mistakes.unmet.ratios.averages import groups_of_other_period
from scoring.signals.mistakes.unmet.ratios.means import rows_averaged
from scoring.signals.mistakes.wording import cue, follows, shapes
from scoring.specification import Clause, Op, SqlFilter
from scoring.specification.shapes import Shape, ShapeKind
from scoring.sql.shapes.naming import key_stems, table_words
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
    if people is None or not _counts_all_rows(case):
        return None
    repeated = _people_repeated(stem(people), case)
    if repeated is not None:
        return Finding(1.0, f"{repeated.text} for the number of {people}")
    tables = case.sql.blocks[0].tables
    names = [table_words(table) for table in tables]
    names += [key_stems(key.operand.name) or () for key in case.sql.group_by]
    if not tables or any(stem(people) in name for name in names) or table_words(tables[-1])[-1] not in _EVENTS:
        return None
    return Finding(1.0, f"COUNT(*) of {tables[-1]} for the number of {people}")


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
    "average avg mean median",
    r"\b(?:average|avg|mean) (order|basket|invoice|cart|bill|receipt|check|booking|purchase|ticket|rental|hire|sale) "
    r"(?:value|size|total|amount|revenue|worth)\b"
    r"|\bmedian (order|basket|invoice|cart|bill|receipt|booking|purchase|ticket) (?:value|size|total|amount)\b"
    r"|\b(?:average|avg|mean) \w+ (?:per|in an?) (order|basket|invoice|cart|booking)\b"
    r"|\b(?:average|avg|mean) (basket)\b"
    r"|\b(?:average|avg|mean) (bill|invoice|receipt) (?:at|in|for|of|from|per|each)\b",
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
        other = rows_averaged(case) or divided_by_others(case) or _lines_averaged(case)
    return Finding(1.0, other) if other is not None else None


def _lines_averaged(case: Case) -> str | None:
    found, sql = _LINES_MEAN.search(case.asked), case.sql
    if found is None:
        return None
    means = [each for each in sql.aggregations if each.func in _MEANS]
    for column in (column for each in means for column in each.columns):
        if column.table is not None and table_words(column.table)[-1] in _LINES:
            whole = next(word for word in found.groups() if word is not None)
            return f"{means[0].func} over {column.table} for the average {whole}"
    return None


def key_bounded_for_number(case: Case) -> Finding | None:
    """A number of things is bounded in the question, and the SQL bounds a key: keys count nothing.

    >>> key_bounded_for_number(case("Pilots with at least 100 flights",
    ...     "SELECT p.name FROM pilots p JOIN flights f ON f.pilot_id = p.id WHERE f.id >= 100")).detail
    'id >= 100'
    """
    said = {each.rhs.value for each in case.question.filters if isinstance(each.rhs, Number)}
    if not said or re.search(r"\bids?\b", case.asked):
        return None
    found = next((each for each in case.sql.filters if _bounds_key(each) and _value(each) in said), None)
    return Finding(1.0, found.text) if found is not None else None


def _bounds_key(each: SqlFilter) -> bool:
    if each.op not in (Op.LT, Op.LE, Op.GT, Op.GE) or each.clause is not Clause.WHERE or each.lhs is None:
        return False
    names = [column.name for column in each.lhs.columns]
    return names == [each.lhs.name] and identifier_words(names[0])[-1:] == ("id",)


def _value(each: SqlFilter) -> float | None:
    return each.rhs.value if isinstance(each.rhs, Number) else None
