"""What each reason code means, for the console: a signal's whole docstring, else its line in `docs/reasons.md`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scoring.signals import SIGNALS
from service.contracts.reasons_page import example, prose

_HEADINGS = re.compile(r"^#{2,3} (.+)$")
_ROW = re.compile(r"^(?:\||-) `([A-Z_]+)`( \((?:\+|hint|form)\))?(?: \||:) (.+?)(?: \|)?$")
_LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")
_END = "## Invalid reasons"
_SIGNALS = {code.value: signal for code, signal in SIGNALS.items()}

Meaning = dict[str, object]


def reason_meanings(page: str) -> dict[str, Meaning]:
    """Each code with its section, what is true of such an answer, and an example or who acts."""
    return dict(_meanings(page.partition(_END)[0]))


def _meanings(page: str) -> Iterator[tuple[str, Meaning]]:
    section = ""
    for line in page.splitlines():
        heading, row = _HEADINGS.match(line), _ROW.match(line)
        if heading:
            section = _plain(heading[1])
        elif row:
            cells = [_plain(each) for each in row[3].split(" | ")]
            mark = (row[2] or "").strip(" ()")
            meaning: Meaning = {"section": section, "means": cells[0], "favours": mark == "+", "hint": mark == "hint"}
            if signal := _SIGNALS.get(row[1]):
                question, sql = example(signal)
                meaning |= {"means": _plain(prose(signal)), "question": f"“{question}”", "sql": _plain(sql)}
            elif len(cells) > 1:
                meaning |= {"acts": cells[-1]}
            yield row[1], meaning


def _plain(text: str) -> str:
    """Markdown as plain text.

    >>> _plain("`A` with [memory](trust.md#a)")
    'A with memory'
    """
    return _LINK.sub(r"\1", text).replace("`", "").strip()
