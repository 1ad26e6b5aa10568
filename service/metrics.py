"""Every metric there is: named by what happened, with bounded labels, in a registry of our own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Info, generate_latest
from prometheus_client.metrics_core import Metric

from consumers.evaluation import Evaluation
from consumers.outcomes import Outcome, Trigger
from scoring import EVALUATOR_VERSION
from scoring.query import Unscored
from scoring.rules import JudgePolicy, Rules
from scoring.verdict import Score
from service.judge_metrics import JudgeMetrics
from service.kafka_metrics import KafkaMetrics
from service.logs import digest, log
from service.reference_metrics import ReferenceMetrics
from service.reports import JUDGED_WRONG
from service.settings import MetricSettings
from service.storage_metrics import StorageMetrics
from service.telemetry.counts import End, Signal

CONFIDENCE_TIERS = {1.0: "high", 0.8: "medium", 0.5: "low"}
"""Names of the confidence tiers by their multiplier Γ (eq. 13)."""
OTHER = "other"
"""Label of tenants and agents beyond the bound."""
_WHO = ("tenant", "agent")
_BY = (*_WHO, "judge", "evaluator")
"""Whose answer, and the instrument that measured it: only like is compared with like."""
_SCORES = (10, 20, 30, 40, 50, 60, 70, 75, 80, 85, 90, 95, 100)
"""Bucket bounds of scores in [0, 100]; the default tier bounds are among them."""
_PROBABILITIES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_SIZES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)


@dataclass(slots=True)
class Bounded:
    """Label values: the first `most` seen keep their name, all later ones are `other`.

    >>> names = Bounded(1)
    >>> names.label("atlas"), names.label("comet"), names.label("atlas")
    ('atlas', 'other', 'atlas')
    """

    most: int
    seen: set[str] = field(default_factory=set[str])

    def label(self, name: str | None) -> str:
        """The label of a name; unknown is `other` too."""
        if name is None:
            return OTHER
        if name not in self.seen:
            if len(self.seen) >= self.most:
                return OTHER
            self.seen.add(name)
        return name


def instrument(score: Score) -> str:
    """What judged an answer, as its tenant's policy has it: a cascade is one instrument, whoever of its two answered.

    A fallback keeps the label of the judge that was to answer, and is counted beside.
    """
    reply, policy = score.reply, score.case.rules.judge.policy
    if policy is JudgePolicy.LOCAL:
        return reply.judge
    return f"{policy.value}:{reply.model}" if reply.model and policy is JudgePolicy.LLM else policy.value


class Metrics:
    """The `Outcomes` that Prometheus scrapes."""

    def __init__(self, settings: MetricSettings, judge: str) -> None:
        self.registry = CollectorRegistry()
        self._tenants, self._agents = Bounded(settings.tenants), Bounded(settings.agents)
        self._declare_scores()
        self._declare_flow()
        self.kafka = KafkaMetrics(self.registry)
        self.storage = StorageMetrics(self.registry)
        self.models = JudgeMetrics(self.registry, self._tenants.label)
        self.references = ReferenceMetrics(self.registry, self._tenants.label, self._agents.label)
        self._build.info({"evaluator_version": EVALUATOR_VERSION, "judge": judge})

    def _declare_scores(self) -> None:
        count, histogram = self._counter, self._histogram
        self._score = histogram("sqlassay_score", "Composite score of evaluations, 0 to 100.", _BY, _SCORES)
        self._p_correct = histogram(
            "sqlassay_p_correct", "Probability that an answer is right, of scored evaluations.", _BY, _PROBABILITIES
        )
        self._wrong = count(
            "sqlassay_judged_wrong", "Evaluations with verdict Potentially Incorrect or Incorrect.", _BY
        )
        self._fallback = count(
            "sqlassay_fallback", "Evaluations with a local verdict because the model could not be asked.", _WHO
        )
        self._confidence = count("sqlassay_confidence", "Scored evaluations by confidence tier.", (*_WHO, "confidence"))
        self._tier = count("sqlassay_tier", "Scored evaluations by tier.", (*_WHO, "tier"))
        self._status = count("sqlassay_filter_status", "Scored evaluations by filter status.", (*_WHO, "status"))
        self._verdict = count("sqlassay_verdict", "Scored evaluations by verdict.", (*_WHO, "verdict"))
        self._reason = count("sqlassay_reason", "Reason codes of scored evaluations.", (*_WHO, "code"))
        self._unscored = count("sqlassay_unscored", "Evaluations without a score.", (*_WHO, "reason"))
        self._enrichment = count("sqlassay_enrichment_status", "Enriched questions by status.", (*_WHO, "status"))
        self._enrichment_score = histogram(
            "sqlassay_enrichment_score", "Faithfulness of the enriched questions there are, 0 to 100.", _WHO, _SCORES
        )

    def _declare_flow(self) -> None:
        count, histogram = self._counter, self._histogram
        self._consumed = count("sqlassay_consumed", "Records taken from the stream.", ("trigger",))
        self._outcomes = count(
            "sqlassay_outcomes",
            "How consumed records ended; their sum is sqlassay_consumed.",
            ("trigger", "outcome", "reason"),
        )
        self._published = count(
            "sqlassay_published",
            "Events of HTTP requests by what became of them: written to Kafka or rejected.",
            ("result",),
        )
        self._stalls = count(
            "sqlassay_stalls", "Tries of a dependency that did not answer and was asked again.", ("dependency",)
        )
        self._spans = count("sqlassay_spans", "OpenTelemetry spans taken, and those rejected.", ("fate",))
        self.spans_waiting = Gauge(
            "sqlassay_spans_waiting", "Spans held for the rest of their trace.", registry=self.registry
        )
        self._telemetry = count(
            "sqlassay_telemetry", "Spans and results for the OpenTelemetry collector, by their end.", ("signal", "end")
        )
        self._faults = count("sqlassay_faults", "Bugs caught while scoring; the log names them.")
        self._stage = histogram("sqlassay_stage_seconds", "Time a stage took per batch.", ("stage",), _SECONDS)
        self._batch = histogram("sqlassay_batch_records", "Records per batch.", (), _SIZES)
        self._request = histogram(
            "sqlassay_http_request_seconds", "Time of HTTP requests.", ("method", "route", "status"), _SECONDS
        )
        self.queue = Gauge("sqlassay_queue_records", "Records waiting in memory.", registry=self.registry)
        bound = "Lowest score of a tier under the rules in force."
        self._bound = Gauge("sqlassay_tier_bound", bound, ("tenant", "tier"), registry=self.registry)
        version = "Version of the tenant's rules in force; 0 is the built-in default."
        self._rules_version = Gauge("sqlassay_rules_version", version, ("tenant",), registry=self.registry)
        self._build = Info("sqlassay_build", "Versions that decide scores.", registry=self.registry)

    def _histogram(self, name: str, text: str, labels: Sequence[str], buckets: Sequence[float]) -> Histogram:
        return Histogram(name, text, labels, buckets=buckets, registry=self.registry)

    def _counter(self, name: str, text: str, labels: Sequence[str] = ()) -> Counter:
        return Counter(name, text, labels, registry=self.registry)

    def exposition(self) -> bytes:
        """What `/metrics` answers."""
        return generate_latest(self.registry)

    def consumed(self, count: int, trigger: Trigger = Trigger.LIVE) -> None:
        """Counts a batch taken from the stream."""
        self._consumed.labels(trigger.value).inc(count)
        self._batch.observe(count)

    def ended(self, outcomes: Sequence[Outcome]) -> None:
        """Counts how records ended."""
        for outcome in outcomes:
            self._outcomes.labels(outcome.trigger.value, outcome.kind.value, outcome.reason).inc()

    def evaluated(self, evaluation: Evaluation) -> None:
        """Counts a committed row, unless it is about the past."""
        if evaluation.trigger is Trigger.BACKFILL:
            return
        who = (self._tenants.label(evaluation.event.tenant), self._agents.label(evaluation.event.agent))
        match evaluation.result:
            case Unscored(reason=reason):
                self._unscored.labels(*who, reason.value).inc()
            case Score() as score:
                self._scored(who, score)

    def _scored(self, who: tuple[str, str], score: Score) -> None:
        by = (*who, instrument(score), EVALUATOR_VERSION)
        self._score.labels(*by).observe(score.composite.score)
        self._p_correct.labels(*by).observe(score.reply.p_correct)
        # also where it adds nothing: a share of none is 0, and a series that is not there is no share
        self._wrong.labels(*by).inc(score.reply.verdict.value in JUDGED_WRONG)
        self._fallback.labels(*who).inc(score.reply.fallback)
        self._confidence.labels(*who, CONFIDENCE_TIERS[score.composite.multiplier]).inc()
        self._tier.labels(*who, score.tier.value).inc()
        self._status.labels(*who, score.case.filters.status.value).inc()
        self._verdict.labels(*who, score.reply.verdict.value).inc()
        for code in {reason.code.value for reason in score.reply.reasons}:
            self._reason.labels(*who, code).inc()
        self._enrichment.labels(*who, score.case.enrichment.status.value).inc()
        if score.case.query.enriched_question is not None:
            self._enrichment_score.labels(*who).observe(score.case.enrichment.score)

    def took(self, stage: str, seconds: float) -> None:
        """Observes a stage's time."""
        self._stage.labels(stage).observe(seconds)

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Observes an HTTP request."""
        self._request.labels(method, route, str(status)).observe(seconds)

    def ruled(self, rules: Mapping[str, Rules]) -> None:
        """Shows the tier bounds in force."""
        for tenant, each in rules.items():
            label = self._tenants.label(tenant)
            if label == OTHER:
                continue
            bounds = {"excellent": each.tiers.excellent, "good": each.tiers.good, "marginal": each.tiers.marginal}
            for tier, bound in bounds.items():
                self._bound.labels(label, tier).set(bound)
            self._rules_version.labels(label).set(each.version)

    def spanned(self, taken: int, rejected: int) -> None:
        """Counts spans of one export."""
        self._spans.labels("taken").inc(taken)
        self._spans.labels("rejected").inc(rejected)

    def told(self, signal: Signal, end: End, count: int) -> None:
        """Counts what became of spans and results for the collector."""
        self._telemetry.labels(signal, end).inc(count)

    def published(self, rejected: Sequence[Outcome], count: int) -> None:
        """Counts the events of a request that went to Kafka, all but those rejected."""
        self._published.labels("rejected").inc(len(rejected))
        self._published.labels("written").inc(count - len(rejected))

    def stalled(self, dependency: str) -> None:
        """Counts a try in vain."""
        self._stalls.labels(dependency).inc()

    def failed(self, where: str, error: Exception) -> None:
        """Counts and logs a bug."""
        self._faults.inc()
        log.error("fault", where=digest(where), error=type(error).__name__, exc_info=error)

    def declared(self) -> list[tuple[str, str, str]]:
        """Name, type and help of every metric, as they are exposed."""
        families: list[Metric] = list(self.registry.collect())
        return [(family.name, family.type, family.documentation) for family in families]
