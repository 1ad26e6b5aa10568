"""Finds the conditions that come with a table in most answers, over questions and agents: conventions of the house.

No label is needed. What most of a tenant's agents do on their own, whatever is asked, is how the house counts, or a
mistake that all of them make; so a person accepts it or not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from learning.mining.added_conditions import EVERYWHERE, explained_by_words
from learning.mining.evidence import share
from learning.mining.observing import ObservedAnswer, ObservedFilter
from learning.mining.predicates import written
from learning.mining.proposals import ConventionCounts, ProposalKind, ProposedRule
from learning.mining.significance import lower_bound
from scoring.rules import Convention, Rules
from scoring.words import identifier_words, letters

USUAL = 0.6
"""Least share of the answers that read the table, over questions."""
QUESTIONS = 5
"""Fewest distinct questions whose answers have it."""
AGENTS = 2
"""Fewest agents, or versions of one, that have it, where there are several."""
_ERROR = 0.05
_FRAME = frozenset("is has at on date flag code status state type".split())

Place = tuple[str, tuple[str, str, str]]
"""A table, and what conditions that say the same have in common."""


def conventions(answers: Iterable[ObservedAnswer], rules: Rules) -> list[ProposedRule]:
    """The conventions that the answers show and of which the rules say nothing yet."""
    good = [each for each in answers if each.right is not False]
    proposed: list[ProposedRule] = []
    for (table, predicate), spellings in _places(good).items():
        column = predicate[0]
        if any(_states(each, table, column) for each in rules.conventions) or _may_be_added(column, rules):
            continue
        rule = _proposed(table, predicate, spellings, [each for each in good if _could(each, table, column)])
        if rule is not None:
            proposed.append(rule)
    return proposed


def _places(answers: Sequence[ObservedAnswer]) -> Mapping[Place, list[ObservedFilter]]:
    found: dict[Place, list[ObservedFilter]] = {}
    for answer in answers:
        for each in answer.filters:
            if each.unsaid and each.table:
                found.setdefault((each.table, each.predicate), []).append(each)
    return {place: [each for each, _ in Counter(spellings).most_common()] for place, spellings in found.items()}


def _states(convention: Convention, table: str, column: str) -> bool:
    return letters(convention.table) == letters(table) and any(
        term.lhs is not None and term.lhs.name == column for term in convention.terms
    )


def _may_be_added(column: str, rules: Rules) -> bool:
    """Whether a person has said already that the condition may be added: then it may also be left out."""
    terms = (term for each in rules.benign_filters for term in each.terms)
    return column in rules.ignore_filters or any(term.lhs is not None and term.lhs.name == column for term in terms)


def _could(answer: ObservedAnswer, table: str, column: str) -> bool:
    """Whether the answer reads the table, and its question does not speak of the column."""
    said = set(identifier_words(column)) - _FRAME
    return table in answer.tables and said.isdisjoint(answer.words)


def _has(answer: ObservedAnswer, table: str, predicate: tuple[str, str, str]) -> bool:
    return any(each.unsaid and each.table == table and each.predicate == predicate for each in answer.filters)


def _proposed(
    table: str, predicate: tuple[str, str, str], spellings: Sequence[ObservedFilter], could: Sequence[ObservedAnswer]
) -> ProposedRule | None:
    having = [each for each in could if _has(each, table, predicate)]
    there = share(could, lambda each: _has(each, table, predicate))
    questions = len({each.asked for each in having})
    agents, all_agents = len({each.agent for each in having}), len({each.agent for each in could})
    if there.rate < USUAL or questions < QUESTIONS or agents < min(AGENTS, all_agents):
        return None
    if there.rate < EVERYWHERE and explained_by_words(could, lambda each: _has(each, table, predicate)):
        return None
    text = next(filter(None, map(written, spellings)), None)
    if text is None:
        return None
    proposal = ProposedRule(
        kind=ProposalKind.CONVENTION,
        table=table,
        condition=" ".join(predicate),
        predicates=(text[0],),
        terms=(text[1],),
        counts=ConventionCounts(having=len(having), reading=len(could), questions=questions, agents=agents),
    )
    return proposal.measured(there, least_precision=lower_bound(there.hits, there.questions, _ERROR), answers=having)
