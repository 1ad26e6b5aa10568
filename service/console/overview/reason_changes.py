"""Which reasons became more or less frequent from one week to the next, and whether chance alone may explain it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from evals.mean_change import SIGNIFICANT, holm
from evals.share_change import share_change
from scoring.reason_kinds import FORMS, IN_FAVOUR
from service.storage.scores.recent_findings import RecentFindings

_QUIET = frozenset(each.value for each in (*IN_FAVOUR, *FORMS))
"""Reasons that say nothing of what went wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasonChange:
    """How often a reason is given in the last week and in the week before, as shares of the answers."""

    code: str
    before: float | None
    after: float | None
    p_value: float | None
    """Corrected for the number of reasons that are compared (Holm); `None` where a week has no answers."""

    @property
    def difference(self) -> float:
        return (self.after or 0.0) - (self.before or 0.0)

    @property
    def real(self) -> bool:
        """Whether chance alone hardly makes such a change."""
        return self.p_value is not None and self.p_value < SIGNIFICANT


def top_reasons(findings: RecentFindings, most: int | None = None) -> list[tuple[str, float]]:
    """The reasons that speak against the most answers, each with its share."""
    against = [(code, count) for code, count in findings.reasons.most_common() if code not in _QUIET]
    return [(code, count / findings.answers) for code, count in against[:most]]


def reason_changes(before: RecentFindings, after: RecentFindings) -> list[ReasonChange]:
    """The reasons of both weeks that speak against an answer, those that rose most first.

    >>> from collections import Counter
    >>> def week(missing): return RecentFindings(answers=50, reasons=Counter(FILTER_MISSING=missing, LIMIT_MISSING=5))
    >>> [(each.code, round(each.difference, 2), each.real) for each in reason_changes(week(10), week(30))]
    [('FILTER_MISSING', 0.4, True), ('LIMIT_MISSING', 0.0, False)]
    """
    codes = sorted({*before.reasons, *after.reasons} - _QUIET)
    weeks = before, after
    tests = [share_change(*((each.reasons[code], each.answers) for each in weeks)) for code in codes]
    # a week without answers has no test, of any reason
    known = [each for each in tests if each is not None]
    changes = [
        ReasonChange(code=code, before=_share(before, code), after=_share(after, code), p_value=p_value)
        for code, p_value in zip(codes, holm(known) if known else tests, strict=True)
    ]
    return sorted(changes, key=lambda each: -each.difference)


def risen(changes: Iterable[ReasonChange], most: int) -> list[ReasonChange]:
    """The reasons that became more frequent, more than chance explains."""
    return [each for each in changes if each.real and each.difference > 0][:most]


def _share(found: RecentFindings, code: str) -> float | None:
    return found.reasons[code] / found.answers if found.answers else None
