"""Values as text that no spreadsheet takes for a formula."""

from __future__ import annotations

import unicodedata
from datetime import datetime
from typing import cast

from scoring.normal_forms import normal_form

_FORMULA, _BREAKS = frozenset("=+-@"), frozenset("\t\r\n\0")
_UNSEEN = frozenset(("Cc", "Cf", "Cn", "Co", "Mn", "Zl", "Zp", "Zs"))
"""Unicode categories of characters that a spreadsheet may drop before a formula."""
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters and symbols that show nothing."""


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
    return "'" + value if _begins_a_formula(value) else value


def _begins_a_formula(text: str) -> bool:
    for each in text:
        if each in _BREAKS:
            return True
        if each not in _BLANK and unicodedata.category(each) not in _UNSEEN:
            # wide and small forms too: ＝ is =
            return normal_form("NFKC", each) in _FORMULA
    return False
