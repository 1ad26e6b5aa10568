"""The judge dashboard: what the model judge does, what it costs, and how it agrees with the local judge."""

from __future__ import annotations

from grafana.panels import DashboardPanel, Rows
from grafana.queries import grown, quantile, rate

TENANT = 'tenant=~"$tenant"'
FALLBACK = rate("sqlassay_fallback_total", "tenant", TENANT)
SCORED = rate("sqlassay_score_count", "tenant", TENANT)
AGREEMENT = "sqlassay_model_agreement_total"
BOTH_RIGHT = rate(AGREEMENT, where='local="right", model="right"')
BOTH_WRONG = rate(AGREEMENT, where='local="wrong", model="wrong"')


def left(unit: str) -> str:
    """What is left of each tenant's daily budget, as the process that asked last knows it.

    >>> left("tokens")
    'min by (tenant) (sqlassay_model_budget_left{tenant=~"$tenant", unit="tokens"})'
    """
    return f'min by (tenant) (sqlassay_model_budget_left{{{TENANT}, unit="{unit}"}})'


def judge() -> Rows:
    """The rows of the dashboard."""
    return [("Calls", _calls()), ("Against the local judge", _agreement()), ("Cost", _cost())]


def _calls() -> list[DashboardPanel]:
    return [
        DashboardPanel(
            title="Calls by end",
            shows="How calls of the model end: replied, refused, failed, or throttled by the server.",
            kind="stacked",
            unit="reqps",
            queries={"{{end}}": rate("sqlassay_model_calls_total", "end")},
        ),
        DashboardPanel(
            title="Latency",
            shows="Seconds that one call takes: median and 95th percentile.",
            unit="s",
            queries={
                "p50": quantile(0.5, "sqlassay_model_call_seconds"),
                "p95": quantile(0.95, "sqlassay_model_call_seconds"),
            },
        ),
        DashboardPanel(
            title="Breaker",
            shows="Open: the model is not called, and the tenant's policy says what happens instead.",
            queries={"{{state}}": "max by (state) (sqlassay_model_breaker)"},
            most=1,
        ),
        DashboardPanel(
            title="Cases by end",
            shows="How the answers sent to a model end. Cached replies cost nothing.",
            kind="stacked",
            queries={"{{end}}": rate("sqlassay_model_cases_total", "end")},
        ),
    ]


def _agreement() -> list[DashboardPanel]:
    return [
        DashboardPanel(
            title="Agreement",
            shows="Share of the answers judged by a model that both judges call right, or both wrong.",
            unit="percentunit",
            queries={"agreement": f"({BOTH_RIGHT} + {BOTH_WRONG}) / ({rate(AGREEMENT)} > 0)"},
            most=1,
        ),
        DashboardPanel(
            title="Verdicts of both judges",
            shows="The same answers judged by both. A cascade asks a model only when the local judge is unsure.",
            kind="stacked",
            unit="reqps",
            queries={"local {{local}}, model {{model}}": rate(AGREEMENT, "local, model")},
        ),
    ]


def _cost() -> list[DashboardPanel]:
    return [
        DashboardPanel(
            title="Money by tenant",
            shows="Money spent over the time range, in the currency of the price list.",
            kind="bars",
            queries={"{{tenant}}": grown("sqlassay_model_cost_total", "tenant", TENANT)},
        ),
        DashboardPanel(
            title="Tokens",
            shows="Tokens sent and received.",
            queries={"{{way}}": rate("sqlassay_model_tokens_total", "way", TENANT)},
        ),
        DashboardPanel(
            title="Money left today",
            shows="Money left until midnight UTC, for tenants with a daily budget, as of their last call.",
            kind="bars",
            queries={"{{tenant}}": left("money")},
        ),
        DashboardPanel(
            title="Tokens left today",
            shows="Tokens left until midnight UTC, for tenants with a daily budget, as of their last call.",
            kind="bars",
            queries={"{{tenant}}": left("tokens")},
        ),
        DashboardPanel(
            title="Calls not made",
            shows="Calls not made because the tenant's daily budget is spent.",
            queries={"{{tenant}}": rate("sqlassay_model_budget_spent_total", "tenant", TENANT)},
        ),
        DashboardPanel(
            title="Without a model",
            shows="Share of the answers judged by the local judge because no model could be asked.",
            unit="percentunit",
            queries={
                "{{tenant}}": f"{FALLBACK} / ({SCORED} > 0)",
            },
        ),
    ]
