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


class PairPart(StrEnum):
    """Which part of a specification a pair is about."""

    FILTER = "filter"
    OUTPUT = "output"
    AGGREGATION = "aggregation"
    GROUPING = "grouping"
    ORDER = "order"
    EXCUSED = "excused"


class PairFit(StrEnum):
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
class AnswerPart:
    """Words of the question, and the SQL that answers them; one of both may be absent."""

    number: int = 0
    part: PairPart
    place: PairFit
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


def pairs_of(record: Entry) -> list[AnswerPart]:
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


def _filters(alignment: Entry) -> Iterator[AnswerPart]:
    filters = _part(alignment, "filters")
    for place in ("missing", "mismatched", "extra", "matched", "benign", "ignored"):
        for each in entries(filters, place):
            present = entries(each, "present") if place in {"matched", "mismatched"} else []
            found = present or ([] if place == "missing" else [each])
            words = str(each.get("span") or "")
            written = ", ".join(str(one.get("text") or "") for one in found)
            yield AnswerPart(part=PairPart.FILTER, place=PairFit(place), words=words, written=written, found=found)


def _outputs(asked: Entry, written: Entry, alignment: Entry) -> Iterator[AnswerPart]:
    answer = _answer_columns(written)
    missing, extra = strings(alignment, "missing"), strings(alignment, "extra")
    linked: set[int] = set()
    for phrase in strings(asked, "outputs"):
        found = _most_alike(phrase, [(n, _names(each)) for n, each in enumerate(answer) if n not in linked])
        if found is not None:
            linked.add(found)
            shown = answer[found]
            yield AnswerPart(
                part=PairPart.OUTPUT,
                place=PairFit.MATCHED,
                words=phrase,
                written=str(shown.get("operand")),
                found=[shown],
            )
        else:
            yield AnswerPart(
                part=PairPart.OUTPUT, place=PairFit.MISSING if phrase in missing else PairFit.ASKED, words=phrase
            )
    for each in answer:
        if str(each.get("operand")) in extra:
            yield AnswerPart(part=PairPart.OUTPUT, place=PairFit.EXTRA, written=str(each.get("operand")), found=[each])


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


def _aggregations(asked: Entry, written: Entry, alignment: Entry) -> Iterator[AnswerPart]:
    rest = list(entries(written, "aggregations"))
    missing, extra = strings(alignment, "missing"), strings(alignment, "extra")
    for each in entries(asked, "aggregations"):
        function, column = _text(each, "func"), _text(each, "col")
        words = "" if column == "*" else column
        found = _computed(rest, function, column)
        if found is not None:
            rest.remove(found)
            yield AnswerPart(
                part=PairPart.AGGREGATION, place=PairFit.MATCHED, words=words, written=_call(found), found=[found]
            )
        else:
            lost = any(text.startswith(function) for text in missing)
            yield AnswerPart(part=PairPart.AGGREGATION, place=PairFit.MISSING if lost else PairFit.ASKED, words=words)
    functions = {text.partition("(")[0] for text in extra}
    for each in rest:
        if _text(each, "func") in functions:
            yield AnswerPart(part=PairPart.AGGREGATION, place=PairFit.EXTRA, written=_call(each), found=[each])


def _computed(aggregations: Sequence[Entry], function: str, column: str) -> Entry | None:
    """The SQL's aggregate with this function, of the column that is most alike."""
    same = [each for each in aggregations if _text(each, "func") == function]
    likely = _most_alike(column, ((place, _text(each, "col")) for place, each in enumerate(same)))
    return same[likely or 0] if same else None


def _call(aggregation: Entry) -> str:
    distinct = "DISTINCT " if aggregation.get("distinct") else ""
    return f"{aggregation.get('func')}({distinct}{aggregation.get('col')})"


def _groupings(asked: Entry, written: Entry, alignment: Entry) -> Iterator[AnswerPart]:
    keys = entries(written, "group_by")
    missing, extra = strings(alignment, "missing"), strings(alignment, "extra")
    for phrase in strings(asked, "group_by"):
        found = _most_alike(phrase, [(n, str(each.get("operand"))) for n, each in enumerate(keys)])
        if found is not None:
            key = keys[found]
            place, written_key, entry = PairFit.MATCHED, str(key.get("operand")), [key]
        else:
            place, written_key, entry = PairFit.MISSING if phrase in missing else PairFit.ASKED, "", []
        yield AnswerPart(part=PairPart.GROUPING, place=place, words=phrase, written=written_key, found=entry)
    for each in keys:
        if str(each.get("operand")) in extra:
            yield AnswerPart(
                part=PairPart.GROUPING, place=PairFit.EXTRA, written=str(each.get("operand")), found=[each]
            )


def _orders(asked: Entry, written: Entry) -> Iterator[AnswerPart]:
    keys = [*entries(written, "order_by"), *entries(written, "limits")]
    phrases = [
        " ".join(filter(None, (_text(each, "word"), _text(each, "measure")))) for each in entries(asked, "superlatives")
    ]
    ordering = _text(_part(asked, "ordering"), "phrase")
    shown = ", ".join(_sorting(each) for each in keys)
    for phrase in dict.fromkeys(filter(None, (*phrases, ordering))):
        place = PairFit.MATCHED if keys else PairFit.ASKED
        yield AnswerPart(part=PairPart.ORDER, place=place, words=phrase, written=shown, found=keys)


def _text(entry: Entry, name: str) -> str:
    found = entry.get(name)
    return found if isinstance(found, str) else ""


def _sorting(entry: Entry) -> str:
    if "count" in entry:
        return f"LIMIT {'?' if entry.get('count') is None else entry.get('count')}"
    return f"{entry.get('operand')}{' DESC' if entry.get('descending') else ''}"


def _excused(record: Entry, written: Entry) -> Iterator[AnswerPart]:
    for each in entries(record, "normalizations"):
        rule, construct = _text(each, "rule"), _text(each, "construct")
        candidates = entries(written, _EXCUSED_PARTS.get(rule, ""))
        named = [one for one in candidates if str(one.get("operand", one.get("count"))) in construct]
        yield AnswerPart(part=PairPart.EXCUSED, place=PairFit.EXCUSED, written=construct, found=named, rule=rule)
