"""The pipeline dashboard: whether every event is handled, how late, and what holds it up."""

from __future__ import annotations

from grafana.panels import DashboardPanel, Rows
from grafana.queries import quantile, rate


def pipeline() -> Rows:
    """The rows of the dashboard."""
    return [("Flow", _flow()), ("Kafka", _kafka()), ("Stores", _stores()), ("Inside the service", _inside())]


def _flow() -> list[DashboardPanel]:
    return [
        DashboardPanel(
            title="Outcomes",
            shows="Outcomes of the consumed records. Their sum is the number of records consumed.",
            kind="stacked",
            unit="reqps",
            queries={"{{outcome}}": rate("sqlassay_outcomes_total", "outcome")},
        ),
        DashboardPanel(
            title="Consumed, by trigger",
            shows="Live traffic, retries of deferred events, replays and backfills.",
            unit="reqps",
            queries={"{{trigger}}": rate("sqlassay_consumed_total", "trigger")},
        ),
        DashboardPanel(
            title="Not accounted for",
            shows="Records consumed that have no outcome yet: those in flight. A value that does not fall is a defect.",
            queries={"in flight": "sum(sqlassay_consumed_total) - sum(sqlassay_outcomes_total)"},
        ),
        DashboardPanel(
            title="Reasons",
            shows="Why records have no score, are dead letters, or are deferred.",
            queries={"{{outcome}} {{reason}}": rate("sqlassay_outcomes_total", "outcome, reason", 'reason!=""')},
        ),
    ]


def _kafka() -> list[DashboardPanel]:
    return [
        DashboardPanel(
            title="Lag",
            shows="Records of a partition that have no outcome yet.",
            queries={"{{topic}} {{partition}}": "max by (topic, partition) (sqlassay_kafka_lag_records)"},
        ),
        DashboardPanel(
            title="Age",
            shows="Seconds from publishing a record to its outcome: median and 95th percentile.",
            unit="s",
            queries={
                "p50": quantile(0.5, "sqlassay_kafka_age_seconds"),
                "p95": quantile(0.95, "sqlassay_kafka_age_seconds"),
            },
        ),
        DashboardPanel(
            title="Commits",
            shows="Offset commits by result. Records of failed commits are read again and counted as duplicates.",
            queries={"{{result}}": rate("sqlassay_kafka_commits_total", "result")},
        ),
        DashboardPanel(
            title="Assignments",
            shows="Rebalances, each of which stops the whole consumer group for a moment, and paused partitions.",
            queries={
                "rebalances": rate("sqlassay_kafka_rebalances_total"),
                "paused": "sum(sqlassay_kafka_paused)",
            },
        ),
        DashboardPanel(
            title="Dead letters",
            shows="Dead letters published, by reason.",
            queries={"{{reason}}": rate("sqlassay_dead_letters_total", "reason")},
        ),
    ]


def _stores() -> list[DashboardPanel]:
    return [
        DashboardPanel(
            title="Redis",
            shows="Failed uses of Redis. The service works without it.",
            queries={"{{use}}": rate("sqlassay_redis_failures_total", "use")},
        ),
        DashboardPanel(
            title="Age of rules",
            shows="Seconds since the rules could last be read; 0 while they can.",
            unit="s",
            queries={"{{instance}}": "max by (instance) (sqlassay_rules_age_seconds)"},
        ),
        DashboardPanel(
            title="Days",
            shows="Days of evaluations that have a partition, and rows of days that have none.",
            queries={"partitions": "max(sqlassay_partitions)", "other days": "max(sqlassay_other_days_rows)"},
        ),
    ]


def _inside() -> list[DashboardPanel]:
    return [
        DashboardPanel(
            title="Stages",
            shows="Seconds that a batch spends in each stage: 95th percentile.",
            unit="s",
            queries={"{{stage}}": quantile(0.95, "sqlassay_stage_seconds", "stage")},
        ),
        DashboardPanel(
            title="Stalls",
            shows="Failed calls of the database, Kafka, the rules or the judge.",
            queries={"{{dependency}}": rate("sqlassay_stalls_total", "dependency")},
        ),
        DashboardPanel(
            title="In memory",
            shows="Records waiting in each process. Senders have to wait when the limit is reached.",
            queries={"{{instance}}": "sqlassay_queue_records"},
        ),
        DashboardPanel(
            title="Telemetry",
            shows="Traces and results sent to the OpenTelemetry collector, and those that were lost.",
            queries={"{{signal}} {{end}}": rate("sqlassay_telemetry_total", "signal, end")},
        ),
        DashboardPanel(
            title="HTTP",
            shows="Seconds that a request takes, by route: 95th percentile.",
            unit="s",
            queries={"{{route}}": quantile(0.95, "sqlassay_http_request_seconds", "route")},
        ),
    ]
