"""Finds phrases of questions that mean a column: right answers to questions with the phrase read the column."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from learning.mining.evidence import AnswerEvidence, Share
from learning.mining.observing import NAMED, ObservedAnswer
from learning.mining.proposals import ProposalKind, ProposedRule
from learning.mining.significance import chance_below, chance_together, kept, lower_bound
from scoring.linking import best_likeness, likeness
from scoring.specification import Column, Operand
from scoring.words import identifier_words

Phrase = tuple[str, ...]
_LIFT = 2.0
"""How much more often the column is read with the phrase than without."""
_ALIKE = 0.9
"""A second column that is read nearly as often with the phrase, and as seldom without, makes the phrase ambiguous."""


@dataclass(slots=True)
class PhraseReads:
    """Which questions hold a phrase, and how far right answers to each question read a column."""

    questions: set[str] = field(default_factory=set[str])
    phrases: dict[Phrase, set[str]] = field(default_factory=lambda: defaultdict(set))
    reads: dict[str, dict[str, float]] = field(default_factory=lambda: defaultdict(dict))
    """By column, then by question: the share of the answers that read it."""
    tables: dict[str, set[str | None]] = field(default_factory=lambda: defaultdict(set))
    spelled_out: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """By column, the questions that name it by its own words: they say nothing of other phrases."""

    @classmethod
    def of(cls, answers: Iterable[ObservedAnswer]) -> PhraseReads:
        """Counts the answers; questions weigh the same however many answers they have."""
        found = cls()
        asked = Counter(each.asked for each in answers)
        said: Counter[str] = Counter()
        named: Counter[str] = Counter()
        for each in answers:
            said.update(each.words)
            named.update(each.named)
            for column in {column.name for column in each.columns}:
                reads = found.reads[column]
                reads[each.asked] = reads.get(each.asked, 0.0) + 1 / asked[each.asked]
            for column in each.columns:
                found.tables[column.name].add(column.table)
                if _spelled_out(column.name, each):
                    found.spelled_out[column.name].add(each.asked)
        found.questions = set(asked)
        obvious = {word for word, times in named.items() if times >= said[word] / 2}
        for each in answers:
            for phrase in each.phrases:
                if not obvious.issuperset(phrase):
                    found.phrases[phrase].add(each.asked)
        return found

    def counted(self, phrase: Phrase, column: str, explained: set[str]) -> tuple[Share, Share]:
        """How far the column is read with the phrase, and without it, in questions not explained yet."""
        reads = self.reads[column]
        unexplained = self.questions - explained - self.spelled_out[column]
        holding = self.phrases[phrase] & unexplained
        rest = unexplained - holding
        with_it = Share(sum(reads.get(each, 0.0) for each in holding), len(holding))
        return with_it, Share(sum(reads.get(each, 0.0) for each in rest), len(rest))

    def distinct_phrases(self, least: int) -> list[Phrase]:
        """The phrases of so many questions; of a phrase and its parts that stand in the same questions, the longest."""
        held = {phrase: found for phrase, found in self.phrases.items() if len(found) >= least}
        longer = {
            part
            for phrase, found in held.items()
            for part in {phrase[start:end] for start in range(len(phrase)) for end in range(start + 1, len(phrase) + 1)}
            if part != phrase and held.get(part) == found
        }
        return [phrase for phrase in held if phrase not in longer]

    def linked(self, phrase: Phrase, column: str) -> bool:
        """Whether the phrase names the column by its own words, so that no mapping is needed."""
        said = " ".join(phrase)
        places = (Operand(name=column, columns=(Column(column, table),)) for table in self.tables[column])
        return any(likeness(said, place) >= NAMED for place in places)


_LABELS = frozenset({"name", "title", "label", "id"})
"""Words of columns that stand for their table: who asks for products gets `product_name`."""


def _spelled_out(column: str, answer: ObservedAnswer) -> bool:
    """Whether the question says at least half of the column's own words, or of its table's where it has none."""
    of_tables = {word for table in answer.tables for word in identifier_words(table)}
    own = set(identifier_words(column)) - _LABELS
    words = own - of_tables or own or of_tables
    said = [word for word in words if best_likeness(word, answer.named) >= NAMED]
    return bool(said) and 2 * len(said) >= len(words)


@dataclass(frozen=True, slots=True, kw_only=True)
class MeantColumn:
    """A phrase that may mean a column."""

    phrase: Phrase
    column: str
    with_phrase: Share
    without: Share
    p_value: float

    @property
    def strength(self) -> tuple[float, int, int, Phrase, str]:
        """The best comes first: surest, then most questions, then the longest phrase."""
        return self.p_value, -self.with_phrase.questions, -len(self.phrase), self.phrase, self.column


def column_mappings(sample: AnswerEvidence, known: Mapping[Phrase, str]) -> list[ProposedRule]:
    """Phrases that mean a column. Phrases of `known` mappings are left out."""
    good = sample.good()
    reading = PhraseReads.of(good)
    bar = sample.bar
    phrases = [each for each in reading.distinct_phrases(bar.questions) if each not in known]
    tried = [each for phrase in phrases for each in _candidates(reading, phrase, sample)]
    stays = kept([each.p_value for each in tried], bar.error)
    remaining = sorted((each for each, stay in zip(tried, stays, strict=True) if stay), key=lambda each: each.strength)
    error = bar.error / max(len(tried), 1)
    chosen = _chosen(reading, remaining, sample, error)
    return [_proposal(each, good, sample) for each in chosen if not _ambiguous(each, remaining)]


def _candidates(reading: PhraseReads, phrase: Phrase, sample: AnswerEvidence) -> Iterable[MeantColumn]:
    holding = reading.phrases[phrase]
    most = len(reading.questions) / _LIFT
    columns = {
        column for column, reads in reading.reads.items() if len(reads) <= most and not holding.isdisjoint(reads)
    }
    for column in sorted(columns):
        found = _tried(reading, phrase, column, sample, set())
        if found is not None and not reading.linked(phrase, column):
            yield found


def _tried(
    reading: PhraseReads, phrase: Phrase, column: str, sample: AnswerEvidence, explained: set[str]
) -> MeantColumn | None:
    """The pair with the p-value of "the column is read as often without the phrase, or seldom with it"."""
    bar = sample.bar
    held, rest = reading.counted(phrase, column, explained)
    if held.questions < bar.questions or held.hits < 1:
        return None
    seldom = chance_below(held.hits * bar.worth, held.questions * bar.worth, bar.agreeing)
    every = held.questions + rest.questions
    anyway = chance_together(held.hits, held.questions, held.hits + rest.hits, every)
    p_value = max(seldom, anyway) if held.rate >= _LIFT * rest.rate else 1.0
    return MeantColumn(phrase=phrase, column=column, with_phrase=held, without=rest, p_value=p_value)


def _chosen(
    reading: PhraseReads, candidates: Iterable[MeantColumn], sample: AnswerEvidence, error: float
) -> list[MeantColumn]:
    """The best first; a later one must still hold in the questions without the phrases chosen for the column."""
    chosen: dict[Phrase, MeantColumn] = {}
    explained: dict[str, set[str]] = defaultdict(set)
    for each in candidates:
        if each.phrase in chosen:
            continue
        again = _tried(reading, each.phrase, each.column, sample, explained[each.column])
        if again is not None and again.p_value <= error:
            chosen[each.phrase] = each
            explained[each.column] |= reading.phrases[each.phrase]
    return list(chosen.values())


def _ambiguous(chosen: MeantColumn, candidates: Iterable[MeantColumn]) -> bool:
    return any(
        each.phrase == chosen.phrase
        and each.column != chosen.column
        and each.with_phrase.rate >= _ALIKE * chosen.with_phrase.rate
        and each.without.rate <= chosen.without.rate + (1 - _ALIKE)
        for each in candidates
    )


def _proposal(meant: MeantColumn, good: Iterable[ObservedAnswer], sample: AnswerEvidence) -> ProposedRule:
    share, worth = meant.with_phrase, sample.bar.worth
    proposal = ProposedRule(kind=ProposalKind.COLUMN_MAPPING, phrase=" ".join(meant.phrase), column=meant.column)
    shown = [
        each
        for each in good
        if meant.phrase in each.phrases and any(column.name == meant.column for column in each.columns)
    ]
    least = lower_bound(share.hits * worth, share.questions * worth, sample.bar.error)
    return proposal.measured(share, least_precision=least, answers=shown)
