"""Rows of docs/failures.csv: servers, their data, and the load on them."""

from __future__ import annotations

from tests.deploy.failures import BEFORE, GONE, Failure, constant, growing, of, then

NOTHING_SCORED = {
    "outcomes_total & scored": growing(20, 0),
    "sqlassay_consumed_total": growing(20, 0),
    "age_seconds_bucket": growing(20, 0),
    "sqlassay_score_count": growing(20, 0),
    "sqlassay_score_sum": growing(1800, 0),
    "sqlassay_judged_wrong": growing(1, 0),
    "sqlassay_tier_total": growing(20, 0),
    "committed_offset": growing(20, 0),
}
_BACKLOG = {"group_lag_records": growing(0, 400), "kafka_lag_records": growing(0, 400)}
_REFUSED = {"request_seconds & 202": growing(20, 0), "request_seconds & 503": growing(0, 20)}
_NO_CALLS = {"model_calls_total & replied": growing(5, 0), "model_cases_total & replied": growing(5, 0)}
_UNKNOWN = dict.fromkeys(("topic_partitions", "leaderless", "end_offset", "committed_offset", "lag_records"), GONE)


def _slow_calls() -> dict[str, str]:
    bounds = {"1": 0.0, "20": 5.0, "40": 5.0, "+Inf": 5.0}
    return {f'model_call_seconds & le="{bound}"': growing(5, later) for bound, later in bounds.items()}


SERVER_FAILURES = (
    Failure(
        what="Kafka is down",
        alert="SQLAssayKafkaDown",
        within=4,
        change={
            **NOTHING_SCORED,
            **_REFUSED,
            **_UNKNOWN,
            'dependency_up & "kafka"': then(1, 0),
            'dependency_seconds & "kafka"': then(0.01, 5),
            "commits_total": growing(0, 2),
        },
    ),
    Failure(
        what="Kafka is slow",
        alert="SQLAssayDependencySlow",
        within=8,
        change={
            'dependency_seconds & "kafka"': then(0.01, 3),
            "kafka_lag_records": growing(0, 300),
            "group_lag_records": growing(0, 300),
            'age_seconds & "60"': growing(20, 0),
        },
    ),
    Failure(
        what="Some processes cannot reach Kafka, others can",
        alert="SQLAssayDependencyUnreachable",
        within=8,
        change={f'dependency_up & "kafka" & {of("w1")}': then(1, 0)},
    ),
    Failure(
        what="A Kafka certificate or password is no longer accepted",
        alert="SQLAssayKafkaDown",
        within=4,
        change={
            **NOTHING_SCORED,
            **_UNKNOWN,
            'dependency_up & "kafka"': then(1, 0),
            "commits_total": growing(0, 2),
        },
    ),
    Failure(
        what="The topic of events is missing",
        alert="SQLAssayTopicMissing",
        within=4,
        change={
            **NOTHING_SCORED,
            **_REFUSED,
            'topic_partitions & "query-events"': then(2, 0),
            "end_offset": GONE,
            "committed_offset": GONE,
            "lag_records": GONE,
        },
    ),
    Failure(
        what="A partition has no leader",
        alert="SQLAssayPartitionOffline",
        within=4,
        change={
            "leaderless": then(0, 1),
            'end_offset & partition="0"': GONE,
            'lag_records & partition="0"': GONE,
            "commits_total": growing(0, 2),
            "request_seconds & 503": growing(0, 10),
        },
    ),
    Failure(
        what="A worker makes no progress",
        alert="SQLAssayConsumerStuck",
        within=12,
        change={
            f"outcomes_total & scored & {of('w1')}": growing(20, 0),
            f"consumed_total & {of('w1')}": growing(20, 0),
            'lag_records & partition="0"': growing(0, 400),
            'committed_offset & partition="0"': growing(20, 0),
        },
    ),
    Failure(
        what="Results cannot be published, by permission or size",
        alert="SQLAssayConsumerStuck",
        within=12,
        # rows are written until the places in memory are full, and no outcome is counted
        change={
            "outcomes_total & scored": growing(20, 0),
            "committed_offset": growing(20, 0),
            "lag_records": growing(0, 400),
        },
        more={
            f'sqlassay_stalls_total{{{of(each)}, dependency="KafkaUnavailable"}}': growing(0, 12)
            for each in ("w1", "w2")
        },
    ),
    Failure(
        what="Another program reads with the consumer group of the workers",
        alert="SQLAssayPartitionsUnread",
        within=8,
        change={
            f"kafka_partitions & {of('w1')}": then(1, 0),
            f"outcomes_total & scored & {of('w1')}": growing(20, 0),
            f"consumed_total & {of('w1')}": growing(20, 0),
        },
    ),
    Failure(
        what="A batch of a partition cannot be read",
        alert="SQLAssayBatchUnreadable",
        within=4,
        change={
            f"outcomes_total & scored & {of('w1')}": growing(20, 0),
            f"consumed_total & {of('w1')}": growing(20, 0),
            'lag_records & partition="0"': growing(0, 400),
            'committed_offset & partition="0"': growing(20, 0),
        },
        more={
            f'sqlassay_kafka_stuck{{{of("w1")}, topic="query-events", partition="0"}}': f"_x{BEFORE - 1} {constant(1)}",
        },
    ),
    Failure(
        what="One partition of several stands still, with few events",
        alert="SQLAssayPartitionStuck",
        within=14,
        # a worker that moves on other partitions hides it from all sums
        change={'lag_records & partition="0"': growing(0, 1), 'committed_offset & partition="0"': growing(20, 0)},
    ),
    Failure(
        what="Workers are too few for the traffic",
        alert="SQLAssayLagHigh",
        within=40,
        change=_BACKLOG,
    ),
    Failure(
        what="Offsets cannot be committed",
        alert="SQLAssayCommitFailures",
        within=12,
        change={"commits_total": growing(0, 2)},
    ),
    Failure(
        what="Events are scored late",
        alert="SQLAssayEventsStale",
        within=17,
        change={'age_seconds & "60"': growing(20, 0)},
    ),
    Failure(
        what="PostgreSQL is down",
        alert="SQLAssayPostgresDown",
        within=4,
        change={
            **NOTHING_SCORED,
            **_BACKLOG,
            'dependency_up & "postgresql"': then(1, 0),
            "postgresql_writable": GONE,
            "schema_current": GONE,
            "clock_skew": GONE,
            "stalls_total": growing(0, 5),
            "rules_unconfirmed": growing(0, 2),
            "housekeeping_failures": growing(0, 1),
            "request_seconds & 503": growing(0, 5),
        },
    ),
    Failure(
        what="PostgreSQL is read-only, or a standby",
        alert="SQLAssayPostgresRefusesWrites",
        within=8,
        change={
            **NOTHING_SCORED,
            **_BACKLOG,
            "postgresql_writable": then(1, 0),
            "stalls_total": growing(0, 5),
            "housekeeping_failures": growing(0, 1),
        },
    ),
    Failure(
        what="PostgreSQL's disk is full",
        alert="SQLAssayPostgresRefusesWrites",
        within=8,
        change={**NOTHING_SCORED, **_BACKLOG, "stalls_total": growing(0, 5), "housekeeping_failures": growing(0, 1)},
    ),
    Failure(
        what="PostgreSQL is slow",
        alert="SQLAssayDependencySlow",
        within=8,
        change={'dependency_seconds & "postgresql"': then(0.01, 3), "lag_records": growing(0, 300)},
    ),
    Failure(
        what="A migration is pending",
        alert="SQLAssaySchemaOutdated",
        within=8,
        change={**NOTHING_SCORED, "schema_current": then(1, 0), "lag_records": growing(0, 400)},
    ),
    Failure(
        what="Retention or new partitions fail",
        alert="SQLAssayHousekeepingFailing",
        within=12,
        change={"housekeeping_failures": growing(0, 1)},
    ),
    Failure(
        what="Retention has stopped without an error",
        alert="SQLAssayHousekeepingFailing",
        within=30,
        # so long before the first minute that the limit is reached within the case
        change={"housekeeping_time": constant(-7000)},
    ),
    Failure(
        what="Producers' clocks are wrong, and events fall outside the partitions",
        alert="SQLAssayOtherDays",
        within=8,
        change={"other_days": then(0, 5000)},
    ),
    Failure(
        what="The clock of a machine is wrong",
        alert="SQLAssayClockSkew",
        within=8,
        change={f"clock_skew & {of('w1')}": then(0, -90)},
    ),
    Failure(
        what="Redis is down",
        alert="SQLAssayRedisDown",
        within=4,
        change={'dependency_up & "redis"': then(1, 0)},
    ),
    Failure(
        what="Redis answers, and refuses what it is asked",
        alert="SQLAssayRedisFailing",
        within=12,
        change={"redis_failures": growing(0, 20)},
    ),
    Failure(
        what="Redis and PostgreSQL give no newer rules",
        alert="SQLAssayRulesStale",
        within=12,
        change={"rules_unconfirmed": growing(0, 2)},
    ),
    Failure(
        what="The model server is down",
        alert="SQLAssayModelDown",
        within=4,
        change={
            **_NO_CALLS,
            'dependency_up & "model"': then(1, 0),
            "model_calls_total & failed": growing(0, 5),
            "model_breaker": then(0, 1),
            "sqlassay_unscored_total": growing(0, 15),
            "sqlassay_score_count": growing(20, 5),
            "sqlassay_score_sum": growing(1800, 450),
        },
    ),
    Failure(
        what="The model fails some calls",
        alert="SQLAssayJudgeFailing",
        within=10,
        change={"model_calls_total & failed": growing(0, 5)},
    ),
    Failure(
        what="The model is slow",
        alert="SQLAssayDependencySlow",
        within=14,
        change={**_slow_calls(), "lag_records": growing(0, 300)},
    ),
    Failure(
        what="The model declines to judge, or its replies cannot be read",
        alert="SQLAssayJudgeUnusable",
        within=10,
        change={
            **_NO_CALLS,
            "model_cases_total & unscored": growing(0, 5),
            "sqlassay_unscored_total": growing(0, 5),
            "model_calls_total & replied": growing(5),
        },
    ),
    Failure(
        what="The model server throttles",
        alert="SQLAssayJudgeThrottled",
        within=10,
        change={"model_calls_total & rate_limited": growing(0, 5)},
    ),
    Failure(
        what="A tenant's budget is spent",
        alert="SQLAssayBudgetSpent",
        within=8,
        change={"budget_spent": growing(0, 5), "sqlassay_unscored_total": growing(0, 5)},
    ),
)
