"""What all remembered answers of a tenant teach together: how its agents usually agree, and how tables are joined."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from scoring.memory.agreement import Agreement, usual_agreement
from scoring.memory.context import JoinUse
from scoring.memory.copies import Copies
from scoring.memory.remembered import RememberedQuestion, joined_tables

USUAL_RELIABILITY = 0.66
"""Share of right answers that an agent without labels is taken to have, and how many labels that is worth."""
RELIABILITY_LABELS = 4


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
        return 1 + len(self.joins) + len(self.joined) + len(self.labels) + len(self.copies)

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
