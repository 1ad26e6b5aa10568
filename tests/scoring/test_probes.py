"""The method's sentences, one answer each (`tests/cases/probes.yaml`), under rules as a tenant writes them."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from consumers.wire.rules_document import decode_rules
from scoring.composite import leniency
from scoring.evaluation import examine
from scoring.query import Query, Unscored
from scoring.verdict import Case

PROBES = yaml.safe_load((Path(__file__).parents[1] / "cases" / "probes.yaml").read_text(encoding="utf-8"))
INPUTS = {"name", "question", "enriched", "sql", "dialect", "rules", "occurred_at"}
PLACES = ("matched", "missing", "mismatched", "extra", "benign", "ignored")


def variants() -> list[Any]:
    return [
        pytest.param(probe, sql, id=f"{probe['name']} {number}")
        for probe in PROBES
        for number, sql in enumerate(probe["sql"] if isinstance(probe["sql"], list) else [probe["sql"]])
    ]


def examined(probe: dict[str, Any], sql: str) -> Case | Unscored:
    when = probe.get("occurred_at")
    query = Query(
        question=probe["question"],
        enriched_question=probe.get("enriched"),
        sql=sql,
        dialect=probe.get("dialect"),
        occurred_at=datetime.fromisoformat(when) if when else None,
    )
    return examine(query, decode_rules(probe.get("rules", {})).rules(version=1))


def found(case: Case | Unscored) -> dict[str, Any]:
    if isinstance(case, Unscored):
        return {"unscored": case.reason.value}
    return {
        "status": case.filters.status.value,
        **{place: len(getattr(case.filters, place)) for place in PLACES},
        "normalizations": sorted(each.rule.value for each in case.normalizations),
        "enrichment": case.enrichment.status.value,
        "leniency": leniency(case.filters),
    }


@pytest.mark.parametrize(("probe", "sql"), variants())
def test_an_answer_is_read_as_the_method_says(probe: dict[str, Any], sql: str) -> None:
    expected = {key: value for key, value in probe.items() if key not in INPUTS}
    actual = found(examined(probe, sql))
    assert expected
    assert {key: actual.get(key) for key in expected} == expected
