"""Learned rules that excuse a condition which the SQL lacks, for a tenant that allows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from scoring.display import short, show_filter
from scoring.judging.combination import RIGHT
from scoring.judging.orders import may_give_orders
from scoring.learned_rules import RuleSide
from scoring.reasons import ReasonCode
from scoring.verdict import Case, Reason, Reply


def may_be_excused(case: Case) -> bool:
    """Whether a rule may excuse what the SQL lacks: the tenant allows it, and no text of the answer may give orders.

    Where the SQL has a condition that nobody asked for, it may stand in place of the missing one with another value.
    """
    filters, allowed = case.filters, case.rules.rules_may_excuse and case.rules.learned is not None
    lacks = bool(filters.missing) and not filters.extra and not filters.mismatched
    return allowed and lacks and not may_give_orders(case.query)


def excused(case: Case) -> Case:
    """The case as if nothing were missing: the conditions that the SQL lacks are ignored."""
    filters = case.filters
    return replace(case, filters=replace(filters, missing=(), ignored=(*filters.ignored, *filters.missing)))


def excusing_rules(readings: Sequence[Case], reply: Reply) -> tuple[int, ...]:
    """Numbers of the applied rules that excuse what some reading misses; none where the model does not say right.

    A rule that supports wrong, applied beside them, takes the excuse away.
    """
    learned = readings[0].rules.learned
    if learned is None or reply.verdict not in RIGHT or not any(map(may_be_excused, readings)):
        return ()
    # the orders of an enriched question count against its plain reading too
    if may_give_orders(readings[0].query):
        return ()
    sides = {learned.rules[number - 1].side for number in reply.rules_applied}
    return reply.rules_applied if sides == {RuleSide.SUPPORTS_RIGHT} else ()


def with_excuse(reply: Reply, readings: Sequence[Case], numbers: tuple[int, ...]) -> Reply:
    """The reply with the reason that names what is missing and which rules excuse it."""
    learned = readings[0].rules.learned
    if learned is None:
        return reply
    missing = ", ".join(dict.fromkeys(show_filter(each) for case in readings for each in case.filters.missing))
    texts = "; ".join(f"{number}: {short(learned.rules[number - 1].text)}" for number in numbers)
    detail = f"missing {missing} is excused by learned rule {texts}"
    return replace(reply, reasons=(Reason(code=ReasonCode.RULE_EXCUSES, detail=detail), *reply.reasons))
