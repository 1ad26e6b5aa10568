"""Stage 1 on the cases of `tests/cases/enrichment.yaml`: a score of its own that never enters Φ."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from scoring.evaluation import conclude, examine
from scoring.query import Query
from scoring.rules import Rules
from scoring.verdict import Case, EnrichmentStatus
from service.judges.weights import local_judge

CASES = yaml.safe_load((Path(__file__).parents[1] / "cases" / "enrichment.yaml").read_text(encoding="utf-8"))
BEST = {EnrichmentStatus.FAITHFUL: 100.0, EnrichmentStatus.MISSING: 0.0}


def examined(case: dict[str, Any]) -> Case:
    when = datetime.fromisoformat(case["occurred_at"]) if "occurred_at" in case else None
    sql = "SELECT COUNT(*) FROM parcels"
    query = Query(question=case["question"], enriched_question=case.get("enriched"), sql=sql, occurred_at=when)
    result = examine(query, Rules())
    assert isinstance(result, Case)
    return result


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['question']} → {case.get('enriched')}")
def test_what_was_lost_added_and_changed_is_listed(case: dict[str, Any]) -> None:
    enrichment = examined(case).enrichment
    assert enrichment.status.value == case["status"], enrichment
    for field in ("lost", "added"):
        if field in case:
            assert list(getattr(enrichment, field)) == case[field]
    assert enrichment.score == BEST.get(enrichment.status, enrichment.score)
    assert 0 <= enrichment.score <= 100


def test_the_enrichment_score_does_not_enter_the_composite() -> None:
    question, sql = "How many parcels were delivered in 'Lisbon'?", "SELECT COUNT(*) FROM parcels WHERE city = 'Lisbon'"
    scores = {}
    for enriched in (question, None, question + " And how heavy were they?"):
        case = examine(Query(question=question, enriched_question=enriched, sql=sql), Rules())
        assert isinstance(case, Case)
        scores[case.enrichment.score] = conclude(case, local_judge().judge(case)).composite.filters
    assert len(scores) > 1
    assert set(scores.values()) == {5}
