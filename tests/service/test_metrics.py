from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from prometheus_client.parser import text_string_to_metric_families

from consumers.evaluation.event_evaluation import Evaluation, evaluate
from consumers.judging.budgets import Bound
from consumers.wire.events import decode_event
from references.reference_verdict import ReferenceVerdict
from scoring import EVALUATOR_VERSION
from scoring.evaluation import conclude
from scoring.query import Unscored, UnscoredReason
from scoring.reasons import ReasonCode
from scoring.rules import JudgePolicy, JudgeRules, Rules
from scoring.verdict import EnrichmentStatus, FilterStatus, Reason, Verdict
from service.judges.weights import local_judge
from service.metrics import Metrics
from service.settings.observability_settings import MetricSettings
from tests.examples import example_case

SAMPLE = {"question": "How many ovens are in Oslo?", "sql": "SELECT COUNT(*) FROM ovens WHERE city = 'Oslo'"}
NOW = datetime(2026, 11, 2, tzinfo=UTC)
ORDER = "method route tenant agent usable trigger outcome reason status tier judge evaluator"
"""Of labels in the tuples below."""


async def scraped(client) -> dict[str, dict[tuple[str, ...], float]]:
    found: dict[str, dict[tuple[str, ...], float]] = {}
    for family in text_string_to_metric_families((await client.get("/metrics")).text):
        for sample in family.samples:
            labels = sorted(sample.labels.items(), key=lambda label: ORDER.find(label[0]))
            found.setdefault(sample.name, {})[tuple(value for _, value in labels)] = sample.value
    return found


async def test_outcomes_sum_to_what_was_consumed(client):
    batch = [{**SAMPLE, "event_id": "a"}, {**SAMPLE, "event_id": "a"}, {**SAMPLE, "event_id": "b", "sql": ""}, 7]
    await client.post("/v1/events", json=batch)
    metrics = await scraped(client)
    assert metrics["sqlassay_outcomes_total"] == {
        ("live", "scored", ""): 1,
        ("live", "duplicate", ""): 1,
        ("live", "unscored", "EMPTY_SQL"): 1,
        ("live", "dead_lettered", "NOT_AN_OBJECT"): 1,
    }
    assert metrics["sqlassay_consumed_total"] == {("live",): 4}


async def test_answers_that_are_surely_of_no_use_are_counted_apart_and_one_that_has_no_question_is_not(client):
    who = {**SAMPLE, "tenant": "bakers", "agent": "crumb"}
    refused = {"executed": False, "error": 'column "loaf" does not exist'}
    batch = [
        {**who, "event_id": "a"},
        {**who, "event_id": "b", "sql": ""},
        {**who, "event_id": "c", "result": refused},
        {**who, "event_id": "d", "question": " "},
    ]
    await client.post("/v1/events", json=batch)
    metrics = await scraped(client)
    assert metrics["sqlassay_answers_total"] == {("bakers", "crumb", "no"): 2, ("bakers", "crumb", "unknown"): 1}


async def test_a_scored_event_is_observed_under_its_tenant_and_agent(client):
    await client.post("/v1/events", json={**SAMPLE, "event_id": "a", "tenant": "bakers", "agent": "crumb"})
    metrics = await scraped(client)
    judge = (local_judge().name, EVALUATOR_VERSION)
    assert metrics["sqlassay_score_count"] == {("bakers", "crumb", *judge): 1}
    assert metrics["sqlassay_p_correct_count"] == {("bakers", "crumb", *judge): 1}
    assert set(metrics["sqlassay_judged_wrong_total"]) == {("bakers", "crumb", *judge)}
    assert metrics["sqlassay_fallback_total"] == {("bakers", "crumb"): 0}
    assert metrics["sqlassay_rules_version"] == {("bakers",): 0}
    for name in ("tier", "filter_status", "verdict", "enrichment_status", "confidence"):
        assert sum(metrics[f"sqlassay_{name}_total"].values()) == 1
    assert metrics["sqlassay_enrichment_status_total"] == {("bakers", "crumb", "missing"): 1}
    assert "sqlassay_enrichment_score_count" not in metrics


@pytest.mark.slow  # takes over a second
async def test_tier_bounds_in_force_are_shown_as_soon_as_they_are_put(client):
    await client.put("/v1/tenants/bakers/rules", json={"tiers": {"excellent": 97, "good": 80, "marginal": 60}})
    assert (await scraped(client))["sqlassay_tier_bound"][("bakers", "excellent")] == 97


async def test_labels_beyond_the_bound_are_other(serving):
    async with serving(metrics=MetricSettings(tenants=2, agents=1)) as client:
        batch = [{**SAMPLE, "event_id": "a", "tenant": tenant, "agent": tenant} for tenant in ("t1", "t2", "t3", "t4")]
        await client.post("/v1/events", json=batch)
        counted = (await scraped(client))["sqlassay_score_count"]
        assert {labels[:2] for labels in counted} == {("t1", "t1"), ("t2", "other"), ("other", "other")}


async def test_routes_are_labelled_by_template_never_by_path(client):
    await client.get("/v1/evaluations/00000000-0000-7000-8000-000000000000")
    await client.get("/no/such/place")
    routes = {labels[1] for labels in (await scraped(client))["sqlassay_http_request_seconds_count"]}
    assert routes == {"/v1/evaluations/{evaluation_id}", "unmatched"}


def test_every_metric_has_a_help_text_and_our_prefix():
    declared = Metrics(MetricSettings(), "local/1").declared()
    assert len(declared) > 15
    for name, _, text in declared:
        assert re.fullmatch(r"sqlassay_[a-z_]+", name)
        assert text.endswith(".")


def hostile(names: int) -> Iterator[Evaluation]:
    """Answers of so many tenants with so many agents and models, that end in every way there is."""
    case = example_case("How many ovens?", "SELECT COUNT(*) FROM ovens", "How many ovens are there?")
    reply = local_judge().judge(case)
    codes = tuple(Reason(code=code, detail="", weight=0.0) for code in ReasonCode)
    verdicts, statuses = itertools.cycle(Verdict), itertools.cycle(FilterStatus)
    unscored, enriched = itertools.cycle(UnscoredReason), itertools.cycle(EnrichmentStatus)
    for number in range(names * 4):
        # every other one is of one agent, which has a new version each time
        who = {"tenant": "t0", "agent": "a0"} if number % 2 else {"tenant": f"t{number % names}", "agent": f"a{number}"}
        event = decode_event({**SAMPLE, **who, "agent_version": f"v{number}"}, require_id=False)
        rules = Rules(judge=JudgeRules(policy=list(JudgePolicy)[number % 3]))
        filters = replace(case.filters, status=next(statuses))
        told = replace(case, rules=rules, filters=filters, enrichment=replace(case.enrichment, status=next(enriched)))
        said = replace(reply, verdict=next(verdicts), model=f"m{number}", reasons=codes, judge=f"j{number}")
        yield evaluate(event, conclude(told, said), rules, NOW)
        yield evaluate(event, Unscored(next(unscored)), rules, NOW)


def series(names: int) -> int:
    metrics, verdicts = Metrics(MetricSettings(tenants=5, agents=20), "local"), itertools.cycle(ReferenceVerdict)
    for each in hostile(names):
        event = each.event
        metrics.evaluated(each)
        metrics.rules_in_force({event.tenant: Rules()})
        metrics.models.paid(event.tenant, 1, 1, 0.1)
        metrics.models.budget_left(event.tenant, Bound(tokens=1, micros=1))
        metrics.models.budget_spent(event.tenant)
        metrics.references.judged(event.tenant, event.agent, next(verdicts))
    return sum(len(family.samples) for family in metrics.registry.collect())


@pytest.mark.slow  # many tenants
def test_the_series_are_bounded_however_many_tenants_agents_and_models_there_are():
    # an agent that has a label, one `other` for each tenant that has one, and one for all other tenants
    assert series(100) <= 400 * (20 + 5 + 1) + 400
    assert series(200) == series(100)
