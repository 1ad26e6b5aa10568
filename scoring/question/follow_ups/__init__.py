"""Follow-up questions: a fragment that has a meaning only after an earlier question, and what it then asks.

Change this here when it concerns:

- what a follow-up question means: `scoring/question/follow_ups/` (its English:
  `scoring/question/english/follow_ups.py`); what it inherits of the SQL before: `scoring/alignment/turns/inherited.py`;
  then a case in `tests/cases/follow_ups.yaml`, `docs/method.md`
"""

from scoring.question.follow_ups.conversation import UNRESOLVED, FollowUp, follow_up
from scoring.question.follow_ups.edits import ChangeKind

__all__ = ["UNRESOLVED", "ChangeKind", "FollowUp", "follow_up"]
