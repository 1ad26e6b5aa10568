"""Writes lists and tables out as sentences, where what stands above them says what they are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

_LEAVES_OUT = re.compile(
    r"\W*(?P<said>(?:always )?(?:left|leave|keep|kept) out(?: of)?\b[^.:*]{0,50}|(?:always )?excluded?\b[^.:*]{0,50}"
    r"|never counted\b[^.:*]{0,50}|ignored?\b[^.:*]{0,50})\W*",
    re.IGNORECASE,
)
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s+(?P<text>.*)")
_FIRST = re.compile(r"(?P<first>(?:[^.(]|\([^()]*\)|\.(?=\w))+)(?P<rest>.*)", re.DOTALL)
_ROW = re.compile(r"\s*\|(?P<cells>.*)\|\s*")
_RULE = re.compile(r"[\s|:-]+")
_NAMED = re.compile(r"[*`]*(?P<column>[A-Za-z_][A-Za-z0-9_]*)[*`]*\s*:?\s*")
_CODES = frozenset({"code", "value", "codes", "values"})
_ONE_CODE = re.compile(r"[*`'\"]*(?P<code>[A-Za-z0-9_]{1,20})[*`'\"]*")


def written_out(text: str) -> str:
    """The text with such lists and tables as sentences.

    >>> print(written_out("**Left out of every figure**\\n- is_test = TRUE. Shops test too.\\n- deleted_at filled"))
    <BLANKLINE>
    - is_test = TRUE: left out of every figure. Shops test too.
    - deleted_at filled: left out of every figure
    >>> print(written_out("State:\\n\\n| code | meaning |\\n|---|---|\\n| new | to come |\\n| done | over, shut |"))
    State:
    <BLANKLINE>
    `State`: new (to come), done (over)
    >>> print(written_out("ORDER_KIND\\n  N = normal    counts\\n  X = training"))
    `ORDER_KIND`: N normal, X training.
    >>> print(written_out("| KIND | meaning |\\n|---|---|\\n| 10, 20 | open: on the way |\\n| 30 | shut |"))
    `KIND`: 10 open, 20 open, 30 shut
    """
    return "\n".join(_coded(list(_led(list(_stacked(text.splitlines()))))))


_ALONE = re.compile(r"[`*]*(?P<column>[A-Za-z]+_[A-Za-z0-9_]+|[A-Z][A-Z0-9_]{2,})[`*]*\s*:?\s*")
_INDENTED = re.compile(r"\s{2,}[`*'\"]*(?P<code>[A-Z0-9]{1,4})[`*'\"]*(?:\s*[=:–-]\s*|\s+)(?P<meaning>\S.*)")


def _stacked(lines: Sequence[str]) -> Iterator[str]:
    """Codes that stand one below the other, indented, under the name of their column."""
    place = 0
    while place < len(lines):
        named = _ALONE.fullmatch(lines[place])
        below = [match for line in lines[place + 1 :] if (match := _INDENTED.fullmatch(line))] if named else []
        count = next((at for at, line in enumerate(lines[place + 1 :]) if not _INDENTED.fullmatch(line)), len(below))
        if named is None or count < _LEAST:
            yield lines[place]
            place += 1
            continue
        codes = (f"{each['code']} {_first_words(each['meaning'])}" for each in below[:count])
        yield f"`{named['column']}`: {', '.join(codes)}."
        place += count + 1


def _first_words(meaning: str) -> str:
    """What a meaning begins with, up to the first mark or gap."""
    return re.split(r"[,;:(.]|\s-\s|\s{2,}", meaning)[0].strip(" *`")


def _led(lines: Sequence[str]) -> Iterator[str]:
    """Each item says itself that it is left out, where the line above the list says so."""
    lead = ""
    for line in lines:
        item, said = _ITEM.fullmatch(line), _LEAVES_OUT.fullmatch(line)
        if said is not None and item is None:
            lead = said["said"].strip().lower()
            yield ""
        elif item is not None and lead:
            first = _FIRST.fullmatch(item["text"])
            yield f"- {first['first'].rstrip()}: {lead}{first['rest']}" if first is not None else line
        else:
            lead = "" if line.strip() else lead
            yield line


def _coded(lines: Sequence[str]) -> Iterator[str]:
    """Tables of the codes of one column, as a list behind its name."""
    place = 0
    while place < len(lines):
        rows = _table_at(lines, place)
        column = _column_of(lines[:place], rows[0]) if len(rows) > _LEAST else None
        if column is None:
            yield lines[place]
            place += 1
            continue
        yield f"`{column}`: {', '.join(_of_codes(rows[1:]))}"
        place += len(rows) + 1


_LEAST = 2
"""The header and one code are no list."""


def _table_at(lines: Sequence[str], place: int) -> list[list[str]]:
    """The rows of the table that begins on a line, its header first, without the rule below it."""
    rows: list[list[str]] = []
    for line in lines[place:]:
        match = _ROW.fullmatch(line)
        if match is None:
            break
        if not _RULE.fullmatch(line):
            rows.append([cell.strip() for cell in match["cells"].split("|")])
    return rows


def _column_of(before: Sequence[str], header: Sequence[str]) -> str | None:
    """The column whose codes a table of two columns lists: by its header, or by the line above that ends in a colon."""
    if len(header) != len(("code", "meaning")) or header[1].strip("*` ").lower() not in {"", *_MEANINGS}:
        return None
    named = _NAMED.fullmatch(header[0])
    if named is not None and named["column"].lower() not in _CODES | _OTHERS:
        return named["column"]
    above = next((line.strip() for line in reversed(before) if line.strip()), "")
    named = _NAMED.fullmatch(above) if above.endswith(":") else None
    return named["column"] if named is not None and header[0].strip("*` ").lower() in _CODES else None


_MEANINGS = frozenset({"meaning", "description", "means", "what it means"})
_OTHERS = frozenset({"column", "field", "name", "attribute", "table", "term", "word"})


def _of_codes(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Each code with the first words of its meaning; several in one cell mean the same."""
    for code, meaning in ((row[0], row[1]) for row in rows if len(row) > 1):
        said = _first_words(meaning)
        for each in re.split(r"\s*(?:,|/|\band\b)\s*", code):
            match = _ONE_CODE.fullmatch(each)
            if match is not None:
                word = match["code"].islower()
                yield f"{match['code']} ({said})" if word else f"{match['code']} {said}"
