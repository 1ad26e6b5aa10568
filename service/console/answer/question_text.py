"""The question and the enriched question, with the words of the pairs and what the enrichment changed marked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from service.console.answer.marked_text import MarkedRun, TextMark, find_words, runs
from service.console.answer.pairs import AnswerPart
from service.console.answer.stored_record import strings

_ARROW = " → "
_LONG_WORD = re.compile(r"[^\W\d]{3,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownTexts:
    """Both texts as runs."""

    question: list[MarkedRun]
    enriched: list[MarkedRun]
    marked: frozenset[int]
    """The pairs that are marked in one of them."""
    changes: list[tuple[str, str]]
    """Each thing lost, added or changed, with which of the three."""


def show_texts(
    question: str, enriched: str | None, pairs: Sequence[AnswerPart], record: Mapping[str, Any]
) -> ShownTexts:
    """The texts with their marks."""
    asked: list[TextMark] = []
    rewritten: list[TextMark] = []
    for pair in pairs:
        own = list(_marks(question, pair, asked))
        asked += own
        if not own and enriched:
            rewritten += _marks(enriched, pair, rewritten)
    numbers = frozenset(each.number for each in (*asked, *rewritten))
    changes = list(_changes(record))
    for kind, text in changes:
        before, _, after = text.partition(_ARROW)
        if kind in {"lost", "changed"}:
            asked += _found(question, before, kind)
        if kind == "added" or after:
            rewritten += _found(enriched or "", after or before, kind)
    return ShownTexts(
        question=runs(question, asked), enriched=runs(enriched or "", rewritten), marked=numbers, changes=changes
    )


def _marks(text: str, pair: AnswerPart, taken: Sequence[TextMark]) -> Iterator[TextMark]:
    """The pair's words where they stand together, or else one by one."""
    if not pair.words:
        return
    whole = find_words(text, pair.words, taken)
    singly = (find_words(text, word) for word in _LONG_WORD.findall(pair.words))
    for place in [whole] if whole else singly:
        if place is not None:
            yield TextMark(start=place[0], end=place[1], number=pair.number, kind=pair.place.value)


def _found(text: str, words: str, kind: str) -> Iterator[TextMark]:
    place = find_words(text, words)
    if place is not None:
        yield TextMark(start=place[0], end=place[1], kind=kind)


def _changes(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    enrichment = record.get("enrichment")
    if isinstance(enrichment, Mapping):
        for kind in ("lost", "added", "changed"):
            for text in strings(cast("Mapping[str, Any]", enrichment), kind):
                yield kind, text
