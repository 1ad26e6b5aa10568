"""Tables in CSV whose texts no spreadsheet takes for a formula: every file that people may open is written here."""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Iterable
from datetime import datetime
from typing import TextIO, cast

from consumers.wire.texts import UNSEEN
from scoring.normal_forms import normal_form

_FORMULA, _BREAKS = frozenset("=+-@"), frozenset("\t\r\n\0")
_UNSEEN = frozenset(("Cc", "Cf", "Cn", "Co", "Mn", "Zl", "Zp", "Zs"))
"""Unicode categories of characters that a spreadsheet may drop before a formula."""
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
    """The value as text that no spreadsheet takes for a formula.

    >>> cell("=1+1"), cell(" @SUM(A1)"), cell(-1.5), cell(["A", "B"]), cell(None)
    ("'=1+1", "' @SUM(A1)", '-1.5', 'A B', '')
    """
    if value is None:
        return ""
    if isinstance(value, list):
        return cell(" ".join(map(str, cast("list[object]", value))))
    if isinstance(value, datetime):
        return value.isoformat()
    if not isinstance(value, str):
        return str(value)
    return "'" + value if _begins_a_formula(value.lstrip("'")) else value


def plain(cell_text: str) -> str:
    """The text of which `cell` made this one; a text that a person typed, as it is.

    >>> plain("'=1+1"), plain(cell("'=1")), plain("'90s"), plain("=1")
    ('=1+1', "'=1", "'90s", '=1')
    """
    marked = cell_text.startswith("'") and _begins_a_formula(cell_text.lstrip("'"))
    return cell_text[1:] if marked else cell_text


def _begins_a_formula(text: str) -> bool:
    for each in text:
        if each in _BREAKS:
            return True
        if _BLANK.match(each) is None and unicodedata.category(each) not in _UNSEEN:
            # wide and small forms too: ＝ is =
            return normal_form("NFKC", each) in _FORMULA
    return False
