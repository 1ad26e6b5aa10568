"""Counts events, requests and spans, and shows the rules in force."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from prometheus_client import generate_latest
from prometheus_client.metrics_core import Metric

from consumers.evaluation.event_evaluation import Evaluation, Scored
from consumers.evaluation.outcomes import Outcome, Trigger
from consumers.evaluation.unusable_answers import is_unusable
from consumers.spans.answers import attempts_of
from consumers.wire.span_source import SPAN_SOURCE
from scoring import EVALUATOR_VERSION
from scoring.query import Unscored
from scoring.rules import Rules
from service.logs import LimitedLine, digest, log
from service.metrics.alarm_metrics import AlarmMetrics
from service.metrics.bounded_labels import OTHER, AgentLabels, BoundedLabels, VersionLabels
from service.metrics.canary_metrics import CanaryMetrics
from service.metrics.declared import DeclaredMetrics
from service.metrics.dependency_metrics import DependencyMetrics
from service.metrics.estimate_metrics import EstimateMetrics
from service.metrics.incident_metrics import IncidentMetrics
from service.metrics.kafka_metrics import KafkaMetrics
from service.metrics.model_metrics import ModelMetrics
from service.metrics.reference_metrics import ReferenceMetrics
from service.metrics.silence_metrics import SilenceMetrics
from service.metrics.sink_metrics import SinkMetrics
from service.metrics.storage_metrics import StorageMetrics
from service.settings.observability_settings import MetricSettings
from service.storage.sums.statements import JUDGED_WRONG
from service.telemetry.export_counts import ExportOutcome, Signal

CONFIDENCE_TIERS = {1.0: "high", 0.8: "medium", 0.5: "low"}
"""Names of the confidence tiers by their multiplier Γ (STEF, equation 13)."""
_JUDGES = 6
"""Judges with a label of their own: a process has three policies and one model, whose name its server may change."""


_VERSIONS = 20
"""Versions of one agent with a label of their own, per process."""
_STALL_SECONDS = 30.0
"""Between two lines of the log about one dependency that fails."""


class Metrics:
    """The `Outcomes` that Prometheus scrapes."""

    def __init__(self, settings: MetricSettings, judge: str, currency: str = "USD") -> None:
        declared = DeclaredMetrics()
        self._of, self.registry = declared, declared.registry
        self._who = AgentLabels(tenants=BoundedLabels(settings.tenants), agents=BoundedLabels(settings.agents))
        self._stalls: dict[str, LimitedLine] = {}
        self._judges, self._versions = BoundedLabels(_JUDGES), VersionLabels(_VERSIONS)
        self.kafka = KafkaMetrics(declared)
        self.storage = StorageMetrics(declared)
        self.models = ModelMetrics(declared, self._who.tenants.label)
        self.alarms = AlarmMetrics(declared, self._who.label, self._judges)
        self.incidents = IncidentMetrics(declared, self._who.label)
        self.references = ReferenceMetrics(declared, self._who.label)
        self.silences = SilenceMetrics(declared, self._who.label)
        self.estimates = EstimateMetrics(declared, self._who.label)
        self.canaries = CanaryMetrics(declared, self._who.label)
        self.dependencies = DependencyMetrics(declared)
        self.sinks = SinkMetrics(declared)
        self.queue, self.spans_waiting = declared.queue, declared.spans_waiting
        declared.currency.info({"currency": currency})
        declared.build.info({"evaluator_version": EVALUATOR_VERSION, "judge": judge})

    def exposition(self) -> bytes:
        """The body of `/metrics`."""
        return generate_latest(self.registry)

    def consumed(self, count: int, trigger: Trigger = Trigger.LIVE) -> None:
        """Counts a batch taken from the stream."""
        self._of.consumed.labels(trigger.value).inc(count)
        self._of.batch_records.observe(count)

    def ended(self, outcomes: Sequence[Outcome]) -> None:
        """Counts how records ended."""
        for outcome in outcomes:
            self._of.outcomes.labels(outcome.trigger.value, outcome.kind.value, outcome.reason).inc()

    def evaluated(self, evaluation: Evaluation) -> None:
        """Counts a committed evaluation, except those of a backfill."""
        if evaluation.trigger is Trigger.BACKFILL:
            return
        who = self._who.label(evaluation.event.tenant, evaluation.event.agent)
        if evaluation.event.source == SPAN_SOURCE:
            self._of.attempts.labels(*who).observe(attempts_of(evaluation.event.attributes))
        self._answered(who, is_unusable(evaluation.result))
        match evaluation.result:
            case Unscored(reason=reason):
                self._of.unscored.labels(*who, reason.value).inc()
            case Scored() as score:
                version = self._versions.label(who, evaluation.event.agent_version)
                self._of.version_score.labels(*who, version).observe(score.composite.score)
                self._scored(who, score)
                if evaluation.event.enriched_question is not None:
                    self._of.enrichment_score.labels(*who).observe(score.enrichment.score)

    def _answered(self, who: tuple[str, str], unusable: bool | None) -> None:
        if unusable is not None:
            # also what adds 0, so that the first answers of either kind are an increase
            self._of.answers.labels(*who, "no").inc(unusable)
            self._of.answers.labels(*who, "unknown").inc(not unusable)

    def _scored(self, who: tuple[str, str], score: Scored) -> None:
        by = (*who, self._judges.label(score.judge_label), EVALUATOR_VERSION)
        self._of.score.labels(*by).observe(score.composite.score)
        self._of.p_correct.labels(*by).observe(score.reply.p_correct)
        # also when it adds 0, so that the series exists and the share judged wrong can be computed
        self._of.judged_wrong.labels(*by).inc(score.reply.verdict.value in JUDGED_WRONG)
        self._of.fallback.labels(*who).inc(score.reply.fallback)
        self._of.confidence.labels(*who, CONFIDENCE_TIERS[score.composite.multiplier]).inc()
        self._of.tier.labels(*who, score.tier.value).inc()
        self._of.filter_status.labels(*who, score.filter_status.value).inc()
        self._of.verdict.labels(*who, score.reply.verdict.value).inc()
        for code in {reason.code.value for reason in score.reply.reasons}:
            self._of.reason.labels(*who, code).inc()
        self._of.enrichment_status.labels(*who, score.enrichment.status.value).inc()

    def stage_took(self, stage: str, seconds: float) -> None:
        """Observes the time of a stage."""
        self._of.stage_seconds.labels(stage).observe(seconds)

    def answered(self, method: str, route: str, status: int, seconds: float) -> None:
        """Observes the time of an HTTP request."""
        self._of.request_seconds.labels(method, route, str(status)).observe(seconds)

    def token_refused(self, reason: str) -> None:
        """Counts a request that was refused for its token."""
        self._of.refused_tokens.labels(reason).inc()

    def rules_in_force(self, rules: Mapping[str, Rules]) -> None:
        """Shows the tier bounds and rules versions in force."""
        for tenant, each in rules.items():
            label = self._who.tenants.label(tenant)
            if label == OTHER:
                continue
            bounds = {"excellent": each.tiers.excellent, "good": each.tiers.good, "marginal": each.tiers.marginal}
            for tier, bound in bounds.items():
                self._of.tier_bound.labels(label, tier).set(bound)
            self._of.rules_version.labels(label).set(each.version)

    def spans_received(self, taken: int, rejected: int) -> None:
        """Counts the spans of one export."""
        self._of.spans.labels("taken").inc(taken)
        self._of.spans.labels("rejected").inc(rejected)

    def trace_without_answer(self, reason: str) -> None:
        """Counts a trace that closed without an answer."""
        self._of.no_answers.labels(reason).inc()

    def record_export(self, signal: Signal, outcome: ExportOutcome, count: int) -> None:
        """Counts spans or results for the collector by outcome."""
        self._of.telemetry.labels(signal, outcome).inc(count)

    def published(self, rejected: Sequence[Outcome], count: int) -> None:
        """Counts the events of a request: those rejected, and the rest as written to Kafka."""
        self._of.published.labels("rejected").inc(len(rejected))
        self._of.published.labels("written").inc(count - len(rejected))

    def stalled(self, dependency: str, error: Exception) -> None:
        """Counts a failed try of a dependency, and logs some of the causes."""
        self._of.stalls.labels(dependency).inc()
        if dependency not in self._stalls:
            # one limit for all would let one dependency hide another
            self._stalls[dependency] = LimitedLine("dependency_stalled", seconds=_STALL_SECONDS)
        self._stalls[dependency].warning(dependency=dependency, error=str(error))

    def process_ended(self, reason: str) -> None:
        """Counts a scoring process that ended during a call."""
        self._of.processes_ended.labels(reason).inc()

    def failed(self, where: str, error: Exception) -> None:
        """Counts and logs a bug."""
        self._of.faults.inc()
        log.error("fault", where=digest(where), error=type(error).__name__, exc_info=error)

    def declared(self) -> list[tuple[str, str, str]]:
        """Name, type and help of every metric, as exposed."""
        families: list[Metric] = list(self.registry.collect())
        return [(family.name, family.type, family.documentation) for family in families]

    def labels(self, name: str) -> tuple[str, ...]:
        """The label names of a metric."""
        return self._of.labels[name]
