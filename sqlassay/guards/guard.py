"""Whether SQL goes back to the model, and what the model is then told."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field

from sqlassay.answers import ScoredAnswer
from sqlassay.guards.conversation import Conversation
from sqlassay.scorer import Scorer

MOST_RETRIES = 2
"""How often a model is asked again for one question, unless the user says otherwise."""
_log = logging.getLogger("sqlassay.guards")
_AGAINST = frozenset({"fault", "hint"})
_MOST_REASONS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """Asks a model again while its SQL scores below a bound, at most `retries` times for one question.

    It fails open: an answer without a score passes, and so does any answer if the guard itself fails, which is logged.
    """

    below: float = 50.0
    """The score, in [0, 100], from which an answer passes."""
    retries: int = MOST_RETRIES
    scorer: Scorer = field(default_factory=Scorer)
    dialect: str | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.below <= 100:
            raise ValueError(f"below is {self.below}: give a score from 0 to 100")
        if self.retries < 0:
            raise ValueError(f"retries is {self.retries}: give 0 or more")

    def objection(self, read: Callable[[], tuple[Conversation, str | None]]) -> str | None:
        """What to tell the model about its SQL, or None if it passes. Never raises.

        `read` reads the conversation and the SQL; what it raises counts as a failure of the guard.
        """
        try:
            return self._objection(*read())
        except Exception:
            _log.warning("the guard failed, and the SQL passes", exc_info=True)
            return None

    def _objection(self, conversation: Conversation, sql: str | None) -> str | None:
        if not sql or not conversation.question or conversation.objections >= self.retries:
            return None
        answer = self.scorer.score(
            question=conversation.question, sql=sql, history=conversation.history or None, dialect=self.dialect
        )
        if answer.score is None or answer.score >= self.below:
            return None
        return asked_again(answer)


PREFIX = "This SQL may not answer the question"


def asked_again(answer: ScoredAnswer) -> str:
    """What a model is told of an answer that does not pass.

    >>> from sqlassay import score
    >>> print(asked_again(score(question="How many members joined in 2025?", sql="SELECT COUNT(*) FROM members")))
    This SQL may not answer the question: it scores 10 of 100.
    - VALUE_UNUSED: not in the SQL: 2025
    - FILTER_MISSING: missing: 2025
    - WORDS_UNCOVERED: not covered by the SQL: joined
    Correct the SQL, or give it again if it is right.
    """
    reasons = [f"- {each.code}: {each.detail}" for each in answer.reasons if each.kind in _AGAINST][:_MOST_REASONS]
    lines = [f"{PREFIX}: it scores {answer.score:g} of 100.", *reasons]
    return "\n".join([*lines, "Correct the SQL, or give it again if it is right."])
