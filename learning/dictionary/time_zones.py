"""In which zone a house cuts days: `Timestamps are UTC; business days are Vienna time`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from learning.dictionary.catalogue import Catalogue, DescribedColumn, DescribedTable
from learning.dictionary.findings import WrittenTimeZone
from learning.dictionary.mentions import mentions
from learning.dictionary.notes import Note, sentences

_STORED = re.compile(
    r"\b(?:is|are|in|as|hold|holds|carry|=)\s+\**utc\b|\butc (?:timestamps?|times?|datetimes?|moments?)\b",
    re.IGNORECASE,
)
_ZONE = re.compile(r"\b(?:Africa|America|Asia|Australia|Europe|Pacific)/[A-Z]\w+(?:/[A-Z]\w+)?")
_PLACE = re.compile(
    r"\b(?:in|on|to|into|at|are|is|by|run on)\s+(?P<place>(?!UTC\b)[A-Z][a-z]+(?: [A-Z][a-z]+)?|UK|US)"
    r"\s+(?:local )?(?:time|days?|ones)\b"
)
_KEPT = re.compile(
    r"\b(?:report|reports|reported|reporting|cut|days|day)\b[^.;]{0,60}\b(?:in|on|are|is)\s+\**utc\b|\butc[- ]days?\b",
    re.IGNORECASE,
)
_PARTLY = re.compile(
    r"\b(?:exception|except|unless|ignored?|nobody|only|otherwise|but|whichever|depends|some)\b", re.IGNORECASE
)
_ENDING = re.compile(r"[`*…]_([A-Za-z]+)\b|\bending (?:in|on|with) `?_?(\w+)`?")
_LOCAL = re.compile(r"\b(?:local|wall|already|plain)\b", re.IGNORECASE)
_MOMENT = re.compile(r"timestamp|datetime")
_TYPE = re.compile(r"`(\w*(?i:timestamp|datetime)\w*)`|\b(\w*(?:TIMESTAMP|DATETIME)\w*)\b")
"""A type as notes write one: in backticks or in capitals."""


def time_zones(notes: Iterable[Note], catalogue: Catalogue) -> Iterator[WrittenTimeZone]:
    """The zone in which hours and days are cut, with the declared columns that hold moments in UTC.

    A note that says so of some figures alone is left out.

    >>> catalogue = Catalogue()
    >>> _ = catalogue.add_column("calls", "began_at", "timestamp")
    >>> note = Note(text="All timestamps are UTC. Days are cut in Vienna time.")
    >>> [each.entry for each in time_zones([note], catalogue)]
    [{'zone': 'Vienna time', 'columns': ['calls.began_at'], 'parts': []}]
    """
    for note in notes:
        zone = _zone(note.text) if note.column is None else None
        columns = list(_columns(note, catalogue)) if zone is not None else []
        if zone is not None and columns:
            yield WrittenTimeZone(zone=zone, columns=tuple([each.text for each in columns]))


def _zone(text: str) -> str | None:
    """The zone of the house's days; nothing where the text is of some figures, or does not say that UTC is stored."""
    told = "".join(each for each in _sentences(text) if _OF_TIME.search(each) and not _is_of_columns(each))
    if _STORED.search(text) is None or _PARTLY.search(told):
        return None
    if _KEPT.search(told) is not None:
        return "UTC"
    named, place = _ZONE.search(told), _PLACE.search(told)
    return named[0] if named is not None else (f"{place['place']} time" if place is not None else None)


def _sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


_OF_TIME = re.compile(
    r"\b(?:utc|zones?|convert\w*|clock|shift\w*|hours?|days?|weeks?|months?|midnight|times?|report\w*)\b", re.IGNORECASE
)


def _is_of_columns(sentence: str) -> bool:
    """Whether a sentence says that columns are local already."""
    return _LOCAL.search(sentence) is not None and "`" in sentence and "utc" not in sentence.lower()


def _columns(note: Note, catalogue: Catalogue) -> Iterator[DescribedColumn]:
    """The columns of moments, with the endings that the note names, but for those that it calls local."""
    endings = tuple(str(found[1] or found[2]).lower() for found in _ENDING.finditer(_of_utc(note.text)))
    local = {
        each.column.text
        for sentence in _sentences(note.text)
        if _is_of_columns(sentence)
        for each in mentions(sentence, catalogue, note.table)
    }
    for each in _moments(note.text, catalogue):
        ends = not endings or each.name.lower().endswith(endings)
        if ends and each.text not in local:
            yield each


def _moments(text: str, catalogue: Catalogue) -> list[DescribedColumn]:
    """The columns of moments, of the types that the note names beside UTC, but for types that it calls local."""
    columns = [each for table in _tables(text, catalogue) for each in table.columns.values()]
    utc, local = _types(_of_utc(text)), _types(_of_local(text))
    moments = [each for each in columns if _MOMENT.search(each.type) and each.type not in local]
    return [each for each in moments if each.type in utc] or moments


def _types(text: str) -> frozenset[str]:
    """The types of columns that a text names, in lower case."""
    return frozenset((found[1] or found[2]).lower() for found in _TYPE.finditer(text))


def _tables(text: str, catalogue: Catalogue) -> list[DescribedTable]:
    """The tables of whose columns the note speaks: those named beside UTC, or all that it does not call local."""
    tables = list(catalogue.tables.values())
    named = [each for each in tables if _names(_of_utc(text), each)]
    return named or [each for each in tables if not _names(_of_local(text), each)]


def _names(text: str, table: DescribedTable) -> bool:
    return f"`{table.name}`" in text


def _of_local(text: str) -> str:
    return "".join(each for each in _sentences(text) if _is_of_columns(each))


def _of_utc(text: str) -> str:
    return "".join(each for each in _sentences(text) if "utc" in each.lower())
