"""The accuracy dashboard: how good the answers are, since when, and which errors they have."""

from __future__ import annotations

from grafana.panels import TIERS, DashboardPanel, Rows, figure
from grafana.queries import grown, parts, rate

WHO = 'tenant=~"$tenant", agent=~"$agent"'
SCORED = f'{WHO}, reason!="NOT_SAMPLED"'
BY = "tenant, agent"
SCORES, UNSCORED = "sqlassay_score_count", "sqlassay_unscored_total"
AGENT = "{{tenant}} / {{agent}}"
SCORE_STEPS = ((None, TIERS["poor"]), (50, TIERS["marginal"]), (75, TIERS["good"]), (90, TIERS["excellent"]))
"""The default bounds of the tiers. The panel of mean scores draws a tenant's own bound as a line."""
ALERT_BOUNDS = {"coverage": 0.9}
"""The bounds of alerts that panels show: defaults of `alerts.conditions` of the chart. A test compares them."""
JUDGED_WRONG = 0.2
"""The same of the setting `SQLASSAY_ALARMS__JUDGED_WRONG`."""
_FIRES = f"A ticket opens if it is surely above {JUDGED_WRONG:g}, the default."


def ratio(over: str, under: str) -> str:
    """One counter's growth divided by another's, over everything that is selected. Nothing when that did not grow."""
    return f"{grown(over, where=WHO)} / ({grown(under, where=WHO)} > 0)"


def mean(histogram: str, by: str = BY) -> str:
    """The mean of a histogram: its sum divided by its count. Nothing when nothing was observed."""
    return f"{rate(f'{histogram}_sum', by, WHO)} / ({rate(f'{histogram}_count', by, WHO)} > 0)"


def accuracy() -> Rows:
    """The rows of the dashboard."""
    return [
        ("At a glance", _glance()),
        ("Over time", _over_time()),
        ("What is wrong", _wrong()),
        ("Enriched questions", _enriched()),
    ]


def _glance() -> list[DashboardPanel]:
    received = f"{grown(SCORES, where=WHO)} + ({grown(UNSCORED, where=SCORED)} or vector(0))"
    p90 = f"histogram_quantile(0.9, {grown('sqlassay_score_bucket', 'le', WHO)}) >= 0"
    stats = [
        (
            "Mean score",
            "Mean score Φ of everything that is selected.",
            ratio("sqlassay_score_sum", "sqlassay_score_count"),
            "none",
            SCORE_STEPS,
        ),
        ("P90 score", "90 % of the answers score at most this.", p90, "none", SCORE_STEPS),
        (
            "Judged wrong",
            f"Share judged Incorrect or Potentially Incorrect. {_FIRES}",
            ratio("sqlassay_judged_wrong_total", "sqlassay_score_count"),
            "percentunit",
            ((None, TIERS["good"]), (JUDGED_WRONG, TIERS["poor"])),
        ),
        (
            "Coverage",
            "Share of the events that have a score, of those that should have one.",
            f"{grown(SCORES, where=WHO)} / (({received}) > 0)",
            "percentunit",
            ((None, TIERS["poor"]), (ALERT_BOUNDS["coverage"], TIERS["good"])),
        ),
        ("Scored", "Answers with a score.", grown("sqlassay_score_count", where=WHO), "short", ()),
        (
            "Mean p_correct",
            "Mean probability that an answer is right, without memory.",
            ratio("sqlassay_p_correct_sum", "sqlassay_p_correct_count"),
            "percentunit",
            (),
        ),
    ]
    return [figure(*each) for each in stats]


def _over_time() -> list[DashboardPanel]:
    count = rate("sqlassay_score_count", BY, WHO)
    answers = DashboardPanel(
        title="Answers per minute",
        shows="Answers of each agent. When there are few, the other panels jump.",
        queries={AGENT: f"60 * {count}"},
        of_agent=True,
    )
    by_agent, by_judge, by_version = _mean_scores()
    return [
        by_agent,
        _judged_wrong(count),
        _estimates(),
        _incidents(),
        _alarms(),
        _canaries(),
        _tiers(),
        answers,
        by_judge,
        by_version,
        _confidence(),
    ]


def _mean_scores() -> tuple[DashboardPanel, DashboardPanel, DashboardPanel]:
    bound = 'max by (tenant) (sqlassay_tier_bound{tenant=~"$tenant", tier="marginal"})'
    by_agent = DashboardPanel(
        title="Mean score by agent",
        shows="Mean score, with each tenant's own bound of Marginal. Markers show a new judge or new rules.",
        queries={AGENT: mean("sqlassay_score"), "bound of {{tenant}}": bound},
        of_agent=True,
        unit="none",
        most=100,
    )
    by_judge = DashboardPanel(
        title="Mean score by judge",
        shows="Mean score by judge and evaluator version. Scores of different ones do not compare.",
        queries={"{{judge}}, evaluator {{evaluator}}": mean("sqlassay_score", "judge, evaluator")},
        unit="none",
        most=100,
    )
    by_version = DashboardPanel(
        title="Mean score by version",
        shows="Mean score by version of each agent. A release marker shows where a version begins.",
        queries={f"{AGENT} {{{{version}}}}": mean("sqlassay_version_score", f"{BY}, version")},
        unit="none",
        most=100,
        of_agent=True,
        of_version=True,
    )
    return by_agent, by_judge, by_version


def _judged_wrong(count: str) -> DashboardPanel:
    wrong = rate("sqlassay_judged_wrong_total", BY, WHO)
    return DashboardPanel(
        title="Judged wrong by agent",
        shows=f"Share of the scored answers that are judged wrong. {_FIRES}",
        queries={AGENT: f"{wrong} / ({count} > 0)"},
        of_agent=True,
        unit="percentunit",
        most=1,
    )


def _estimates() -> DashboardPanel:
    shown = {AGENT: "estimate", f"{AGENT} low": "estimate_low", f"{AGENT} high": "estimate_high"}
    return DashboardPanel(
        title="Right by labels and scores",
        empty="nobody has labelled answers of these agents",
        shows="Share of right answers of the last 7 days with its 90 % interval, of agents with labels.",
        queries={name: f"max by (tenant, agent) (sqlassay_{metric}{{{WHO}}})" for name, metric in shown.items()},
        of_agent=True,
        unit="percentunit",
        most=1,
    )


def _canaries() -> DashboardPanel:
    return DashboardPanel(
        title="Canaries right by agent",
        empty="no canary is asked of these agents",
        shows="Share of canaries whose latest answer is right: questions with known answers.",
        queries={AGENT: f"min by (tenant, agent) (sqlassay_canary_right_ratio{{{WHO}}})"},
        of_agent=True,
        unit="percentunit",
        most=1,
    )


def _incidents() -> DashboardPanel:
    shares = f"max by ({BY}, version, since, when) (sqlassay_incident_wrong_ratio{{{WHO}}})"
    return DashboardPanel(
        title="Judged wrong before and since a fall",
        shows="Share judged wrong before an agent's fall and since, as its alert and incident say it.",
        queries={f"{AGENT} {{{{version}}}}, {{{{when}}}} {{{{since}}}}": shares},
        of_agent=True,
        unit="percentunit",
        most=1,
        empty="no agent's alarm is on",
    )


def _alarms() -> DashboardPanel:
    by = f"{BY}, kind"
    return DashboardPanel(
        title="Evidence of agents' alarms",
        shows="Share of the evidence that turns an agent's alarm on: against its past (fall) or the bound (below).",
        queries={f"{AGENT} {{{{kind}}}}": f"max by ({by}) (sqlassay_agent_alarm_evidence{{{WHO}}})"},
        of_agent=True,
        unit="percentunit",
    )


def _tiers() -> DashboardPanel:
    return DashboardPanel(
        title="Answers by tier, share",
        was="Tiers",
        shows="Share of the answers in each tier.",
        queries={"{{tier}}": parts("sqlassay_tier_total", "tier", WHO)},
        kind="stacked",
        unit="percentunit",
        colours=TIERS,
    )


def _confidence() -> DashboardPanel:
    return DashboardPanel(
        title="Answers by confidence, share",
        was="Confidence",
        shows="How sure the judge is. High: γ of .85 or more. Low: γ below .65.",
        queries={"{{confidence}}": parts("sqlassay_confidence_total", "confidence", WHO)},
        kind="stacked",
        unit="percentunit",
    )


def _wrong() -> list[DashboardPanel]:
    reasons = f"topk(12, {grown('sqlassay_reason_total', 'code', WHO)})"
    return [
        DashboardPanel(
            title="Answers by filter status, share",
            was="Filter status",
            shows="Whether the SQL applies the filters that the question asks for.",
            queries={"{{status}}": parts("sqlassay_filter_status_total", "status", WHO)},
            kind="stacked",
            unit="percentunit",
        ),
        DashboardPanel(
            title="Answers by verdict, share",
            was="Verdicts",
            shows="Verdicts of the judge.",
            queries={"{{verdict}}": parts("sqlassay_verdict_total", "verdict", WHO)},
            kind="stacked",
            unit="percentunit",
        ),
        DashboardPanel(
            title="Most frequent reasons, per scored answer",
            was="Reason codes",
            shows="The most frequent reason codes over the time range, per scored answer.",
            queries={"{{code}}": f"{reasons} / ignoring (code) group_left () ({grown(SCORES, where=WHO)} > 0)"},
            kind="bars",
            unit="percentunit",
        ),
        *_worst(),
    ]


def _worst() -> list[DashboardPanel]:
    judged = "tenant, agent, judge, evaluator"
    worst = f"{grown('sqlassay_score_sum', judged, WHO)} / ({grown('sqlassay_score_count', judged, WHO)} > 0)"
    return [
        DashboardPanel(
            title="Agents with the lowest mean score",
            was="Worst agents",
            shows="The agents with the lowest mean score over the time range, by judge and evaluator version.",
            queries={"mean": f"bottomk(15, {worst})"},
            kind="table",
            unit="none",
            steps=SCORE_STEPS,
            of_agent=True,
        ),
        DashboardPanel(
            title="Events without a score, by reason",
            was="Without a score",
            shows="Events without a score, by reason. Events that were not sampled are left out.",
            queries={"{{reason}}": rate("sqlassay_unscored_total", "reason", SCORED)},
        ),
    ]


def _enriched() -> list[DashboardPanel]:
    return [
        DashboardPanel(
            title="Enrichment by status",
            empty="no answer has an enriched question",
            shows="Whether enriched questions still ask what the user asked.",
            queries={"{{status}}": rate("sqlassay_enrichment_status_total", "status", WHO)},
            kind="stacked",
        ),
        DashboardPanel(
            title="Enrichment score",
            empty="no answer has an enriched question",
            shows="Mean score of the enriched questions.",
            queries={AGENT: mean("sqlassay_enrichment_score")},
            of_agent=True,
            unit="none",
            most=100,
        ),
    ]
