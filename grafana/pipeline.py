"""*Pipeline*: whether every event is handled, how late, and what holds it up."""

from __future__ import annotations

from grafana.panels import Panel, Rows
from grafana.queries import quantile, rate


def pipeline() -> Rows:
    """Its rows."""
    return [
        (
            "Flow",
            [
                Panel(
                    title="Outcomes",
                    shows="How records end; together they are what is consumed.",
                    kind="stacked",
                    unit="reqps",
                    queries={"{{outcome}}": rate("sqlassay_outcomes_total", "outcome")},
                ),
                Panel(
                    title="Consumed, by trigger",
                    shows="Live traffic, retries of deferred events, replays and backfills.",
                    unit="reqps",
                    queries={"{{trigger}}": rate("sqlassay_consumed_total", "trigger")},
                ),
                Panel(
                    title="Not accounted for",
                    shows="Consumed less ended: records in flight. A value that stays is a defect.",
                    queries={"in flight": "sum(sqlassay_consumed_total) - sum(sqlassay_outcomes_total)"},
                ),
                Panel(
                    title="Reasons",
                    shows="Why records have no score, are dead letters, or wait.",
                    queries={
                        "{{outcome}} {{reason}}": rate("sqlassay_outcomes_total", "outcome, reason", 'reason!=""')
                    },
                ),
            ],
        ),
        (
            "Kafka",
            [
                Panel(
                    title="Lag",
                    shows="Records of a partition that have not ended.",
                    queries={"{{topic}} {{partition}}": "max by (topic, partition) (sqlassay_kafka_lag_records)"},
                ),
                Panel(
                    title="Age",
                    shows="From publishing a record to its end: half and 95 % take no longer.",
                    unit="s",
                    queries={
                        "p50": quantile(0.5, "sqlassay_kafka_age_seconds"),
                        "p95": quantile(0.95, "sqlassay_kafka_age_seconds"),
                    },
                ),
                Panel(
                    title="Commits",
                    shows="Of offsets, by result; failed ones come again as duplicates.",
                    queries={"{{result}}": rate("sqlassay_kafka_commits_total", "result")},
                ),
                Panel(
                    title="Assignments",
                    shows="Rebalances, each of which stops the whole group for a moment, and partitions held back.",
                    queries={
                        "rebalances": rate("sqlassay_kafka_rebalances_total"),
                        "paused": "sum(sqlassay_kafka_paused)",
                    },
                ),
                Panel(
                    title="Dead letters",
                    shows="Written, by reason.",
                    queries={"{{reason}}": rate("sqlassay_dead_letters_total", "reason")},
                ),
            ],
        ),
        (
            "Stores",
            [
                Panel(
                    title="Redis",
                    shows="Uses of Redis in vain; the service goes on without it.",
                    queries={"{{use}}": rate("sqlassay_redis_failures_total", "use")},
                ),
                Panel(
                    title="Age of rules",
                    shows="How long newer rules cannot be read; 0 while they can.",
                    unit="s",
                    queries={"{{instance}}": "max by (instance) (sqlassay_rules_age_seconds)"},
                ),
                Panel(
                    title="Days",
                    shows="Days of evaluations that have a partition, and rows of other days.",
                    queries={"partitions": "max(sqlassay_partitions)", "other days": "max(sqlassay_other_days_rows)"},
                ),
            ],
        ),
        (
            "Inside",
            [
                Panel(
                    title="Stages",
                    shows="95 % of the batches spend no longer in a stage.",
                    unit="s",
                    queries={"{{stage}}": quantile(0.95, "sqlassay_stage_seconds", "stage")},
                ),
                Panel(
                    title="Stalls",
                    shows="Tries in vain of the database, Kafka, the rules or the judge.",
                    queries={"{{dependency}}": rate("sqlassay_stalls_total", "dependency")},
                ),
                Panel(
                    title="In memory",
                    shows="Records waiting in the processes; at the bound senders are held back.",
                    queries={"{{instance}}": "sqlassay_queue_records"},
                ),
                Panel(
                    title="Telemetry",
                    shows="Traces and results for the OpenTelemetry collector, and what it did not get.",
                    queries={"{{signal}} {{end}}": rate("sqlassay_telemetry_total", "signal, end")},
                ),
                Panel(
                    title="HTTP",
                    shows="95 % of the requests take no longer, by route.",
                    unit="s",
                    queries={"{{route}}": quantile(0.95, "sqlassay_http_request_seconds", "route")},
                ),
            ],
        ),
    ]
