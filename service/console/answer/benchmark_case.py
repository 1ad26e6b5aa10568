"""One answer as a case of a benchmark for `sqlassay eval run`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from consumers.wire.labels import LabelValue


def benchmark_case(row: Mapping[str, Any]) -> str:
    """The case as a line of JSON. Its gold SQL is what people vouch for, else the reference, else empty."""
    metadata: dict[str, object] = {
        "tenant": row["tenant"],
        "agent": row["agent"],
        "agent_version": row["agent_version"],
        "evaluation_id": str(row["id"]),
        "agent_sql": row["sql"],
        "enriched_question": row["enriched_question"],
        "dialect": row["dialect"],
    }
    case = {
        "case_id": row["event_id"],
        "question": row["question"],
        "gold_sql": _gold(row),
        "schema": "",
        "complexity": "",
        "category": "",
        "metadata": {name: value for name, value in metadata.items() if value},
    }
    return orjson.dumps(case).decode()


def _gold(row: Mapping[str, Any]) -> str:
    """The newest correction; the answer that a reviewer calls right; the reference."""
    for label in row["labels"]:
        if label["correction"] and label["correction"].strip():
            return label["correction"]
        if label["label"] == LabelValue.RIGHT.value:
            return row["sql"]
    return row["reference_sql"] or ""
