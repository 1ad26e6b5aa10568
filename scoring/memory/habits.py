"""What all remembered answers of a tenant teach together: how its agents usually agree, and how tables are joined."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from scoring.memory.agreement import Agreement, usual_agreement
from scoring.memory.catalogue import usual_condition
from scoring.memory.context import ConditionUse, JoinUse
from scoring.memory.copies import Copies
from scoring.memory.facts import telling_words
from scoring.memory.remembered import RememberedAnswer, RememberedQuestion, joined_tables

USUAL_RELIABILITY = 0.66
"""Share of right answers that an agent without labels is taken to have, and how many labels that is worth."""
RELIABILITY_LABELS = 4


@dataclass(slots=True)
class ConditionHabit:
    """How often a condition stands with a table that nothing in the question asks for."""

    questions: int = 0
    """Questions with an answer that has it."""
    speakers: Counter[str] = field(default_factory=Counter[str])
    """Answers that have it, by speaker."""

    @property
    def answers(self) -> int:
        """Answers that have it."""
        return self.speakers.total()


def _count(counts: Counter[str], key: str, times: int) -> None:
    counts[key] += times
    if not counts[key]:
        del counts[key]


@dataclass(slots=True)
class Habits:
    """The sums over a tenant's answers. Each question counts once, with the latest answer of each agent."""

    answers: int = 0
    raw: float = 0.0
    """The sum of the answers' agreement, in log-odds."""
    units: float = 0.0
    """The sum of what that agreement was heard from (`Agreement.units`)."""
    joins: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    """Questions by the columns that their answers join."""
    joined: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    """Questions by the tables that their answers join."""
    read: Counter[str] = field(default_factory=Counter[str])
    """Answers by the table that they read."""
    conditions: dict[str, dict[str, ConditionHabit]] = field(default_factory=dict[str, dict[str, "ConditionHabit"]])
    """By table, then by condition."""
    labels: dict[str, Counter[bool]] = field(default_factory=dict[str, Counter[bool]])
    """Labels by speaker: right and wrong."""
    copies: Copies = field(default_factory=Copies)

    @property
    def usual(self) -> float:
        """How far answers of this tenant usually agree."""
        return usual_agreement(self.raw, self.units)

    @property
    def entries(self) -> int:
        """How many counters there are."""
        conditions = sum(map(len, self.conditions.values()))
        return (
            1 + len(self.joins) + len(self.joined) + len(self.labels) + len(self.copies) + len(self.read) + conditions
        )

    def add(self, question: RememberedQuestion, *, times: int = 1) -> None:
        """Adds a question; `times=-1` takes it out again."""
        self.answers += times * len(question.answers)
        self.add_agreement(question.agreed.values(), times=times)
        joins = set(question.joins())
        tables = {joined_tables(join) for join in joins}
        for counts, keys in ((self.joins, joins), (self.joined, tables)):
            for key in keys:
                counts[key] += times
                if not counts[key]:
                    del counts[key]

        self.add_conditions(question.answers.values(), times=times)

    def add_conditions(self, answers: Iterable[RememberedAnswer], *, times: int = 1) -> None:
        """Adds the tables and the unasked conditions of the answers to one question."""
        asked: set[str] = set()
        for answer in answers:
            for table in answer.facts.tables:
                _count(self.read, table, times)
            for condition in answer.facts.conditions:
                self.add_condition(condition, answer.speaker, answers=times, questions=0)
                asked.add(condition)
        for condition in asked:
            self.add_condition(condition, "", answers=0, questions=times)

    def add_condition(self, condition: str, speaker: str, *, answers: int, questions: int) -> None:
        """Adds answers of a speaker that have a condition, and questions with such an answer."""
        table = condition.partition(".")[0]
        held = self.conditions.setdefault(table, {})
        habit = held.setdefault(condition, ConditionHabit())
        habit.questions += questions
        if speaker:
            _count(habit.speakers, speaker, answers)
        if not habit.questions and not habit.speakers:
            del held[condition]
            if not held:
                del self.conditions[table]

    def lacking(self, answer: RememberedAnswer, own: RememberedQuestion | None) -> Iterator[ConditionUse]:
        """The usual conditions of the answer's tables on columns that it does not restrict. `own` is its question."""
        mine = list(own.answers.values()) if own is not None else []
        for table in answer.facts.tables:
            of = self.read[table] - sum(table in each.facts.tables for each in mine)
            for condition, habit in sorted(self.conditions.get(table, {}).items()):
                column = condition.partition(" ")[0]
                if column in answer.facts.conditioned or answer.asked.says(telling_words(column.rpartition(".")[2])):
                    continue
                here = [each for each in mine if condition in each.facts.conditions]
                use = ConditionUse(
                    column=column,
                    answers=habit.answers - len(here),
                    of=of,
                    questions=habit.questions - bool(here),
                    agents=len(habit.speakers),
                )
                if usual_condition(use):
                    yield use

    def add_agreement(self, agreed: Iterable[Agreement], *, times: int = 1) -> None:
        """Adds the agreement of some answers to the sums."""
        for each in agreed:
            self.raw += times * each.raw
            self.units += times * each.units

    def use(self, join: tuple[str, str], own: Mapping[tuple[str, str], set[tuple[str, str]]]) -> JoinUse:
        """How other questions use a join. `own` are the joins of this very question, by their tables."""
        tables = joined_tables(join)
        here = own.get(tables, set())
        return JoinUse(
            columns=join, questions=self.joins[join] - (join in here), of=self.joined[tables] - (tables in own)
        )

    def weight(self, speaker: str, other: str) -> float:
        """How far the voice of `other` counts for `speaker`: by its labels, and less for a copy."""
        labels = self.labels.get(other)
        right, all_labels = (labels[True], labels.total()) if labels is not None else (0, 0)
        reliable = (right + RELIABILITY_LABELS * USUAL_RELIABILITY) / (all_labels + RELIABILITY_LABELS)
        return round(max(0.5, min(1.5, reliable / USUAL_RELIABILITY)) * self.copies.independence(speaker, other), 2)
