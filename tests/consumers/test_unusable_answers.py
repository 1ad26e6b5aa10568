"""Every reason for which an answer has no score says whose it is: the agent's, or unknown."""

from __future__ import annotations

import pytest

from consumers.evaluation.unusable_answers import is_unusable
from scoring.query import Unscored, UnscoredReason

OF_THE_AGENT = set(
    "EMPTY_SQL REFUSED_ANSWER UNPARSEABLE_SQL MULTIPLE_STATEMENTS NOT_A_SELECT SQL_TOO_LONG SQL_TOO_DEEP SQL_TOO_LARGE"
    " TOO_COSTLY".split()
)


@pytest.mark.parametrize("reason", UnscoredReason)
def test_an_answer_without_a_score_is_of_no_use_where_the_agent_wrote_none_and_else_unknown(reason: UnscoredReason):
    assert is_unusable(Unscored(reason=reason)) is (True if reason.value in OF_THE_AGENT else None)
