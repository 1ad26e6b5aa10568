"""A tenant's decision rules: which signals together make an answer right or wrong more often than the judge says."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from scoring.immutable import immutable
from scoring.patterns import lazy
from scoring.reason_kinds import FORGERIES, FROM_DATABASE, WITHOUT_SIGNAL
from scoring.reasons import ReasonCode

MOST_CONDITIONS = 3
"""Most conditions of one rule."""
MOST_DECISION_RULES = 8
"""Most decision rules of one tenant."""
LEAST_SHIFT, MOST_SHIFT = 0.05, 1.5
"""The range of what one rule moves the log-odds, of either sign: evens become at most 0.82, or 0.18."""
MOST_TOGETHER = 2.0
"""Most log-odds that all rules of a tenant move an answer, of either sign."""
NAMEABLE = frozenset(ReasonCode) - WITHOUT_SIGNAL - FORGERIES.keys() | FROM_DATABASE - {ReasonCode.SQL_FAILED}
"""The codes that a rule may name: signals that prove nothing, and what the database says of a query that ran."""
_RULE = lazy(r"\s*([^:]*):\s*([+-]?(?:\d{1,3}(?:\.\d{1,9})?|\.\d{1,9}))\s*")
_CONDITION = lazy(r"\s*(not\s+)?(\w+)\s*", re.IGNORECASE)


class InvalidDecisionRule(ValueError):  # noqa: N818 named beside InvalidRules
    """The text is no decision rule; the message names the fault and the fix."""


@immutable()
class DecisionRule:
    """Codes that an answer has and codes that it lacks, and how far they move the log-odds that it is right."""

    having: frozenset[ReasonCode]
    lacking: frozenset[ReasonCode] = frozenset()
    shift: float

    @property
    def conditions(self) -> str:
        """What the rule asks for: its name.

        >>> DecisionRule(having=frozenset({ReasonCode.KEY_FOR_NAME}), shift=0.5).conditions
        'KEY_FOR_NAME'
        """
        return " and ".join([*sorted(self.having), *(f"not {code}" for code in sorted(self.lacking))])

    @property
    def text(self) -> str:
        """The rule as it is written in the tenant's rules."""
        return f"{self.conditions}: {self.shift:+g}"

    def holds(self, fires: Callable[[ReasonCode], bool]) -> bool:
        """Whether an answer meets the conditions."""
        return all(map(fires, self.having)) and not any(map(fires, self.lacking))


def read_decision_rule(text: str) -> DecisionRule:
    """Reads `CODE and not CODE: shift`; raises `InvalidDecisionRule`.

    >>> read_decision_rule("KEY_FOR_NAME and not FILTER_EXTRA: +0.8").text
    'KEY_FOR_NAME and not FILTER_EXTRA: +0.8'
    """
    match = _RULE.fullmatch(text)
    if match is None:
        raise InvalidDecisionRule("write conditions and a shift, such as: KEY_FOR_NAME and not FILTER_EXTRA: +0.8")
    having: set[ReasonCode] = set()
    lacking: set[ReasonCode] = set()
    parts = re.split(r"\sand\s", match[1], flags=re.IGNORECASE)
    if len(parts) > MOST_CONDITIONS:
        raise InvalidDecisionRule(f"it has {len(parts)} conditions: at most {MOST_CONDITIONS} joined by `and`")
    for part in parts:
        code, negated = _condition(part)
        if code in having or code in lacking:
            raise InvalidDecisionRule(f"it names {code.value} twice: name each code once")
        (lacking if negated else having).add(code)
    if not having:
        raise InvalidDecisionRule("all its conditions are negated: name a code that the answer has")
    return DecisionRule(having=frozenset(having), lacking=frozenset(lacking), shift=_shift(match[2]))


def _condition(part: str) -> tuple[ReasonCode, bool]:
    match = _CONDITION.fullmatch(part)
    if match is None:
        raise InvalidDecisionRule(f"{part.strip()!r} is no condition: write a reason code, or not and a reason code")
    name = match[2].upper()
    code = next((each for each in NAMEABLE if each.value == name), None)
    if code is None:
        raise InvalidDecisionRule(
            f"{match[2]!r} is no reason code of a signal or of the database that a rule may name: docs/reasons.md has"
            " the list; what is proved cannot be named"
        )
    return code, match[1] is not None


def _shift(text: str) -> float:
    shift = float(text)
    if not LEAST_SHIFT <= abs(shift) <= MOST_SHIFT:
        raise InvalidDecisionRule(f"its shift is {text}: write {LEAST_SHIFT} to {MOST_SHIFT} with + or - before it")
    return shift


def read_decision_rules(texts: Sequence[str]) -> tuple[DecisionRule, ...]:
    """Reads all rules of a tenant; raises `InvalidDecisionRule`, which names the rule."""
    found: dict[tuple[frozenset[ReasonCode], frozenset[ReasonCode]], DecisionRule] = {}
    for text in texts:
        try:
            rule = read_decision_rule(text)
        except InvalidDecisionRule as error:
            raise InvalidDecisionRule(f"{text[:200]!r}: {error}") from None
        if found.setdefault((rule.having, rule.lacking), rule) is not rule:
            raise InvalidDecisionRule(f"{rule.conditions} has two shifts: keep one of them")
    return tuple(found.values())
