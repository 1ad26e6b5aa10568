"""Signals about two rows of one table: pairs that are counted twice, and roles that are swapped."""

from __future__ import annotations

import re
from collections.abc import Sequence

from scoring.patterns import lazy
from scoring.signals.finding import Finding
from scoring.signals.mistakes.events import is_time
from scoring.signals.mistakes.unmet.references import reference_reversed
from scoring.signals.mistakes.wording import asked, cue, first, shapes
from scoring.specification.shapes import Shape, ShapeKind
from scoring.sql.shapes.naming import key_stems
from scoring.verdict import Case
from scoring.words import identifier_words, stem

_PAIRS = cue("pair", r"\bpairs? of\b|\bpairs\b")
_ORDERED = lazy(r"\bordered pairs?\b|\bfrom .{0,80} to\b")


def pair_counted_twice(case: Case) -> Finding | None:
    """Pairs are asked for, and each is counted twice, with itself, or not at all.

    `a.id <> b.id` finds each pair in both orders. `a.id < b.id` keeps one, and so does half of the number.

    >>> pair_counted_twice(case("How many pairs of pilots share a base?",
    ...     "SELECT COUNT(*) FROM pilots a JOIN pilots b ON a.base = b.base AND a.id <> b.id")).detail
    'pairs of pilots: twice'
    """
    text = asked(case)
    found = shapes(case, ShapeKind.SELF_PAIR)
    oddity = _overlap_oddity(found, case) if found and _OVERLAPS.search(text) else None
    if oddity is not None:
        return Finding(1.0, oddity)
    asks = _PAIRS.search(text) or (found and _EACH_PAIR.search(text))
    return _counted_oddly(found, case) if asks and not _ORDERED.search(text) else None


def _counted_oddly(found: Sequence[Shape], case: Case) -> Finding | None:
    counted = any(each.func == "COUNT" for each in case.question.aggregations)
    if not found:
        alone = counted and len({table for block in case.sql.blocks for table in block.tables}) == 1
        return Finding(1.0, "no two rows are paired") if alone else None
    once = any("once" in each.words or "halved" in each.words for each in found)
    if not once:
        return Finding(1.0, f"{found[0].text}: {found[0].words[0]}")
    listed = case.sql.group_by and _EACH_PAIR.search(asked(case)) is not None
    return _values_counted(case) if counted and not listed else None


_EACH_PAIR = cue(
    "pair couple combination",
    r"\b(?:each|every|any|per) (?:pair|couple|combination)\b|\bpair (?:just |only )?once\b"
    r"|\bpairs? (?:\w+ ){0,2}(?:just |only )?once\b",
)
_OVERLAPS = cue("overlap clash double", r"\b(?:overlap\w*|clash\w*|double[- ]book\w*)\b")
_AT_PEAK = cue("peak busiest concurren simultaneous most", r"\b(?:peak|busiest|concurren\w+|simultaneous\w*|at most)\b")
_OVERLAPS_COUNTED = cue(
    "overlap clash double",
    r"\b(?:how many|number of|count(?: of)?) (?:\w+ )?(?:double[- ]bookings|overlaps|clashes|overlapping pairs)\b",
)


def _overlap_oddity(pairs: Sequence[Shape], case: Case) -> str | None:
    """A row is found to overlap itself, an overlap counts twice, or only what lies within another row is found."""
    if len(pairs) > 1 or _AT_PEAK.search(asked(case)) is not None:
        return None
    text, (order, *words) = pairs[0].text, pairs[0].words
    if "inside" in words:
        return f"{text}: one lies within the other"
    if "overlapping" not in words or order == "once":
        return None
    if order == "unordered":
        return f"{text}: with itself"
    return f"{text}: twice" if "halved" not in words and _overlaps_counted(case) else None


def _overlaps_counted(case: Case) -> bool:
    """Whether the number of overlaps is asked for, and the answer is one count of rows."""
    one = len(case.answer) == len(case.sql.blocks) == 1 and case.answer[0].operand.func == "COUNT"
    return one and not case.answer[0].operand.distinct and _OVERLAPS_COUNTED.search(asked(case)) is not None


def _values_counted(case: Case) -> Finding | None:
    """Values are counted once, or equal rows dropped, where each pair counts."""
    distinct = next((each for each in case.sql.aggregations if each.distinct and each.func == "COUNT"), None)
    if distinct is not None and len(distinct.columns) == 1 and not _is_asked_for(distinct.column, case):
        return Finding(1.0, f"count of different {distinct.column}, not of pairs")
    merged = next((each for each in case.sql.set_operations if each.kind == "union"), None)
    return Finding(1.0, "UNION drops pairs that look the same") if merged is not None else None


def _is_asked_for(column: str, case: Case) -> bool:
    """Whether the question counts what a column tells apart: `shared shifts` of each pair."""
    counted = {stem(word) for each in case.question.aggregations for word in each.column.split()}
    return not counted.isdisjoint(identifier_words(column))


_MORE = lazy(
    r"\b(?:more|higher|greater|longer|larger|bigger|older|later|after|above|exceeds?|exceed\w*|outearn\w*"
    r"|taller|heavier)\b"
)
_LESS = lazy(r"\b(?:less|lower|smaller|fewer|shorter|earlier|before|below|under|younger|lighter|sooner)\b")
_DATES = lazy(r"\b(?:older|younger|senior|longer|earlier|later|before|after|sooner)\b")


def roles_swapped(case: Case) -> Finding | None:
    """A row is compared with the one that it refers to the wrong way round, or the other one is shown.

    Who earns more than their manager is looked for among those whose manager earns more, or the managers are listed.

    >>> roles_swapped(case("Which pilots earn more than their captain?", "SELECT p.name FROM pilots p JOIN pilots c "
    ...     "ON p.captain_id = c.id WHERE p.pay < c.pay")).detail
    'p.pay < c.pay: less than the captain'
    """
    shifted = _years_swapped(case)
    if shifted is not None:
        return Finding(1.0, shifted)
    text = asked(case) if "boss_id" in case.written else _BOSS.sub("manager", asked(case))
    compared = shapes(case, ShapeKind.SELF_COMPARISON)
    found = [odd for each in compared if (odd := _compared_oddly(each, text))]
    if found:
        return Finding(1.0, found[0])
    for shown in shapes(case, ShapeKind.SELF_OUTPUT) if compared else ():
        role = shown.words[0]
        if _wants_holder(text, role) if "child" in shown.words else _wanted(text, role):
            return Finding(1.0, shown.text)
    turned = reference_reversed(case)
    return Finding(1.0, turned) if turned is not None else _unlinked(text, case)


_OLDER = lazy(r"\b(?:prev\w*|old|last\w*|prior|py)\.(\w*(?:year|yr)\w*)\s*=\s*(\d{4})\b", re.IGNORECASE)
_NEWER = lazy(r"\b(?:cur\w*|new|this\w*|ty|cy)\.(\w*(?:year|yr)\w*)\s*=\s*(\d{4})\b", re.IGNORECASE)


def _years_swapped(case: Case) -> str | None:
    """What the SQL calls the year before is the later one."""
    older, newer = _OLDER.search(case.written), _NEWER.search(case.written)
    if older is None or newer is None or older[1].casefold() != newer[1].casefold() or int(older[2]) <= int(newer[2]):
        return None
    return f"{older.group()} beside {newer.group()}"


_BOSS = lazy(r"\b(?:boss|line manager|(?:person|one) (?:they|he|she) reports? to)\b")
_SUBJECT = lazy(r"\s*(?:which|what|list|show|find|name|who are)?(?: me| all| the| our| of| any)* ([a-z]+)")


def _wants_holder(text: str, role: str) -> bool:
    """Whether those who hold a role are asked for: `which captains earn less than …`, but not than their captain."""
    subject = _SUBJECT.match(text)
    held = re.search(rf"\b(?:their|his|her|its|own) (?:own |direct )?{re.escape(role)}", text)
    return subject is not None and stem(subject[1]) == role and held is None


def _compared_oddly(shape: Shape, text: str) -> str:
    """What is wrong with a comparison of a row with the one that it refers to, if anything."""
    word, role = shape.words[:2]
    timed = bool(shape.columns) and is_time(shape.columns[0].name)
    when = _WHEN.search(text)
    if timed and when is not None and stem(when[2]) == role:
        return "" if _MOMENTS[when[1]] == word else f"{shape.text}: not {when[1]} the {role}"
    if shape.columns and not _BIRTH.isdisjoint(identifier_words(shape.columns[0].name)):
        older = _BY_AGE.search(text) is not None and _wanted(text, role) == word
        return f"{shape.text}: {word} than the {role}" if older else ""
    return _less_or_equal(shape, text, timed=timed)


def _less_or_equal(shape: Shape, text: str, *, timed: bool) -> str:
    """What is wrong with a comparison of values."""
    word, role = shape.words[:2]
    wanted, dated = _wanted(text, role), _DATES.search(text) is not None
    if wanted == word:
        oddity = "or equal" if "or equal" in shape.words else "times are compared" if timed and not dated else ""
        return oddity and f"{shape.text}: {oddity}"
    return f"{shape.text}: {word} than the {role}" if wanted and not dated else ""


_BIRTH = frozenset({"birth", "birthday", "birthdate", "dob", "born"})
_BY_AGE = cue("older younger", r"\b(?:older|younger)\b")
_MOMENTS = {"before": "less", "earlier than": "less", "after": "more", "later than": "more"}
_WHEN = lazy(r"\b(before|earlier than|after|later than) (?:their|its|his|her) (?:own )?(\w+)")


def _unlinked(text: str, case: Case) -> Finding | None:
    """Two rows of one table are compared, and no key says that one holds the role for the other."""
    pair = first(case, ShapeKind.SELF_PAIR)
    place = _THAN.search(text) if pair is not None else None
    if place is None or pair is None or first(case, ShapeKind.SELF_COMPARISON) is not None or not case.sql.filters:
        return None
    role = stem(place[1].removesuffix("'s"))
    keys = {stems[-1] for column in pair.columns if (stems := key_stems(column.name))}
    if not pair.columns and "than the" not in place.group():
        return Finding(1.0, f"{pair.text}: no key links them")
    return Finding(1.0, f"{pair.text}: both have the same {role}") if role in keys else None


_THAN = lazy(r"\bth[ae]n (?:their|there|thier|its|his|her|the|his or her|their own)(?: own| direct| line)? (\w+)")


def _wanted(text: str, role: str) -> str:
    """`more` or `less`, as the question compares a thing with its holder of the role; empty where it does not."""
    place = _THAN.search(text)
    if place is None or stem(place[1].removesuffix("'s")) != role:
        return ""
    before = text[: place.end()]
    more, less = _MORE.search(before), _LESS.search(before)
    if (more is None) is (less is None):
        return ""
    return "more" if more is not None else "less"
