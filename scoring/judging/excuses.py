"""Learned rules that excuse a condition which the SQL lacks, for a tenant that allows it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from scoring.display import short, show_filter
from scoring.judging.combination import RIGHT
from scoring.judging.orders import may_give_orders
from scoring.judging.spoken_rules import speaks_of
from scoring.learned_rules import LearnedRule, RuleSide
from scoring.reasons import ReasonCode
from scoring.specification import QuestionFilter
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

    Each condition that is missing must be one of which an applied rule speaks. A rule that supports wrong, applied
    beside them, takes the excuse away.
    """
    learned = readings[0].rules.learned
    if learned is None or reply.verdict not in RIGHT or not _may_be_excused(readings):
        return ()
    rules = {number: learned.rules[number - 1] for number in reply.rules_applied}
    if {each.side for each in rules.values()} != {RuleSide.SUPPORTS_RIGHT}:
        return ()
    lacking = [(each, case) for case in readings for each in case.filters.missing]
    found = [{n for n, rule in rules.items() if speaks_of(rule.text, each, case)} for each, case in lacking]
    return tuple(sorted(set[int]().union(*found))) if all(found) else ()


def _may_be_excused(readings: Sequence[Case]) -> bool:
    # the orders of an enriched question count against its plain reading too
    return any(map(may_be_excused, readings)) and not may_give_orders(readings[0].query)


def leans_on_rules(readings: Sequence[Case], reply: Reply) -> bool:
    """Whether a model says right by a rule although a condition is missing that no rule may excuse here.

    One that is read with doubt counts where the rule speaks of it.
    """
    learned = readings[0].rules.learned
    if learned is None or reply.verdict not in RIGHT:
        return False
    applied = (learned.rules[number - 1] for number in reply.rules_applied)
    rules = [each for each in applied if each.side is RuleSide.SUPPORTS_RIGHT]
    lacking = ((each, case) for case in readings for each in case.filters.missing)
    return bool(rules) and any(each.certain >= _SURE or _is_spoken_of(each, case, rules) for each, case in lacking)


_SURE = 0.85
"""How certain it must be that words are a condition before a rule that does not speak of it cannot make up for it."""


def _is_spoken_of(missing: QuestionFilter, case: Case, rules: Iterable[LearnedRule]) -> bool:
    return any(speaks_of(each.text, missing, case) for each in rules)


def with_excuse(reply: Reply, readings: Sequence[Case], numbers: tuple[int, ...]) -> Reply:
    """The reply with the reason that names what is missing and which rules excuse it."""
    learned = readings[0].rules.learned
    if learned is None:
        return reply
    missing = ", ".join(dict.fromkeys(show_filter(each) for case in readings for each in case.filters.missing))
    texts = "; ".join(f"{number}: {short(learned.rules[number - 1].text)}" for number in numbers)
    detail = f"missing {missing} is excused by learned rule {texts}"
    return replace(reply, reasons=(Reason(code=ReasonCode.RULE_EXCUSES, detail=detail), *reply.reasons))
