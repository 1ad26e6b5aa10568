"""Does the SQL apply a value that a definition of the enriched question only names, without a condition?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from scoring.alignment.matching import meets, split_name
from scoring.alignment.same_values import TIMES, Context
from scoring.patterns import lazy
from scoring.specification import Definition, QuestionFilter, SqlSpec
from scoring.values import Choices, Number, Pattern, Text, Value
from scoring.words import letters

_QUOTED = lazy(r"['\"]([^'\"\n]{1,60})['\"]")
_MARKS = lazy(r"[\W_]+")
_OPAQUE = lazy(r"[a-z]{1,3}_?\d{1,3}")
_SHORTEST, _LONGEST = 3, 5
"""Letters of an abbreviation."""
_MOST = 50
"""Most conditions of the SQL that are looked at for one value."""


def applies(own: QuestionFilter, definition: Definition, sql: SqlSpec, context: Context) -> bool:
    """Whether the SQL restricts to the value that the question asks for, or to one that the definition quotes."""
    present = sql.filters[:_MOST]
    if any(meets(own, each, context) for each in present) or split_name(own, present):
        return True
    if own.rhs is None:
        return bool(present)
    if compares(own, sql):
        return True
    given = [text for each in present for text in _texts(each.rhs)]
    if set(given) & {match.casefold().strip(" %") for match in islice(_QUOTED.findall(definition.text), _MOST)}:
        return True
    opaque = [name for name in definition.columns if _OPAQUE.fullmatch(name)]
    return isinstance(own.rhs, (Number, *TIMES)) and not _read(sql).isdisjoint(map(letters, opaque))


def compares(own: QuestionFilter, sql: SqlSpec) -> bool:
    """Whether the SQL compares with another form of the value asked for, or reads a name that holds it."""
    if isinstance(own.rhs, Number):
        number = str(own.rhs)
        return len(number) > 2 and any(number in name for name in _read(sql))
    if not isinstance(own.rhs, Text):
        return False
    if is_abbreviated(own, sql):
        return True
    given = [text for each in sql.filters[:_MOST] for text in _texts(each.rhs)]
    name = letters(own.rhs.folded)
    return _names(own.rhs.folded, given) or any(name == each or (len(name) > 3 and name in each) for each in _read(sql))


def is_abbreviated(own: QuestionFilter, sql: SqlSpec) -> bool:
    """Whether a condition of the SQL is on a column whose name abbreviates the text asked for: HCT for hematocrit."""
    text = own.rhs.folded if isinstance(own.rhs, Text) else ""
    return any(_abbreviates(column, text) for column in _compared(sql)) if text else False


def _compared(sql: SqlSpec) -> set[str]:
    """The columns of tables that conditions of the SQL are on."""
    lefts = [each.lhs for each in sql.filters[:_MOST] if each.lhs is not None]
    return {column.name for lhs in lefts for column in lhs.columns if column.table is not None}


def _abbreviates(column: str, text: str) -> bool:
    """Whether a column's name is an abbreviation of a text: its first letter and later ones in order, or its initials.

    >>> _abbreviates("HCT", "hematocrit"), _abbreviates("wbc", "white blood cell"), _abbreviates("city", "Lisbon")
    (True, True, False)
    """
    short, words = letters(column), _MARKS.sub(" ", text.casefold()).split()
    if not words or not _SHORTEST <= len(short) <= _LONGEST or 2 * len(short) > len("".join(words)):
        return False
    at = iter("".join(words))
    return short[0] == words[0][0] and all(letter in at for letter in short)


def _texts(value: Value | None) -> Iterator[str]:
    members: Iterable[Value] = value.members if isinstance(value, Choices) else (value,) if value is not None else ()
    for member in members:
        if isinstance(member, Text):
            yield member.folded
        elif isinstance(member, Pattern):
            yield member.text.casefold().strip("%_ ")


def _names(asked: str, given: list[str]) -> bool:
    """Whether a text of the SQL contains the one asked for as words, or the other way round."""
    padded = _spaced(asked)
    spaced = [_spaced(each) for each in given]
    return any(padded in each or (len(each) > 4 and each in padded) for each in spaced)


def _spaced(text: str) -> str:
    return f" {' '.join(_MARKS.sub(' ', text).split())} "


def _read(sql: SqlSpec) -> frozenset[str]:
    tables = [table for block in sql.blocks for table in block.tables]
    return frozenset(map(letters, [*tables, *(column.name for column in sql.columns)]))
