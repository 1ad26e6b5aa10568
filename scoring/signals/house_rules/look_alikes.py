"""Whether an answer reads the column that the tenant's rules name, or one that looks like it."""

from __future__ import annotations

from dataclasses import replace

from scoring.patterns import lazy
from scoring.rules import LookAlike
from scoring.signals.finding import Finding, differing
from scoring.signals.house_rules.conditions import roots, says
from scoring.signals.house_rules.single_rows import is_about_one
from scoring.signals.mistakes.events import event_of, events_named, is_time, tested_times
from scoring.specification import TokenKind
from scoring.verdict import Case
from scoring.words import identifier_words, letters

_FRAME = frozenset("is at on date dt ts time timestamp day month cent ct amount amt total count".split())
_PAST = lazy(r"[a-z]{3,}ed")
_STEM = 4
"""Letters from which two words are taken for forms of one: booked, booking."""


def look_alike_read(case: Case) -> Finding | None:
    """The SQL reads a column that looks like the one that the question's words mean in this house, and not that one.

    The tenant's rules say which column the words mean. Of times only those count that a condition tests or by which the
    rows are grouped. A question that speaks of the other column may mean it.

    >>> rules = rules_with(look_alikes={"shops.opened_on": "shops.signed_on"})
    >>> look_alike_read(case("How many new shops in 2025?",
    ...     "SELECT COUNT(*) FROM shops WHERE YEAR(signed_on) = 2025", rules=rules)).detail
    'expected → actual: opened_on → signed_on'
    """
    if not case.rules.look_alikes or _is_one_listed(case):
        return None
    spoken = _spoken(case)
    meant = {each.column for each in spoken}
    for each in (*spoken, *(each for each in case.rules.look_alikes if not each.when)):
        others = [other for other in each.instead_of if other not in meant and _takes(other, each, case)]
        if others and _is_left_unread(each, others[0], case):
            shown = differing(each.column.rpartition(".")[2], others[0].rpartition(".")[2])
            return shown if _may_read(each.column, others[0], case) else replace(shown, strength=_A_DOUBT)
    return None


def _is_one_listed(case: Case) -> bool:
    """Whether one row is looked up and shown, and nothing is computed."""
    return not case.sql.aggregations and is_about_one(case)


def _is_left_unread(meant: LookAlike, other: str, case: Case) -> bool:
    """Whether the SQL lacks the column, and the question cannot mean the other one."""
    return not _reads(meant.column, case) and bool(meant.when or not _may_be_asked(other, case))


_A_DOUBT = 0.3


def _may_read(column: str, other: str, case: Case) -> bool:
    """Whether the SQL reads the table of the meant column. If not, the question may be about another thing."""
    tables = {letters(one) for block in case.sql.blocks for one in block.tables}
    mine, theirs = (letters(each.rpartition(".")[0]) for each in (column, other))
    return mine == theirs or mine in tables


def meant_columns(case: Case) -> list[str]:
    """The columns that words of the question mean, where the SQL reads them and none that looks like them."""
    return [
        each.column.rpartition(".")[2]
        for each in _spoken(case)
        if _reads(each.column, case) and not any(_reads(other, case) for other in each.instead_of)
    ]


def _spoken(case: Case) -> list[LookAlike]:
    """The rules that wait for words of the question."""
    said = roots(token.lower for token in case.question.tokens if token.kind is not TokenKind.PUNCTUATION)
    return [each for each in case.rules.look_alikes if any(says(said, phrase) for phrase in each.when)]


def _may_be_asked(column: str, case: Case) -> bool:
    """Whether a time is read whose event is not known, and the question speaks of something that happened."""
    name = column.rpartition(".")[2]
    words = [token.lower for token in case.question.tokens if token.kind is TokenKind.WORD]
    return is_time(name) and event_of(name) is None and any(_PAST.fullmatch(word) for word in words)


def _takes(column: str, meant: LookAlike, case: Case) -> bool:
    """Whether the SQL reads a column, in a place that counts, that the question does not speak of."""
    name = column.rpartition(".")[2]
    read = _reads(column, case) and (not is_time(name) or name in _timed(case))
    return read and not _speaks(column, meant, case)


def _timed(case: Case) -> set[str]:
    """The times that conditions test, and those by which rows are grouped."""
    return tested_times(case) | {column.name for each in case.sql.group_by for column in each.operand.columns}


def _reads(column: str, case: Case) -> bool:
    table, _, name = column.rpartition(".")
    tables = {letters(one) for block in case.sql.blocks for one in block.tables}
    return letters(table) in tables and any(
        each.name == name and (each.table is None or letters(each.table) == letters(table)) for each in case.sql.columns
    )


def _speaks(column: str, meant: LookAlike, case: Case) -> bool:
    own = _words(column) - _words(meant.column) - _FRAME
    event = event_of(column.rpartition(".")[2])
    if event in events_named(token.lower for token in case.question.tokens):
        return True
    return any(word[:_STEM] == each[:_STEM] for word in own for each in case.question.stems if len(each) >= _STEM)


def _words(column: str) -> frozenset[str]:
    return frozenset(identifier_words(column.rpartition(".")[2]))
