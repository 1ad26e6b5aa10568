"""Which columns identify rows, by their names alone."""

from __future__ import annotations

from functools import lru_cache

from scoring.specification import Column
from scoring.words import identifier_words, in_order

_KEYS = frozenset({"id", "key", "uid", "uuid", "code", "cd", "no", "nr", "number", "sk", "pk"})
_NAMES = frozenset({"name", "nm", "title", "label", "email", "username"})
_KEYS_BEFORE = frozenset({"id", "fk", "pk"})
"""How keys begin where the thing is named last: `id_pilot`."""
_MASTERS = frozenset({"mst", "mstr", "hdr", "tab", "tbl", "dim"})
"""How tables of whole things end."""
_SHORTEST = 3
"""The fewest letters that are short for a table."""
_MARKS = frozenset({"dim", "fct", "fact", "stg", "tbl", "vw", "mart", "src", "raw", "t", "v"})
"""What warehouses put before a table's name."""


@lru_cache(maxsize=16384)
def key_stems(name: str) -> tuple[str, ...] | None:
    """The words of a key before `id` and its like; `None` for a column that is no key.

    >>> key_stems("pilot_id"), key_stems("id"), key_stems("pilotid"), key_stems("paid"), key_stems("colour")
    (('pilot',), (), ('pilot',), None, None)
    """
    words = identifier_words(name)
    if words and words[-1] in _KEYS:
        return words[:-1]
    if len(words) > 1 and words[0] in _KEYS_BEFORE:
        return words[1:]
    last = words[-1] if words else ""
    if last.endswith("id") and len(last) > 4:
        return (*words[:-1], last[:-2])
    return None


@lru_cache(maxsize=16384)
def table_words(table: str) -> tuple[str, ...]:
    """The words of a table's name without the marks of a warehouse: the whole name where it has none.

    >>> table_words("dim_pilot"), table_words("flight_legs"), table_words("pilot_mst"), table_words("2026")
    (('pilot',), ('flight', 'leg'), ('pilot',), ('2026',))
    """
    words = identifier_words(table) or (table.casefold(),)
    while len(words) > 1 and words[0] in _MARKS:
        words = words[1:]
    return words[:-1] if len(words) > 1 and words[-1] in _MASTERS else words


def is_own_key(column: Column) -> bool:
    """Whether a key is named as its table's own: `id` or `pilot_id` of pilots.

    A key may be short for its table, or its initials.

    >>> is_own_key(Column("pilot_id", "pilots")), is_own_key(Column("pilot_id", "flights"))
    (True, False)
    >>> is_own_key(Column("pil_id", "pilots")), is_own_key(Column("fl_id", "flight_legs"))
    (True, True)
    """
    stems = key_stems(column.name)
    if stems is None or column.table is None:
        return False
    words = table_words(column.table)
    if not stems or stems == words or (len(stems) < len(words) and stems == words[-len(stems) :]):
        return True
    initials = "".join(word[0] for word in words)
    return (len(words) > 1 and stems == (initials,)) or _is_short_for(stems, words)


def _is_short_for(stems: tuple[str, ...], words: tuple[str, ...]) -> bool:
    """Whether one word is how the last of others begins, or what is left of it without vowels: `dept`, `acct`."""
    if len(stems) != 1 or len(stems[0]) < _SHORTEST:
        return False
    short, word = stems[0], words[-1]
    ends_alike = len(short) > _SHORTEST and (short[0], short[-1]) == (word[0], word[-1])
    return word.startswith(short) or (ends_alike and in_order(short, word))


def is_named_for(table: str, thing: str) -> bool:
    """Whether a table is called by the last word of a thing, or is short for it.

    >>> is_named_for("core.flights", "booked flights"), is_named_for("shpmt", "shipments"), is_named_for("f", "flights")
    (True, True, False)
    """
    words, things = table_words(table), identifier_words(thing)
    return bool(words and things) and (words[-1] == things[-1] or _is_short_for(words[-1:], things))


def refers(foreign: Column, own: Column) -> bool:
    """Whether a column holds the key of another table: `flights.pilot_id` and `pilots.id`.

    >>> refers(Column("pilot_id", "flights"), Column("id", "pilots"))
    True
    >>> refers(Column("id", "flights"), Column("id", "pilots"))
    False
    """
    return is_own_key(own) and key_stems(foreign.name) is not None and not is_own_key(foreign)


def is_name(name: str) -> bool:
    """Whether a column names its row for people.

    >>> is_name("full_name"), is_name("colour")
    (True, False)
    """
    return not _NAMES.isdisjoint(identifier_words(name)[-1:])


def is_calendar_join(left: Column, right: Column) -> bool:
    """Whether a calendar is joined by its own key to the key of a day.

    >>> is_calendar_join(Column("dt_key", "dt_dim"), Column("post_dk", "invoices"))
    True
    """
    for own, foreign in ((left, right), (right, left)):
        table = identifier_words(own.table or "")
        if not _CALENDARS.isdisjoint(table) and not _DIMENSIONS.isdisjoint(table) and key_stems(own.name) is not None:
            return not _DAY_KEYS.isdisjoint(identifier_words(foreign.name))
    return False


_CALENDARS = frozenset({"date", "dt", "day", "calendar", "cal", "time"})
_DIMENSIONS = frozenset({"dim", "d", "calendar", "dimension", "cal"})
_DAY_KEYS = frozenset({"dk", "date", "dt", "day", "key", "sk"})
