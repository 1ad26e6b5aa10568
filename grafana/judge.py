"""The judge dashboard: what the model judge does, what it costs, and how it agrees with the local judge."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from grafana.panels import TIERS, DashboardPanel, Rows, Steps, figure
from grafana.queries import grown, quantile, rate

TENANT = 'tenant=~"$tenant"'
ALERT_BOUNDS = {"judgeFailing": 0.2, "modelSlow": 10.0}
"""The bounds of alerts that panels show: defaults of `alerts.conditions` of the chart. A test compares them."""
NO_MODEL = "nothing in the time chosen, or no model is asked"
CALLS = "sqlassay_model_calls_total"
_BOTH_RIGHT, _BOTH_WRONG = 'local="right", model="right"', 'local="wrong", model="wrong"'
FALLBACK = rate("sqlassay_fallback_total", "tenant", TENANT)
SCORED = rate("sqlassay_score_count", "tenant", TENANT)
AGREEMENT = "sqlassay_model_agreement_total"
BOTH_RIGHT, BOTH_WRONG = (rate(AGREEMENT, where=each) for each in (_BOTH_RIGHT, _BOTH_WRONG))


def in_currency(money: str) -> str:
    """Money with the currency of the price list as a label.

    >>> in_currency("x")
    'x * on () group_left (currency) max by (currency) (sqlassay_model_currency_info)'
    """
    return f"{money} * on () group_left (currency) max by (currency) (sqlassay_model_currency_info)"


def left(unit: str) -> str:
    """What is left of each tenant's daily budget, as the process that asked last knows it.

    >>> left("tokens")
    'min by (tenant) (sqlassay_model_budget_left{tenant=~"$tenant", unit="tokens"})'
    """
    return f'min by (tenant) (sqlassay_model_budget_left{{{TENANT}, unit="{unit}"}})'


def judge() -> Rows:
    """The rows of the dashboard."""
    rows = [
        ("At a glance", _glance()),
        ("Calls, of all tenants", _calls()),
        ("Against the local judge, of all tenants", _agreement()),
        ("Cost", _cost()),
    ]
    return [(title, [replace(each, empty=NO_MODEL) for each in panels]) for title, panels in rows]


def _glance() -> list[DashboardPanel]:
    without = f"{grown('sqlassay_fallback_total', where=TENANT)} / ({grown('sqlassay_score_count', where=TENANT)} > 0)"
    both = f"({grown(AGREEMENT, where=_BOTH_RIGHT)} + {grown(AGREEMENT, where=_BOTH_WRONG)}) / ({grown(AGREEMENT)} > 0)"
    spent = f"{grown('sqlassay_model_cost_total', where=TENANT)} / ({grown('sqlassay_score_count', where=TENANT)} > 0)"
    stats: list[tuple[str, str, Mapping[str, str], str, Steps]] = [
        (
            "Judged locally for lack of a model, share",
            "Of the scored answers of the tenants chosen.",
            {"": without},
            "percentunit",
            ((None, TIERS["excellent"]), (0.05, TIERS["marginal"]), (0.5, TIERS["poor"])),
        ),
        (
            "Both judges agree, share, all tenants",
            "Of the answers that a model judged: right by both, or wrong by both. Of all tenants.",
            {"": both},
            "percentunit",
            ((None, TIERS["poor"]), (0.5, TIERS["marginal"]), (0.75, TIERS["excellent"])),
        ),
        (
            "Money for 1,000 scored answers",
            "Of the tenants chosen, in the currency of the price list.",
            {"{{currency}}": in_currency(f"1000 * {spent}")},
            "short",
            (),
        ),
    ]
    return [figure(*each) for each in [*_call_figures(), *stats]]


def _call_figures() -> list[tuple[str, str, Mapping[str, str], str, Steps]]:
    failed, calls = grown(CALLS, where='end="failed"'), grown(CALLS)
    return [
        (
            "Failed model calls, share, all tenants",
            "Of the calls in the time chosen, of all tenants.",
            {"": f"{failed} / ({calls} > 0)"},
            "percentunit",
            ((None, TIERS["excellent"]), (ALERT_BOUNDS["judgeFailing"], TIERS["poor"])),
        ),
        (
            "Seconds of a call, P95, all tenants",
            "Of all tenants.",
            {"": quantile(0.95, "sqlassay_model_call_seconds")},
            "s",
            ((None, TIERS["excellent"]), (ALERT_BOUNDS["modelSlow"], TIERS["poor"])),
        ),
        (
            "Processes whose breaker is open",
            "They do not call the model, and the tenants' policies say what happens instead.",
            {"": 'sum(sqlassay_model_breaker{state="open"})'},
            "short",
            ((None, TIERS["excellent"]), (1, TIERS["poor"])),
        ),
    ]


def _calls() -> list[DashboardPanel]:
    return [
        DashboardPanel(
            title="Model calls by end",
            was="Calls by end",
            shows="How calls of the model end: replied, refused, failed, or throttled by the server.",
            kind="stacked",
            unit="reqps",
            queries={"{{end}}": rate("sqlassay_model_calls_total", "end")},
        ),
        DashboardPanel(
            title="Seconds of a model call",
            was="Latency",
            shows="Seconds that one call takes: median and 95th percentile.",
            unit="s",
            queries={
                "p50": quantile(0.5, "sqlassay_model_call_seconds"),
                "p95": quantile(0.95, "sqlassay_model_call_seconds"),
            },
        ),
        DashboardPanel(
            title="State of the breaker",
            was="Breaker",
            shows="Open: the model is not called, and the tenant's policy says what happens instead.",
            queries={"{{state}}": "max by (state) (sqlassay_model_breaker)"},
            most=1,
        ),
        DashboardPanel(
            title="Answers sent to a model, by end",
            was="Cases by end",
            shows="How the answers sent to a model end. Cached replies cost nothing.",
            kind="stacked",
            queries={"{{end}}": rate("sqlassay_model_cases_total", "end")},
        ),
    ]


def _agreement() -> list[DashboardPanel]:
    return [
        DashboardPanel(
            title="Judges that agree, share",
            was="Agreement",
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
            title="Money spent by tenant",
            was="Money by tenant",
            shows="Money spent over the time range, in the currency of the price list.",
            kind="bars",
            queries={"{{tenant}}, {{currency}}": in_currency(grown("sqlassay_model_cost_total", "tenant", TENANT))},
        ),
        DashboardPanel(
            title="Tokens sent and received",
            was="Tokens",
            shows="Tokens sent and received.",
            queries={"{{way}}": rate("sqlassay_model_tokens_total", "way", TENANT)},
        ),
        *_budgets(),
    ]


def _budgets() -> list[DashboardPanel]:
    return [
        DashboardPanel(
            title="Money left today",
            shows="Money left until midnight UTC, for tenants with a daily budget, as of their last call.",
            kind="bars",
            queries={"{{tenant}}, {{currency}}": in_currency(left("money"))},
        ),
        DashboardPanel(
            title="Tokens left today",
            shows="Tokens left until midnight UTC, for tenants with a daily budget, as of their last call.",
            kind="bars",
            queries={"{{tenant}}": left("tokens")},
        ),
        DashboardPanel(
            title="Calls not made for lack of budget",
            was="Calls not made",
            shows="Calls not made because the tenant's daily budget is spent.",
            queries={"{{tenant}}": rate("sqlassay_model_budget_spent_total", "tenant", TENANT)},
        ),
        DashboardPanel(
            title="Judged locally for lack of a model, by tenant",
            was="Without a model",
            shows="Share of the answers judged by the local judge because no model could be asked.",
            unit="percentunit",
            queries={
                "{{tenant}}": f"{FALLBACK} / ({SCORED} > 0)",
            },
        ),
    ]
