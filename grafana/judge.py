"""*Judge*: what the model judge does, how long it takes, what it costs, and how it agrees with the local one."""

from __future__ import annotations

from grafana.panels import Panel, Rows
from grafana.queries import grown, quantile, rate

TENANT = 'tenant=~"$tenant"'
FALLBACK = rate("sqlassay_fallback_total", "tenant", TENANT)
SCORED = rate("sqlassay_score_count", "tenant", TENANT)


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
