"""The steps of learning rules that ask no model: parts, clusters, hard cases, and which rules are kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from learning.rules.clustering import cluster_alike, cluster_at_random, cluster_by_kind, tfidf
from learning.rules.examples import (
    JudgedExample,
    LabelledExample,
    LearningStopped,
    RuleSet,
    SourcedRule,
    distinct_set,
)
from learning.rules.figures import agreement, gain_interval, is_worse, measured_rules, sound_rules
from learning.rules.learner import PART, LearningPolicy, LearnRules, in_parts
from learning.rules.refinement import HardCases
from learning.rules.splitting import split_labels
from scoring.learned_rules import LONGEST_RULE, MOST_CHARACTERS, LearnedRule, RuleSide

NOUNS = ("loaves", "lamps", "rides", "visits")


def example(number: int, *, group: str | None = None, correct: bool | None = None) -> LabelledExample:
    noun = NOUNS[number % len(NOUNS)]
    return LabelledExample(
        id=f"{number:03}",
        question=f"Which {noun} are {noun} of {noun}, number {number}?",
        correct=number % 3 > 0 if correct is None else correct,
        group=f"g{number // 2}" if group is None else group,
        kind=noun,
    )


def rule(text: str, side: RuleSide = RuleSide.SUPPORTS_WRONG, labels: int = 1) -> SourcedRule:
    return SourcedRule(rule=LearnedRule(side=side, text=text), labels=tuple(str(each) for each in range(labels)))


EXAMPLES = [example(number) for number in range(120)]


@pytest.mark.parametrize("learn_from", [None, 20, 60, 117])
@pytest.mark.parametrize("seed", [0, 7])
def test_parts_share_no_group_and_do_not_depend_on_the_order_of_labels(learn_from: int | None, seed: int) -> None:
    split = split_labels(EXAMPLES, learn_from=learn_from, seed=seed)
    parts = (split.train, split.chosen_by, split.held_out)
    groups = [{each.group for each in part} for part in parts]
    assert sum(map(len, groups)) == len(set[str]().union(*groups))
    assert sorted(each.id for part in parts for each in part) == [each.id for each in EXAMPLES]
    assert split == split_labels(EXAMPLES[::-1], learn_from=learn_from, seed=seed)
    if learn_from is not None:
        assert learn_from - 1 <= len(split.train) + len(split.chosen_by) <= learn_from


@pytest.mark.parametrize(
    ("examples", "said"),
    [
        ([example(number, group="one") for number in range(9)], "cannot be split"),
        ([example(number, group=str(number % 2)) for number in range(9)], "cannot be split"),
        ([], "cannot be split"),
        ([example(number, correct=False) for number in range(40)], "say wrong"),
    ],
)
def test_labels_from_which_nothing_can_be_learned_are_refused(examples: list[LabelledExample], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        split_labels(examples, learn_from=None, seed=0)


@pytest.mark.slow  # takes over a second
@pytest.mark.parametrize("size", [4, 15, 60])
def test_clusters_hold_each_answer_once_and_are_neither_tiny_nor_huge(size: int) -> None:
    vectors = tfidf([each.question for each in EXAMPLES])
    clusters = cluster_alike(EXAMPLES, vectors, size=size, seed=0)
    assert Counter(each for cluster in clusters for each in cluster) == Counter(EXAMPLES)
    assert all(len(cluster) <= 2 * size for cluster in clusters)
    assert clusters == cluster_alike(EXAMPLES, vectors, size=size, seed=0)


def test_questions_about_one_thing_are_in_one_cluster_and_random_groups_are_mixed() -> None:
    alike = cluster_alike(EXAMPLES, tfidf([each.question for each in EXAMPLES]), size=30, seed=0)
    assert all(len({each.kind for each in cluster}) == 1 for cluster in alike)
    assert all(len({each.kind for each in cluster}) > 1 for cluster in cluster_at_random(EXAMPLES, size=30, seed=0))
    by_kind = cluster_by_kind(EXAMPLES, size=10)
    assert all(len({each.kind for each in cluster}) == 1 and len(cluster) <= 20 for cluster in by_kind)


@pytest.mark.parametrize(
    "questions", [["same"] * 50, [""] * 50, ["?!"] * 49 + ["word"], ["日本 語"] * 25 + ["où"] * 25]
)
def test_questions_that_cannot_be_told_apart_are_cut_by_size(questions: list[str]) -> None:
    examples = EXAMPLES[: len(questions)]
    clusters = cluster_alike(examples, tfidf(questions), size=10, seed=0)
    assert sum(map(len, clusters)) == 50
    assert max(map(len, clusters)) <= 20


def test_vectors_of_zeros_and_of_one_direction_are_clustered_too() -> None:
    for vectors in (np.zeros((50, 3)), np.ones((50, 3)), np.eye(50)):
        clusters = cluster_alike(EXAMPLES[:50], vectors, size=10, seed=0)
        assert sum(map(len, clusters)) == 50
        assert max(map(len, clusters)) <= 20


def judged(number: int, *, agrees: bool) -> JudgedExample:
    each = EXAMPLES[number]
    return JudgedExample(example=each, right=each.correct is agrees)


def test_a_misjudged_answer_counts_twice_as_much_each_time_and_some_others_stay() -> None:
    hard = HardCases()
    rounds = [[judged(number, agrees=number > 5) for number in range(40)] for _ in range(4)]
    shown = [Counter(each.example.id for each in hard.samples(each)) for each in rounds]
    assert [each["003"] for each in shown] == [1, 2, 4, 4]
    assert all(sum(1 for name in each if int(name) > 5) == 3 for each in shown)
    healed = hard.samples([judged(number, agrees=number != 9) for number in range(40)])
    # what was misjudged before is shown first among the well-judged
    assert [each.example.id for each in healed] == ["009", "000"]


def test_rules_of_both_sides_with_one_text_are_dropped_and_repeats_join_their_labels() -> None:
    same, again = rule("The SQL sorts by name.", labels=2), rule("the sql  sorts by name", labels=5)
    other, contrary = rule("The SQL counts twice."), rule("The SQL counts twice!", RuleSide.SUPPORTS_RIGHT)
    [kept] = distinct_set([same, other, again, contrary])
    assert (kept.rule, len(kept.labels)) == (same.rule, 5)


def test_a_set_never_exceeds_what_a_prompt_holds() -> None:
    long = [rule(f"{place:03} " + "long text " * 39, labels=place) for place in range(100)]
    kept = distinct_set(long)
    assert sum(len(each.rule.text) for each in kept) <= MOST_CHARACTERS < 40 * LONGEST_RULE
    assert len(kept[0].labels) == 99


def test_precision_counts_the_answers_a_rule_was_applied_to() -> None:
    rules = (rule("The first rule."), rule("The second rule.", RuleSide.SUPPORTS_RIGHT), rule("The third rule."))
    said = [
        JudgedExample(example=example(number, correct=number < 2), right=False, applied=(1, 2)) for number in range(5)
    ]
    first, second, third = measured_rules(rules, said)
    assert [(each.precision, each.support) for each in (first, second, third)] == [(0.6, 5), (0.4, 5), (None, 0)]
    assert sound_rules((first, second, third), least_support=3, least_precision=0.5) == (first,)
    figures = agreement([*said, JudgedExample(example=example(1, correct=True), right=None)])
    assert (figures.accuracy, figures.precision, figures.recall, figures.unjudged) == (0.5, None, 0.0, 1)


def test_rules_that_accept_everything_are_worse_where_nearly_all_labels_say_right() -> None:
    labels = [example(number, correct=number > 3) for number in range(40)]
    # judges a quarter of the right ones wrong, and finds every wrong one
    careful = agreement([JudgedExample(example=each, right=each.correct and int(each.id) % 4 > 0) for each in labels])
    credulous = agreement([JudgedExample(example=each, right=True) for each in labels])
    assert credulous.accuracy > careful.accuracy
    assert is_worse(credulous, careful)
    assert not is_worse(careful, careful)


def test_parts_of_many_rules_each_hold_rules_of_all_clusters() -> None:
    many = tuple(rule(f"Rule number {number} of many.") for number in range(2 * PART + 1))
    parts = in_parts(many)
    assert len(parts) == 3
    assert all(len(part) <= PART for part in parts)
    assert sorted(str(each) for part in parts for each in part) == sorted(map(str, many))
    assert in_parts(()) == [()]


@dataclass
class StubbornWriter:
    """Writes so many rules for each request, and never fewer when it is to join them."""

    rules: int
    asked: list[int] = field(default_factory=list[int])

    async def extract(self, examples: Sequence[LabelledExample]) -> RuleSet:
        return tuple(rule(f"Rule {number} of the cluster {examples[0].id}.") for number in range(self.rules))

    async def refine(self, rules: RuleSet, samples: Sequence[JudgedExample]) -> RuleSet:
        return ()

    async def consolidate(self, rules: RuleSet) -> RuleSet:
        self.asked.append(len(rules))
        return rules


@dataclass
class Believer:
    """Judges every answer right; stops after so many judgements."""

    most: int = 10_000

    async def judge(self, rules: RuleSet, examples: Sequence[LabelledExample]) -> list[JudgedExample]:
        self.most -= len(examples)
        if self.most < 0:
            raise LearningStopped("spent")
        return [JudgedExample(example=each, right=True, applied=(1,) if rules else ()) for each in examples]


async def test_a_writer_that_joins_nothing_ends_and_the_best_round_of_a_cluster_counts() -> None:
    split = split_labels(EXAMPLES, learn_from=None, seed=0)
    clusters = cluster_at_random(split.train, size=8, seed=0)
    writer = StubbornWriter(rules=40)
    learned = await LearnRules(writer=writer, judge=Believer(), policy=LearningPolicy())(split, clusters)
    assert max(writer.asked) <= PART
    assert all(len(each.rules) == 40 and each.rounds == 0 for each in learned.clusters if each.accuracy < 0.9)
    assert 0 < len(learned.rules) <= 40
    assert learned.before == learned.after


@dataclass
class KeepingWriter(StubbornWriter):
    """Keeps the rules that it is to join."""

    seen: list[SourcedRule] = field(default_factory=list[SourcedRule])

    async def consolidate(self, rules: RuleSet) -> RuleSet:
        self.seen += rules
        return rules


async def test_rules_are_joined_with_the_precision_and_support_that_they_had_in_their_clusters() -> None:
    split = split_labels(EXAMPLES, learn_from=None, seed=0)
    clusters = cluster_at_random(split.train, size=8, seed=0)
    writer = KeepingWriter(rules=2)
    await LearnRules(writer=writer, judge=Believer(), policy=LearningPolicy())(split, clusters)
    first = [each for each in writer.seen if each.rule.text.startswith("Rule 0")]
    assert len(first) == len(clusters)
    assert {each.support for each in first} == {len(each) for each in clusters}
    assert all(each.precision is not None and 0 < each.precision < 1 for each in first)


def test_a_rule_of_two_clusters_has_the_figures_of_both() -> None:
    one, other = (replace(rule("The same rule."), precision=p, support=n) for p, n in ((0.5, 4), (1.0, 12)))
    [both] = distinct_set([one, other, rule("Another rule.", labels=0)])[:1]
    assert (both.precision, both.support) == (0.875, 16)


async def test_what_stops_one_cluster_stops_the_run() -> None:
    split = split_labels(EXAMPLES, learn_from=None, seed=0)
    clusters = cluster_at_random(split.train, size=8, seed=0)
    learn = LearnRules(writer=StubbornWriter(rules=1), judge=Believer(most=60), policy=LearningPolicy())
    with pytest.raises(LearningStopped, match="spent"):
        await learn(split, clusters)


@pytest.mark.parametrize(("groups", "size"), [(8, 3), (20, 3), (60, 1)])
@pytest.mark.parametrize(("better", "worse"), [(0.1, 0.1), (0.3, 0.02), (0.02, 0.0)])
def test_the_interval_of_a_gain_holds_the_gain_where_a_group_changes_as_one(
    groups: int, size: int, better: float, worse: float
) -> None:
    dice = np.random.default_rng(groups)
    held = 0
    for _ in range(500):
        changed = dice.choice([size, -size, 0], groups, p=[better, worse, 1 - better - worse]).tolist()
        _, low, high = gain_interval([(each, size) for each in changed])
        held += low <= better - worse <= high
    assert held / 500 >= 0.87
