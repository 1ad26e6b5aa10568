"""Changes of what is computed and shown: groups, order, first rows, measures and columns."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.question.english.follow_ups import AGGREGATES, DIRECTIONS, NUMERALS
from scoring.question.follow_ups.changed_question import Meaning
from scoring.question.follow_ups.earlier import EarlierQuestion, unit_of
from scoring.question.follow_ups.edits import ALONE, ChangeKind, Edit
from scoring.question.follow_ups.evidence import TurnEvidence, stems
from scoring.specification import Aggregation, SqlSpec


def group_change(meaning: Meaning, change: Edit) -> bool:
    """`by month`: in place of a group that the answer does not keep, else in addition."""
    key = re.sub(r"^(?:the|each|every) ", "", change.text)
    if not key:
        return False
    earlier = meaning.earlier
    if _is_measured(key, meaning.evidence):
        meaning.free |= {ChangeKind.AGGREGATE, ChangeKind.COUNT}
        return meaning.say(f"{key} of {earlier.subject}")
    swapped = None if meaning.further else _with_other_unit(earlier, key)
    return meaning.say(swapped) if swapped is not None else _grouped_by(meaning, change, key)


def _grouped_by(meaning: Meaning, change: Edit, key: str) -> bool:
    earlier = meaning.earlier
    units = (unit_of(key), *(unit_of(each["key"]) for each in earlier.groups()))
    grain = units[0] is not None and units[0] in units[1:]
    keeps = change.head != ALONE and _keeps(meaning, change, grain=grain)
    meaning.free.add(ChangeKind.COUNT)
    if not keeps:
        meaning.free.add(ChangeKind.GROUP)
        meaning.say(earlier.without_group())
    return meaning.say(f"{meaning.text} per {unit_of(key) or key}")


def _keeps(meaning: Meaning, change: Edit, *, grain: bool) -> bool:
    """Whether a group is added to those of the SQL before."""
    of_each = change.head.split(" ")[0] in _OF_EACH
    return meaning.further or of_each or (not meaning.instead and not grain and _keeps_group(meaning))


_OF_EACH = frozenset({"each", "those", "these", "them"})
"""What is split further, and so kept: `split those by device`."""


def _is_measured(key: str, evidence: TurnEvidence) -> bool:
    """Whether the answer adds up a new column of this name and does not group by it: `by weight`."""
    said = stems(key)
    if any(said & stems(column.name) for each in evidence.now.group_by for column in each.operand.columns):
        return False
    old = {column for each in _aggregations(evidence.before) for column in each.columns}
    new = {column for each in _aggregations(evidence.now) for column in each.columns} - old
    return any(said & stems(column.name) for column in new)


def _aggregations(spec: SqlSpec | None) -> tuple[Aggregation, ...]:
    return spec.aggregations if spec is not None else ()


def _with_other_unit(earlier: EarlierQuestion, key: str) -> str | None:
    """The text with another unit of time among several groups: `per month and wine` with `week`."""
    for group in earlier.groups() if unit_of(key) is not None else ():
        words = re.split(r",? and |, ?", group["key"])
        unit = next((each for each in words if unit_of(each) is not None), None)
        if unit is not None and len(words) > 1:
            start = group.start("key") + group["key"].index(unit)
            return earlier.replaced(start, start + len(unit), unit_of(key) or key)
    return None


def _keeps_group(meaning: Meaning) -> bool:
    """Whether the answer is still grouped by a key of the SQL before."""
    before = meaning.evidence.before
    if before is None:
        return len({each.operand.name for each in meaning.evidence.now.group_by}) > 1
    old = {column.name for each in before.group_by for column in each.operand.columns}
    return any(column.name in old for each in meaning.evidence.now.group_by for column in each.operand.columns)


def order_change(meaning: Meaning, change: Edit) -> bool:
    """`sort by revenue`, `newest first`."""
    words = (
        f"{change.head} {change.text}"
        if not change.head.startswith(("sort", "order", "rank", "arrang"))
        else change.text
    )
    words = words.strip()
    if not words:
        return False
    meaning.free.add(ChangeKind.ORDER)
    if meaning.earlier.counts and not any(each.operand.func for each in meaning.evidence.now.projections):
        list_change(meaning, Edit(ChangeKind.LIST, ""))
    if re.match(r"from \w+ to ", words):
        return meaning.say(f"{meaning.earlier.without_order()}, sorted")
    bare = DIRECTIONS.match(words) is not None and not words.lower().startswith("by ")
    return meaning.say(f"{meaning.earlier.without_order()}, {words if bare else f'sorted by {words}'}")


def rank_change(meaning: Meaning, change: Edit) -> bool:
    """`top 5`."""
    said = change.head.removeprefix("the ").split()
    way, count = said[0], NUMERALS.get(said[1]) or int(said[1])
    return ranked(meaning, way, count, change.text)


def ranked(meaning: Meaning, way: str, count: int, rest: str) -> bool:
    """Another number of first rows, or a first one."""
    meaning.free |= {ChangeKind.RANK, ChangeKind.ORDER}
    found = meaning.earlier.with_rank(way, count)
    if found is None:
        way = way if way in ("bottom", "first", "last", "lowest", "smallest") else "top"
        found = f"{meaning.text}, {way} {count}"
    meaning.say(found)
    return meaning.add(rest) if rest.lower().startswith("by ") else True


def share_change(meaning: Meaning, change: Edit) -> bool:
    """`as a percentage`, `as a share of their calls`."""
    meaning.free |= {ChangeKind.AGGREGATE, ChangeKind.SHARE}
    own = _OF_OWN.match(change.text)
    return meaning.add(f"as a percentage {own.group()}" if own is not None else "as a percentage")


_OF_OWN = lazy(r"of (?:each(?: one'?s?)?|its|their) \w+", re.IGNORECASE)


def free_of(meaning: Meaning, words: str) -> bool:
    """Takes away a limit, an order or a grouping."""
    if "limit" in words or "top" in words:
        meaning.free |= {ChangeKind.RANK}
        return meaning.say(meaning.earlier.without_rank())
    if "order" in words or "sort" in words:
        meaning.free |= {ChangeKind.ORDER}
        return meaning.say(meaning.earlier.without_order())
    if "group" in words:
        meaning.free |= {ChangeKind.GROUP}
        return meaning.say(meaning.earlier.without_group())
    return False


def is_shown(words: str, evidence: TurnEvidence) -> bool:
    """Whether the answer has a column of these words that the SQL before has not."""
    before = {each.operand.name for each in evidence.before.projections} if evidence.before is not None else set[str]()
    new = [each for each in evidence.now.projections if each.operand.name not in before]
    said = stems(words)
    names = (
        f"{each.alias or ''} {' '.join(c.name for c in each.operand.columns)} {each.operand.func or ''}" for each in new
    )
    return any(said & stems(name) for name in names)


def reads_table(words: str, evidence: TurnEvidence) -> bool:
    """Whether the answer reads a table of this name that the SQL before does not."""
    before = evidence.before.blocks if evidence.before is not None else ()
    old = {table for block in before for table in block.tables}
    new = {table for block in evidence.now.blocks for table in block.tables} - old
    return bool(stems(words) & {word for table in new for word in stems(table)})


def other_measure(meaning: Meaning, words: str) -> bool:
    """Another measure of the same rows."""
    meaning.free |= {ChangeKind.AGGREGATE, ChangeKind.COUNT, ChangeKind.LIST}
    words = re.sub(r"^(?:the|an?) ", "", words)
    if not meaning.evidence.now.group_by and words.startswith("number of"):
        over_all(meaning)
    place = _measured_place(meaning)
    if place is not None:
        return meaning.say(meaning.earlier.replaced(*place, words))
    return meaning.say(f"What is the {words} of {meaning.earlier.subject}")


def _measured_place(meaning: Meaning) -> tuple[int, int] | None:
    """Where the text begins with the measure of the SQL before: `total revenue` of `total revenue per branch`."""
    before = meaning.evidence.before
    shown = [each for each in before.projections if each.operand.func] if before is not None else []
    names = " ".join(f"{each.alias or ''} {' '.join(c.name for c in each.operand.columns)}" for each in shown)
    found = _MEASURE.match(meaning.text)
    return found.span("what") if found is not None and stems(found["noun"]) & stems(names) else None


_MEASURE = lazy(
    r"(?:(?:show|give|list|get)(?: me)? |what (?:is|are|was|were) )?(?:the )?(?P<what>(?:(?:total|average|avg|mean"
    r"|median|sum of|number of|count of|maximum|minimum|max|min) )?(?P<noun>[\w-]+))\b",
    re.IGNORECASE,
)


def other_things(meaning: Meaning, words: str) -> bool:
    """Other things in the place of those that were asked about."""
    counted = next((each.column for each in meaning.earlier.spec.aggregations if each.column), "")
    counted = counted or next((each.phrase for each in meaning.earlier.spec.outputs), "")
    start = meaning.text.casefold().find(counted.casefold()) if counted else -1
    if start < 0:
        return other_measure(meaning, words)
    meaning.free.add(ChangeKind.COUNT)
    return meaning.say(meaning.earlier.replaced(start, start + len(counted), re.sub(r"^the ", "", words)))


def aggregate_change(meaning: Meaning, change: Edit) -> bool:
    """`the average instead`."""
    found = AGGREGATES.match(change.text)
    if found is None:
        return False
    meaning.free.add(ChangeKind.AGGREGATE)
    name = {"avg": "average", "mean": "average", "max": "maximum", "min": "minimum", "sum": "total"}.get(
        found["name"].lower(), found["name"].lower()
    )
    if name == "count":
        return count_change(meaning, change)
    if name == "total" and _adds_up(meaning.evidence):
        return over_all(meaning)
    text = meaning.earlier.with_aggregate(name)
    if text is not None:
        return meaning.say(text)
    return name == "total" and over_all(meaning)


def _adds_up(evidence: TurnEvidence) -> bool:
    """Whether the SQL before has a total or a count of each group, and the answer has no groups."""
    totals = any(each.func in ("SUM", "COUNT") for each in _aggregations(evidence.before))
    grouped = evidence.before is not None and bool(evidence.before.group_by)
    return totals and grouped and not evidence.now.group_by


def over_all(meaning: Meaning) -> bool:
    """One value for all in place of one for each group."""
    meaning.free |= {ChangeKind.GROUP, ChangeKind.RANK}
    return meaning.say(meaning.earlier.without_group())


def count_change(meaning: Meaning, change: Edit) -> bool:
    """`how many is that?`"""
    earlier = meaning.earlier
    meaning.free |= {ChangeKind.AGGREGATE, ChangeKind.COUNT, ChangeKind.LIST, ChangeKind.GROUP, ChangeKind.RANK}
    if earlier.counts:
        return _keeps_group(meaning) or meaning.say(earlier.without_group())
    text = EarlierQuestion(earlier.without_order())
    shown = re.sub(
        r",? (?:and|with) (?:their|its|the) [\w -]+?(?= (?:in|for|from|at|on|of|that|who|since)\b|$)", "", text.subject
    )
    return meaning.say(f"How many {shown}")


def list_change(meaning: Meaning, change: Edit) -> bool:
    """`which ones?`"""
    meaning.free |= {ChangeKind.AGGREGATE, ChangeKind.LIST}
    if not meaning.earlier.counts:
        return True
    return meaning.say(f"List the {meaning.earlier.subject}")


def show_change(meaning: Meaning, change: Edit) -> bool:
    """`with their names`."""
    words = re.sub(r"^(?:the|their|its) | (?:column|field)s?$", "", change.text)
    if not words:
        return False
    meaning.free.add(ChangeKind.LIST)
    if meaning.evidence.released(words):
        return meaning.add(f"including {words}")
    if re.match(
        r"(?:average|total|mean|sum|median|maximum|minimum|highest|lowest|number|count|percent\w*)\b",
        words,
        re.IGNORECASE,
    ):
        return other_measure(meaning, words)
    return meaning.add(f"with their {words}")
