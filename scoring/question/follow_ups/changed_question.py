"""The earlier question while a fragment changes it."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from scoring.question.follow_ups.earlier import EarlierQuestion
from scoring.question.follow_ups.edits import ChangeKind
from scoring.question.follow_ups.evidence import TurnEvidence


@dataclass(slots=True)
class Meaning:
    """The earlier question while it is changed, and what the changes free it from."""

    earlier: EarlierQuestion
    evidence: TurnEvidence
    moment: datetime | None
    instead: bool = False
    further: bool = False
    free: set[ChangeKind] = field(default_factory=set[ChangeKind])
    """What the answer need not keep of the SQL before, by the kind of the change."""
    dropped: set[str] = field(default_factory=set[str])
    """Stems of the words whose conditions are replaced or taken away."""

    @property
    def text(self) -> str:
        """The question as far as it is changed."""
        return self.earlier.text

    def say(self, text: str) -> bool:
        """Takes a text as the question; true, as every change that is understood."""
        self.earlier = EarlierQuestion(text)
        return True

    def add(self, words: str) -> bool:
        """Adds words to its end."""
        return self.say(self.earlier.with_words(words))
