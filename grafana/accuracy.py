"""*Accuracy*: fleet, tenant, agent, version: how good the answers are, since when, and what kind of error it is."""

from __future__ import annotations

from grafana.panels import TIERS, Panel, Rows
from grafana.queries import grown, parts, rate

WHO = 'tenant=~"$tenant", agent=~"$agent"'
SCORED = f'{WHO}, reason!="NOT_SAMPLED"'
BY = "tenant, agent"
SCORES, UNSCORED = "sqlassay_score_count", "sqlassay_unscored_total"
AGENT = "{{tenant}} / {{agent}}"
SCORE_STEPS = ((None, TIERS["poor"]), (50, TIERS["marginal"]), (75, TIERS["good"]), (90, TIERS["excellent"]))
"""The default bounds of the tiers; a tenant's own are a line in the panel of the mean."""


def ratio(over: str, under: str) -> str:
    """One counter's growth over another's, of all that is selected."""
    return f"{grown(over, where=WHO)} / {grown(under, where=WHO)}"


def mean(histogram: str, by: str = BY) -> str:
    """Sum over count of one histogram, never an average of averages; none where nothing was observed."""
    return f"{rate(f'{histogram}_sum', by, WHO)} / ({rate(f'{histogram}_count', by, WHO)} > 0)"


def accuracy() -> Rows:
    """Its rows."""
    return [
        ("At a glance", _glance()),
        ("Over time", _over_time()),
        ("What is wrong", _wrong()),
        ("Enriched questions", _enriched()),
    ]


def _glance() -> list[Panel]:
    received = f"{grown(SCORES, where=WHO)} + ({grown(UNSCORED, where=SCORED)} or vector(0))"
    p90 = f"histogram_quantile(0.9, {grown('sqlassay_score_bucket', 'le', WHO)})"
    stats = [
        (
            "Mean score",
            "Mean Φ of all that is selected.",
            ratio("sqlassay_score_sum", "sqlassay_score_count"),
            "none",
            SCORE_STEPS,
        ),
        ("P90 score", "Nine in ten answers score no more than this.", p90, "none", SCORE_STEPS),
        (
            "Judged wrong",
            "Share judged Incorrect or Potentially Incorrect; the alert's bound is 0.28.",
            ratio("sqlassay_judged_wrong_total", "sqlassay_score_count"),
            "percentunit",
            ((None, TIERS["good"]), (0.28, TIERS["poor"])),
        ),
        (
            "Coverage",
            "Share with a score, of the events that should have one.",
            f"{grown(SCORES, where=WHO)} / ({received})",
            "percentunit",
            ((None, TIERS["poor"]), (0.9, TIERS["good"])),
        ),
        ("Scored", "Answers with a score.", grown("sqlassay_score_count", where=WHO), "short", ()),
        (
            "Mean p_correct",
            "Mean probability that an answer is right.",
            ratio("sqlassay_p_correct_sum", "sqlassay_p_correct_count"),
            "percentunit",
            (),
        ),
    ]
    return [
        Panel(title=title, shows=shows, queries={"": query}, kind="stat", width=4, unit=unit, steps=steps)
        for title, shows, query, unit, steps in stats
    ]


def _over_time() -> list[Panel]:
    bound = 'max by (tenant) (sqlassay_tier_bound{tenant=~"$tenant", tier="marginal"})'
    wrong, count = rate("sqlassay_judged_wrong_total", BY, WHO), rate("sqlassay_score_count", BY, WHO)
    return [
        Panel(
            title="Mean score by agent",
            shows="With each tenant's own bound of Marginal. A step at a marker is a new instrument or new rules.",
            queries={AGENT: mean("sqlassay_score"), "bound of {{tenant}}": bound},
            worst=True,
            unit="none",
            most=100,
        ),
        Panel(
            title="Judged wrong by agent",
            shows="Share of the scored answers; the alert's bound is 0.28.",
            queries={AGENT: f"{wrong} / ({count} > 0)"},
            worst=True,
            unit="percentunit",
            most=1,
        ),
        Panel(
            title="Tiers",
            shows="Answers by tier: which part grows?",
            queries={"{{tier}}": parts("sqlassay_tier_total", "tier", WHO)},
            kind="stacked",
            unit="percentunit",
            colours=TIERS,
        ),
        Panel(
            title="Answers per minute",
            shows="Of each agent. Few answers make the other panels jump.",
            queries={AGENT: f"60 * {count}"},
            worst=True,
        ),
        Panel(
            title="Mean score by instrument",
            shows="The same answers by judge and evaluator: only like is compared with like.",
            queries={"{{judge}}, evaluator {{evaluator}}": mean("sqlassay_score", "judge, evaluator")},
            unit="none",
            most=100,
        ),
        Panel(
            title="Mean score by version",
            shows="Of each agent's own versions; a release marker shows where one begins.",
            queries={f"{AGENT} {{{{version}}}}": mean("sqlassay_version_score", f"{BY}, version")},
            unit="none",
            most=100,
            worst=True,
        ),
        Panel(
            title="Confidence",
            shows="How sure the judge is: high is γ ≥ .85, low is below .65.",
            queries={"{{confidence}}": parts("sqlassay_confidence_total", "confidence", WHO)},
            kind="stacked",
            unit="percentunit",
        ),
    ]


def _wrong() -> list[Panel]:
    slices = "tenant, agent, judge, evaluator"
    worst = f"{grown('sqlassay_score_sum', slices, WHO)} / ({grown('sqlassay_score_count', slices, WHO)} > 0)"
    reasons = f"topk(12, {grown('sqlassay_reason_total', 'code', WHO)})"
    return [
        Panel(
            title="Filter status",
            shows="How the question's conditions fared in the SQL.",
            queries={"{{status}}": parts("sqlassay_filter_status_total", "status", WHO)},
            kind="stacked",
            unit="percentunit",
        ),
        Panel(
            title="Verdicts",
            shows="What the judge says of the answers.",
            queries={"{{verdict}}": parts("sqlassay_verdict_total", "verdict", WHO)},
            kind="stacked",
            unit="percentunit",
        ),
        Panel(
            title="Reason codes",
            shows="The most given over the range, per scored answer.",
            queries={"{{code}}": f"{reasons} / scalar({grown('sqlassay_score_count', where=WHO)})"},
            kind="bars",
            unit="percentunit",
        ),
        Panel(
            title="Worst slices",
            shows="The agents and instruments with the lowest mean Φ over the range.",
            queries={"mean": f"bottomk(15, {worst})"},
            kind="table",
            unit="none",
            steps=SCORE_STEPS,
        ),
        Panel(
            title="Without a score",
            shows="By reason; what was not sampled is left out.",
            queries={"{{reason}}": rate("sqlassay_unscored_total", "reason", SCORED)},
        ),
    ]


def _enriched() -> list[Panel]:
    return [
        Panel(
            title="Enrichment by status",
            shows="Whether the agent's rewriting still asks what was asked.",
            queries={"{{status}}": rate("sqlassay_enrichment_status_total", "status", WHO)},
            kind="stacked",
        ),
        Panel(
            title="Enrichment score",
            shows="Mean faithfulness of the enriched questions there are.",
            queries={AGENT: mean("sqlassay_enrichment_score")},
            worst=True,
            unit="none",
            most=100,
        ),
    ]
