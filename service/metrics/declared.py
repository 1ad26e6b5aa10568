"""Declares every metric with its name, help text, labels and buckets, in a registry of its own.

Label values come from closed lists or from `BoundedLabels`.
"""

from __future__ import annotations

from collections.abc import Sequence

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Info, Summary, disable_created_metrics

WHO = ("tenant", "agent")
BY = (*WHO, "judge", "evaluator")
"""The agent and the judge and evaluator that scored it. Scores are only comparable within the same three."""
VERSION = (*WHO, "version")
_SCORES = (10, 20, 30, 40, 50, 60, 70, 75, 80, 85, 90, 95, 100)
"""Bucket bounds of scores, 0 to 100, including the default tier bounds."""
_PROBABILITIES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_CALL_SECONDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 40.0)
_AGES = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0, 7200.0)
_SIZES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)


# the creation time of each counter would be one more series in the text format
disable_created_metrics()


class DeclaredMetrics:
    """The metrics, grouped as docs/metrics.md groups them."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.labels: dict[str, tuple[str, ...]] = {}
        """Label names by metric name."""
        self._scores()
        self._answers()
        self._rules()
        self._alarms()
        self._estimates()
        self._references()
        self._canaries()
        self._flow()
        self._requests()
        self._models()
        self._kafka()
        self._observed()
        self._storage()
        self._sinks()
        self._dependencies()

    def _scores(self) -> None:
        histogram = self._histogram
        self.score = histogram("sqlassay_score", "Composite score of evaluations, 0 to 100.", BY, _SCORES)
        # a summary, because buckets for every version would make twenty times the series
        self.version_score = Summary(
            *self._named("sqlassay_version_score", "Composite score of evaluations, by the agent's version.", VERSION),
            registry=self.registry,
        )
        self.p_correct = histogram(
            "sqlassay_p_correct",
            "Probability that an answer is right, without memory, of scored evaluations.",
            BY,
            _PROBABILITIES,
        )
        self.enrichment_score = histogram(
            "sqlassay_enrichment_score", "Faithfulness of enriched questions, 0 to 100.", WHO, _SCORES
        )

    def _answers(self) -> None:
        count = self._counter
        self.judged_wrong = count(
            "sqlassay_judged_wrong", "Evaluations with verdict Potentially Incorrect or Incorrect.", BY
        )
        self.fallback = count(
            "sqlassay_fallback", "Evaluations with a local verdict because the model did not answer.", WHO
        )
        self.confidence = count("sqlassay_confidence", "Scored evaluations by confidence tier.", (*WHO, "confidence"))
        self.tier = count("sqlassay_tier", "Scored evaluations by tier.", (*WHO, "tier"))
        self.filter_status = count("sqlassay_filter_status", "Scored evaluations by filter status.", (*WHO, "status"))
        self.verdict = count("sqlassay_verdict", "Scored evaluations by verdict.", (*WHO, "verdict"))
        self.reason = count("sqlassay_reason", "Reason codes of scored evaluations.", (*WHO, "code"))
        self.answers = count("sqlassay_answers", "Answers by whether they are surely of no use.", (*WHO, "usable"))
        self.unscored = count("sqlassay_unscored", "Evaluations without a score.", (*WHO, "reason"))
        self.enrichment_status = count("sqlassay_enrichment_status", "Enriched questions by status.", (*WHO, "status"))

    def _rules(self) -> None:
        self.tier_bound = self._gauge(
            "sqlassay_tier_bound", "Lowest score of a tier under the rules in force.", ("tenant", "tier")
        )
        self.rules_version = self._gauge(
            "sqlassay_rules_version",
            "Version of the tenant's rules in force; 0 is the built-in default.",
            ("tenant",),
        )

    def _alarms(self) -> None:
        gauge, by = self._gauge, (*BY, "kind")
        self.alarm = gauge("sqlassay_agent_alarm", "1 while an agent's alarm of this kind is on, else 0.", by)
        self.alarm_evidence = gauge(
            "sqlassay_agent_alarm_evidence", "Share of the evidence that turns an agent's alarm on.", by
        )
        self.alarm_answers = gauge(
            "sqlassay_agent_alarm_answers", "Answers of an agent since one of its alarms last went on or off.", BY
        )
        self.silence = gauge(
            "sqlassay_agent_silence", "Answers expected since an agent's latest one, as a share of its bound.", WHO
        )
        self.alarm_failures = self._counter(
            "sqlassay_agent_alarm_failures", "Looks at new answers for the agents' alarms that failed."
        )

        self.incident = gauge(
            "sqlassay_incident_wrong_ratio",
            "Share judged wrong before and since an agent's fall, while its alarm is on.",
            (*WHO, "incident", "version", "since", "when"),
        )

    def _estimates(self) -> None:
        gauge = self._gauge
        self.estimate = gauge("sqlassay_estimate", "Estimated share of right answers of an agent with labels.", WHO)
        self.estimate_low = gauge("sqlassay_estimate_low", "Lower bound of its 90 % interval.", WHO)
        self.estimate_high = gauge("sqlassay_estimate_high", "Upper bound of its 90 % interval.", WHO)
        self.estimate_surely_below = gauge(
            "sqlassay_estimate_surely_below", "Upper bound of its 99.8 % interval, which pages go by.", WHO
        )
        self.estimate_labels = gauge("sqlassay_estimate_labels", "Labelled answers that the estimate uses.", WHO)
        self.estimate_verdicts = gauge("sqlassay_estimate_verdicts", "A model's verdicts that the estimate uses.", WHO)
        self.estimate_more_labels = gauge(
            "sqlassay_estimate_more_labels", "More labels that narrow the interval to ±5 points.", WHO
        )
        self.estimate_model_worse = gauge(
            "sqlassay_estimate_model_worse", "1 where the model agrees with later labels surely less than before.", WHO
        )

    def _references(self) -> None:
        self.reference_verdicts = self._counter(
            "sqlassay_reference_verdicts", "Answers that came with a reference, by verdict.", (*WHO, "verdict")
        )
        self.references_waiting = self._gauge(
            "sqlassay_references_waiting", "Answers waiting to be judged by their reference."
        )

    def _flow(self) -> None:
        count, gauge = self._counter, self._gauge
        self.consumed = count("sqlassay_consumed", "Records read from the stream.", ("trigger",))
        self.outcomes = count(
            "sqlassay_outcomes",
            "How consumed records ended; their sum is sqlassay_consumed.",
            ("trigger", "outcome", "reason"),
        )
        self.published = count(
            "sqlassay_published",
            "Events of HTTP requests, written to Kafka or rejected.",
            ("result",),
        )
        self.stalls = count("sqlassay_stalls", "Failed tries of a dependency that were retried.", ("dependency",))
        self.spans = count("sqlassay_spans", "OpenTelemetry spans, accepted or rejected.", ("fate",))
        self.no_answers = count(
            "sqlassay_traces_without_answer", "Traces that closed without an answer, by reason.", ("reason",)
        )
        self.attempts = Summary(
            *self._named(
                "sqlassay_answer_attempts", "Other queries that a trace has for the question of an answer.", WHO
            ),
            registry=self.registry,
        )
        self.spans_waiting = gauge("sqlassay_spans_waiting", "Spans waiting for the rest of their trace.")
        self.telemetry = count(
            "sqlassay_telemetry",
            "Spans and results for the OpenTelemetry collector.",
            ("signal", "end"),
        )
        self.faults = count("sqlassay_faults", "Unexpected exceptions, which the log describes.")
        self.processes_ended = count(
            "sqlassay_scoring_processes_ended", "Scoring processes that ended during a call, by reason.", ("reason",)
        )
        for reason in ("cpu", "clock", "killed", "crashed"):  # 0 from the start: the first end is a rise, too
            self.processes_ended.labels(reason)

    def _canaries(self) -> None:
        gauge = self._gauge
        self.canary_share_right = gauge(
            "sqlassay_canary_right_ratio", "Share of canaries whose latest answer is right.", WHO
        )
        self.canary_questions = gauge("sqlassay_canary_questions", "Canaries by their latest result.", (*WHO, "result"))
        self.canary_failures = gauge(
            "sqlassay_canary_failures", "Canaries whose latest asking failed, by reason.", (*WHO, "reason")
        )
        self.canary_time = gauge("sqlassay_canary_time_seconds", "When a canary was last asked, since 1970.", WHO)

    def _requests(self) -> None:
        histogram = self._histogram
        self.stage_seconds = histogram("sqlassay_stage_seconds", "Time of a stage per batch.", ("stage",), _SECONDS)
        self.batch_records = histogram("sqlassay_batch_records", "Records per batch.", (), _SIZES)
        self.request_seconds = histogram(
            "sqlassay_http_request_seconds", "Time of HTTP requests.", ("method", "route", "status"), _SECONDS
        )
        self.refused_tokens = self._counter(
            "sqlassay_refused_tokens", "HTTP requests refused for their token.", ("reason",)
        )
        self.queue = self._gauge("sqlassay_queue_records", "Records waiting in memory.")
        self.build = Info(
            *self._named("sqlassay_build", "Versions that determine scores.", ("evaluator_version", "judge"))[:2],
            registry=self.registry,
        )

    def _models(self) -> None:
        count = self._counter
        self.model_calls = count("sqlassay_model_calls", "Calls of the model, by how they ended.", ("end",))
        self.model_call_seconds = self._histogram(
            "sqlassay_model_call_seconds", "Time of a call of the model.", (), _CALL_SECONDS
        )
        self.model_cases = count("sqlassay_model_cases", "Cases for the model, by how they ended.", ("end",))
        self.model_no_reply = count(
            "sqlassay_model_no_reply", "Cases to which the model gave no reply, by cause.", ("cause",)
        )
        self.model_agreement = count(
            "sqlassay_model_agreement",
            "Cases that the model judged, by whether the local judge and the model call the answer right or wrong.",
            ("local", "model"),
        )
        self.model_tokens = count(
            "sqlassay_model_tokens", "Tokens sent to and received from the model.", ("tenant", "way")
        )
        self.model_cost = count(
            "sqlassay_model_cost", "Cost of model calls, in the currency of the price list.", ("tenant",)
        )
        self.currency = Info(
            *self._named("sqlassay_model_currency", "Currency of the price list, as ISO 4217.", ("currency",))[:2],
            registry=self.registry,
        )
        self.budget_spent = count(
            "sqlassay_model_budget_spent", "Calls not made because the tenant's daily budget is spent.", ("tenant",)
        )
        self.budget_left = self._gauge(
            "sqlassay_model_budget_left",
            "Rest of a tenant's daily budget that this process knows of, in tokens and in money.",
            ("tenant", "unit"),
        )
        self.breaker = self._gauge("sqlassay_model_breaker", "1 for the circuit breaker's present state.", ("state",))

    def _kafka(self) -> None:
        count, gauge = self._counter, self._gauge
        self.commits = count(
            "sqlassay_kafka_commits", "Offset commits by result: done, failed or not_assigned.", ("topic", "result")
        )
        self.lag = gauge(
            "sqlassay_kafka_lag_records",
            "Records of an assigned partition without an outcome yet.",
            ("topic", "partition"),
        )
        self.stuck = gauge(
            "sqlassay_kafka_stuck",
            "1 while a partition stands before a batch that cannot be read.",
            ("topic", "partition"),
        )
        self.age = self._histogram(
            "sqlassay_kafka_age_seconds", "Time from a record's publication to its outcome.", ("topic",), _AGES
        )
        self.paused = gauge("sqlassay_kafka_paused", "1 while fetching is paused.", ("topic",))
        self.rebalances = count("sqlassay_kafka_rebalances", "Assignments of partitions.", ("topic",))
        self.assigned = gauge("sqlassay_kafka_partitions", "Partitions assigned to this process.", ("topic",))
        self.dead_letters = count("sqlassay_dead_letters", "Dead letters written, by reason.", ("topic", "reason"))

    def _observed(self) -> None:
        gauge = self._gauge
        self.topic_partitions = gauge(
            "sqlassay_kafka_topic_partitions", "Partitions of a topic; 0 is none.", ("topic",)
        )
        self.leaderless = gauge("sqlassay_kafka_leaderless_partitions", "Partitions without a leader.", ("topic",))
        self.end_offset = gauge(
            "sqlassay_kafka_end_offset", "Offset of the next record of a partition.", ("topic", "partition")
        )
        group = ("group", "topic", "partition")
        self.committed_offset = gauge(
            "sqlassay_kafka_committed_offset", "Offset of the next record that a consumer group reads.", group
        )
        self.group_lag = gauge(
            "sqlassay_kafka_group_lag_records", "Records that a consumer group has not committed.", group
        )

    def _dependencies(self) -> None:
        gauge = self._gauge
        self.role = gauge("sqlassay_role", "1 for the role of this process.", ("role",))
        self.started = gauge("sqlassay_start_time_seconds", "When this process started, in seconds since 1970.")
        self.dependency_up = gauge(
            "sqlassay_dependency_up", "1 while a dependency of this process answers, else 0.", ("dependency",)
        )
        self.dependency_seconds = gauge(
            "sqlassay_dependency_seconds", "Time of the last probe of a dependency.", ("dependency",)
        )
        self.writable = gauge("sqlassay_postgresql_writable", "1 while PostgreSQL accepts writes, else 0.")
        self.schema_current = gauge("sqlassay_schema_current", "1 while no migration is pending, else 0.")
        self.clock_skew = gauge(
            "sqlassay_clock_skew_seconds", "How far the clock of PostgreSQL is ahead of this process's."
        )

    def _storage(self) -> None:
        count, gauge = self._counter, self._gauge
        self.housekeeping_time = gauge(
            "sqlassay_housekeeping_time_seconds", "When this process last finished the housekeeping, since 1970."
        )
        self.housekeeping_failures = count("sqlassay_housekeeping_failures", "Rounds of housekeeping that failed.")
        self.redis_failures = count("sqlassay_redis_failures", "Failed uses of Redis, by use.", ("use",))
        self.rules_unconfirmed = count(
            "sqlassay_rules_unconfirmed",
            "Batches scored with the last known rules because newer ones could not be read.",
        )
        self.rules_age = gauge("sqlassay_rules_age_seconds", "Seconds that newer rules have been unreadable.")
        self.partitions = gauge("sqlassay_partitions", "Days with a partition.")
        self.other_days_rows = gauge("sqlassay_other_days_rows", "Evaluations whose day has no partition.")
        self.expired_rows = count("sqlassay_expired_rows", "Evaluations deleted by retention.")
        self.expired_partitions = count("sqlassay_expired_partitions", "Partitions dropped by retention.")

    def _sinks(self) -> None:
        self.sink_scores = self._counter(
            "sqlassay_sink_scores", "Evaluations for a sink, by what became of them.", ("sink", "end")
        )
        self.sink_waiting = self._gauge(
            "sqlassay_sink_waiting_scores", "Evaluations that a sink has not got yet.", ("sink",)
        )
        self.sink_failures = self._counter(
            "sqlassay_sink_failures", "Rounds of sending to a sink that failed.", ("sink",)
        )

    def _histogram(self, name: str, text: str, labels: Sequence[str], buckets: Sequence[float]) -> Histogram:
        return Histogram(*self._named(name, text, labels), buckets=buckets, registry=self.registry)

    def _counter(self, name: str, text: str, labels: Sequence[str] = ()) -> Counter:
        return Counter(*self._named(name, text, labels), registry=self.registry)

    def _gauge(self, name: str, text: str, labels: Sequence[str] = ()) -> Gauge:
        return Gauge(*self._named(name, text, labels), registry=self.registry)

    def _named(self, name: str, text: str, labels: Sequence[str]) -> tuple[str, str, Sequence[str]]:
        self.labels[name] = tuple(labels)
        return name, text, labels
