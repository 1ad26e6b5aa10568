"""Two versions of an agent side by side: on the same kinds of questions, and question by question."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb

LEAST_ALIKE = 0.6
"""Share of the words of two questions that are the same, from which on the questions are alike."""
_MOST_LOOKED_UP, _MOST_PARTNERS = 200, 300
"""Answers for which an alike question is looked for, and answers of one kind among which it is."""
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionAnswer:
    """One scored answer of a version."""

    id: str
    question: str
    """Empty where it is not stored."""
    kind: str
    """What the question asks for, such as a count with a time."""
    wrong: bool
    """Whether it is judged wrong, or does not pass in a run of a benchmark."""
    case: str | None = None
    """The case of a benchmark, by which its question is known; no other case is like it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KindShares:
    """The answers of both versions to one kind of question."""

    kind: str
    before: int
    wrong_before: int
    now: int
    wrong_now: int

    @property
    def share_before(self) -> float | None:
        return self.wrong_before / self.before if self.before else None

    @property
    def share_now(self) -> float | None:
        return self.wrong_now / self.now if self.now else None

    @property
    def lost(self) -> float:
        """Answers that are judged wrong now beyond the share before; 0 where only one version has the kind."""
        if not self.before or not self.now:
            return 0.0
        return self.wrong_now - self.now * self.wrong_before / self.before


@dataclass(frozen=True, slots=True, kw_only=True)
class FlippedQuestion:
    """A question of both versions, or two that are alike, of which one version's answer alone is judged wrong."""

    before: VersionAnswer
    now: VersionAnswer
    same: bool
    """Whether both are the same question, whatever the case and spaces."""

    @property
    def regression(self) -> bool:
        return self.now.wrong


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionComparison:
    """How the later version answers, against the one before."""

    kinds: Sequence[KindShares]
    """Most answers lost first."""
    flipped: Sequence[FlippedQuestion]
    """Regressions first, each group with the same questions before those that are alike."""
    asked_of_both: int
    """Different questions that both versions answered."""

    @property
    def p_value(self) -> float:
        """How often chance gives so uneven flips of the same questions, in either direction: McNemar's exact test."""
        worse = sum(each.regression for each in self.flipped if each.same)
        flips = sum(each.same for each in self.flipped)
        ways = sum(comb(flips, count) for count in range(max(worse, flips - worse), flips + 1))
        return min(1.0, ways / 2 ** (flips - 1)) if flips else 1.0

    @property
    def shared(self) -> tuple[int, float, float] | None:
        """On the kinds of questions that both have: how many answers now, and the shares judged wrong before and now.

        The share before is weighted as the kinds are asked now.
        """
        both = [each for each in self.kinds if each.before and each.now]
        now = sum(each.now for each in both)
        if not now:
            return None
        before = sum(each.now * each.wrong_before / each.before for each in both)
        return now, before / now, sum(each.wrong_now for each in both) / now


def compare_versions(before: Sequence[VersionAnswer], now: Sequence[VersionAnswer]) -> VersionComparison:
    """Compares the answers of two versions; of a question that was asked again, the first one given counts.

    >>> def answer(id, question, wrong): return VersionAnswer(id=id, question=question, kind="a count", wrong=wrong)
    >>> old = [answer("a", "How many ovens?", False), answer("b", "How many mills in May?", False)]
    >>> new = [answer("c", "how many  ovens?", True), answer("d", "How many mills in June?", True)]
    >>> found = compare_versions(old, new)
    >>> [(each.before.id, each.now.id, each.same) for each in found.flipped], found.asked_of_both
    ([('a', 'c', True), ('b', 'd', False)], 1)
    >>> found.shared, found.p_value
    ((2, 0.0, 1.0), 1.0)
    """
    earlier, later = _by_question(before), _by_question(now)
    both = earlier.keys() & later.keys()
    same = [
        FlippedQuestion(before=earlier[each], now=later[each], same=True)
        for each in later
        if each in both and earlier[each].wrong != later[each].wrong
    ]
    others = [
        answer for question, answer in later.items() if question not in both and answer.wrong and answer.case is None
    ]
    alike = list(_alike(others, earlier.values()))
    flipped = sorted([*same, *alike], key=lambda each: (not each.regression, not each.same))
    return VersionComparison(kinds=_kinds(before, now), flipped=flipped, asked_of_both=len(both))


def _by_question(answers: Iterable[VersionAnswer]) -> Mapping[str, VersionAnswer]:
    found: dict[str, VersionAnswer] = {}
    for each in answers:
        said = " ".join(each.question.casefold().split()) if each.case is None else each.case
        if said:
            found.setdefault(said, each)
    return found


def _alike(wrong: Sequence[VersionAnswer], before: Iterable[VersionAnswer]) -> Iterable[FlippedQuestion]:
    """For each wrong answer the right answer before to the question that is most like its own."""
    partners: dict[str, list[tuple[frozenset[str], VersionAnswer]]] = defaultdict(list)
    for each in before:
        if not each.wrong and len(partners[each.kind]) < _MOST_PARTNERS:
            partners[each.kind].append((_words(each), each))
    for each in wrong[:_MOST_LOOKED_UP]:
        words = _words(each)
        shares = [(len(words & other) / len(words | other), found) for other, found in partners[each.kind] if other]
        best, found = max(shares, key=lambda one: one[0], default=(0.0, None))
        if found is not None and best >= LEAST_ALIKE:
            yield FlippedQuestion(before=found, now=each, same=False)


def _words(answer: VersionAnswer) -> frozenset[str]:
    return frozenset(_WORD.findall(answer.question.casefold()))


def _kinds(before: Sequence[VersionAnswer], now: Sequence[VersionAnswer]) -> list[KindShares]:
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for place, answers in ((0, before), (2, now)):
        for each in answers:
            counts[each.kind][place] += 1
            counts[each.kind][place + 1] += each.wrong
    kinds = [
        KindShares(kind=kind, before=n, wrong_before=wrong, now=later, wrong_now=later_wrong)
        for kind, (n, wrong, later, later_wrong) in counts.items()
    ]
    return sorted(kinds, key=lambda each: (-each.lost, -each.now, each.kind))
