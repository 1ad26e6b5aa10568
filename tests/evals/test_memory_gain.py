"""What memory adds, on shuffled streams of published agents; prints the tables of docs/trust.md."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from statistics import fmean, stdev

import pytest

from evals.agreement import Judged
from evals.by_agent import ByAgent, by_agent
from learning.calibration import calibrate
from scoring.evaluation import examine
from scoring.memory.asked import asked_question
from scoring.memory.decision import weigh_context
from scoring.memory.facts import facts_of
from scoring.memory.remembered import RememberedAnswer
from scoring.memory.tenant_memory import TenantMemory
from scoring.rules import Rules
from scoring.verdict import Case, Reply
from service.commands.eval.labelled_answers import read_labelled_answers
from service.commands.learn.calibrate import read_labels
from service.judges.weights import local_judge
from tests.development import labels_path

FIGURES = ("auc", "same_question", "top_33", "sure_wrong", "sure_right")
STREAMS = {10: 16, 4: 48, 2: 45}
"""Shuffled streams by the number of their agents."""
TRAINED_ON = {"dev_bugs": 1.0, "dev_spider_ex": 0.9, "train_spider_ex": 0.1}
"""Other sets that the weights are fitted to, with their weights."""


@dataclass(frozen=True, slots=True)
class PublishedAnswer:
    """A labelled answer as the judge sees it, without and with its agent and question held out."""

    remembered: RememberedAnswer
    reply: Reply
    held_out: Reply
    correct: bool

    def judged(self, reply: Reply) -> Judged:
        asked, agent = self.remembered.asked, self.remembered.agent
        return Judged(
            id="", correct=self.correct, p_correct=reply.p_correct, group="", fields={}, question=asked.key, agent=agent
        )


@pytest.fixture(scope="module")
def published() -> list[PublishedAnswer]:
    source = str(labels_path("dev_agents"))
    rows = list(read_labels(source, groups=["question", "agent"], weight=1.0))
    for name, weight in TRAINED_ON.items():
        others = read_labels(str(labels_path(name)), groups=["question", "agent"], weight=weight)
        rows += [replace(row, groups=(row.question, "")) for row in others]
    p_correct = iter(calibrate(rows, folds=(5, 5)).held_out)
    found: list[PublishedAnswer] = []
    for number, label in enumerate(read_labelled_answers(source, with_enriched=True)):
        case = examine(label.query, Rules())
        if isinstance(case, Case):
            reply = local_judge().judge(case)
            asked, agent = asked_question(case.question), str(label.row["agent"])
            remembered = RememberedAnswer(agent=agent, event_id=str(number), asked=asked, facts=facts_of(case))
            held_out = replace(reply, p_correct=round(float(next(p_correct)), 4))
            found.append(PublishedAnswer(remembered, reply, held_out, label.row["label"] == 1))
    return found


def streamed(answers: Sequence[PublishedAnswer], *, held_out: bool) -> tuple[list[Judged], list[Judged]]:
    """The answers alone and with memory, as one stream in their order."""
    memory, alone, weighed = TenantMemory(), list[Judged](), list[Judged]()
    for each in answers:
        reply = each.held_out if held_out else each.reply
        context = memory.recall(each.remembered)
        memory.learn(each.remembered, context)
        alone.append(each.judged(reply))
        weighed.append(each.judged(weigh_context(reply, context, local_judge().weights.thresholds)))
    return alone, weighed


def streams(published: Sequence[PublishedAnswer], agents: int) -> Iterable[list[PublishedAnswer]]:
    """Shuffled streams of so many agents, chosen anew for each."""
    names = sorted({each.remembered.agent for each in published})
    for seed in range(STREAMS[agents]):
        dice = random.Random(1000 * agents + seed)
        chosen = set(dice.sample(names, agents))
        answers = [each for each in published if each.remembered.agent in chosen]
        dice.shuffle(answers)
        yield answers


def figures(rows: Sequence[Judged]) -> ByAgent:
    found = by_agent(rows)
    assert found is not None
    return found


@pytest.mark.slow  # fits the weights anew and replays a hundred streams
@pytest.mark.nightly
@pytest.mark.development_data("judge")
@pytest.mark.parametrize("held_out", [False, True], ids=["packaged", "held out"])
def test_memory_helps_with_many_agents_and_harms_with_two_in_no_figure(
    published: list[PublishedAnswer], *, held_out: bool
) -> None:
    gains: dict[tuple[int, str], float] = {}
    reached: dict[tuple[int, str], float] = {}
    for agents in STREAMS:
        pairs = [tuple(map(figures, streamed(answers, held_out=held_out))) for answers in streams(published, agents)]
        for name in FIGURES:
            alone, weighed = ([getattr(side, name) for side in column] for column in zip(*pairs, strict=True))
            known = [(a, w) for a, w in zip(alone, weighed, strict=True) if a == a and w == w]
            change = [w - a for a, w in known]
            gains[agents, name], reached[agents, name] = fmean(change), fmean(w for _, w in known)
            error = stdev(change) / len(change) ** 0.5
            print(
                f"{agents} agents, {name}: {fmean(a for a, _ in known):.3f} → {reached[agents, name]:.3f},"
                f" {gains[agents, name]:+.4f} ± {error:.4f}, worst {min(change):+.3f}"
            )
    assert gains[10, "auc"] > 0.03
    assert gains[4, "auc"] > 0.015
    assert reached[10, "same_question"] >= 0.74
    assert reached[10, "sure_wrong"] >= 0.8
    assert min(gains[2, name] for name in FIGURES) > -0.015


@pytest.mark.slow  # replays streams
@pytest.mark.nightly
@pytest.mark.development_data("judge")
def test_wrong_answers_that_many_send_are_hardly_raised(published: list[PublishedAnswer]) -> None:
    """Traffic that is all wrong, the same wrong query of several agents, and five made-up agents among honest ones."""
    wrong = [each for each in published if not each.correct]
    by_question = groupby(sorted(wrong, key=_key), key=_key)
    one = [next(answers) for _, answers in by_question]
    made = {count: [_sent_by(each, f"made-{n}") for each in one for n in range(count)] for count in (2, 5, 10, 19)}
    tenants = {"all wrong": wrong, **{f"{count} alike": each for count, each in made.items()}}
    tenants["5 made up among honest"] = [*published, *made[5]]
    for name, sent in tenants.items():
        alone, weighed = streamed(random.Random(1).sample(sent, len(sent)), held_out=False)
        raised = fmean(
            after.p_correct - before.p_correct
            for before, after in zip(alone, weighed, strict=True)
            if name == "all wrong" or before.agent.startswith("made")
        )
        print(f"{name}: {raised:+.3f}")
        assert raised < 0.06


def _key(each: PublishedAnswer) -> str:
    return each.remembered.asked.key


def _sent_by(each: PublishedAnswer, agent: str) -> PublishedAnswer:
    event = f"{agent}-{each.remembered.event_id}"
    return replace(each, remembered=replace(each.remembered, agent=agent, event_id=event))
