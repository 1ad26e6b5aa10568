"""Where a text names a column, and which one it is."""

from __future__ import annotations

import re
from dataclasses import dataclass

from learning.dictionary.catalogue import Catalogue, DescribedColumn, DescribedTable

_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_VALUE = r"'[^']{1,20}'|\"[^\"]{1,20}\"|TRUE|FALSE|true|false|True|False|\d{1,3}"
_OUTER = f"(?P<outer>{_VALUE})"
_NAMED = re.compile(
    rf"(?P<tick>`)?(?P<path>{_NAME}(?:\.{_NAME}){{0,3}})(?(tick)(?:\s*=\s*(?P<inner>{_VALUE}))?`)"
    rf"(?:(?:\s*=\s*|\s+(?=')){_OUTER}(?!\w|\.\w))?"
)
_PLAIN_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")


@dataclass(frozen=True, slots=True)
class Mention:
    """A column that a text names."""

    start: int
    end: int
    column: DescribedColumn
    value: str | None
    """The value that stands behind it after `=`, as it is written."""
    plain: bool
    """It is a plain word of English too, without quotes: it means the column only before a list of codes."""


def mentions(text: str, catalogue: Catalogue, table: str | None) -> list[Mention]:
    """The columns that a text names, in order. A name without a table is of the table named last, or the only one."""
    found: list[Mention] = []
    current = catalogue.table(table) if table else None
    for match in _NAMED.finditer(text):
        path, ticked = match["path"], match["tick"] is not None
        named = _subject(text, match, catalogue)
        if named is not None:
            current = named
            continue
        value = match["inner"] or match["outer"]
        column = _of_word_before(match, text, catalogue) or _column(path, catalogue, current)
        column = column or _beside(path, found, catalogue) or _of_rows_before(path, text[: match.start()], catalogue)
        if column is None:
            everywhere = catalogue.holders(path) if _EVERYWHERE.search(text) is not None else []
            found += [Mention(match.start(), match.end(), each, value, plain=False) for each in everywhere]
            continue
        if "." in path:
            current = catalogue.table(column.table)
        found.append(Mention(match.start(), match.end(), column, value, plain=_is_plain(path, ticked=ticked)))
    return found


def _is_plain(path: str, *, ticked: bool) -> bool:
    """Whether a name is a plain word of English too, without quotes."""
    return "." not in path and not ticked and _PLAIN_WORD.fullmatch(path) is not None


def _subject(text: str, match: re.Match[str], catalogue: Catalogue) -> DescribedTable | None:
    """The table that is the subject by its name: in quotes, or at the start before a colon."""
    named = catalogue.table(match["path"]) if "." not in match["path"] else None
    first = not text[: match.start()].strip("*_- ") and text[match.end() :].lstrip("*` ")[:1] == ":"
    return named if match["tick"] is not None or first else None


def _column(path: str, catalogue: Catalogue, current: DescribedTable | None) -> DescribedColumn | None:
    before, _, name = path.rpartition(".")
    if before:
        table = catalogue.table(before)
        return None if table is None else _of(table, name)
    if current is not None and (own := _of(current, name)) is not None:
        return own
    holders = catalogue.holders(name)
    return holders[0] if len(holders) == 1 else None


_EVERYWHERE = re.compile(
    r"\b(?:every figure|everywhere|nowhere|wherever (?:the|that) column|all tables|any table)\b", re.IGNORECASE
)
_WORD_BEFORE = re.compile(r"([A-Za-z]+)\s\Z")


def _of_word_before(match: re.Match[str], text: str, catalogue: Catalogue) -> DescribedColumn | None:
    """The column in quotes that several tables have, of the one whose rows the word before names: ``Ticket `st` ``."""
    word = _WORD_BEFORE.search(text, max(match.start() - _LONGEST_WORD, 0), match.start())
    if match["tick"] is None or word is None or len(catalogue.holders(match["path"])) < _SEVERAL:
        return None
    called = [each for each in catalogue.tables.values() if each.is_called(word[1])]
    return _of(called[0], match["path"]) if len(called) == 1 else None


_LONGEST_WORD = 40
_SEVERAL = 2
_WITH = re.compile(r"([A-Za-z]+) (?:with|where|whose|that have)\s+[`*]*\Z")


def _of_rows_before(path: str, before: str, catalogue: Catalogue) -> DescribedColumn | None:
    """The column of the table whose rows the words before name: `appointments with IsDeleted`."""
    rows = _WITH.search(before)
    called = [each for each in catalogue.tables.values() if rows is not None and each.is_called(rows[1])]
    return _of(called[0], path) if len(called) == 1 else None


def _beside(path: str, found: list[Mention], catalogue: Catalogue) -> DescribedColumn | None:
    """The column of this name in the table of the column named before."""
    table = catalogue.table(found[-1].column.table) if found and "." not in path else None
    return _of(table, path) if table is not None else None


def _of(table: DescribedTable, name: str) -> DescribedColumn | None:
    return next((each for each in table.columns.values() if each.name.lower() == name.lower()), None)
