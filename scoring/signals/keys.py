"""Signals about the columns that join tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from scoring.display import show_filter
from scoring.linking import LINKED, best_likeness, content_words, likeness
from scoring.signals.definitions import is_defined
from scoring.signals.filters import applied
from scoring.signals.finding import Finding
from scoring.specification import Column, Join, Projection
from scoring.sql.shapes.naming import is_calendar_join, is_own_key
from scoring.values import Text
from scoring.verdict import Case
from scoring.words import identifier_words, stem

_KEY_WORDS = frozenset({"id", "key", "code", "no", "uid", "number", "num"})
_IDENTIFIERS = frozenset({"id", "identifier", "code", "key", "number", "uuid", "uid", "iso"})
"""Words that ask for an identifier."""
_NAMES = frozenset({"name", "title", "label"})
_ENDINGS = ("_id", "id", "key", "code", "no")
ROLES = frozenset(
    map(
        stem,
        (
            "by to from parent owner manager supervisor boss mentor head lead leader captain chief author creator "
            "editor assignee reporter requester reviewer approver sender recipient receiver buyer purchaser seller "
            "payer payee borrower lender referrer inviter host guest contact rep representative member person origin "
            "source destination target departure arrival home away winner loser spouse father mother predecessor "
            "successor previous next original replacement prescriber operator inspector handler salesperson agent "
            "technician mechanic teacher instructor trainer coach tutor advisor adviser coordinator dispatcher cashier "
            "clerk attendee participant caller callee claimant holder beneficiary applicant candidate planner signer "
            "sponsor nominee delegate chair officer underwriter nurse doctor physician surgeon auditor collector "
            "lawyer attorney broker adjuster recruiter interviewer examiner lecturer professor analyst engineer carer "
            "billing shipping primary secondary main default current last first mgr acct csm sup drv disp "
            "responsible deputy substitute backup keeper driver"
        ).split(),
    )
)
"""Words for what a row of another table is to this one: `assignee_id` is a user's, `origin` an airport's."""


@lru_cache(maxsize=16384)
def key_words(name: str) -> tuple[str, ...]:
    """The words of a key's name without `id`, `code` and their like, also where they are written together.

    >>> key_words("pilot_id"), key_words("pilotid"), key_words("id")
    (('pilot',), ('pilot',), ())
    """
    words = identifier_words(name)
    if len(words) == 1 and words[0] not in _KEY_WORDS:
        ending = next((each for each in _ENDINGS if name.endswith(each) and len(name) > len(each) + 1), "")
        words = (stem(name.removesuffix(ending)),)
    return tuple(word for word in words if word not in _KEY_WORDS and not word.isdecimal())


@lru_cache(maxsize=16384)
def is_key(name: str) -> bool:
    """Whether a column is named as an identifier.

    >>> is_key("pilot_id"), is_key("pilotid"), is_key("paid"), is_key("pilot")
    (True, True, False, False)
    """
    words = identifier_words(name)
    return bool(words) and (words[-1] in {"id", "uid", "key"} or (words[-1].endswith("id") and len(words[-1]) > 4))


def is_value_of(word: str, column: Column) -> bool:
    """Whether a word names what a column holds, and neither its table nor a key.

    >>> is_value_of("colour", Column(name="colour", table="kites"))
    True
    >>> is_value_of("kite", Column(name="kite", table="kites"))
    False
    """
    if is_key(column.name) or best_likeness(word, identifier_words(column.name)) < _NAMED:
        return False
    return best_likeness(word, identifier_words(column.table or "")) < _NAMED


_NAMED = 0.6
"""Likeness, in [0, 1], from which a word names a column or a table."""


def owns(column: Column) -> bool:
    """Whether a key is named as its own table's: `id` or `pilot_id` of `pilots`, not `pilot_id` of `flights`."""
    words, table = key_words(column.name), identifier_words(column.table or "")
    plainly = not words or words == table[-len(words) :] or "".join(words) == "".join(table)
    return plainly or is_own_key(column)


def unlikeness(left: Column, right: Column) -> float:
    """How little two joined columns' names suggest the same thing, in [0, 1].

    >>> unlikeness(Column(name="pilot_id", table="flights"), Column(name="id", table="pilots"))
    0.0
    >>> unlikeness(Column(name="plane_no", table="flights"), Column(name="id", table="pilots"))
    1.0
    >>> unlikeness(Column(name="captain_id", table="flights"), Column(name="id", table="pilots"))
    0.0
    """
    if left.name == right.name or _are_days(left, right) or _names_role(left, right):
        return 0.0
    if owns(left) or owns(right):
        if left.table == right.table or _is_role(left if owns(right) else right):
            return 0.0
        return min(_unlike_own(right, left) if owns(left) else 1.0, _unlike_own(left, right) if owns(right) else 1.0)
    mine, theirs = key_words(left.name), key_words(right.name)
    if _ends_alike("".join(mine), "".join(theirs)):
        return 0.0
    return 0.5 if not set(mine).isdisjoint(theirs) else 1.0


def _names_role(left: Column, right: Column) -> bool:
    """Whether a key of one table names a role of another row of it: `manager_id = staff_id`."""
    own = left.table == right.table and left.table is not None
    return own and not ROLES.isdisjoint({*key_words(left.name), *key_words(right.name)})


def _are_days(*columns: Column) -> bool:
    """Whether columns hold a day or a longer period, by which a calendar or daily rates are joined."""
    if len(columns) == len(("left", "right")) and is_calendar_join(*columns):
        return True
    ends = {identifier_words(each.name)[-1:] for each in columns}
    return {word for end in ends for word in end} <= _TIMES and any(not _DAYS.isdisjoint(end) for end in ends)


_DAYS = frozenset({"date", "day", "month", "week", "dt"})
_TIMES = _DAYS | {"at", "on", "ts", "time", "timestamp"}


def _is_role(foreign: Column) -> bool:
    return not ROLES.isdisjoint(key_words(foreign.name)[-1:])


def _ends_alike(one: str, other: str) -> bool:
    return one.endswith(other) or other.endswith(one)


def _unlike_own(foreign: Column, own: Column) -> float:
    """How little `foreign` names the table of `own`. Words after the table's name mean another key of it."""
    words, table = key_words(foreign.name), identifier_words(own.table or "")
    if not words or not table:
        return 0.8 if table else 0.3
    if table[-1] in words:
        return 0.5 if words[words.index(table[-1]) + 1 :] and not key_words(own.name) else 0.0
    joined, last = "".join(words), table[-1]
    if _ends_alike(joined, "".join(table)) or (len(last) > 3 and (last in joined or joined in last)):
        return 0.0
    return 0.2 if joined[:3] == last[:3] else 1.0


def _joined(case: Case) -> Iterator[tuple[Column, Column]]:
    for join in case.sql.joins:
        yield from join.pairs


def _semi_joined(case: Case) -> Iterator[tuple[Column, Column]]:
    """The outer key of IN and the column that its subquery gives."""
    if not case.sql.subqueries:
        return
    given = {each.block: each.operand for each in reversed(case.sql.projections)}
    for each in case.sql.subqueries:
        inner = given.get(each.block)
        if each.key is None or inner is None or each.key.func is not None or inner.func is not None:
            continue
        if len(each.key.columns) == 1 and len(inner.columns) == 1:
            yield each.key.columns[0], inner.columns[0]


def join_unlike_keys(case: Case) -> Finding | None:
    """Two columns are joined, or tested by IN, whose names do not suggest the same thing.

    A pilot's id is compared with a plane's number. Names suggest the same thing when they are equal or when one names
    the other's table. A key that names a role, or another row of the same table, suggests nothing.

    >>> join_unlike_keys(case("List the pilots' flights",
    ...     "SELECT f.no FROM pilots p JOIN flights f ON p.id = f.plane_no")).detail
    'pilots.id = flights.plane_no'
    """
    worst, pair = 0.0, None
    for left, right in (*_joined(case), *_semi_joined(case)):
        found = unlikeness(left, right)
        if found > worst:
            worst, pair = found, (left, right)
    return Finding(worst, " = ".join(map(_name, pair))) if pair is not None else None


def join_bare_ids(case: Case) -> Finding | None:
    """Two tables are joined by columns that are both just `id`.

    Each is the key of its own table; one of the two should name the other table, as `pilot_id` does.

    >>> join_bare_ids(case("List the pilots' flights",
    ...     "SELECT f.no FROM pilots p JOIN flights f ON p.id = f.id")).detail
    'pilots.id = flights.id'
    """
    for left, right in (*_joined(case), *_semi_joined(case)):
        if left.name == right.name and left.table != right.table and not key_words(left.name):
            return Finding(1.0, f"{_name(left)} = {_name(right)}")
    return None


def join_shared_foreign_key(case: Case) -> Finding | None:
    """Two tables are joined by a key of a third, which belongs to neither.

    Every crew meets every pilot of the same base, so rows multiply. Full strength where the SQL reads the third table
    too.

    >>> join_shared_foreign_key(case("Which pilots landed at Oslo?", "SELECT p.name FROM crews c JOIN pilots p ON "
    ...     "c.base_id = p.base_id JOIN bases b ON b.id = p.base_id WHERE b.city = 'Oslo'")).detail
    'crews.base_id = pilots.base_id'
    """
    if len(case.sql.joins) < 2:
        return None
    tables = {words[-1] for block in case.sql.blocks for table in block.tables if (words := identifier_words(table))}
    found = None
    for left, right in _joined(case):
        if not _is_foreign_to_both(left, right):
            continue
        if _third_table(left, right) in tables:
            return Finding(1.0, f"{_name(left)} = {_name(right)}")
        found = found or Finding(0.5, f"{_name(left)} = {_name(right)}")
    return found


def _is_foreign_to_both(left: Column, right: Column) -> bool:
    if left.name != right.name or left.table == right.table or not is_key(left.name):
        return False
    return not owns(left) and not owns(right)


def _third_table(left: Column, right: Column) -> str | None:
    """The word that names the table whose key both columns hold, unless it names a table of their own."""
    named = key_words(left.name)[-1:]
    own = (*identifier_words(left.table or ""), *identifier_words(right.table or ""))
    return named[0] if named and named[0] not in own else None


def key_as_word(case: Case) -> Finding | None:
    """An identifier is compared with a plain word that no definition gives it.

    Keys hold numbers or codes; the word belongs to a name in another table.

    >>> key_as_word(case("Which pilots fly gliders?", "SELECT name FROM pilots WHERE plane_id = 'glider'")).detail
    "plane_id = 'glider'"
    """
    for each in applied(case):
        if not isinstance(each.rhs, Text) or each.lhs is None or len(each.lhs.columns) != 1:
            continue
        column, value = each.lhs.columns[0], each.rhs.folded
        if (
            each.lhs.name == column.name
            and value.isalpha()
            and len(value) > 2
            and is_key(column.name)
            and column.name != "key"
        ):
            return None if is_defined(column, case) else Finding(1.0, show_filter(each))
    return None


def _name(column: Column) -> str:
    return f"{column.table}.{column.name}" if column.table else column.name


def one_sides(case: Case, joins: Iterable[Join] | None = None) -> frozenset[str]:
    """Joined tables whose rows a join repeats: the other side refers to them by their own key.

    >>> sorted(one_sides(case("x y", "SELECT p.name FROM pilots p JOIN flights f ON p.id = f.pilot_id")))
    ['pilots']
    """
    one: set[str] = set()
    many: set[str] = set()
    for left, right in (pair for join in (case.sql.joins if joins is None else joins) for pair in join.pairs):
        for mine, theirs in ((left, right), (right, left)):
            if mine.table and theirs.table and mine.table != theirs.table and owns(mine) and not owns(theirs):
                one.add(mine.table)
                many.add(theirs.table)
    return frozenset(one - many)


def repeated_tables(case: Case) -> frozenset[str]:
    """Joined tables whose rows some join repeats, also those that refer to further ones."""
    return frozenset(referring_tables(case))


def referring_tables(case: Case) -> dict[str, set[str]]:
    """The tables whose rows some join repeats, each with the joined tables that refer to it by its key."""
    found: dict[str, set[str]] = {}
    for pair in (pair for join in case.sql.joins for pair in join.pairs):
        for mine, theirs in (pair, pair[::-1]):
            if mine.table and theirs.table and mine.table != theirs.table and owns(mine) and not owns(theirs):
                found.setdefault(mine.table, set()).add(theirs.table)
    return found


def key_for_name(case: Case) -> Finding | None:
    """The answer gives an identifier where a name is asked for, or a name where an identifier is.

    Only questions that ask for one thing are looked at.

    >>> key_for_name(case("What is the name of the oldest pilot?",
    ...     "SELECT pilot_id FROM pilots ORDER BY age DESC LIMIT 1")).detail
    'name asked for, pilot_id given'
    """
    if len(case.question.outputs) != 1:
        return None
    given = [each for each in case.answer if each.operand.func is None and each.operand.columns]
    phrase = case.question.outputs[0].phrase
    if len(given) != 1 or not _is_confused(phrase, given[0]):
        return None
    return Finding(1.0, f"{phrase} asked for, {given[0].operand.name} given")


def _is_confused(phrase: str, given: Projection) -> bool:
    """Whether a phrase asks for a name and the column is a key, or the other way round."""
    asked, words = set(content_words(phrase)), shown_words(given)
    if asked & _NAMES and words & _IDENTIFIERS and not words & _NAMES:
        return True
    return bool(asked & _IDENTIFIERS and words & _NAMES) and likeness(phrase, given.operand) < LINKED


def key_unasked(case: Case) -> Finding | None:
    """Identifiers come back though the question speaks of none.

    People ask for names; the key of a table is seldom the answer. Strength is the share of the answer's columns that
    are keys.

    >>> key_unasked(case("Which pilots fly gliders?", "SELECT pilot_id FROM flights WHERE plane = 'glider'")).detail
    'not asked for: pilot_id'
    """
    if not _IDENTIFIERS.isdisjoint(case.spoken):
        return None
    columns = [each.operand.columns[0] for each in case.answer if each.operand.func is None and each.operand.columns]
    keys = [each.name for each in columns if is_key(each.name) and not is_defined(each, case)]
    return Finding(len(keys) / len(case.answer), f"not asked for: {', '.join(keys[:5])}") if keys else None


def shown_words(projection: Projection) -> set[str]:
    """The stemmed words of the columns that a projection shows."""
    return {word for column in projection.operand.columns for word in identifier_words(column.name)}
