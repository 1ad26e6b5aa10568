"""Columns that stand for a thing asked for without being called like it: its name, its key, a computed value."""

from __future__ import annotations

import re

from scoring.alignment.outputs.shown_names import tables_of
from scoring.linking import is_named
from scoring.patterns import lazy
from scoring.signals.keys import ROLES, is_key, key_words
from scoring.specification import Column, Output, Projection
from scoring.verdict import Case
from scoring.words import identifier_words, stem

_PRESENTING = frozenset(
    stem(word)
    for word in (
        "name title label code no number sku isbn plate login username handle email reference ref slug tag display "
        "first last fore sur forename surname nickname uuid serial iso barcode description"
    ).split()
)
"""Words of columns by which people know a thing."""
_ATTRIBUTES = frozenset(
    stem(word)
    for word in (
        "weight height length width depth size area volume age price cost fee fare rent amount salary wage income "
        "revenue profit balance budget quantity stock score rating rank grade point date day time year month week "
        "hour duration birthday address street phone email website url city country nationality language gender sex "
        "colour color status state type kind category class genre format reason description capacity population "
        "speed distance temperature percentage percent rate ratio share number count total average currency value"
    ).split()
)
"""Words of what things have: another column of the thing does not stand for it."""
_ROW_ASKING = lazy(r"(?:\bwhich|\bwhose|\blist|\bname|\bidentify|\benumerate)\W+(?:\w+\W+){0,3}$", re.IGNORECASE)
_SHOWING = lazy(r"(?:\bshow|\bfind|\bgive|\bget|\bdisplay|\breturn|\bwhat are)\W+(?:\w+\W+){0,3}$", re.IGNORECASE)


def stands_for(output: Output, case: Case) -> bool:
    """Whether some column of the answer may be a thing asked for, whatever it is called.

    A computed value may be anything but a list of things. A name or a key of the thing's own table, or of any table
    where none is called like the thing, stands for it.
    """
    if _is_computed(output, case):
        return True
    shown = [each.operand.columns[0] for each in case.answer if is_plain(each)]
    if output.head == "person":
        return any(_presents(each) or not ROLES.isdisjoint(identifier_words(each.name)) for each in shown)
    return _is_any(shown) or (output.head not in _ATTRIBUTES and _names_thing(output.head, shown, case))


def _is_computed(output: Output, case: Case) -> bool:
    computed = [each for each in case.answer if not is_plain(each) and not each.literal]
    return any(each.operand.func is None for each in computed) or (bool(computed) and not asks_rows(output, case))


def _is_any(shown: list[Column]) -> bool:
    return any(is_cryptic(each.name) and not is_key(each.name) for each in shown)


def _names_thing(head: str, shown: list[Column], case: Case) -> bool:
    """Whether some column is a name or key, of the thing's own table if the SQL reads a table called like it."""
    own = {table for table in tables_of(case.sql) if is_named(head, frozenset(identifier_words(table)))}
    return any(_presents(each) and (not own or _is_of(each, own, head)) for each in shown)


def is_cryptic(name: str) -> bool:
    """Whether a column's name says nothing: `a11`, `q1`, `c_3`.

    >>> is_cryptic("a11"), is_cryptic("age"), is_cryptic("qty")
    (True, False, False)
    """
    return not any(len(word) > 2 and word.isalpha() for word in identifier_words(name))


def is_plain(projection: Projection) -> bool:
    """Whether a projection is one column as it is stored."""
    columns = projection.operand.columns
    return len(columns) == 1 and columns[0].name == projection.operand.name


def _presents(column: Column) -> bool:
    return is_key(column.name) or not _PRESENTING.isdisjoint(identifier_words(column.name))


def _is_of(column: Column, own: set[str], head: str) -> bool:
    """Whether a column is of the thing's own table, or holds its key."""
    return column.table is None or column.table in own or is_named(head, frozenset(key_words(column.name)))


def asks_rows(output: Output, case: Case) -> bool:
    """Whether a list of things is asked for: by `which`, `who` or `list`, or by `show` with a plural.

    `show revenue` and `what was the spend` may be one number.
    """
    if output.head == "person":
        return True
    before = case.question.text[max(0, output.start - _BEFORE) : output.start]
    if _ROW_ASKING.search(before):
        return True
    last = output.phrase.rpartition(" ")[2].lower()
    return last != stem(last) and stem(last) not in _ATTRIBUTES and _SHOWING.search(before) is not None


_BEFORE = 40
"""Characters before a thing in which the word that asks for it stands."""
