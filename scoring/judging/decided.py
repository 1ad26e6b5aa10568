"""What the tenant's decision rules say about an answer."""

from __future__ import annotations

import math
from collections.abc import Callable

from scoring.decision_rules import MOST_TOGETHER
from scoring.reason_kinds import FORGERIES
from scoring.reasons import ReasonCode
from scoring.verdict import Case, Reason, Reply


def decision_reasons(case: Case, reply: Reply, fires: Callable[[ReasonCode], bool]) -> list[Reason]:
    """A reason for each decision rule that holds. None speaks about what is proved, or about SQL that did not run.

    Together they move the log-odds by `MOST_TOGETHER` at most: beyond that, each counts in proportion.
    """
    if case.ran_nothing or any(each.code in FORGERIES for each in reply.reasons):
        return []
    held = [rule for rule in case.rules.decision_rules if rule.holds(fires)]
    whole = abs(math.fsum([rule.shift for rule in held]))
    part = min(1.0, MOST_TOGETHER / whole) if whole else 1.0
    return [
        Reason(
            code=ReasonCode.DECISION_RULE_FOR if rule.shift > 0 else ReasonCode.DECISION_RULE_AGAINST,
            detail=f"the tenant's rule: {rule.text}",
            weight=round(rule.shift * part, 3),
        )
        for rule in held
    ]
