"""Failures as Prometheus sees them: a healthy installation minute by minute, and what each failure changes in it.

A series is written as `promtool` reads it. Two apis, two workers, Kafka, PostgreSQL, Redis and a model run for a while
before anything fails.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

BEFORE, AFTER = 40, 60
"""Minutes of health, and minutes of failure."""
SHOWN = 50
"""Minutes after the failure at which all its alerts have fired."""
INSTANCES = {"a1": "api", "a2": "api", "w1": "worker", "w2": "worker"}
AGENT = 'tenant="library", agent="atlas"'
BY = f'{AGENT}, judge="local/2", evaluator="2"'


GONE = "gone"
"""In place of values: the series is healthy until the failure, and then stale."""


def constant(value: float) -> str:
    """A value that stays."""
    return f"{value:g}x{BEFORE + AFTER}"


def then(before: float, after: float) -> str:
    """A value that changes when the failure begins."""
    return f"{before:g}x{BEFORE - 1} {after:g}x{AFTER}"


def ended(values: str) -> str:
    """These values until the failure begins.

    >>> ended("0+20x100")
    '0+20x39 stale _x59'
    """
    return f"{values.partition('x')[0]}x{BEFORE - 1} stale _x{AFTER - 1}"


def growing(each: float, later: float | None = None, start: float = 0) -> str:
    """A counter that grows by `each` a minute, and by `later` once the failure has begun."""
    if later is None or later == each:
        return f"{start:g}+{each:g}x{BEFORE + AFTER}"
    reached = start + each * (BEFORE - 1)
    return f"{start:g}+{each:g}x{BEFORE - 1} {reached + later:g}+{later:g}x{AFTER}"


def of(instance: str) -> str:
    """The labels that Prometheus gives to every series of a process."""
    return f'job="sqlassay", instance="{instance}", component="{INSTANCES[instance]}"'


def _of_process(name: str) -> dict[str, str]:
    role, here = INSTANCES[name], of(name)
    servers = ["kafka", "postgresql", "redis", *(["model"] if role == "worker" else [])]
    return {
        f"up{{{here}}}": constant(1),
        f'sqlassay_role{{{here}, role="{role}"}}': constant(1),
        f"sqlassay_start_time_seconds{{{here}}}": constant(1000),
        f"sqlassay_postgresql_writable{{{here}}}": constant(1),
        f"sqlassay_schema_current{{{here}}}": constant(1),
        f"sqlassay_clock_skew_seconds{{{here}}}": constant(0.01),
        f"sqlassay_faults_total{{{here}}}": constant(0),
        **{f'sqlassay_dependency_up{{{here}, dependency="{each}"}}': constant(1) for each in servers},
        **{f'sqlassay_dependency_seconds{{{here}, dependency="{each}"}}': constant(0.01) for each in servers},
        **{
            f'sqlassay_kafka_topic_partitions{{{here}, topic="{topic}"}}': constant(2)
            for topic in ("query-events", "query-scores")
        },
        f'sqlassay_kafka_leaderless_partitions{{{here}, topic="query-events"}}': constant(0),
        **{f"{series}": values for part in "01" for series, values in _seen(here, part).items()},
    }


def _seen(here: str, part: str) -> dict[str, str]:
    where = f'topic="query-events", partition="{part}"'
    return {
        f"sqlassay_kafka_end_offset{{{here}, {where}}}": growing(20),
        f'sqlassay_kafka_committed_offset{{{here}, group="sqlassay", {where}}}': growing(20),
        f'sqlassay_kafka_group_lag_records{{{here}, group="sqlassay", {where}}}': constant(0),
    }


def _of_worker(name: str, part: str) -> dict[str, str]:
    here = of(name)
    aged = f'sqlassay_kafka_age_seconds_bucket{{{here}, topic="query-events", le='
    called = f"sqlassay_model_call_seconds_bucket{{{here}, le="
    return {
        f'sqlassay_consumed_total{{{here}, trigger="live"}}': growing(20),
        f'sqlassay_outcomes_total{{{here}, trigger="live", outcome="scored", reason=""}}': growing(20),
        f'sqlassay_outcomes_total{{{here}, trigger="live", outcome="dead_lettered", reason="NOT_JSON"}}': constant(0),
        f'sqlassay_kafka_lag_records{{{here}, topic="query-events", partition="{part}"}}': constant(0),
        f'sqlassay_kafka_commits_total{{{here}, topic="query-events", result="failed"}}': constant(0),
        f'sqlassay_kafka_partitions{{{here}, topic="query-events"}}': constant(1),
        **{f'{aged}"{bound}"}}': growing(20) for bound in ("60", "600", "+Inf")},
        **{f'{called}"{bound}"}}': growing(5) for bound in ("1", "20", "40", "+Inf")},
        f'sqlassay_stalls_total{{{here}, dependency="StoreUnavailable"}}': constant(0),
        f"sqlassay_rules_unconfirmed_total{{{here}}}": constant(0),
        f'sqlassay_redis_failures_total{{{here}, use="rules"}}': constant(0),
        f"sqlassay_housekeeping_failures_total{{{here}}}": constant(0),
        f"sqlassay_housekeeping_time_seconds{{{here}}}": "0x59 3600x59 7200x59 10800x59",
        f"sqlassay_other_days_rows{{{here}}}": constant(0),
        f'sqlassay_telemetry_total{{{here}, signal="spans", end="exported"}}': growing(20),
        f'sqlassay_telemetry_total{{{here}, signal="spans", end="failed"}}': constant(0),
        f'sqlassay_model_calls_total{{{here}, end="replied"}}': growing(5),
        f'sqlassay_model_calls_total{{{here}, end="failed"}}': constant(0),
        f'sqlassay_model_calls_total{{{here}, end="rate_limited"}}': constant(0),
        f'sqlassay_model_cases_total{{{here}, end="replied"}}': growing(5),
        f'sqlassay_model_cases_total{{{here}, end="unscored"}}': constant(0),
        f'sqlassay_model_breaker{{{here}, state="open"}}': constant(0),
        f'sqlassay_model_budget_spent_total{{{here}, tenant="library"}}': constant(0),
        f"sqlassay_score_count{{{here}, {BY}}}": growing(20),
        f"sqlassay_score_sum{{{here}, {BY}}}": growing(1800),
        f"sqlassay_judged_wrong_total{{{here}, {BY}}}": growing(1),
        f'sqlassay_tier_total{{{here}, {AGENT}, tier="good"}}': growing(20),
        f'sqlassay_unscored_total{{{here}, {AGENT}, reason="JUDGE_UNAVAILABLE"}}': constant(0),
        f"sqlassay_fallback_total{{{here}, {AGENT}}}": constant(0),
        f'sqlassay_tier_bound{{{here}, tenant="library", tier="marginal"}}': constant(50),
    }


def _of_api(name: str) -> dict[str, str]:
    posted = f'sqlassay_http_request_seconds_count{{{of(name)}, method="POST", route="/v1/events", status='
    return {f'{posted}"202"}}': growing(20), **{f'{posted}"{status}"}}': constant(0) for status in (401, 503)}}


def healthy() -> dict[str, str]:
    """Every series of the installation while nothing fails."""
    made = {series: values for name in INSTANCES for series, values in _of_process(name).items()}
    for name, part in (("w1", "0"), ("w2", "1")):
        made |= _of_worker(name, part)
    return made | _of_api("a1") | _of_api("a2")


@dataclass(frozen=True, kw_only=True)
class Failure:
    """One thing that fails."""

    what: str
    alert: str
    """The alert that names it."""
    within: int
    """Minutes until that alert fires."""
    change: Mapping[str, str] = field(default_factory=dict[str, str])
    """New values of series, by parts of them joined by ` & `; a part that begins with a space begins the series."""
    more: Mapping[str, str] = field(default_factory=dict[str, str])
    """Series that appear."""

    def series(self) -> dict[str, str]:
        """The installation with this failure; raises where a change names no series."""
        made = healthy()
        for part, values in self.change.items():
            wanted = part.split(" & ")
            chosen = [series for series in made if all(each in f" {series}" for each in wanted)]
            assert chosen, f"{self.what}: no series has {part}"
            made |= {series: ended(made[series]) if values == GONE else values for series in chosen}
        return {**made, **self.more}
