"""Tells a fragment from a question that stands alone, and says which changes it asks for."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain

from scoring.immutable import immutable
from scoring.question.english.follow_up_forms import FORMS
from scoring.question.english.follow_ups import (
    ASKING,
    ASKS,
    DIRECTIONS,
    HEADS,
    INSTEAD,
    LEADS,
    OPENERS,
    OWNED,
    POINTERS,
    REQUESTS,
    SHOWING,
    STARTERS,
    TAILS,
)
from scoring.question.follow_ups.edits import ChangeKind, Edit
from scoring.question.follow_ups.parts import names_nothing, parts
from scoring.question.follow_ups.words import is_country, is_time

LONGEST = 200
"""Longest fragment, in characters."""
_MOST_WORDS = 5
"""Most words of a thing that is named after `and`, without a verb."""


@immutable(kw_only=False)
class Fragment:
    """A question that changes an earlier one."""

    changes: tuple[Edit, ...]
    """Empty where its words are not understood."""
    certain: bool
    """It has no meaning alone. Otherwise it is a fragment only after another question."""
    instead: bool = False
    """The change takes the place of what was asked for."""
    further: bool = False
    """The change is in addition."""


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
    opened = OPENERS.match(said)
    opener = opened.group() if opened is not None else ""
    core = said[len(opener) :]
    tied = _TYING.search(opener) is not None
    further = "also" in opener.lower()
    core, instead, tail = _without_tails(REQUESTS.sub("", core, count=1) if REQUESTS.match(core) else core)
    core = _TAKING.sub("", core, count=1) if instead else core
    found = _changes(core, tied=tied, instead=instead, follows=follows)
    if found is None or not (follows or found.certain):
        return None
    instead = instead or _CORRECTING.match(opener) is not None
    return Fragment(found.changes, certain=found.certain, instead=instead, further=further or "too" in tail)


def _spelled_out(text: str) -> str:
    said = " ".join(text.split()).strip(" ?!.…")
    for pattern, spelled in _SPELLED:
        said = pattern.sub(spelled, said)
    return said


_SPELLED = tuple(
    (re.compile(pattern, re.IGNORECASE), spelled)
    for pattern, spelled in (
        (r"\bw/o ", "without "),
        (r"\bw/ ?(?=\w)", "with "),
        (r"\bdays? of (?:the )?week\b", "weekday"),
        (r"\bhours? of (?:the )?day\b", "hour"),
        (r"\bmonths? of (?:the )?year\b", "month"),
    )
)
"""Short and long ways to say the same."""
_CORRECTING = re.compile(r"(?:no|nope|sorry|wait|actually)\b", re.IGNORECASE)
"""An opener that takes back what was asked."""
_TYING = re.compile(r"\b(?:and|but|or|also)\b", re.IGNORECASE)
"""An opener that ties what follows to the question before."""


_TAKING = re.compile(r"^(?:use|take|try|make it|with) ", re.IGNORECASE)
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
    if first in ASKS:
        return POINTERS.search(text.strip(" ?!.")) is not None
    return first in STARTERS or len(words) <= _FEW or words[-1].strip("?!. ") in _LAST or "ones" in words


_MOST = 18
"""Most words of a fragment."""
_OPENING_STATE = re.compile(
    r"\s*(?:on[- ]time|on[- ]hold|in[- ]stock|at[- ]risk|no[- ]shows?|per[- ]capita) \w", re.IGNORECASE
)
"""A state of what is asked for, which begins like a part of a question."""
_LONGEST_GROUP = 5
"""Most words of a group alone; behind more, what is asked for has been named: `per pilot, no. of flights in may`."""
_FEW = 2
"""So few words may be a time or a name alone."""
_LAST = frozenset({"out", "back", "alone", "instead", "first", "ones", "only", "order", "pls", "please", "rather"})


def _without_tails(core: str) -> tuple[str, bool, str]:
    """The fragment without polite words at its end; whether it says `instead`; and those words."""
    tail, instead = "", False
    while True:
        found = TAILS.search(core) or INSTEAD.search(core)
        if found is None or not core[: found.start()].strip():
            return core.strip(" ,"), instead, tail
        instead = instead or found.re is INSTEAD
        tail += found.group().lower()
        core = core[: found.start()]


def _changes(core: str, *, tied: bool, instead: bool, follows: bool) -> Fragment | None:
    """The changes by the first of: a form of question, words that only a follow-up begins with, bare parts."""
    return (
        _formed(core, instead=instead, follows=follows)
        or _led(core)
        or _restricted(core)
        or _bare(core, tied=tied or instead, instead=instead)
    )


def _formed(core: str, *, instead: bool, follows: bool) -> Fragment | None:
    for name, certain, form in FORMS:
        found = form.match(core) if follows or certain else None
        if found is None:
            continue
        said = {part: (words or "").strip() for part, words in found.groupdict().items()}
        changes = _of_form(name, said.get("rest", ""), said.get("old", ""))
        if changes is not None:
            return Fragment(tuple(changes), certain=certain or instead)
    return None


def _led(core: str) -> Fragment | None:
    lead = LEADS.match(core)
    about = lead is not None and lead.group().lower().endswith("about")
    if lead is not None and lead.group().lower().startswith("i me"):
        core = _CONTRAST.sub("", core)
    if lead is None or (lead.end() == len(core) and not about):
        return None
    return Fragment(tuple([_about(each) if about else each for each in parts(core[lead.end() :])]), certain=True)


def _restricted(core: str) -> Fragment | None:
    """`first gifts only`: what comes before the last word restricts."""
    found = _RESTRICTED.fullmatch(core)
    if found is None or ASKING.match(core) or HEADS.match(found["thing"]) or is_time(found["thing"]):
        return None
    return Fragment((Edit(ChangeKind.ONLY, found["thing"]),), certain=False)


_RESTRICTED = re.compile(r"(?P<thing>(?!the \w+ ones|those|these)[^\s,]+(?: [^\s,]+){1,5}) only", re.IGNORECASE)
_CONTRAST = re.compile(r", not (?:the )?\w+(?: \w+)?$", re.IGNORECASE)
"""What was not meant: `I meant shipped, not ordered`."""


def _bare(core: str, *, tied: bool, instead: bool) -> Fragment | None:
    """A fragment of parts alone, without a question or a request."""
    written = _WRITTEN.search(core) is not None
    core = SHOWING.sub("", core)
    if written or ASKING.match(core):
        return None
    found = tuple(parts(core))
    if not found or _asks_of_its_own(found, instead=instead):
        return None
    if found[0].kind is ChangeKind.GROUP and _ASKS_LATER.search(core):
        return None
    if all(_certain(each, alone=len(found) == 1, tied=tied) for each in found):
        return Fragment(found, certain=True)
    only = found[0].kind is ChangeKind.ONLY
    short = len(core.split()) <= _MOST_WORDS * (1 + only) + 3 * (len(found) - 1)
    alone = found[0].kind is ChangeKind.THING and not tied and not _is_named(core)
    return None if alone or not short else Fragment(found, certain=False)


_ASKS_LATER = re.compile(r"\b(?:show|give|list|(?:number|count|sum) of|how many|how much|what)\b", re.IGNORECASE)
"""Words after a group that ask for something: `per branch, number of loans`."""


def _asks_of_its_own(found: tuple[Edit, ...], *, instead: bool) -> bool:
    """Whether a part names what is asked for, or a thing is named after other parts: `in 2024, the revenue`."""
    befores = chain((None,), found)
    if any(_is_of_its_own(each, before, instead=instead) for before, each in zip(befores, found, strict=False)):
        return True
    things = [place for place, each in enumerate(found) if each.kind is ChangeKind.THING and not is_time(each.text)]
    return len(things) > 1 or (things[:1] not in ([], [0]) and found[0].kind is not ChangeKind.ONLY)


_WRITTEN = re.compile(r"[():=_]|\d{4}-\d\d-\d\d.*\d{4}-\d\d-\d\d")
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


_OWN_RANK = re.compile(
    r"(?!by |(?:of|from|among) (?:them|those|these|that)\b|(?:ones|worst|best|highest|lowest|largest|smallest|biggest"
    r"|slowest|fastest|longest|shortest|oldest|newest|most|least)$)\S",
    re.IGNORECASE,
)
_TOTALS = re.compile(r"of (?:the |all )?(?:total|all|whole|overall|sum|them|each|it)\b", re.IGNORECASE)
_JOINED = re.compile(r",? and (?:by )?|, ?")
_LONGEST_KEY = 3
"""Most words of one thing to group by; more name what is asked for, too: `per branch, number of loans this year`."""


def _of_form(name: str, rest: str, old: str) -> list[Edit] | None:
    """The changes of a form of question, from the words after it; `None` where it is another question."""
    match name:
        case "count_of" | "which":
            kind = ChangeKind.LIST if name == "which" else ChangeKind.COUNT
            return [Edit(kind, ""), Edit(ChangeKind.ONLY, rest, "of them")] if rest else [Edit(kind, "")]
        case "is" if not rest:
            return [Edit(ChangeKind.COUNT, "")]
        case "is" | "parts":
            return list(parts(rest)) if HEADS.match(rest) or is_time(rest) else None
        case "aggregate":
            return [Edit(ChangeKind.AGGREGATE, rest or "total")]
        case "show":
            return _beside(rest) or _shown(OWNED.sub("", rest, count=1))
        case _:
            return _of_new_form(name, rest, old)


def _of_new_form(name: str, rest: str, old: str) -> list[Edit] | None:
    """The same of the forms that correct, deny or list."""
    match name:
        case "limit":
            return [Edit(ChangeKind.BOUND, rest)]
        case "correct":
            return None if HEADS.match(rest) or HEADS.match(old) else [Edit(ChangeKind.CORRECT, rest, old)]
        case "beside":
            return _beside(rest) or [Edit(ChangeKind.SHOW, rest)]
        case "return":
            return [Edit(ChangeKind.RETURN, old), *parts(rest)]
        case "negate_count":
            return [Edit(ChangeKind.NEGATE, ""), Edit(ChangeKind.COUNT, "")]
        case "list_with":
            return [Edit(ChangeKind.LIST, ""), *parts(rest)]
        case "ranked":
            count, way = rest.split()
            return [Edit(ChangeKind.RANK, "", f"{way.lower()} {count}")]
        case _:
            return [Edit(ChangeKind(name), rest, old.lower())]


def _beside(rest: str) -> list[Edit]:
    """A comparison, where a time is to stand beside the answer."""
    return [Edit(ChangeKind.COMPARE, rest)] if is_time(rest) else []


def _shown(rest: str) -> list[Edit]:
    """What is to be shown, and how it is to be sorted: `their emails, newest first`."""
    comma = rest.find(",")
    after = [] if comma < 0 else list(parts(rest[comma + 1 :].replace(",", "")))
    sorts = bool(after) and all(each.kind is ChangeKind.ORDER or DIRECTIONS.match(each.text) for each in after)
    return [Edit(ChangeKind.SHOW, rest[:comma]), *after] if sorts else [Edit(ChangeKind.SHOW, rest)]


def _is_named(text: str) -> bool:
    """Whether the words are a name and nothing else."""
    return is_country(text) or (len(text.split()) <= _FEW and text.istitle())


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
