"""Tables in CSV whose texts no spreadsheet takes for a formula: every file that people may open is written here."""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import TextIO, cast

from consumers.wire.texts import UNSEEN
from scoring.normal_forms import normal_form

_FORMULA, _BREAKS = frozenset("=+-@"), frozenset("\t\r\n\0")
_UNSEEN = frozenset(("Cc", "Cf", "Cn", "Co", "Mn", "Zl", "Zp", "Zs"))
"""Unicode categories of characters that a spreadsheet may drop before a formula."""
_SPLITS = re.compile(r"([;\t\r\n])")
"""Where a spreadsheet may split a cell: one whose separator is `;` does not know the quotes around a cell behind a
comma, so that it also ends the row at a line break there."""
_BLANK = re.compile(f"[{UNSEEN}]")


class CsvTable:
    """Writes rows into a text."""

    def __init__(self, text: TextIO, *, separator: str = ",", quoted: bool = False, line_end: str = "\n") -> None:
        quoting = csv.QUOTE_ALL if quoted else csv.QUOTE_MINIMAL
        self._writer = csv.writer(text, delimiter=separator, quoting=quoting, lineterminator=line_end)  # noqa: TID251 the one place

    def write(self, *rows: Iterable[object]) -> None:
        """Writes each row, one cell for a value."""
        self._writer.writerows([cell(value) for value in row] for row in rows)


def cell(value: object) -> str:
    """The value as text that no spreadsheet takes for a formula, nor a part of it if it is split.

    >>> cell("=1+1"), cell(" @SUM(A1)"), cell(-1.5), cell(["A", "B"]), cell(None)
    ("'=1+1", "' @SUM(A1)", '-1.5', 'A B', '')
    >>> cell("looms; =1+1;-2; x=1")
    "looms;' =1+1;'-2; x=1"
    """
    if value is None:
        return ""
    if isinstance(value, list):
        return cell(" ".join(map(str, cast("list[object]", value))))
    if isinstance(value, datetime):
        return value.isoformat()
    if not isinstance(value, str):
        return str(value)
    return _part_by_part(value, lambda part: "'" + part)


def plain(cell_text: str) -> str:
    """The text of which `cell` made this one; a text that a person typed, as it is.

    >>> plain("'=1+1"), plain(cell("'=1;-2")), plain("'90s"), plain("=1")
    ('=1+1', "'=1;-2", "'90s", '=1')
    """
    return _part_by_part(cell_text, lambda part: part.removeprefix("'"))


def _part_by_part(text: str, change: Callable[[str], str]) -> str:
    """The text with each part changed that begins a formula once the text is split."""
    parts = _SPLITS.split(text)
    if _begins_a_formula(text, "'"):
        parts[0] = change(parts[0])
    # behind another separator a quote within a text may open a cell
    parts[2::2] = [change(part) if _begins_a_formula(part, "'\"") else part for part in parts[2::2]]
    return "".join(parts)


def _begins_a_formula(text: str, passed: str) -> bool:
    for each in text:
        if each in _BREAKS:
            return True
        if each not in passed and _BLANK.match(each) is None and unicodedata.category(each) not in _UNSEEN:
            # wide and small forms too: ＝ is =
            return normal_form("NFKC", each) in _FORMULA
    return False
