"""The whole pipeline: rules of each cluster, refined, consolidated, and the best set by labels that gave no rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from learning.rules.examples import (
    Cluster,
    JudgedExample,
    LabelledExample,
    RuleJudge,
    RuleSet,
    RuleWriter,
    distinct_set,
)
from learning.rules.figures import RuleAgreement, RuleChange, agreement, measured_rules, rule_change, sound_rules
from learning.rules.refinement import HardCases
from learning.rules.splitting import SplitLabels
from learning.rules.together import together


class LearningStep(StrEnum):
    """A step that can be left out, to measure what it gives."""

    CLUSTERS = "clusters"
    REFINEMENT = "refinement"
    CONSOLIDATION = "consolidation"


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningPolicy:
    """When a cluster's rules are good enough, and which rules are kept."""

    threshold: float = 0.9
    """θ: accuracy on its own cluster from which rules are not refined."""
    rounds: int = 3
    """T: most refinements of a cluster's rules."""
    least_support: int = 3
    """Training labels that a consolidated rule must have been applied to; others are narrow."""
    least_precision: float = 0.5
    consolidate: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterRules:
    """The best rules of a cluster."""

    rules: RuleSet
    accuracy: float
    rounds: int
    """Refinements that were made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedSet:
    """The chosen set, with its figures."""

    rules: RuleSet
    """Empty where no rules could be read from the labels."""
    clusters: tuple[ClusterRules, ...]
    candidates: Mapping[str, float]
    """Accuracy of each candidate on the labels that choose."""
    before: RuleAgreement
    """On held-out labels, without rules."""
    after: RuleAgreement
    change: RuleChange


def unreported(step: str) -> None:
    """Reports nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnRules:
    """Learns a set of rules."""

    writer: RuleWriter
    judge: RuleJudge
    policy: LearningPolicy
    report: Callable[[str], None] = field(default=unreported)
    """Told about each finished step."""

    async def __call__(self, labels: SplitLabels, clusters: Sequence[Cluster]) -> LearnedSet:
        """Learns from the clusters of the training labels; raises `LearningStopped`."""
        without = await self.judge.judge((), labels.held_out)
        before = agreement(without)
        self.report(f"without rules: accuracy {before.accuracy:.3f} on {before.labels} held-out labels")
        local = await together([self._of_cluster(each) for each in clusters])
        candidates = await self._candidates(local, labels.train)
        accuracies = {name: await self._accuracy(rules, labels.chosen_by) for name, rules in candidates.items()}
        for name, accuracy in accuracies.items():
            self.report(f"{name}: {len(candidates[name])} rules, accuracy {accuracy:.3f} where sets are chosen")
        # of equal sets the one with fewer rules
        best = max(accuracies, key=lambda name: (accuracies[name], -len(candidates[name])), default=None)
        rules = candidates[best] if best is not None else ()
        ruled = await self.judge.judge(rules, labels.held_out) if rules else without
        return LearnedSet(
            rules=rules,
            clusters=tuple(local),
            candidates=accuracies,
            before=before,
            after=agreement(ruled),
            change=rule_change(without, ruled),
        )

    async def _of_cluster(self, cluster: Cluster) -> ClusterRules:
        """Extracts, evaluates on the cluster itself and refines, until θ or T; the best round counts."""
        rules, hard = distinct_set(await self.writer.extract(cluster)), HardCases()
        best = ClusterRules(rules=(), accuracy=-1.0, rounds=0)
        for done in range(self.policy.rounds + 1):
            judged = await self.judge.judge(rules, cluster)
            accuracy = agreement(judged).accuracy
            if accuracy > best.accuracy:
                best = ClusterRules(rules=measured_rules(rules, judged), accuracy=accuracy, rounds=done)
            if accuracy >= self.policy.threshold or done == self.policy.rounds:
                break
            rules = distinct_set(await self.writer.refine(rules, hard.samples(judged)))
        self.report(f"cluster of {len(cluster)}: {len(best.rules)} rules, accuracy {best.accuracy:.3f} on itself")
        return best

    async def _candidates(self, local: Sequence[ClusterRules], train: Sequence[LabelledExample]) -> dict[str, RuleSet]:
        """The sets to choose from that have rules."""
        union = distinct_set([rule for each in local for rule in each.rules], most=10_000)
        found: dict[str, RuleSet] = {"union": distinct_set(union)}
        if self.policy.consolidate and union:
            found["consolidated"] = await self._consolidated(union)
        measured = {name: measured_rules(rules, await self._judged(rules, train)) for name, rules in found.items()}
        if "consolidated" in measured:
            measured["without narrow rules"] = sound_rules(
                measured["consolidated"],
                least_support=self.policy.least_support,
                least_precision=self.policy.least_precision,
            )
        return {name: rules for name, rules in measured.items() if rules}

    async def _consolidated(self, rules: RuleSet) -> RuleSet:
        """One set from all clusters; where a prompt cannot hold them, parts are consolidated first."""
        while len(parts := in_parts(rules)) > 1:
            merged = await together([self.writer.consolidate(part) for part in parts])
            fewer = distinct_set([rule for part in merged for rule in part], most=10_000)
            if len(fewer) >= len(rules):
                fewer = fewer[: PART // 2]
            rules = fewer
        return distinct_set(await self.writer.consolidate(rules)) if rules else ()

    async def _accuracy(self, rules: RuleSet, examples: Sequence[LabelledExample]) -> float:
        return agreement(await self._judged(rules, examples)).accuracy

    async def _judged(self, rules: RuleSet, examples: Sequence[LabelledExample]) -> list[JudgedExample]:
        return await self.judge.judge(rules, examples) if rules else []


PART = 80
"""Most rules that are consolidated at once."""


def in_parts(rules: RuleSet) -> list[RuleSet]:
    """The rules in parts of at most `PART`; rules of all clusters are in each, so that repeats can meet."""
    count = max(1, -(-len(rules) // PART))
    return [rules[place::count] for place in range(count)]
