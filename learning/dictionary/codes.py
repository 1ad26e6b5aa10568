"""Lists of stored codes with their meanings: `P = paid, X cancelled`, `A active | B blocked`, `10 new, 20 moved`."""

from __future__ import annotations

import re
from collections.abc import Mapping

from learning.dictionary.notes import outer_parts

MOST_CODES = 200
_CODE = r"[\"'`]?(?P<code>{shape})[\"'`]?"
_SHAPES: Mapping[str, str] = {
    "capitals": r"[A-Z][A-Z0-9_]{0,11}",
    "digits": r"-?\d{1,4}",
    "words": r"[a-z][a-z0-9]*(?:[_-][a-z0-9]+)*",
}
_ITEMS = {
    kind: re.compile(
        rf"\s*(?:and |or )?{_CODE.format(shape=shape)}(?![\w%/])\s*"
        r"(?P<mark>=|:|→|->|–|—|-(?=\s)|\bis\b|\bmeans\b|\bfor\b)?\s*(?P<meaning>.*)",
        re.DOTALL,
    )
    for kind, shape in _SHAPES.items()
}
_LEAD = re.compile(
    r"\s*(?:\((?:[^()]{0,60})\)\s*)?"
    r"(?P<mark>:|=|–|—|-(?=\s)|\bis one of\b:?|\bone of\b:?|\bvalues\b:?|\bcodes?\b:?|\b(?:is|are|says?|holds)\b)?\s*"
)
_OPEN_ENDED = re.compile(r"\b(?:like|such as|e\.g|for example|etc|and so on|among others)\b|…|\.\.\.", re.IGNORECASE)
_NOTHING = re.compile(r"\s*(?:or )?[`'\"]?(?:null|empty|blank|unset|none if)\b", re.IGNORECASE)
_BRACKETED = re.compile(r"\s*\(([^()]*)\)")
_QUOTES = re.compile(r"[\"“”'`*]")
_QUOTED = re.compile(r"[\"“]([^\"”]{2,40})[\"”]")
_SAID_WITH = re.compile(r"\s+(?:\bunless\b|\bonly\b|\bbecause\b|\bsee\b|\bdated\b|\bwhich\b|\bthat\b).*", re.DOTALL)
_LONGEST_MEANING = 80
_LONGEST_ABBREVIATION = 3
"""Most letters of a code that is no word."""


def code_list(text: str) -> dict[str, str] | None:
    """The codes at the start of a text and what each means; `None` where it starts with no list of codes.

    >>> code_list(": P = paid, X cancelled")
    {'P': 'paid', 'X': 'cancelled'}
    >>> code_list(" 10 new, 20 under way (not checked), 30 shut")
    {'10': 'new', '20': 'under way', '30': 'shut'}
    >>> code_list(" open | shut | mkt (market)"), code_list(" is a number"), code_list(": like a, b or c")
    ({'open': 'open', 'shut': 'shut', 'mkt': 'market'}, None, None)
    """
    lead = _LEAD.match(text)
    rest = text[lead.end() :] if lead is not None else text
    if _OPEN_ENDED.search(_BRACKETED.sub("", rest)):
        return None
    piped = "|" in outer_parts(rest, ";")[0]
    parts = _parts(rest, piped=piped)
    kind = next((kind for kind, item in _ITEMS.items() if item.match(parts[0]) is not None), None)
    if kind is None or not 1 < len(parts) <= MOST_CODES:
        return None
    if kind != "words":
        return _spelled([each for part in parts for each in _last_two(part)], _ITEMS[kind])
    return _words(parts) if piped or _announces(lead) else None


def _announces(lead: re.Match[str] | None) -> bool:
    """Whether what stands before a list says that one follows: `is` alone may begin any sentence."""
    return lead is not None and lead["mark"] is not None and not _SAYS.fullmatch(lead["mark"])


_SAYS = re.compile(r"is|are|says?|holds")
_AND_CODE = re.compile(r"\s+(?:or|and)\s+(?=[\"'`]?[A-Z][A-Z0-9_]{0,11}[\"'`]?(?:\s*\Z|\s+\(|\s+[a-z]))")


def _last_two(part: str) -> list[str]:
    """A part of a list, or the two codes that its last comma leaves together: `N new or O open`."""
    for match in _AND_CODE.finditer(part):
        if part.count("(", 0, match.start()) == part.count(")", 0, match.start()):
            return [part[: match.start()], part[match.end() :]]
    return [part]


def _parts(text: str, *, piped: bool) -> list[str]:
    dotted = outer_parts(text, "·•")
    if len(dotted) > _FEW_DOTS:
        return dotted
    parts = outer_parts(text, "|") if piped else outer_parts(text, ",;")
    return text.split("/") if len(parts) == 1 and text.count("/") > 1 else parts


_FEW_DOTS = 2


def _spelled(parts: list[str], item: re.Pattern[str]) -> dict[str, str] | None:
    """Codes of capitals or digits: a part that starts with none belongs to the meaning before it."""
    found: dict[str, str] = {}
    for part in parts:
        match = item.match(part)
        if match is not None and match["code"] not in found and not _NOTHING.match(part):
            found[match["code"]] = _meaning(match["meaning"], match["code"])
        elif match is not None or _NOTHING.match(part):
            break
    if not _NO_CODES.isdisjoint(found) or any(map(_GOES_ON.match, found.values())):
        return None
    return found if len(found) > 1 and (any(found.values()) or _all_alike(found)) else None


_NO_CODES = frozenset({"ISO", "UTC", "GMT", "VAT", "FY"})
"""Capitals that stand in dictionaries and are no codes."""
_GOES_ON = re.compile(r"(?:or|and) -?\d")
"""What stands behind the last but one of numbers that are no list of codes: `10, 30 or 90`."""


def _all_alike(codes: Mapping[str, str]) -> bool:
    """Whether codes without meanings are of one length, as codes are and words are not, or all capitals."""
    return all(code.isupper() or code.isdigit() for code in codes)


def _words(parts: list[str]) -> dict[str, str] | None:
    """Codes that are words: each part is one word alone, or one word with its meaning in brackets."""
    found: dict[str, str] = {}
    for part in parts:
        if _NOTHING.match(part):
            continue
        match = _ITEMS["words"].match(part)
        if match is None:
            return None
        behind = match["meaning"].strip()
        bracketed = _BRACKETED.match(behind)
        if bracketed is not None and not behind[bracketed.end() :].strip(" ."):
            found[match["code"]] = _meaning(bracketed[1], match["code"])
        elif not behind.strip(" ."):
            found[match["code"]] = match["code"].replace("_", " ").replace("-", " ")
        elif match["mark"] is not None:
            found[match["code"]] = _meaning(behind, match["code"])
        elif found:
            break
        else:
            return None
    return found if len(found) > 1 else None


def _meaning(text: str, code: str) -> str:
    """The meaning in few words; what stands in quotes says the same in other words.

    >>> _meaning('reopened by hand ("back again"), see x', "R")
    'reopened by hand / back again'
    """
    plain = text if _QUOTED.match(text.strip()) else _QUOTED.sub("", _BRACKETED.sub("", text))
    said = _SAID_WITH.sub("", " " + outer_parts(plain, ",;")[0]).strip()
    said = " ".join(_QUOTES.sub("", said).strip(" .:=-").split())
    alone = _BRACKETED.fullmatch(outer_parts(text, ",;")[0].rstrip(" ."))
    if alone is not None and not said:
        said = re.split(r"[:,;]", alone[1])[0].strip()
    if said.lower().startswith(("null", "empty")):
        said = ""
    kept = [said, *(each for each in _others(text) if each.lower() not in (said.lower(), code.lower()))]
    return " / ".join(filter(None, kept))[:_LONGEST_MEANING] or _own_word(code)


def _others(text: str) -> list[str]:
    """What stands in quotes, or alone in brackets."""
    bracketed = _BRACKETED.findall(outer_parts(text, ",;")[0])
    return [*_QUOTED.findall(text), *(each for each in bracketed if each.isalpha() and each.islower())]


def _own_word(code: str) -> str:
    return code.lower() if code.isalpha() and len(code) > _LONGEST_ABBREVIATION else ""
