"""Both stored specifications side by side, component by component."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from service.console.answer.stored_record import entries, strings

Entry = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class SpecificationLine:
    """One component: what the question asks for, and what the SQL does."""

    name: str
    asked: list[str]
    written: list[str]


def specification_lines(record: Entry) -> list[SpecificationLine]:
    """The components that one of the sides has; none where the answer was not read."""
    asked, written = _asked(_spec(record, "question_spec")), _written(_spec(record, "sql_spec"))
    names = [*asked, *(name for name in written if name not in asked)]
    lines = [SpecificationLine(name=name, asked=asked.get(name, []), written=written.get(name, [])) for name in names]
    return [line for line in lines if line.asked or line.written]


def _spec(record: Entry, name: str) -> Entry:
    found = record.get(name)
    return cast("Entry", found) if isinstance(found, Mapping) else {}


def _asked(spec: Entry) -> dict[str, list[str]]:
    top = spec.get("top_k")
    ordering = spec.get("ordering")
    order = [f"{each.get('word') or ''} {each.get('measure') or ''}" for each in entries(spec, "superlatives")]
    if isinstance(ordering, Mapping):
        order.append(str(cast("Entry", ordering).get("phrase") or ""))
    return {
        "outputs": strings(spec, "outputs"),
        "aggregations": [_call(each) for each in entries(spec, "aggregations")],
        "filters": [_filter(each) for each in entries(spec, "filters")],
        "group by": strings(spec, "group_by"),
        "order": [each.strip() for each in order],
        "limit": [str(top)] if top is not None else [],
        "distinct": ["yes"] if spec.get("distinct") else [],
        "ratios": [f"{each.get('kind')}: {each.get('phrase')}" for each in entries(spec, "ratios")],
        "negations": strings(spec, "negations"),
    }


def _written(spec: Entry) -> dict[str, list[str]]:
    shown = {
        name: [_in_block(_construct(each), each) for each in entries(spec, field)] for name, field in _WRITTEN.items()
    }
    return {
        **shown,
        "distinct": ["yes"] if spec.get("distinct") else [],
        "joins": [f"{each.get('kind')} {each.get('table')}" for each in entries(spec, "joins")],
        "set operations": [str(each.get("kind")) for each in entries(spec, "set_operations")],
        "ratios": [f"{each.get('numerator')} / {each.get('denominator')}" for each in entries(spec, "divisions")],
    }


_WRITTEN: Mapping[str, str] = {
    "outputs": "projections",
    "aggregations": "aggregations",
    "filters": "filters",
    "having": "having",
    "group by": "group_by",
    "order": "order_by",
    "limit": "limits",
}
"""Components of the SQL's specification by their name in the record."""


def _construct(each: Entry) -> str:
    """An entry of the SQL's specification as text.

    >>> _construct({"operand": "age", "descending": True}), _construct({"count": None}), _construct({"star": True})
    ('age DESC', '?', '*')
    """
    if "func" in each:
        return _call(each)
    if "count" in each:
        return "?" if each["count"] is None else str(each["count"])
    if each.get("star"):
        return "*"
    named = str(each.get("text") or each.get("operand"))
    return f"{named} DESC" if each.get("descending") else named


def _in_block(text: object, entry: Entry) -> str:
    block = entry.get("block")
    return f"{text}" if block in {None, "main"} else f"{text} (in {block})"


def _call(each: Entry) -> str:
    return f"{each.get('func')}({'DISTINCT ' if each.get('distinct') else ''}{each.get('col')})"


def _filter(each: Entry) -> str:
    """A condition of the question as text.

    >>> _filter({"lhs": "age", "op": ">", "rhs": 3, "span": "more than 3"})
    'age > 3'
    >>> _filter({"lhs": None, "op": "within", "rhs": {"start": "2023-01-01T00:00:00", "end": None}, "span": "2023"})
    '… within [2023-01-01T00:00:00, …)'
    """
    return f"{each.get('lhs') or '…'} {each.get('op')} {_value(each.get('rhs'))}".strip()


def _value(value: object) -> str:
    if isinstance(value, Mapping):
        found = cast("Mapping[str, object]", value)
        if set(found) == {"start", "end"}:
            return f"[{found['start'] or '…'}, {found['end'] or '…'})"
        return " ".join(str(each) for each in found.values() if each is not None)
    if isinstance(value, list):
        return ", ".join(_value(each) for each in cast("list[object]", value))
    return "" if value is None else str(value)
