"""When the year of a house begins, and which words mean it: `Fiscal year: 1 July to 30 June, named by its end`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from learning.dictionary.notes import Note, sentences
from scoring.question.house_years import first_month, named_after_end
from scoring.values import FiscalYear

_YEAR = re.compile(r"\b(?:fiscal|financial|business|accounting)[ -]?(?:year|yr)\b", re.IGNORECASE)
_MEANT = re.compile(
    r"(?P<words>(?:[\"“][^\"”]{2,20}[\"”](?:\s*(?:,|and|or|/|\.\.)\s*)*)+)"
    r"\s*(?:(?:and )?q1 ?(?:to|-|–) ?q4\s*)?(?:from \w+(?: people| staff)?\s+)?(?:is|are|means?|refers? to)\s+"
    r"(?:always\s+)?(?:the\s+)?(?:fiscal|financial|fy)\b",
    re.IGNORECASE,
)
_SAID = re.compile(
    r"\b(?:says?|said|hears?|asks? for|writes?)\s+(?P<words>(?:[\"“][^\"”]{2,20}[\"”](?:\s*(?:,|and|or|/)\s*)*)+),?\s*"
    r"(?:they|we|people|it|staff|this|that)\s+(?:always\s+)?(?:means?|is|are)\s+(?:the\s+)?(?:fiscal|financial)\b",
    re.IGNORECASE,
)
_QUARTERS = re.compile(
    r"\bquarters\b[^.;]{0,40}\b(?:are|follow|mean)\b[^.;]{0,12}\b(?:fiscal|financial|the same|suit)\b", re.I
)
_LIMITED = re.compile(r"\b(?:for|in)\s+(?!this house|our house|this company|our)[^\"“;.]{3,60}\Z", re.IGNORECASE)
_QUOTED = re.compile(r"[\"“]([^\"”]{2,20})[\"”]")


def fiscal_year(notes: Iterable[Note]) -> FiscalYear | None:
    """The first year of a house that the notes describe, where it is not the calendar year.

    >>> text = 'Fiscal year: 1 July to 30 June, named after the year it ends in. "YTD" is fiscal.'
    >>> fiscal_year([Note(text=text)])
    FiscalYear(starts=7, named_after_end=True, words=('ytd',))
    >>> fiscal_year([Note(text="Fiscal year = calendar year.")]) is None
    True
    """
    read = [each.text.lower() for each in notes]
    for text in read:
        told = (text[start:end] for start, end in sentences(text) if _YEAR.search(text, start, end))
        first = next(filter(None, map(first_month, told)), None)
        if first is not None and first > 1:
            words = tuple(dict.fromkeys(word for other in read for word in _words(other)))
            return FiscalYear(starts=first, named_after_end=named_after_end(text) is not False, words=words)
    return None


def _words(text: str) -> Iterable[str]:
    """The words that mean it, where that is said of all questions."""
    if _QUARTERS.search(text) is not None:
        yield "quarter"
    for match in (*_MEANT.finditer(text), *_SAID.finditer(text)):
        if not _LIMITED.search(text[: match.start()].rstrip(", ")):
            for word in _QUOTED.findall(match["words"]):
                plain = " ".join(word.split())
                if not plain.startswith("fy"):
                    yield "quarter" if plain.startswith("q") else plain
