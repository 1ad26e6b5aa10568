"""What the question asks for beside what the SQL does about it, one numbered pair each, from a stored record."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, cast

from scoring.linking import LINKED, best_likeness, content_words
from scoring.verdict import NormalizationRule
from scoring.words import identifier_words
from service.console.answer.stored_record import entries, strings

Entry = Mapping[str, Any]


class Part(StrEnum):
    """Which part of a specification a pair is about."""

    FILTER = "filter"
    OUTPUT = "output"
    AGGREGATION = "aggregation"
    GROUPING = "grouping"
    ORDER = "order"
    EXCUSED = "excused"


class Place(StrEnum):
    """How the two sides of a pair fit."""

    MATCHED = "matched"
    MISSING = "missing"
    MISMATCHED = "mismatched"
    EXTRA = "extra"
    BENIGN = "benign"
    IGNORED = "ignored"
    ASKED = "asked"
    """The question asks for it, and the record does not say what answers it."""
    EXCUSED = "excused"
    """A normalisation rule excuses it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Words of the question, and the SQL that answers them; one of both may be absent."""

    number: int = 0
    part: Part
    place: Place
    words: str = ""
    """As they stand in the question."""
    written: str = ""
    """The construct of the SQL, normalised, as the record names it."""
    found: Sequence[Entry] = ()
    """The entries of the SQL's specification, which say where in the SQL it stands."""
    rule: str = ""
    """The normalisation rule that excuses it."""


MOST_PAIRS = 200
"""Most pairs that are shown."""
_EXCUSED_PARTS: Mapping[str, str] = {
    NormalizationRule.REQUIRED_GROUP_BY.value: "group_by",
    NormalizationRule.BENIGN_GROUP_BY.value: "group_by",
    NormalizationRule.DEFAULT_ORDER_BY.value: "order_by",
    NormalizationRule.SAFETY_LIMIT.value: "limits",
}


def pairs_of(record: Entry) -> list[Pair]:
    """The pairs of a record, numbered from 1: what is wrong or missing among the filters first."""
    asked, written = _part(record, "question_spec"), _part(record, "sql_spec")
    found = [
        *_filters(_part(record, "alignment")),
        *_outputs(asked, written, _part(record, "alignment", "projection")),
        *_aggregations(asked, written, _part(record, "alignment", "aggregation")),
        *_groupings(asked, written, _part(record, "alignment", "grouping")),
        *_orders(asked, written),
        *_excused(record, written),
    ]
    return [replace(each, number=number) for number, each in enumerate(found[:MOST_PAIRS], 1)]


def _part(record: Entry, *names: str) -> Entry:
    for name in names:
        found = record.get(name)
        record = cast("Entry", found) if isinstance(found, Mapping) else {}
    return record


def _filters(alignment: Entry) -> Iterator[Pair]:
    filters = _part(alignment, "filters")
    for place in ("missing", "mismatched", "extra", "matched", "benign", "ignored"):
        for each in entries(filters, place):
            present = entries(each, "present") if place in {"matched", "mismatched"} else []
            found = present or ([] if place == "missing" else [each])
            words = str(each.get("span") or "")
            written = ", ".join(str(one.get("text") or "") for one in found)
            yield Pair(part=Part.FILTER, place=Place(place), words=words, written=written, found=found)


def _outputs(asked: Entry, written: Entry, alignment: Entry) -> Iterator[Pair]:
    answer = _answer_columns(written)
    missing, extra = strings(alignment, "missing"), strings(alignment, "extra")
    linked: set[int] = set()
    for phrase in strings(asked, "outputs"):
        found = _most_alike(phrase, [(n, _names(each)) for n, each in enumerate(answer) if n not in linked])
        if found is not None:
            linked.add(found)
            shown = answer[found]
            yield Pair(
                part=Part.OUTPUT, place=Place.MATCHED, words=phrase, written=str(shown.get("operand")), found=[shown]
            )
        else:
            yield Pair(part=Part.OUTPUT, place=Place.MISSING if phrase in missing else Place.ASKED, words=phrase)
    for each in answer:
        if str(each.get("operand")) in extra:
            yield Pair(part=Part.OUTPUT, place=Place.EXTRA, written=str(each.get("operand")), found=[each])


def _answer_columns(written: Entry) -> list[Entry]:
    """The columns of the first output block, each with its place in it."""
    first = next((each.get("path") for each in entries(written, "blocks") if each.get("output")), "main")
    shown = [each for each in entries(written, "projections") if each.get("block") == first]
    return [{**each, "place": place, "of": len(shown)} for place, each in enumerate(shown)]


def _names(projection: Entry) -> str:
    return f"{projection.get('operand') or ''} {projection.get('alias') or ''}"


def _most_alike(phrase: str, names: Iterable[tuple[int, str]]) -> int | None:
    """The name that a phrase means most likely; `None` where none resembles it."""
    words = content_words(phrase)
    scored = [(_likeness(words, name), -place) for place, name in names] if words else []
    best, place = max(scored, default=(0.0, 0))
    return -place if best >= LINKED else None


def _likeness(words: Sequence[str], name: str) -> float:
    parts = {stem for each in re.findall(r"[^\W\d]\w*", name) for stem in identifier_words(each)}
    return sum(best_likeness(word, parts) for word in words) / len(words)


def _aggregations(asked: Entry, written: Entry, alignment: Entry) -> Iterator[Pair]:
    rest = list(entries(written, "aggregations"))
    missing, extra = strings(alignment, "missing"), strings(alignment, "extra")
    for each in entries(asked, "aggregations"):
        function, column = str(each.get("func") or ""), str(each.get("col") or "")
        same = [one for one in rest if str(one.get("func")) == function]
        likely = _most_alike(column, [(n, str(one.get("col") or "")) for n, one in enumerate(same)])
        found = same[likely or 0] if same else None
        if found is not None:
            rest.remove(found)
        lost = found is None and any(text.startswith(function) for text in missing)
        yield Pair(
            part=Part.AGGREGATION,
            place=Place.MATCHED if found is not None else Place.MISSING if lost else Place.ASKED,
            words=column if column != "*" else "",
            written=_call(found) if found is not None else f"{function}(…)" if lost else "",
            found=[found] if found is not None else [],
        )
    for each in rest:
        if any(str(each.get("func")) == text.partition("(")[0] for text in extra):
            yield Pair(part=Part.AGGREGATION, place=Place.EXTRA, written=_call(each), found=[each])


def _call(aggregation: Entry) -> str:
    distinct = "DISTINCT " if aggregation.get("distinct") else ""
    return f"{aggregation.get('func')}({distinct}{aggregation.get('col')})"


def _groupings(asked: Entry, written: Entry, alignment: Entry) -> Iterator[Pair]:
    keys = entries(written, "group_by")
    missing, extra = strings(alignment, "missing"), strings(alignment, "extra")
    for phrase in strings(asked, "group_by"):
        found = _most_alike(phrase, [(n, str(each.get("operand"))) for n, each in enumerate(keys)])
        if found is not None:
            key = keys[found]
            place, written_key, entry = Place.MATCHED, str(key.get("operand")), [key]
        else:
            place, written_key, entry = Place.MISSING if phrase in missing else Place.ASKED, "", []
        yield Pair(part=Part.GROUPING, place=place, words=phrase, written=written_key, found=entry)
    for each in keys:
        if str(each.get("operand")) in extra:
            yield Pair(part=Part.GROUPING, place=Place.EXTRA, written=str(each.get("operand")), found=[each])


def _orders(asked: Entry, written: Entry) -> Iterator[Pair]:
    keys = [*entries(written, "order_by"), *entries(written, "limits")]
    phrases = [" ".join(filter(None, (_text(each, "word"), _text(each, "measure")))) for each in _superlatives(asked)]
    ordering = _text(_part(asked, "ordering"), "phrase")
    shown = ", ".join(_sorting(each) for each in keys)
    for phrase in dict.fromkeys(filter(None, (*phrases, ordering))):
        place = Place.MATCHED if keys else Place.ASKED
        yield Pair(part=Part.ORDER, place=place, words=phrase, written=shown, found=keys)


def _superlatives(asked: Entry) -> list[Entry]:
    return entries(asked, "superlatives")


def _text(entry: Entry, name: str) -> str:
    found = entry.get(name)
    return found if isinstance(found, str) else ""


def _sorting(entry: Entry) -> str:
    if "count" in entry:
        return f"LIMIT {'?' if entry.get('count') is None else entry.get('count')}"
    return f"{entry.get('operand')}{' DESC' if entry.get('descending') else ''}"


def _excused(record: Entry, written: Entry) -> Iterator[Pair]:
    for each in entries(record, "normalizations"):
        rule, construct = _text(each, "rule"), _text(each, "construct")
        candidates = entries(written, _EXCUSED_PARTS.get(rule, ""))
        named = [one for one in candidates if str(one.get("operand", one.get("count"))) in construct]
        yield Pair(part=Part.EXCUSED, place=Place.EXCUSED, written=construct, found=named, rule=rule)
