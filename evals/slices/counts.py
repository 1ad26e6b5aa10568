"""What is counted of a slice of an agent's answers."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from datetime import datetime
from enum import StrEnum

from scoring.reason_kinds import FORMS, IN_FAVOUR


class SliceKind(StrEnum):
    """By what answers are put together."""

    VERSION = "version"
    """The agent's version."""
    QUESTION = "question"
    """What the question asks for: a count, a ranking, a time."""
    ENRICHMENT = "enrichment"
    """What became of the question when it was enriched."""
    TABLE = "table"
    COLUMN = "column"
    CONDITION = "condition"
    """A column and its operator in the SQL."""
    SQL = "sql"
    """How the SQL is built: joins, subqueries, windows."""
    FAULT = "fault"
    """A condition that is missing, differs or was not asked for."""
    REASON = "reason"
    """A reason code of the judge."""


CAUSES = frozenset({SliceKind.FAULT, SliceKind.REASON})
"""Kinds that say why the judge counts an answer as wrong. The others say where."""
_BLAMELESS = frozenset(each.value for each in (*IN_FAVOUR, *FORMS))
"""Reasons that lower no score: they say which answers these are, and not why they are wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """Expected wrong answers of some answers. Answers to one question count as one question."""

    answers: int
    questions: int
    loss: float
    """Sum of 1 − p over the answers."""
    question_loss: float
    """Sum over the questions of their mean 1 − p."""
    squares: float
    """Sum of the squares of those means."""
    cubes: float

    @property
    def share(self) -> float:
        """Expected share of wrong answers; 0 of no answers."""
        return self.loss / self.answers if self.answers else 0.0

    @property
    def question_share(self) -> float:
        """The same with every question counted once."""
        return self.question_loss / self.questions if self.questions else 0.0

    def of_all(self, whole: Loss) -> Loss:
        """The loss of these answers, spread over all answers that they are some of."""
        return replace(self, answers=whole.answers, questions=whole.questions)

    def __add__(self, other: Loss) -> Loss:
        """The sums over both, which share no answer."""
        return Loss(**{each.name: getattr(self, each.name) + getattr(other, each.name) for each in fields(Loss)})


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentLoss:
    """All answers of an agent that were read."""

    tenant: str
    agent: str
    all: Loss
    labelled: int
    labelled_wrong: float
    complained: int
    """Answers with which a user is dissatisfied: no label, and nothing is ordered by it."""
    first: datetime
    """Time of the oldest of them."""
    last: datetime

    @property
    def who(self) -> tuple[str, str]:
        """Tenant and agent."""
        return self.tenant, self.agent


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceCounts:
    """One slice of an agent's answers."""

    tenant: str
    agent: str
    kind: SliceKind
    value: str
    own: Loss
    labelled: int
    """Answers of the slice with a label."""
    labelled_wrong: float
    """How many of them are labelled wrong; half where reviewers are divided."""
    complained: int
    """Answers of the slice with which a user is dissatisfied."""
    members: str
    """The same for slices of the same answers."""
    example: str
    """Id of the answer of the slice that is most likely wrong."""

    @property
    def who(self) -> tuple[str, str]:
        """Tenant and agent."""
        return self.tenant, self.agent

    @property
    def is_cause(self) -> bool:
        """Whether it says why its answers are wrong."""
        return self.kind in CAUSES and self.value not in _BLAMELESS

    @property
    def compared_as(self) -> str:
        """Slices of the same answers are one where this is the same: a table and its column, but not a cause."""
        return self.kind.value if self.is_cause else "place"
