"""Tells a fragment from a question that stands alone, and says which changes it asks for."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain

from scoring.patterns import lazy
from scoring.question.english.follow_ups import (
    ASKING,
    ASKS,
    HEADS,
    INSTEAD,
    LEADS,
    OPENERS,
    POINTERS,
    REQUESTS,
    SHOWING,
    STARTERS,
    TAILS,
    WHOLE_KINDS,
)
from scoring.question.follow_ups.edits import BARE, MEASURE, ChangeKind, Edit
from scoring.question.follow_ups.forms import Fragment, formed
from scoring.question.follow_ups.parts import names_nothing, parts
from scoring.question.follow_ups.words import is_country, is_time

LONGEST = 200
"""Longest fragment, in characters."""
_MOST_WORDS = 5
"""Most words of a thing that is named after `and`, without a verb."""


def read_fragment(text: str, *, follows: bool) -> Fragment | None:
    """The changes that a fragment asks for; `None` for a question that stands alone.

    `follows`: another question stands before it, so that what could stand alone may still be a fragment.

    >>> [(each.kind.value, each.text) for each in read_fragment("and by month?", follows=False).changes]
    [('group', 'month')]
    >>> read_fragment("How many hens hatched last year?", follows=True) is None
    True
    """
    return _short_fragment(text, follows) if len(text) <= LONGEST else None


@lru_cache(maxsize=512)
def _short_fragment(text: str, follows: bool) -> Fragment | None:
    if not _may_be(text) or _begins_with_state(text) or (not follows and _stands_alone(text)):
        return None
    said = _spelled_out(text)
    opener = _opener(said)
    core = _AT_END.sub("", said[len(opener) :])
    whole = _with_its_end(core, follows=follows)
    if whole is not None:
        return whole
    core, instead, tail = _without_tails(REQUESTS.sub("", core, count=1) if REQUESTS.match(core) else core)
    core = _TAKING.sub("", core, count=1) if instead else core
    found = _changes(core, tied=_TYING.search(opener) is not None, instead=instead, follows=follows)
    if found is None or not (follows or found.certain):
        return None
    further = "also" in opener.lower() or _FURTHER.search(tail) is not None
    return _marked(found, instead=instead or _CORRECTING.match(opener) is not None, further=further)


def _marked(found: Fragment, *, instead: bool, further: bool) -> Fragment:
    return Fragment(found.changes, certain=found.certain, instead=instead, further=further)


def _opener(said: str) -> str:
    """What is said before the question itself."""
    opened = OPENERS.match(said)
    return opened.group() if opened is not None else ""


def _with_its_end(core: str, *, follows: bool) -> Fragment | None:
    """A fragment that only its last words explain: `instead of …`, `… too`."""
    replaced = _REPLACED.fullmatch(core)
    if replaced is not None and not (HEADS.match(core) or ASKING.match(core)):
        return Fragment((Edit(ChangeKind.CORRECT, replaced["rest"], replaced["old"]),), certain=True, instead=True)
    counted = _COUNTED.fullmatch(core) if follows else None
    return Fragment((Edit(ChangeKind.SHOW, counted["rest"]),), certain=False) if counted is not None else None


_COUNTED = lazy(r"(?:count|allow|keep) (?:the )?(?P<rest>[\w' -]{2,40}) (?:too|as well|again)", re.IGNORECASE)
"""`count the test users too`."""
_AT_END = lazy(
    r"^(?:at |as of |by |for )?(?:the )?(?:end|close) of (?:the )?(?=(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
    r"|q[1-4]|last|this|(?:19|20)\d\d|month|quarter|year))",
    re.IGNORECASE,
)
"""Before a period whose last day is meant."""
_REPLACED = lazy(
    r"(?:use |take |show |make it |with )?(?:the )?(?P<rest>[^,]{2,40}?),? (?:instead of|rather than) (?:the )?"
    r"(?P<old>[^,]{2,40})",
    re.IGNORECASE,
)
"""`raw material instead of spare parts`."""


def _spelled_out(text: str) -> str:
    said = " ".join(text.split()).strip(" ?!.…")
    for pattern, spelled in _SPELLED:
        said = pattern.sub(spelled, said)
    return said


_SPELLED = tuple(
    (re.compile(pattern, re.IGNORECASE), spelled)
    for pattern, spelled in (
        (r"\bw/o ", "without "),
        (
            r"^(?:and |now |ok )?(?:anything|everything|everyone|anyone|all) (?=(?:over|above|under|below|more than"
            r"|less than|fewer than|at least|at most|older than|younger than)\b)",
            "only those ",
        ),
        (r"\bw/ ?(?=\w)", "with "),
        (r"\bdays? of (?:the )?week\b", "weekday"),
        (r"\bhours? of (?:the )?day\b", "hour"),
        (r"\bmonths? of (?:the )?year\b", "month"),
    )
)
"""Short and long ways to say the same."""
_FURTHER = lazy(r"\btoo\b|\bas well\b")
_CORRECTING = lazy(r"(?:no|nope|sorry|wait|actually)\b", re.IGNORECASE)
"""An opener that takes back what was asked."""
_TYING = lazy(r"\b(?:and|but|or|also)\b", re.IGNORECASE)
"""An opener that ties what follows to the question before."""


_TAKING = lazy(r"^(?:use|take|try|make it|with) ", re.IGNORECASE)
"""Before what is meant instead: `use the median instead`."""


def _begins_with_state(text: str) -> bool:
    """Whether a state of what is asked for begins it, and not a part of a question: `on time rate by carrier`."""
    return _OPENING_STATE.match(text) is not None and len(text.split()) > _LONGEST_GROUP


def _stands_alone(text: str) -> bool:
    """Whether a text that begins like a part of a question says enough: `per pilot, no. of flights in may`."""
    words = text.lower().split(None, _LONGEST_GROUP)
    return _OPENING_STATE.match(text) is not None or (words[:1] == ["per"] and len(words) > _LONGEST_GROUP)


def _may_be(text: str) -> bool:
    """Whether the first words leave it open: most questions are told from fragments here."""
    words = text.lower().split(None, _MOST)
    if not words or len(words) > _MOST:
        return False
    first = words[0].strip(",.!?;:")
    marked = words[-1].strip("?!. ") in _LAST or first.isdigit() or not _MARKS.isdisjoint(words)
    if first in ASKS:
        return marked or POINTERS.search(text.strip(" ?!.")) is not None
    return marked or first in STARTERS or len(words) <= _FEW


_MOST = 18
"""Most words of a fragment."""
_OPENING_STATE = lazy(
    r"\s*(?:on[- ]time|on[- ]hold|in[- ]stock|at[- ]risk|no[- ]shows?|per[- ]capita) \w", re.IGNORECASE
)
"""A state of what is asked for, which begins like a part of a question."""
_LONGEST_GROUP = 5
"""Most words of a group alone; behind more, what is asked for has been named: `per pilot, no. of flights in may`."""
_FEW = 2
"""So few words may be a time or a name alone."""
_MARKS = frozenset({"ones", "not", "back", "instead", "both", "don't", "dont", "shouldn't", "doesn't", "count"})
"""Words anywhere in a fragment."""
_LAST = frozenset("well too also out back alone instead first ones only order pls please rather".split())


def _without_tails(core: str) -> tuple[str, bool, str]:
    """The fragment without polite words at its end; whether it says `instead`; and those words."""
    tail, instead = "", False
    while True:
        polite = TAILS.search(core)
        found = polite or INSTEAD.search(core)
        if found is None or not core[: found.start()].strip():
            return core.strip(" ,"), instead, tail
        instead = instead or polite is None
        tail += found.group().lower()
        core = core[: found.start()]


def _changes(core: str, *, tied: bool, instead: bool, follows: bool) -> Fragment | None:
    """The changes by the first of: a form of question, words that only a follow-up begins with, bare parts."""
    return (
        formed(core, instead=instead, follows=follows)
        or _led(core)
        or _restricted(core)
        or (_measured(core) if instead else None)
        or _bare(core, tied=tied or instead, instead=instead)
    )


def _led(core: str) -> Fragment | None:
    lead = LEADS.match(core)
    about = lead is not None and lead.group().lower().endswith("about")
    if lead is not None and lead.group().lower().startswith("i me"):
        core = _CONTRAST.sub("", core)
    if lead is None or (lead.end() == len(core) and not about):
        return None
    corrected = formed(core[lead.end() :].strip(), instead=True, follows=True)
    if corrected is not None and corrected.changes[0].kind is ChangeKind.CORRECT:
        return corrected
    return Fragment(tuple([_about(each) if about else each for each in parts(core[lead.end() :])]), certain=True)


def _measured(core: str) -> Fragment | None:
    """`number of visits instead`: another measure."""
    return Fragment((Edit(ChangeKind.THING, core, MEASURE),), certain=True) if _MEASURE.match(core) else None


_MEASURE = lazy(
    r"(?:the )?(?:number|count|amount|sum|total|average|avg|mean|median|maximum|minimum|max|min|share|value|cost)"
    r"(?: of)? (?!of\b)[\w-]+",
    re.IGNORECASE,
)


def _restricted(core: str) -> Fragment | None:
    """`first gifts only`: what comes before the last word restricts."""
    found = _RESTRICTED.fullmatch(core)
    if found is None or ASKING.match(core) or HEADS.match(found["thing"]) or is_time(found["thing"]):
        return None
    return Fragment((Edit(ChangeKind.ONLY, found["thing"]),), certain=False)


_RESTRICTED = lazy(r"(?P<thing>(?!the \w+ ones|those|these)[^\s,]+(?: [^\s,]+){1,5}) only", re.IGNORECASE)
_CONTRAST = lazy(r", not (?:the )?\w+(?: \w+)?$", re.IGNORECASE)
"""What was not meant: `I meant shipped, not ordered`."""


def _bare(core: str, *, tied: bool, instead: bool) -> Fragment | None:
    """A fragment of parts alone, without a question or a request."""
    written = _WRITTEN.search(core) is not None
    shown = _SHOWN.sub("", core)
    core = shown if is_time(shown) else SHOWING.sub("", core)
    found = () if written or ASKING.match(core) else tuple(parts(core))
    if not found or _asks_of_its_own(found, instead=instead):
        return None
    if found[0].kind is ChangeKind.GROUP and _ASKS_LATER.search(core):
        return None
    if all(_certain(each, alone=len(found) == 1, tied=tied) for each in found):
        return Fragment(found, certain=True)
    return _uncertain(found, core, tied=tied)


def _uncertain(found: tuple[Edit, ...], core: str, *, tied: bool) -> Fragment | None:
    """Parts that may be a question of their own, too."""
    if found[0].kind is ChangeKind.THING and not tied and not _is_named(core):
        bare = len(found) == 1 and len(core.split()) <= _FEW + 1
        return Fragment((Edit(ChangeKind.THING, core, BARE),), certain=False) if bare else None
    only = found[0].kind is ChangeKind.ONLY
    short = len(core.split()) <= _MOST_WORDS * (1 + only) + 3 * (len(found) - 1)
    return Fragment(found, certain=False) if short else None


_SHOWN = lazy(r"^(?:show|give|get|do)(?: me| us)? ", re.IGNORECASE)
_ASKS_LATER = lazy(r"\b(?:show|give|list|(?:number|count|sum) of|how many|how much|what)\b", re.IGNORECASE)
"""Words after a group that ask for something: `per branch, number of loans`."""


def _asks_of_its_own(found: tuple[Edit, ...], *, instead: bool) -> bool:
    """Whether a part names what is asked for, or a thing is named after other parts: `in 2024, the revenue`."""
    befores = chain((None,), found)
    if any(_is_of_its_own(each, before, instead=instead) for before, each in zip(befores, found, strict=False)):
        return True
    things = [place for place, each in enumerate(found) if each.kind is ChangeKind.THING and not is_time(each.text)]
    return len(things) > 1 or (things[:1] not in ([], [0]) and found[0].kind is not ChangeKind.ONLY)


_WRITTEN = lazy(r"[():=_]|\d{4}-\d\d-\d\d.*\d{4}-\d\d-\d\d")
"""Signs of a text that was written out and not said."""


def _about(part: Edit) -> Edit:
    return Edit(part.kind, part.text, "about") if part.kind is ChangeKind.THING else part


def _is_of_its_own(part: Edit, before: Edit | None, *, instead: bool) -> bool:
    """Whether a part names what is asked for, so that the question stands alone: `top 5 cities`, `share of losses`."""
    text = part.text
    match part.kind:
        case ChangeKind.RANK:
            return not instead and _OWN_RANK.match(text) is not None
        case ChangeKind.SHARE:
            return text != "" and _TOTALS.match(text) is None
        case ChangeKind.PLACE:
            of_thing = part.head == "of" and before is not None and before.kind is ChangeKind.THING
            return of_thing or not text or "," in text
        case ChangeKind.GROUP:
            return any(len(each.split()) > _LONGEST_KEY for each in _JOINED.split(text))
        case _:
            return False


_OWN_RANK = lazy(
    r"(?!by |(?:of|from|among) (?:them|those|these|that)\b|(?:ones|worst|best|highest|lowest|largest|smallest|biggest"
    r"|slowest|fastest|longest|shortest|oldest|newest|most|least)$)\S",
    re.IGNORECASE,
)
_TOTALS = lazy(r"of (?:the |all )?(?:total|all|whole|overall|sum|them|each|it)\b", re.IGNORECASE)
_JOINED = lazy(r",? and (?:by )?|, ?")
_LONGEST_KEY = 3
"""Most words of one thing to group by; more name what is asked for, too: `per branch, number of loans this year`."""


def _is_named(text: str) -> bool:
    """Whether the words are a name and nothing else."""
    named = is_country(text) or (len(text.split()) <= _FEW and text.istitle())
    return named or WHOLE_KINDS.match(text) is not None or _NUMBERED.fullmatch(text) is not None


_NUMBERED = lazy(r"[a-z]+ \d[\w-]*", re.IGNORECASE)
"""`ward 8`."""


def _certain(part: Edit, *, alone: bool, tied: bool) -> bool:
    """Whether a part has no meaning without an earlier question."""
    words = part.text.split()
    match part.kind:
        case ChangeKind.GROUP:
            return len(words) <= 2 or tied or " and " in part.text
        case ChangeKind.RANK:
            return not words or tied or not alone
        case ChangeKind.ONLY:
            return tied or names_nothing(part.text) or len(words) <= _SHORT
        case ChangeKind.THING:
            return tied or names_nothing(part.text)
        case _:
            return True


_SHORT = 3
"""Words after `only` that are a fragment even where they name a thing: `only us followers`."""
