"""The columns that words mean, and those that look like them: `sales are dated by placed_at`, `pay = net_cents`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from learning.dictionary.catalogue import Catalogue, DescribedColumn
from learning.dictionary.columns import ColumnKind, kind_of_column
from learning.dictionary.definitions import phrases_of
from learning.dictionary.findings import WrittenLookAlike
from learning.dictionary.mentions import Mention
from learning.dictionary.notes import outer_parts
from scoring.words import identifier_words

_SPAN = r"(?:day|date|week|month|quarter|year|period|time|moment)s?"
_BY = re.compile(r"(?:\A\s*|\s)by\s+(?:the\s+)?[`*(]*\Z", re.IGNORECASE)
_MEANT = re.compile(
    r"(?:\b(?:dated|counted|reported|measured|placed|grouped|judged|summed|taken)"
    r"(?:\s+(?:in|per|for)\s+(?:a|the)\s+\w+)?\s+(?:by|on|at|from|with)"
    r"|\b(?:goes|go|runs?|counts?)\s+by|\b(?:uses?|using|looks? at)"
    rf"|\b(?:in|of|for|to|on)\s+the\s+{_SPAN}\s+(?:of|in)|,\s*(?:by|on)"
    r"|=\s+(?:[a-z]+\s+){1,4}by|\bcounts?\s+(?:[A-Za-z]+\s+){1,5}by)"
    r"\s+(?:the\s+)?(?:\w+\s+of\s+)?[`*(]*\Z",
    re.IGNORECASE,
)
"""What stands between words and the column that they mean."""
_SPAN_OF = re.compile(
    rf"\b(?:the|its|their)\s+(?:\w+\s+)?{_SPAN}\s+of\s+(?:an?|the|any|each|every)?\s*(?P<phrase>[a-z][a-z -]{{2,30}}?)"
    r"\s*(?:\([^()]*\)\s*)?(?:is|=|:|means)\s+(?:the\s+)?[`*]*\Z",
    re.IGNORECASE,
)
_EQUALS = re.compile(r"(?:=|\bis|\bare|\bmeans?)\s+(?:the\s+)?(?:sum\s+of\s+)?(?:all\s+)?[`*]*\Z", re.IGNORECASE)
_FORMULA = re.compile(r"[`*]*\s*(?:[-+*/÷]|less\b|minus\b|plus\b|to\b|<|>|=|empty|set\b|null\b|is\b)", re.IGNORECASE)
_VERB = re.compile(
    r"=|\b(?:is|are|goes|go|counts?|uses?|means?|runs?|belongs?|dated|counted|reported|excludes?|includes?|leaves?"
    r"|covers?)\b"
)
_HEADED = re.compile(r"\W{0,4}(?P<head>[A-Za-z][A-Za-z -]{2,40}?)\**\s*:\s")
_BRACKETED = re.compile(r"\(([a-z, /]+)\)")
_LIST = re.compile(r"[^,]{2,30}(?:,[^,]{2,30}){1,5},?\s+(?:and|or)\s[^,]{2,30}", re.IGNORECASE)
_TAIL = re.compile(r"[\s*\"“]+(?:for|in|of|per)[\s*]+(?:an?|the|any|each|every)?\s*[\"“]?\w+[\"”]?\s*\Z", re.IGNORECASE)
_CODE = re.compile(r"\W*(?!\w+ (?:questions?|figures?|numbers?|amounts?)\b)[A-Z][A-Z0-9]{1,4}\b")
_THIS = re.compile(r"\b(?:dated|counted|reported|measured|go|goes) by (?:this|it)\b(?! one)", re.IGNORECASE)
_NOT = re.compile(
    r"(?:\bnot(?:\s+(?:by|on|from|the))?|\bnever(?:\s+(?:use|by))?|\binstead of|\brather than)\s+[`*(]*\Z",
    re.IGNORECASE,
)
_FEW = 6
"""Most words before a `by` that carries a verb on: `orders are dated by a; refunds by b`."""


def look_alikes(sentence: str, mentioned: Sequence[Mention], catalogue: Catalogue) -> Iterator[WrittenLookAlike]:
    """The columns that a sentence ties to words, each with the columns that could be taken for it.

    For a moment these are the other moments of its table, for an amount those that are named alike, and for any column
    those that the sentence says are not meant.

    >>> catalogue = Catalogue()
    >>> opened = catalogue.add_column("carts", "opened_at", "timestamp")
    >>> placed = catalogue.add_column("carts", "placed_at", "timestamp")
    >>> text = "Takings are dated by placed_at."
    >>> found = [Mention(21, 30, placed, None, plain=False)]
    >>> [each.entry for each in look_alikes(text, found, catalogue)]
    [{'column': 'carts.placed_at', 'instead_of': ['carts.opened_at'], 'when': ['takings']}]
    """
    start = 0
    carried = False
    for clause in outer_parts(sentence, ";"):
        end = start + len(clause)
        inside = [
            replace(each, start=max(0, each.start - start), end=each.end - start if each.end else 0)
            for each in mentioned
            if start <= each.start < end or not each.end
        ]
        for each in inside:
            denied = _denied(clause, inside, each)
            found, alike = _tied(clause, each, catalogue, carried=carried)
            others = [*denied, *(other for other in alike if other not in denied)]
            if found is not None and others and (found or denied):
                carried = True
                yield from _told(each.column, found, others, catalogue)
        start = end + 1


def _tied(
    clause: str, each: Mention, catalogue: Catalogue, *, carried: bool
) -> tuple[tuple[str, ...] | None, list[DescribedColumn]]:
    """The words that a clause ties to a column, `None` where it ties it to none, and the columns that look alike."""
    moment = kind_of_column(each.column) is ColumnKind.MOMENT
    found = _words(clause[: each.start], clause, each, carried=carried)
    if found is not None or moment or _FORMULA.match(clause[each.end :]):
        return found, _other_moments(each.column, catalogue) if moment else []
    equals = _EQUALS.search(clause[: each.start])
    return (_subject(clause[: equals.start()]), _alike(each.column, catalogue)) if equals else (None, [])


def _words(before: str, clause: str, each: Mention, *, carried: bool) -> tuple[str, ...] | None:
    """The words that a clause ties to a column; none where it ties it to no words, `None` where it does not tie it."""
    if not each.end:
        told = _THIS.search(clause)
        return _subject(clause[: told.start()]) or None if told is not None else None
    if each.plain:
        return None
    span = _SPAN_OF.search(before)
    if span is not None:
        return tuple(phrases_of(span["phrase"]))
    meant = _MEANT.search(before)
    if meant is None and carried and len(before.split()) < _FEW:
        meant = _BY.search(before)
    if meant is None:
        return None
    return _subject(before[: meant.start()])


def _subject(text: str) -> tuple[str, ...]:
    """What a clause is about: its head before a colon, or the words before its first verb, `=` or comma."""
    head = _HEADED.match(text)
    if head is not None:
        return tuple(phrases_of(head["head"]))
    first = _VERB.search(text)
    subject = _TAIL.sub("", text[: first.start()] if first is not None else text)
    if _LIST.fullmatch(_BRACKETED.sub("", subject)) is None:
        subject = _BRACKETED.sub(lambda match: match[0].replace(",", "/"), subject).partition(",")[0]
    if _CODE.match(subject.rpartition(";")[2].rpartition(": ")[2]):
        return ()
    kinds = [kind for match in _BRACKETED.finditer(subject) for kind in phrases_of(match[1])]
    return (*phrases_of(subject), *kinds)


def _denied(clause: str, inside: Sequence[Mention], meant: Mention) -> list[DescribedColumn]:
    """The columns that the clause says are not meant."""
    others = [each for each in inside if each.column != meant.column and each.end]
    return [each.column for each in others if _NOT.search(clause[: each.start])]


def _other_moments(column: DescribedColumn, catalogue: Catalogue) -> list[DescribedColumn]:
    return [each for each in _beside(column, catalogue) if kind_of_column(each) is ColumnKind.MOMENT]


def _alike(column: DescribedColumn, catalogue: Catalogue) -> list[DescribedColumn]:
    """The columns of its table that end as it does, or begin with all of its words."""
    words = identifier_words(column.name)
    if len(words) < 2 or words[-1] not in _MEASURES:
        return []
    named = [(each, identifier_words(each.name)) for each in _beside(column, catalogue)]
    return [each for each, own in named if own[-1] == words[-1] or own[: len(words)] == words]


_MEASURES = frozenset(
    "cent ct pence penny amount amt price fee cost total min minute second hour qty quantity count".split()
)


def _beside(column: DescribedColumn, catalogue: Catalogue) -> list[DescribedColumn]:
    table = catalogue.table(column.table)
    return [each for each in table.columns.values() if each != column] if table is not None else []


def _told(
    column: DescribedColumn, phrases: tuple[str, ...], others: Sequence[DescribedColumn], catalogue: Catalogue
) -> Iterator[WrittenLookAlike]:
    table = catalogue.table(column.table)
    own = {each.name.lower() for each in table.columns.values()} if table is not None else set[str]()
    said = tuple([each for each in phrases if each.replace(" ", "_") not in own])
    of_all = table is not None and any(table.is_called(each) for each in said if not each.endswith("ed"))
    if said or not phrases:
        yield WrittenLookAlike(
            column=column.text, instead_of=tuple([each.text for each in others]), when=() if of_all else said
        )
