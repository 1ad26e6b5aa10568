"""Reads fragments that have a form of their own: `how many is that?`, `swap Graz for Linz`."""

from __future__ import annotations

import re
from functools import cache

from scoring.immutable import immutable
from scoring.question.english.follow_up_forms import FORMS
from scoring.question.english.follow_ups import DIRECTIONS, EARLIER, HEADS, OWNED
from scoring.question.follow_ups.edits import ALONE, MEASURE, ChangeKind, Edit
from scoring.question.follow_ups.parts import parts
from scoring.question.follow_ups.words import is_time


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


@cache
def _forms() -> tuple[tuple[str, bool, re.Pattern[str]], ...]:
    """The forms, compiled when a fragment is first read."""
    return tuple((name, certain, re.compile(source, re.IGNORECASE | re.DOTALL)) for name, certain, source in FORMS)


def formed(core: str, *, instead: bool, follows: bool) -> Fragment | None:
    """The changes of the first form that a fragment has."""
    for name, certain, form in _forms():
        found = form.match(core) if follows or certain else None
        if found is None:
            continue
        said = {part: (words or "").strip() for part, words in found.groupdict().items()}
        changes = _of_form(name, said.get("rest", ""), said.get("old", ""))
        if changes is not None:
            return Fragment(tuple(changes), certain=certain or instead)
    return None


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
        case "negate_count" | "list_with" | "measure" | "measure_of":
            return _listed(name, rest)
        case "regroup":
            return [Edit(ChangeKind.GROUP, rest, ALONE)]
        case "ranked":
            count, way = rest.split()
            return [Edit(ChangeKind.RANK, "", f"{way.lower()} {count}")]
        case _:
            return [Edit(ChangeKind(name), rest, old.lower())]


def _listed(name: str, rest: str) -> list[Edit]:
    """How many did not, a list with more, or another measure."""
    if name in ("measure", "measure_of"):
        return [Edit(ChangeKind.THING, rest if name == "measure" else f"number of {rest}", MEASURE)]
    if name == "negate_count":
        return [Edit(ChangeKind.NEGATE, ""), Edit(ChangeKind.COUNT, "")]
    return [Edit(ChangeKind.LIST, ""), *parts(rest)]


def _beside(rest: str) -> list[Edit]:
    """A comparison, where a time is to stand beside the answer."""
    return [Edit(ChangeKind.COMPARE, rest)] if is_time(rest) or EARLIER.match(rest) else []


def _shown(rest: str) -> list[Edit]:
    """What is to be shown, and how it is to be sorted: `their emails, newest first`."""
    comma = rest.find(",")
    after = [] if comma < 0 else list(parts(rest[comma + 1 :].replace(",", "")))
    sorts = bool(after) and all(each.kind is ChangeKind.ORDER or DIRECTIONS.match(each.text) for each in after)
    return [Edit(ChangeKind.SHOW, rest[:comma]), *after] if sorts else [Edit(ChangeKind.SHOW, rest)]
