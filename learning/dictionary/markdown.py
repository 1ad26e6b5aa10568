"""Reads a data dictionary in Markdown: list items, paragraphs, tables and headings."""

from __future__ import annotations

import re
from collections.abc import Iterator

from learning.dictionary.catalogue import Catalogue
from learning.dictionary.lists import written_out
from learning.dictionary.notes import Note

MOST_MARKDOWN = 2_000_000
"""Most characters that are read."""
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s+(?P<text>.*)")
_HEADING = re.compile(r"#{1,6}\s+(?P<text>.*?)\s*#*\s*")
_ROW = re.compile(r"\s*\|(?P<cells>.*)\|\s*")
_RULE = re.compile(r"[\s|:-]+")
_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_DOTTED = re.compile(rf"(?<![\w.@/])(?:{_NAME}\.){{1,2}}{_NAME}(?![\w(/])")
_TICKED = re.compile(rf"`({_NAME})`")
_HEAD = re.compile(rf"[*`]*(?P<table>(?:{_NAME}\.)?{_NAME})[*`]*\s*(?:\([^()]*\))?\s*:")
_TITLED = re.compile(
    rf"(?:the )?(?:table |view |column )?[*`]*(?P<path>(?:{_NAME}\.)*{_NAME})[*`]*(?:\s+(?:table|view|column))?", re.I
)
_OPENING = re.compile(r"\*\*(?P<title>[A-Za-z][A-Za-z /]{1,40})[.:]?\*\*[.:]?(?=\s)")
_BOLD = re.compile(r"\*\*[^*]{1,40}\*\*")
"""A table's name as a line of its own."""
_NAME_HEADERS = frozenset("column field name attribute".split())


def read_markdown(text: str, catalogue: Catalogue) -> list[Note]:
    """The notes of a dictionary, each below the table of its heading. Tables that no DDL declares come from the text.

    >>> [(each.table, each.column, each.text) for each in read_markdown("## pots\\n- `glaze`: C clear\\n", Catalogue())]
    [('pots', None, '`glaze`: C clear')]
    >>> table = "## pots\\n| column | meaning |\\n|---|---|\\n| glaze | C clear, M matt |"
    >>> [(each.table, each.column, each.text) for each in read_markdown(table, Catalogue())]
    [('pots', 'glaze', 'C clear, M matt')]
    """
    declared = bool(catalogue.tables)
    notes = list(_notes(text[:MOST_MARKDOWN], catalogue, declared=declared))
    if not declared:
        for each in notes:
            _add_names(each, catalogue)
    return notes


def _notes(text: str, catalogue: Catalogue, *, declared: bool) -> Iterator[Note]:
    table: str | None = None
    column: str | None = None
    headers: list[str] = []
    held: list[str] = []

    def flush() -> Iterator[Note]:
        if held:
            text = " ".join(held)
            yield Note(text=text, table=_opened(text, catalogue) or table, column=column)
            held.clear()

    for line in written_out(text).splitlines():
        heading, row, item = _HEADING.fullmatch(line), _ROW.fullmatch(line), _ITEM.fullmatch(line)
        if heading is not None:
            yield from flush()
            table, column = _titled(heading["text"], catalogue, table, declared=declared)
            headers = []
        elif row is not None:
            yield from flush()
            cells = [each.strip() for each in re.split(r"(?<!\\)\|", row["cells"])]
            if _RULE.fullmatch(line):
                continue
            if not headers:
                headers = [each.strip("*` ").lower() for each in cells]
            else:
                yield from _of_row(headers, cells, table)
        elif item is not None:
            yield from flush()
            held.append(item["text"])
        elif not line.strip():
            table = (
                _opened(f"{held[0]} ", catalogue) if len(held) == 1 and _BOLD.fullmatch(held[0]) else None
            ) or table
            yield from flush()
            headers = []
        else:
            held.append(line.strip())
    yield from flush()


def _opened(text: str, catalogue: Catalogue) -> str | None:
    """The table that a paragraph opens with in bold: `**Orders.** The state is …`."""
    match = _OPENING.match(text)
    if match is None:
        return None
    return _called(match["title"], catalogue)


def _called(title: str, catalogue: Catalogue) -> str | None:
    """The one table whose rows the first words of a title name: `Meters and premises`."""
    first = re.split(r"\s+and\s+|/|&", _SUBTITLE.split(title)[0])[0]
    called = [each.name for each in catalogue.tables.values() if each.is_called(first.strip("*` "))]
    return called[0] if len(called) == 1 else None


def _of_row(headers: list[str], cells: list[str], table: str | None) -> Iterator[Note]:
    kinds = [*headers, *[""] * len(cells)][: len(cells)]
    named = next((place for place, each in enumerate(kinds) if _NAME_HEADERS & set(each.split())), 0)
    own = next((cell.strip("`* ") for kind, cell in zip(kinds, cells, strict=True) if kind == "table"), "")
    before, _, column = cells[named].strip("`* ").rpartition(".")
    for place, (kind, cell) in enumerate(zip(kinds, cells, strict=True)):
        if cell and place != named and not kind.startswith(_NO_WORDS):
            yield Note(text=cell, table=before or own or table, column=column or None)


_NO_WORDS = ("table", "type", "null", "key", "default")
"""How the headers of columns begin that say nothing in words."""


def _titled(title: str, catalogue: Catalogue, table: str | None, *, declared: bool) -> tuple[str | None, str | None]:
    """The table, and the column, that a heading names."""
    match = _TITLED.fullmatch(title.strip())
    if match is None:
        return (_first_named(title, catalogue) or _called(title, catalogue)) if declared else None, None
    before, _, name = match["path"].rpartition(".")
    known = catalogue.table(match["path"])
    if known is not None:
        return known.name, None
    if before and (of := catalogue.table(before)) is not None:
        return of.name, name
    if (
        table is not None
        and (held := catalogue.table(table)) is not None
        and name.lower() in map(str.lower, held.columns)
    ):
        return table, name
    if declared:
        return _called(title, catalogue), None
    return (None, None) if " " in title.strip("`* ") else (catalogue.add_table(name).name, None)


_SUBTITLE = re.compile(r"\s+[–—-]\s|[:(]")


def _first_named(title: str, catalogue: Catalogue) -> str | None:
    """The first of the tables that a heading lists: `inv, invl – invoices`."""
    names = re.split(r"\s*(?:,|/|&|\band\b)\s*", _SUBTITLE.split(title.strip())[0])
    found = [catalogue.table(each.strip("`* ")) for each in names if re.fullmatch(rf"[`*]*{_NAME}[`*]*", each.strip())]
    return found[0].name if found and found[0] is not None else None


def _add_names(note: Note, catalogue: Catalogue) -> None:
    """Adds the tables and columns that a note itself names to the catalogue."""
    current = note.table
    head = _HEAD.match(note.text)
    if head is not None and note.table is None and head["table"].islower():
        path = head["table"]
        if "." not in path:
            current = catalogue.add_table(path).name
    if note.column and note.table:
        catalogue.add_column(note.table, note.column)
    for path in _DOTTED.findall(note.text):
        before, _, name = path.rpartition(".")
        current = catalogue.add_column(before, name).table
    if current is not None:
        for name in _TICKED.findall(note.text):
            if catalogue.table(name) is None and not catalogue.holders(name):
                catalogue.add_column(current, name)
