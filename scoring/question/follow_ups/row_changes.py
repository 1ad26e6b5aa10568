"""Changes of which rows count: times, values, conditions, bounds, and restrictions taken away."""

from __future__ import annotations

import re
from collections.abc import Callable

from scoring.patterns import lazy
from scoring.question.english.follow_ups import (
    AGGREGATES,
    ALL,
    DIRECTIONS,
    EARLIER,
    HEADS,
    LATER,
    ONES,
    OWNED,
    SHARES,
    THOSE,
    UNITS,
    WHOLE_KINDS,
)
from scoring.question.follow_ups.bound_changes import moved_bound
from scoring.question.follow_ups.changed_question import Meaning
from scoring.question.follow_ups.edits import BARE, MEASURE, ChangeKind, Edit
from scoring.question.follow_ups.evidence import stems
from scoring.question.follow_ups.periods import next_to, with_year
from scoring.question.follow_ups.same_parts import at_no_end, in_the_same_part
from scoring.question.follow_ups.shape_changes import (
    aggregate_change,
    free_of,
    is_shown,
    order_change,
    other_measure,
    other_things,
    over_all,
    rank_change,
    ranked,
    reads_table,
    share_change,
    show_change,
)
from scoring.question.follow_ups.small_changes import in_absolute_numbers, turned_extreme, turned_state
from scoring.question.follow_ups.taken_away import taken_away
from scoring.question.follow_ups.values import replaced_value
from scoring.question.follow_ups.words import is_name, named, time_phrase

_THEIRS = lazy(r"(?:their|its|his|her) ", re.IGNORECASE)


def without_change(meaning: Meaning, change: Edit) -> bool:
    """`without refunds`, `exclude the test ones`, `remove the limit`."""
    words = re.sub(r"^(?:the|all|any|those|out) (?=\w)|\s+(?:ones|one)$", "", _EXPLAINED.sub("", change.text))
    if not words:
        return False
    if re.match(r"(?:the )?(?:limit|top \d+|order|sort|filters?|grouping|group by|restrictions?)", change.text):
        return free_of(meaning, change.text)
    if meaning.evidence.left_out(words):
        meaning.free.add(ChangeKind.AGGREGATE)
    kept = meaning.evidence.before is not None and change.head.startswith("remov")
    if kept and (taken := taken_away(meaning, words)):
        return taken
    return meaning.add(f"{'in other than' if change.head.startswith('not in') else 'excluding'} {words}")


_EXPLAINED = lazy(r",? ?\b(?:i\.?e\b\.?|e\.g\b\.?|meaning|that is|so|such as)[ ,].*$", re.IGNORECASE)
"""An explanation after what is named."""


def only_change(meaning: Meaning, change: Edit) -> bool:
    """`only the ripe ones`, `just Graz`, `those from Graz`."""
    text = re.sub(r"^(?:only|just|all)\s+", "", change.text, flags=re.IGNORECASE)
    text = re.sub(r"\s+(?:only|just)$", "", text, flags=re.IGNORECASE)
    time = time_phrase(text)
    if time is not None:
        return time_change(meaning, time, narrows=True)
    first = _FIRST_ROWS.fullmatch(text)
    if first is not None:
        return ranked(meaning, "top", int(first["count"]), "")
    things = _OF_THINGS.match(text)
    if things is not None and stems(things["things"]) <= stems(meaning.text):
        return _condition(meaning, things["rest"])
    those = THOSE.match(text)
    if those is not None:
        return _condition(meaning, those["rest"])
    ranks = HEADS.fullmatch(text)
    if ranks is not None and ranks.lastgroup == "rank":
        return rank_change(meaning, Edit(ChangeKind.RANK, "", text.lower()))
    ones = ONES.match(text)
    if ones is not None:
        return _ones(meaning, text, ones["kind"].strip(), ones["rest"].strip())
    if change.head == "of them" or re.match(
        r"(?:in|for|from|at|on|with|over|under|above|below|more|less|since|before|after|that|who|which)\b", text
    ):
        return _condition(meaning, text)
    return _kind(meaning, re.sub(r"^the ", "", text), "")


_FIRST_ROWS = lazy(r"(?:the )?(?:first |top )?(?P<count>\d{1,4})")


def _ones(meaning: Meaning, text: str, kind: str, rest: str) -> bool:
    """`the ripe ones`, `the best one`."""
    if text.lower().endswith(" one") and _EXTREME.match(kind):
        return _condition(meaning, kind)
    return _kind(meaning, re.sub(r"^(?:the|those|these) ", "", kind), rest)


_EXTREME = lazy(
    r"(?:(?:is|are|was|were|has|have|had) )?(?:the )?(?:highest|lowest|most|least|largest|smallest|biggest|best"
    r"|worst|top|newest|oldest|longest|shortest)(?: (?P<of>[\w ]+))?$",
    re.IGNORECASE,
)
_OF_THINGS = lazy(
    r"(?:the )?(?P<things>[\w-]+) (?P<rest>(?:with|who|that|which|in|from|at|over|under|above|below|older"
    r"|younger)\b.+)$",
    re.IGNORECASE,
)


def _kind(meaning: Meaning, kind: str, rest: str) -> bool:
    """`the ripe ones`, `only bikes`: a value that takes the place of another of its column, else a condition."""
    return (not kind or _of_kind(meaning, kind)) and (not rest or _condition(meaning, rest)) and bool(kind or rest)


def _of_kind(meaning: Meaning, kind: str) -> bool:
    if meaning.further and meaning.evidence.columns_of(kind) is None and not meaning.evidence.reads(kind):
        meaning.free |= {ChangeKind.PLACE, ChangeKind.SPAN}
        return True
    if turned_state(meaning, kind):
        return True
    if is_name(kind) or meaning.evidence.columns_of(kind) is not None:
        place = replaced_value(meaning.earlier, kind, "", meaning.evidence, narrows=True)
        if place is not None:
            return put_in_place(meaning, place, kind)
    own = stems(kind) - stems(meaning.text)
    words = " ".join(word for word in kind.split() if stems(word) <= own) or kind
    return meaning.add(f"only {words}" if is_name(kind) else f"that are {words}")


def _condition(meaning: Meaning, words: str) -> bool:
    """A condition in words of its own, or the first of the rows."""
    extreme = _EXTREME.match(words)
    if extreme is not None:
        low = re.search(r"lowest|least|smallest|worst|oldest|shortest", words, re.IGNORECASE) is not None
        return ranked(meaning, "bottom" if low else "top", 1, f"by {extreme['of']}" if extreme["of"] else "")
    found = re.match(r"(?P<head>in|for|from|at|on|of)\s+(?P<rest>.+)$", words, re.IGNORECASE)
    if found is not None:
        return place_change(meaning, Edit(ChangeKind.PLACE, found["rest"], found["head"].lower()), narrows=True)
    time = time_phrase(words)
    if time is not None:
        return time_change(meaning, time, narrows=True)
    if re.match(r"(?:are|is|were|was|have|has|had|did|do|does|cost|never|\w+ed)\b", words, re.IGNORECASE):
        words = f"that {words}"
    return meaning.add(words)


def wide_change(meaning: Meaning, change: Edit) -> bool:
    """`overall`, `for all countries`, `regardless of status`: takes a restriction or the groups away."""
    if change.text and WHOLE_KINDS.match(change.text):
        return taken_away(meaning, change.text)
    if change.head in ("regardless of", "irrespective of"):
        return taken_away(meaning, change.text)
    return over_all(meaning)


def place_change(meaning: Meaning, change: Edit, *, narrows: bool = False) -> bool:
    """`in 2024`, `for Germany`, `with their names`: what follows a preposition."""
    text, head = change.text, change.head
    words = f"{head} {text}".strip()
    time = _placed_time(meaning, text, head)
    if time is not None:
        return time_change(meaning, time, narrows=narrows)
    if head in ("with", "including") and OWNED.match(text):
        return show_change(meaning, Edit(ChangeKind.SHOW, OWNED.sub("", text, count=1)))
    if ALL.match(text) or WHOLE_KINDS.match(text):
        return taken_away(meaning, text)
    if ONES.match(text) or THOSE.match(text):
        return only_change(meaning, Edit(ChangeKind.ONLY, text))
    if not text or head not in _BEFORE_VALUES:
        return bool(text) and meaning.add(words)
    return _valued(meaning, text, head, narrows=narrows)


def _placed_time(meaning: Meaning, text: str, head: str) -> str | None:
    """A time after a preposition: `in 2024`; `from 2023` only where it is one more."""
    if not text or head == "with":
        return None
    time = time_phrase(f"{head} {text}".strip())
    added = time is None and meaning.further and head in ("from", "of", "for")
    return time_phrase(text) if added else time


_BEFORE_VALUES = frozenset("in for from at on of to within via through using with".split())


def _valued(meaning: Meaning, text: str, head: str, *, narrows: bool) -> bool:
    """A value after a preposition: in the place of an old one, else in addition."""
    if head == "in" and UNITS.match(text):
        meaning.free |= {ChangeKind.AGGREGATE, ChangeKind.UNIT}
        return meaning.add(f"in {text}")
    if head == "in" and in_absolute_numbers(meaning, text):
        return True
    place = meaning.earlier.parallel(text)
    place = place or replaced_value(meaning.earlier, text, head, meaning.evidence, narrows=narrows)
    if place is not None:
        return put_in_place(meaning, place, text)
    if not narrows:
        meaning.free.add(ChangeKind.THING)
    return meaning.add(f"{head} {named(text)}")


def put_in_place(meaning: Meaning, place: tuple[int, int], words: str) -> bool:
    """Puts a new value in the place of an old one."""
    start, end = place
    old = meaning.text[start:end]
    meaning.free.add(ChangeKind.THING)
    words = named(words)
    if meaning.further:
        return meaning.say(meaning.earlier.replaced(start, end, f"{old} and {words}"))
    meaning.dropped |= stems(old)
    names = re.findall(r"(?:\b[A-Z][\w'&.-]*(?: (?=[A-Z]))?)+", words)
    if names and stems(words) - stems(names[0]) <= stems(meaning.text):
        words = names[0]
    return meaning.say(meaning.earlier.replaced(start, end, words.removeprefix("the ")))


def thing_change(meaning: Meaning, change: Edit) -> bool:
    """`last year`, `Germany`, `the average`, `newest first`, `revenue`: what no preposition introduces."""
    words = change.text
    if change.head == MEASURE:
        return other_measure(meaning, words)
    if change.head == BARE and not meaning.evidence.knows(words) and not WHOLE_KINDS.match(words):
        return False
    beside = EARLIER.match(words) or LATER.match(words)
    time = time_phrase(words) if beside is None else _time_beside(meaning, beside)
    if beside is not None and time is None:
        return False
    if time is not None:
        return time_change(meaning, time)
    return _timeless(meaning, change)


def _timeless(meaning: Meaning, change: Edit) -> bool:
    """A thing that names no time."""
    words = change.text
    changed = next((changed for pattern, changed in _WHOLE_THINGS if pattern.match(words)), None)
    if turned_extreme(meaning, words) or changed is not None:
        return changed is None or changed(meaning, words)
    return _named_thing(meaning, words, lead=change.head == "about")


def _time_beside(meaning: Meaning, beside: re.Match[str]) -> str | None:
    """The period before or after the one that was asked for."""
    return next_to(meaning.earlier.times(), _unit(beside), -1 if EARLIER.match(beside.string) else 1, meaning.moment)


def _unit(beside: re.Match[str]) -> str | None:
    unit = next(filter(None, beside.groups()), None)
    return {"weekend": "week", "yr": "year"}.get(unit or "", unit)


def _overall(meaning: Meaning, words: str) -> bool:
    return wide_change(meaning, Edit(ChangeKind.WIDE, words if WHOLE_KINDS.match(words) else "", "overall"))


def _counted(meaning: Meaning, words: str) -> bool:
    number = words.split(maxsplit=1)[0]
    if number.isdigit() and meaning.earlier.with_rank("", int(number)) is not None:
        return ranked(meaning, "top", int(number), "")
    return moved_bound(meaning, number)


_WHOLE_THINGS: tuple[tuple[re.Pattern[str], Callable[[Meaning, str], bool]], ...] = (
    (SHARES, lambda meaning, words: share_change(meaning, Edit(ChangeKind.SHARE, words))),
    (DIRECTIONS, lambda meaning, words: order_change(meaning, Edit(ChangeKind.ORDER, words, "sort"))),
    (AGGREGATES, lambda meaning, words: aggregate_change(meaning, Edit(ChangeKind.AGGREGATE, words))),
    (ALL, _overall),
    (WHOLE_KINDS, _overall),
    (re.compile(r"[$€£]?\d[\d.,]*(?:k|m)?(?: (?!\d)\w{1,12})?$"), _counted),
    (ONES, lambda meaning, words: only_change(meaning, Edit(ChangeKind.ONLY, words))),
    (THOSE, lambda meaning, words: only_change(meaning, Edit(ChangeKind.ONLY, words))),
    (_THEIRS, lambda meaning, words: show_change(meaning, Edit(ChangeKind.SHOW, _THEIRS.sub("", words)))),
)
"""What a thing changes, by its words."""


def _named_thing(meaning: Meaning, words: str, *, lead: bool) -> bool:
    """`what about Germany`, `and revenue`: a value in the place of another, or a measure in place of the measure."""
    evidence = meaning.evidence
    is_named = is_name(words) or evidence.knows(words)
    shown = is_shown(words, evidence)
    place = meaning.earlier.parallel(words)
    if place is None and (is_named or (evidence.differs and not shown)):
        place = replaced_value(meaning.earlier, words, "", evidence, narrows=False)
    if place is not None:
        return put_in_place(meaning, place, words)
    other = not shown and reads_table(words, evidence)
    if is_named or (lead and not shown and not other):
        return _new_value(meaning, words)
    return other_things(meaning, words) if other else other_measure(meaning, words)


def _new_value(meaning: Meaning, words: str) -> bool:
    meaning.free.add(ChangeKind.THING)
    return meaning.add(f"for {named(words)}" if is_name(words) else f"that are {words}")


def time_change(meaning: Meaning, time: str, *, narrows: bool = False) -> bool:
    """Another time in the place of the old one, or a time where there was none."""
    times = meaning.earlier.times()
    if not times:
        return meaning.say(meaning.earlier.with_time(time))
    if meaning.further:
        meaning.free |= {ChangeKind.PLACE, ChangeKind.SPAN}
        return True
    meaning.free.add(ChangeKind.PLACE)
    part = in_the_same_part(time, meaning)
    time = part if part != time else with_year(time, times[-1], meaning.moment, narrows=narrows)
    return meaning.say(at_no_end(meaning.earlier.with_time(time)))
