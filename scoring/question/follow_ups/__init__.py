"""Follow-up questions: a fragment that has a meaning only after an earlier question, and what it then asks."""

from scoring.question.follow_ups.conversation import FollowUp, follow_up
from scoring.question.follow_ups.edits import ChangeKind

__all__ = ["ChangeKind", "FollowUp", "follow_up"]
