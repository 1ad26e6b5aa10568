"""The pipeline dashboard: whether every event is handled, how late, and what holds it up."""

from __future__ import annotations

from dataclasses import replace

from grafana.panels import TIERS, DashboardPanel, Rows, Steps, figure
from grafana.queries import grown, quantile, rate

ALERT_BOUNDS = {"lag": 10_000.0, "age": 300.0, "deadLetters": 0.05, "apiFailing": 0.05}
"""The bounds of alerts that panels show: defaults of `alerts.conditions` of the chart. A test compares them."""
FAILED = 'status=~"5.."'
_NO_KAFKA = "nothing in the time chosen, or no Kafka"
_GROUP_LAG = "sum by (group, topic) (max by (group, topic, partition) (sqlassay_kafka_group_lag_records))"


def pipeline() -> Rows:
    """The rows of the dashboard."""
    return [
        ("At a glance", _glance()),
        ("Servers and processes", [*_servers(), *_processes()]),
        ("Flow", _flow()),
        ("Kafka", [*_kafka(), *_consumers()]),
        ("Stores", [*_stores(), *_keeping()]),
        ("Inside the service", _inside()),
    ]


def _glance() -> list[DashboardPanel]:
    requests = "sqlassay_http_request_seconds_count"
    failed = f"({grown(requests, where=FAILED)} or vector(0)) / ({grown(requests)} > 0)"
    dead = f"({grown('sqlassay_dead_letters_total')} or vector(0)) / ({grown('sqlassay_consumed_total')} > 0)"
    stats = [
        (
            "Dead letters, share",
            "Of the records consumed in the time chosen.",
            dead,
            "percentunit",
            _more_than(ALERT_BOUNDS["deadLetters"]),
        ),
        (
            "Bugs caught",
            "In the time chosen; the log names them.",
            grown("sqlassay_faults_total"),
            "short",
            _more_than(1),
        ),
        (
            "HTTP requests that failed, share",
            "Of the requests in the time chosen, those with a status of 500 or more.",
            failed,
            "percentunit",
            _more_than(ALERT_BOUNDS["apiFailing"]),
        ),
    ]
    return [replace(figure(*each), empty=_NO_KAFKA) for each in [*_waiting(), *stats]]


def _waiting() -> list[tuple[str, str, str, str, Steps]]:
    return [
        (
            "Servers that a process cannot reach",
            "Kafka, PostgreSQL, Redis and the model server, as each process sees them.",
            "count(sqlassay_dependency_up == 0) or vector(0)",
            "short",
            _more_than(1),
        ),
        (
            "Records that wait for workers",
            "Of all consumer groups. Without Kafka there are none, and requests wait instead.",
            f"sum({_GROUP_LAG})",
            "short",
            _more_than(ALERT_BOUNDS["lag"]),
        ),
        (
            "Seconds from record to outcome, P95",
            "From publishing a record to its outcome.",
            quantile(0.95, "sqlassay_kafka_age_seconds"),
            "s",
            _more_than(ALERT_BOUNDS["age"]),
        ),
    ]


def _more_than(bound: float) -> Steps:
    """Green below the bound, red from it on."""
    return ((None, TIERS["excellent"]), (bound, TIERS["poor"]))


def _servers() -> list[DashboardPanel]:
    return [
        DashboardPanel(
            title="Processes that reach each server, share",
            was="Servers",
            shows="Share of the processes that reach Kafka, PostgreSQL, Redis and the model server.",
            unit="percentunit",
            most=1,
            queries={"{{dependency}}": "avg by (dependency) (sqlassay_dependency_up)"},
        ),
        DashboardPanel(
            title="Processes by role",
            was="Processes",
            shows="Processes that Prometheus can scrape, by role.",
            queries={"{{role}}": "sum by (role) (sqlassay_role)"},
        ),
        DashboardPanel(
            title="Seconds that each server takes to answer",
            was="Time to answer",
            shows="Seconds of the last probe of each server; the longest over all processes.",
            unit="s",
            queries={"{{dependency}}": "max by (dependency) (sqlassay_dependency_seconds)"},
        ),
    ]


def _processes() -> list[DashboardPanel]:
    return [
        DashboardPanel(
            title="Seconds that PostgreSQL's clock is ahead",
            was="Clocks",
            shows="Seconds that the clock of PostgreSQL is ahead of each process's.",
            unit="s",
            queries={"{{instance}}": "max by (instance) (sqlassay_clock_skew_seconds)"},
        ),
        DashboardPanel(
            title="Bugs, ended scoring processes and restarts",
            was="Faults",
            shows="Bugs caught, scoring processes that ended, and starts of processes within half an hour.",
            queries={
                "bugs": rate("sqlassay_faults_total"),
                "ended: {{reason}}": rate("sqlassay_scoring_processes_ended_total", "reason"),
                "starts {{instance}}": "changes(sqlassay_start_time_seconds[30m])",
            },
        ),
        DashboardPanel(
            title="HTTP requests by status",
            was="Requests",
            shows="HTTP requests of the API by status.",
            unit="reqps",
            queries={
                "{{status}}": rate("sqlassay_http_request_seconds_count", "status", 'route=~"/v1/.+"'),
            },
        ),
    ]


def _flow() -> list[DashboardPanel]:
    return [
        DashboardPanel(
            title="Records by outcome",
            was="Outcomes",
            shows="Outcomes of the consumed records. Their sum is the number of records consumed.",
            kind="stacked",
            unit="reqps",
            queries={"{{outcome}}": rate("sqlassay_outcomes_total", "outcome")},
        ),
        DashboardPanel(
            title="Records consumed by trigger",
            was="Consumed, by trigger",
            shows="Live traffic, retries of deferred events, replays and backfills.",
            unit="reqps",
            queries={"{{trigger}}": rate("sqlassay_consumed_total", "trigger")},
        ),
        DashboardPanel(
            title="Records without an outcome yet",
            was="Not accounted for",
            shows="Records consumed that have no outcome yet: those in flight. A value that does not fall is a defect.",
            queries={"in flight": "sum(sqlassay_consumed_total) - sum(sqlassay_outcomes_total)"},
        ),
        DashboardPanel(
            title="Records by reason of no score",
            was="Reasons",
            shows="Why records have no score, are dead letters, or are deferred.",
            queries={"{{outcome}} {{reason}}": rate("sqlassay_outcomes_total", "outcome, reason", 'reason!=""')},
        ),
    ]


def _kafka() -> list[DashboardPanel]:
    return [
        DashboardPanel(
            title="Records that wait in each partition",
            empty=_NO_KAFKA,
            was="Lag",
            shows="Records of a partition that have no outcome yet.",
            queries={"{{topic}} {{partition}}": "max by (topic, partition) (sqlassay_kafka_lag_records)"},
        ),
        DashboardPanel(
            title="Records that wait for each consumer group",
            empty=_NO_KAFKA,
            was="Lag of groups",
            shows="Records that a consumer group has not committed. Any process knows it, also while no worker runs.",
            queries={"{{group}} {{topic}}": _GROUP_LAG},
        ),
        DashboardPanel(
            title="Partitions of each topic",
            empty=_NO_KAFKA,
            was="Topics",
            shows="Partitions of each topic, and those without a leader. 0 partitions are a missing topic.",
            queries={
                "{{topic}}": "max by (topic) (sqlassay_kafka_topic_partitions)",
                "{{topic}} without a leader": "max by (topic) (sqlassay_kafka_leaderless_partitions)",
            },
        ),
        DashboardPanel(
            title="Seconds from record to outcome",
            empty=_NO_KAFKA,
            was="Age",
            shows="Seconds from publishing a record to its outcome: median and 95th percentile.",
            unit="s",
            queries={
                "p50": quantile(0.5, "sqlassay_kafka_age_seconds"),
                "p95": quantile(0.95, "sqlassay_kafka_age_seconds"),
            },
        ),
    ]


def _consumers() -> list[DashboardPanel]:
    return [
        DashboardPanel(
            title="Offset commits by result",
            empty=_NO_KAFKA,
            was="Commits",
            shows="Offset commits by result. Records of failed commits are read again and counted as duplicates.",
            queries={"{{result}}": rate("sqlassay_kafka_commits_total", "result")},
        ),
        DashboardPanel(
            title="Rebalances and paused partitions",
            empty=_NO_KAFKA,
            was="Assignments",
            shows="Rebalances, each of which stops the whole consumer group for a moment, and paused partitions.",
            queries={
                "rebalances": rate("sqlassay_kafka_rebalances_total"),
                "paused": "sum(sqlassay_kafka_paused)",
            },
        ),
        DashboardPanel(
            title="Dead letters by reason",
            empty=_NO_KAFKA,
            was="Dead letters",
            shows="Dead letters published, by reason.",
            queries={"{{reason}}": rate("sqlassay_dead_letters_total", "reason")},
        ),
    ]


def _stores() -> list[DashboardPanel]:
    return [
        DashboardPanel(
            title="Failed uses of Redis",
            empty="Redis did not fail, or there is none",
            was="Redis",
            shows="Failed uses of Redis. The service works without it.",
            queries={"{{use}}": rate("sqlassay_redis_failures_total", "use")},
        ),
        DashboardPanel(
            title="Seconds since rules were read",
            was="Age of rules",
            shows="Seconds since the rules could last be read; 0 while they can.",
            unit="s",
            queries={"{{instance}}": "max by (instance) (sqlassay_rules_age_seconds)"},
        ),
        DashboardPanel(
            title="Days with a partition",
            was="Days",
            shows="Days of evaluations that have a partition, and rows of days that have none.",
            queries={"partitions": "max(sqlassay_partitions)", "other days": "max(sqlassay_other_days_rows)"},
        ),
    ]


def _keeping() -> list[DashboardPanel]:
    return [
        DashboardPanel(
            title="Database is writable, schema is current",
            was="Database",
            shows="1 while PostgreSQL accepts writes, and while no migration is pending.",
            queries={"writable": "min(sqlassay_postgresql_writable)", "schema": "min(sqlassay_schema_current)"},
        ),
        DashboardPanel(
            title="Seconds since the last housekeeping",
            was="Housekeeping",
            shows="Seconds since a round of retention and partitions ended, and rounds that failed.",
            unit="s",
            queries={
                "since the last": "time() - max(sqlassay_housekeeping_time_seconds)",
                "failed in an hour": "sum(increase(sqlassay_housekeeping_failures_total[1h]))",
            },
        ),
    ]


def _inside() -> list[DashboardPanel]:
    return [
        DashboardPanel(
            title="Seconds of a batch in each stage",
            was="Stages",
            shows="Seconds that a batch spends in each stage: 95th percentile.",
            unit="s",
            queries={"{{stage}}": quantile(0.95, "sqlassay_stage_seconds", "stage")},
        ),
        DashboardPanel(
            title="Failed calls by dependency",
            was="Stalls",
            shows="Failed calls of the database, Kafka, the rules or the judge.",
            queries={"{{dependency}}": rate("sqlassay_stalls_total", "dependency")},
        ),
        DashboardPanel(
            title="Records in memory of each process",
            was="In memory",
            shows="Records waiting in each process. Senders have to wait when the limit is reached.",
            queries={"{{instance}}": "sqlassay_queue_records"},
        ),
        DashboardPanel(
            title="Traces and results exported",
            empty="nothing is exported: SQLASSAY_TELEMETRY__… sends it",
            was="Telemetry",
            shows="Traces and results sent to the OpenTelemetry collector, and those that were lost.",
            queries={"{{signal}} {{end}}": rate("sqlassay_telemetry_total", "signal, end")},
        ),
        DashboardPanel(
            title="Seconds of a request by route",
            was="HTTP",
            shows="Seconds that a request takes, by route: 95th percentile.",
            unit="s",
            queries={"{{route}}": quantile(0.95, "sqlassay_http_request_seconds", "route")},
        ),
    ]
