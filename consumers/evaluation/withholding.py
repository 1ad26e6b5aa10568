"""Removes texts from the line out of a tenant that stores none; score, codes and versions remain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

_KEPT = frozenset(
    "event_id score tier filter_status verdict confidence p_correct p_alone p_judge judge composite unscored"
    " rules_applied asked_probability"
    " evaluator_version rules_version model prompt_hash tokens_in tokens_out cost cached fallback".split()
)
"""Fields of a line out that hold no text of a person, an agent or a model."""
_LISTED = {"reasons": ("code", "weight"), "normalizations": ("rule",)}
"""For each of these lists, the fields of an entry that are kept."""
_DIMENSIONS = ("projection", "aggregation", "grouping")


def without_texts(record: Mapping[str, object]) -> dict[str, object]:
    """The line out with every field that may hold a text emptied; unknown fields are emptied too.

    >>> without_texts({"score": 90.0, "sql_spec": {"tables": ["t"]}, "reasons": [{"code": "X", "detail": "Oslo"}]})
    {'score': 90.0, 'sql_spec': None, 'reasons': [{'code': 'X', 'detail': ''}]}
    """
    return {name: value if name in _KEPT else _emptied(name, value) for name, value in record.items()}


def _emptied(name: str, value: object) -> object:
    if name in _LISTED and isinstance(value, list):
        return [_entry(name, each) for each in cast("Sequence[Mapping[str, object]]", value)]
    if not isinstance(value, dict):
        return None
    fields = cast("Mapping[str, object]", value)
    if name == "enrichment":
        return {"status": fields.get("status"), "score": fields.get("score")}
    if name == "alignment":
        return {each: {"match": _match(fields.get(each))} for each in _DIMENSIONS}
    return None


def _entry(name: str, entry: Mapping[str, object]) -> dict[str, object]:
    kept = {field: entry[field] for field in _LISTED[name] if field in entry}
    return kept | {field: "" for field in entry if field not in _LISTED[name]}


def _match(dimension: object) -> object:
    return cast("Mapping[str, object]", dimension).get("match") if isinstance(dimension, dict) else None
