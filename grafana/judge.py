"""*Judge*: what the model judge does, how long it takes, what it costs, and how it agrees with the local one."""

from __future__ import annotations

from grafana.panels import Panel, Rows
from grafana.queries import grown, quantile, rate

TENANT = 'tenant=~"$tenant"'
FALLBACK = rate("sqlassay_fallback_total", "tenant", TENANT)
SCORED = rate("sqlassay_score_count", "tenant", TENANT)
AGREEMENT = "sqlassay_model_agreement_total"
BOTH_RIGHT = rate(AGREEMENT, where='local="right", model="right"')
BOTH_WRONG = rate(AGREEMENT, where='local="wrong", model="wrong"')


def left(unit: str) -> str:
    """What is left of each tenant's day: the process that last asked knows of the least."""
    return f'min by (tenant) (sqlassay_model_budget_left{{{TENANT}, unit="{unit}"}})'


def judge() -> Rows:
    """Its rows."""
    return [
        (
            "Calls",
            [
                Panel(
                    title="Calls by end",
                    shows="replied, refused, failed, or held back by the server.",
                    kind="stacked",
                    unit="reqps",
                    queries={"{{end}}": rate("sqlassay_model_calls_total", "end")},
                ),
                Panel(
                    title="Latency",
                    shows="Of one call: half and 95 % take no longer.",
                    unit="s",
                    queries={
                        "p50": quantile(0.5, "sqlassay_model_call_seconds"),
                        "p95": quantile(0.95, "sqlassay_model_call_seconds"),
                    },
                ),
                Panel(
                    title="Breaker",
                    shows="Open: the model is left alone, and the policy says what happens meanwhile.",
                    queries={"{{state}}": "max by (state) (sqlassay_model_breaker)"},
                    most=1,
                ),
                Panel(
                    title="Cases by end",
                    shows="What became of the answers a model was to judge; cached ones cost nothing.",
                    kind="stacked",
                    queries={"{{end}}": rate("sqlassay_model_cases_total", "end")},
                ),
            ],
        ),
        (
            "Against the local judge",
            [
                Panel(
                    title="Agreement",
                    shows="Share of the answers a model judged that both judges call right, or both wrong.",
                    unit="percentunit",
                    queries={"agreement": f"({BOTH_RIGHT} + {BOTH_WRONG}) / ({rate(AGREEMENT)} > 0)"},
                    most=1,
                ),
                Panel(
                    title="Who says what",
                    shows="The same answers by both; a cascade asks a model only where the local judge is unsure.",
                    kind="stacked",
                    unit="reqps",
                    queries={"local {{local}}, model {{model}}": rate(AGREEMENT, "local, model")},
                ),
            ],
        ),
        (
            "Cost",
            [
                Panel(
                    title="Money by tenant",
                    shows="Spent over the range, in the price list's currency.",
                    kind="bars",
                    queries={"{{tenant}}": grown("sqlassay_model_cost_total", "tenant", TENANT)},
                ),
                Panel(
                    title="Tokens",
                    shows="Sent and received.",
                    queries={"{{way}}": rate("sqlassay_model_tokens_total", "way", TENANT)},
                ),
                Panel(
                    title="Money left today",
                    shows="Of the tenants whose day is bounded, until midnight UTC; shown as of their last call.",
                    kind="bars",
                    queries={"{{tenant}}": left("money")},
                ),
                Panel(
                    title="Tokens left today",
                    shows="The same in tokens.",
                    kind="bars",
                    queries={"{{tenant}}": left("tokens")},
                ),
                Panel(
                    title="Calls not made",
                    shows="Because the tenant's day is spent.",
                    queries={"{{tenant}}": rate("sqlassay_model_budget_spent_total", "tenant", TENANT)},
                ),
                Panel(
                    title="Without a model",
                    shows="Share of the answers whose local verdict stands in for a model that could not be asked.",
                    unit="percentunit",
                    queries={
                        "{{tenant}}": f"{FALLBACK} / ({SCORED} > 0)",
                    },
                ),
            ],
        ),
    ]
