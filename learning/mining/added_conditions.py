"""Finds conditions that agents add by habit: benign ones, and columns whose conditions say nothing of the question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from learning.mining.evidence import HARM, AnswerEvidence, Share, by_question, share
from learning.mining.observing import ObservedAnswer, ObservedFilter
from learning.mining.predicates import written
from learning.mining.proposals import ProposalKind, ProposedRule
from learning.mining.significance import chance_below, chance_together, kept, lower_bound
from scoring.specification import Op
from scoring.values import Number, Text, is_unknown
from scoring.words import identifier_words

RescoredShare = Callable[[Sequence[ObservedAnswer], Sequence[ProposedRule]], Share]
"""How far answers are right with proposals in force: asked only where there are no labels."""
LEAST_RIGHT = 0.4
"""Without labels: least mean `p_correct` of the answers with the condition, once it is excused."""
EVERYWHERE = 0.9
"""Share of answers from which a condition is added whatever is asked, so that no word can be its cause."""
VALUES = 3
"""Different values from which a column is ignored as a whole."""
_ASKED_ERROR = 0.001
_LIFT = 2.0
_ALIKE = frozenset({Op.EQ, Op.IN})
_KEYS = frozenset("id key uid uuid guid tenant org organisation organization".split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Habit:
    """A condition, or all conditions on a column, and the answers in which it could stand."""

    column: str
    predicate: tuple[str, str, str] | None
    """`None` stands for every condition on the column."""
    could: Sequence[ObservedAnswer]
    """Answers that read a table with which it occurs."""

    def within(self, answer: ObservedAnswer) -> list[ObservedFilter]:
        """The answer's unasked conditions of this habit."""
        own = (each for each in answer.filters if each.unasked and each.column == self.column)
        return [each for each in own if self.predicate in (None, each.predicate)]


@dataclass(frozen=True, slots=True, kw_only=True)
class UsualHabit:
    """A habit that is usual, before anything is known of its harm."""

    proposal: ProposedRule
    answers: Sequence[ObservedAnswer]
    """The answers that have it."""
    rare: float
    """The p-value of "it is rare"."""


def added_conditions(sample: AnswerEvidence, rescored: RescoredShare) -> list[ProposedRule]:
    """The conditions and columns that are added by habit, and do no harm."""
    habits = [habit for habit in _habits(sample) if _enough(sample, habit)]
    usual = [each for each in (_usual(sample, habit) for habit in habits) if each is not None]
    everything = [each.proposal for each in usual]
    tried = [_tried(sample, each, everything, rescored) for each in usual]
    # those that are not usual were tried too
    p_values = [p_value for _, p_value in tried] + [1.0] * (len(habits) - len(tried))
    stays = kept(p_values, sample.bar.error)
    return [proposal for (proposal, _), stay in zip(tried, stays, strict=False) if stay]


def _habits(sample: AnswerEvidence) -> Iterable[Habit]:
    """Every column with unasked conditions, then every unasked condition, each with where it could stand."""
    tables: dict[str, set[str]] = {}
    predicates: dict[str, Counter[tuple[str, str, str]]] = {}
    for answer in sample.good():
        for each in answer.filters:
            if each.unasked:
                predicates.setdefault(each.column, Counter())[each.predicate] += 1
                tables.setdefault(each.column, set()).update({each.table} if each.table else answer.tables)
    for column, counted in predicates.items():
        could = [each for each in sample.answers if each.tables & tables[column]]
        if _is_ignorable(column, sample, counted):
            yield Habit(column=column, predicate=None, could=could)
        else:
            yield from (Habit(column=column, predicate=each, could=could) for each in counted)


def _is_ignorable(column: str, sample: AnswerEvidence, counted: Counter[tuple[str, str, str]]) -> bool:
    """Whether the column's values vary, or are unknown, or identify something."""
    found = [each for answer in sample.good() for each in answer.filters if each.column == column and each.unasked]
    if any(each.op not in _ALIKE for each in found):
        return False
    many = len(counted) >= VALUES and max(counted.values()) < EVERYWHERE * counted.total()
    return many or any(is_unknown(each.rhs) for each in found) or _identifies(column, found)


def _identifies(column: str, found: Sequence[ObservedFilter]) -> bool:
    """Whether the column is a key by its name, and is compared with more than a flag."""
    words = identifier_words(column)
    if not words or words[-1] not in _KEYS or {each.predicate[2] for each in found} <= {"yes", "no"}:
        return False
    return all(isinstance(each.rhs, Number | Text) for each in found)


def _enough(sample: AnswerEvidence, habit: Habit) -> bool:
    return share(_with(habit, sample.good()), lambda _: True).questions >= sample.bar.questions


def _with(habit: Habit, answers: Iterable[ObservedAnswer]) -> list[ObservedAnswer]:
    return [each for each in answers if habit.within(each)]


def _usual(sample: AnswerEvidence, habit: Habit) -> UsualHabit | None:
    """The proposal of a habit, if it is usual and no word of the questions explains it."""
    proposal = _proposed(sample, habit)
    if proposal is None:
        return None
    could = [each for each in habit.could if each.right is not False]
    there = share(could, lambda each: bool(habit.within(each)))
    least = sample.bar.usual if habit.predicate is not None else sample.bar.nearly_all
    rare = chance_below(there.hits, there.questions, least)
    if rare > sample.bar.error or (
        there.rate < EVERYWHERE and explained_by_words(could, lambda each: bool(habit.within(each)))
    ):
        return None
    return UsualHabit(proposal=proposal, answers=_with(habit, sample.answers), rare=rare)


def _tried(
    sample: AnswerEvidence, habit: UsualHabit, everything: Sequence[ProposedRule], rescored: RescoredShare
) -> tuple[ProposedRule, float]:
    """The proposal with what shows it, and the p-value of "it is rare, or does harm"."""
    bar, answers = sample.bar, habit.answers
    right = share(answers, sample.rightness) if sample.labelled else rescored(answers, everything)
    base = (1 - HARM) * share(sample.answers, sample.rightness).rate if sample.labelled else LEAST_RIGHT
    harmful = chance_below(right.hits * bar.worth, right.questions * bar.worth, base)
    least_right = lower_bound(right.hits * bar.worth, right.questions * bar.worth, bar.error)
    return habit.proposal.measured(right, least_precision=least_right, answers=answers), max(habit.rare, harmful)


def _proposed(sample: AnswerEvidence, habit: Habit) -> ProposedRule | None:
    if habit.predicate is None:
        return ProposedRule(kind=ProposalKind.IGNORE_FILTER, column=habit.column)
    spellings = {each.rhs: each for answer in sample.good() for each in habit.within(answer)}
    sql = sorted(filter(None, map(written, spellings.values())), key=lambda each: each[0])
    if not sql:
        return None
    return ProposedRule(
        kind=ProposalKind.BENIGN_FILTER,
        condition=" ".join(habit.predicate),
        predicates=tuple(text for text, _ in sql),
        terms=tuple(term for _, term in sql),
    )


def explained_by_words(could: Sequence[ObservedAnswer], holds: Callable[[ObservedAnswer], bool]) -> bool:
    """Whether words of the questions explain a condition: where they are said it is there, elsewhere seldom."""
    words = {each.asked: each.words for each in could}
    shares = by_question(could, holds)
    having = [words[asked] for asked, held in shares.items() if held >= 0.5]
    counted = Counter(word for asked in shares for word in words[asked])
    together = Counter(word for said in having for word in said)
    causes = {word for word, both in together.items() if _causes(both, counted[word], len(having), len(shares))}
    return 2 * sum(not causes.isdisjoint(said) for said in having) >= len(having)


def _causes(both: int, saying: int, having: int, every: int) -> bool:
    """Whether the condition is there far more often where a word is said, and not by luck."""
    elsewhere = (having - both) / (every - saying) if every > saying else 1.0
    often = both / saying >= _LIFT * elsewhere
    return often and chance_together(both, saying, having, every) < _ASKED_ERROR
