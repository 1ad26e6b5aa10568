"""The verdicts of a model that `sqlassay eval estimate --verdicts` combines with labels and local scores."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from evals.estimate.groups import AnswerGroup
from evals.estimate.model_drift import ModelDrift, model_drift
from evals.estimate.model_sample import ModelSample, ModelVerdict
from evals.estimate.right_share import LabelledScore
from evals.estimate.score_counts import Probabilities, ScoreCounts, hundredth
from service.commands.eval.estimate_lines import (
    AnswerKey,
    ScoredAnswers,
    ScoredLine,
    VerdictLine,
    key_of,
    read_verdicts,
)
from service.commands.exits import refuse

_HALF = 0.5


@dataclass(frozen=True, slots=True)
class ModelVerdicts:
    """A file's verdicts by answer."""

    by_answer: Mapping[AnswerKey, VerdictLine] = field(default_factory=dict[AnswerKey, VerdictLine])

    @property
    def recorded(self) -> bool:
        """Whether some say with which probability the model was asked: only they are a random sample then."""
        return any(each.asked_probability is not None for each in self.by_answer.values())

    def group(self, answers: Sequence[ScoredLine], labels: Mapping[AnswerKey, LabelledScore]) -> AnswerGroup:
        """The answers with their labels, and with the verdicts on a random part of them."""
        scores = Probabilities.of(each.p_correct for each in answers)
        keys, drawn = [key for each in answers if (key := key_of(each)) in labels], self._drawn(answers)
        verdicts = [ModelVerdict(said.p_correct or 0.0, each.p_correct, said.asked_probability) for each, said in drawn]
        return AnswerGroup(
            scores=scores,
            labels=self._with_model(keys, labels, len(answers)),
            places=ScoreCounts.of(place_of(each) for each in answers),
            model=ModelSample.of(verdicts, scores) if verdicts else None,
            asked=() if self.recorded else [place_of(each) for each, _ in drawn],
        )

    def _drawn(self, answers: Sequence[ScoredLine]) -> list[tuple[ScoredLine, VerdictLine]]:
        """The answers that the model was asked about at random, with its verdicts."""
        said = ((each, self.by_answer.get(key_of(each))) for each in answers)
        judged = [(each, verdict) for each, verdict in said if verdict is not None]
        if not self.recorded:
            return judged
        return [(each, verdict) for each, verdict in judged if verdict.asked_probability is not None]

    def _with_model(
        self, keys: Sequence[AnswerKey], labels: Mapping[AnswerKey, LabelledScore], answers: int
    ) -> list[LabelledScore]:
        """The labels, with the verdict of each answer that has one.

        Where some labelled answers have none, the others count with the probability of label and verdict together.
        """
        found = [labels[key] for key in keys]
        said = [self.by_answer.get(key) for key in keys]
        complete = all(each is not None for each in said)
        if complete or not self.recorded:
            return [
                label if each is None else label._replace(model=each.p_correct)
                for label, each in zip(found, said, strict=True)
            ]
        alike = len(found) / answers
        return [
            label
            if each is None or each.asked_probability is None
            else label._replace(model=each.p_correct, with_model=(label.probability or alike) * each.asked_probability)
            for label, each in zip(found, said, strict=True)
        ]

    def drift(self, answers: Sequence[ScoredLine], labels: Mapping[AnswerKey, LabelledScore]) -> ModelDrift | None:
        """Whether the model agrees less with the labels of later answers, in order of the file."""
        keys = [key for each in answers if (key := key_of(each)) in labels and key in self.by_answer]
        return model_drift(
            [((self.by_answer[key].p_correct or 0.0) >= _HALF) == (labels[key].right >= _HALF) for key in keys]
        )


def read_model_verdicts(source: str | None, scored: ScoredAnswers) -> ModelVerdicts:
    """Reads a file of verdicts; without one there are none. An invalid line ends the command."""
    if source is None:
        return ModelVerdicts()
    found: dict[AnswerKey, VerdictLine] = {}
    counted: Counter[str] = Counter()
    for place, line in read_verdicts(source):
        answer = scored.answer_of(line, place) if line.of_model else None
        if answer is None:
            counted["unknown answer" if line.of_model else "no verdict of a model"] += 1
            continue
        if found.setdefault(key_of(answer), line) != line:
            place.refuse(f"event_id {line.event_id!r} has another verdict that differs: keep one of them")
    if not found:
        refuse(f"{source}: no line has a model's verdict on an answer that was scored")
    for why, count in sorted(counted.items()):
        print(f"sqlassay: {source}: lines not used, {why}: {count}", file=sys.stderr)
    return ModelVerdicts(found)


def place_of(answer: ScoredLine) -> int | None:
    """The answer's place on the scale of `ScoreCounts`."""
    return None if answer.p_correct is None else hundredth(answer.p_correct)
