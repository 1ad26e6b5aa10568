"""When the year of a house begins, and which words mean it: `Fiscal year: 1 July to 30 June, named by its end`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from learning.dictionary.notes import Note
from scoring.values import FiscalYear

_MONTHS: tuple[str, ...] = tuple("jan feb mar apr may jun jul aug sep oct nov dec".split())
_MONTH = rf"(?:{'|'.join(_MONTHS)})[a-z]*"
_YEAR = re.compile(r"\b(?:fiscal|financial|business|accounting)[ -]?(?:year|yr)\b", re.IGNORECASE)
_STRETCH = re.compile(
    rf"\b(?:1(?:st)?\s+|first\s+of\s+)?(?P<first>{_MONTH})(?:\s+1(?:st)?)?\s*(?:to|until|till|through|-|–|—)\s*"
    rf"(?:(?:end\s+of\s+)?(?:\d\d(?:st|th)?\s+)?(?P<last>{_MONTH}))",
    re.IGNORECASE,
)
_STARTS = re.compile(
    rf"\b(?:starts?|begins?|runs? from)\s+(?:on|in|with)?\s*(?:the\s+)?(?:1(?:st)?\s+(?:of\s+)?|first\s+of\s+)?"
    rf"(?P<first>{_MONTH})\b",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"\bnamed\s+(?:after|by|for)\s+(?:the\s+)?(?:calendar\s+)?year\s+(?:that\s+|which\s+)?(?:in\s+which\s+)?(?:it\s+)?"
    r"(?P<which>ends?|starts?|begins?)",
    re.IGNORECASE,
)
_MEANT = re.compile(
    r"(?P<words>(?:[\"“][^\"”]{2,20}[\"”](?:\s*(?:,|and|or|/|\.\.)\s*)*)+)\s*(?:is|are|means?|refers? to)\s+"
    r"(?:always\s+)?(?:the\s+)?(?:fiscal|financial)\b",
    re.IGNORECASE,
)
_LIMITED = re.compile(r"\b(?:for|in)\s+[^\"“;.]{3,60}\Z", re.IGNORECASE)
_QUOTED = re.compile(r"[\"“]([^\"”]{2,20})[\"”]")


def fiscal_year(notes: Iterable[Note]) -> FiscalYear | None:
    """The first year of a house that the notes describe, where it is not the calendar year.

    >>> text = 'Fiscal year: 1 July to 30 June, named after the year it ends in. "YTD" is fiscal.'
    >>> fiscal_year([Note(text=text)])
    FiscalYear(starts=7, named_after_end=True, words=('ytd',))
    >>> fiscal_year([Note(text="Fiscal year = calendar year.")]) is None
    True
    """
    for each in notes:
        named = _YEAR.search(each.text)
        first = _first_month(each.text[named.start() :]) if named is not None else None
        if first is not None and first > 1:
            after = _NAMED.search(each.text)
            ends = after is None or after["which"].lower().startswith("end")
            return FiscalYear(starts=first, named_after_end=ends, words=tuple(dict.fromkeys(_words(each.text))))
    return None


def _first_month(text: str) -> int | None:
    stretch = _STRETCH.search(text)
    if stretch is not None:
        first, last = _number(stretch["first"]), _number(stretch["last"])
        return first if last % 12 + 1 == first else None
    starts = _STARTS.search(text)
    return _number(starts["first"]) if starts is not None else None


def _number(month: str) -> int:
    return _MONTHS.index(month[:3].lower()) + 1


def _words(text: str) -> Iterable[str]:
    """The words that mean it, where that is said of all questions."""
    for match in _MEANT.finditer(text):
        if not _LIMITED.search(text[: match.start()].rstrip(", ")):
            for word in _QUOTED.findall(match["words"]):
                plain = " ".join(word.lower().split())
                if not plain.startswith("fy"):
                    yield "quarter" if plain.startswith("q") else plain
