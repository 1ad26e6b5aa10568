"""A proposal for a tenant's rules, and the rules with it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import sha256
from types import MappingProxyType
from typing import NamedTuple

from learning.mining.evidence import Share
from learning.mining.observing import ObservedAnswer
from scoring.decision_rules import DecisionRule
from scoring.query import Query
from scoring.rules import BenignFilter, Convention, Rules
from scoring.specification import SqlFilter

EXAMPLES = 3
"""Most answers that a proposal shows."""


class ProposalKind(StrEnum):
    """The key of the rules that a proposal adds to."""

    BENIGN_FILTER = "benign_filters"
    IGNORE_FILTER = "ignore_filters"
    COLUMN_MAPPING = "column_mappings"
    DECISION_RULE = "decision_rules"
    CONVENTION = "conventions"


class ConventionCounts(NamedTuple):
    """How many answers show a convention."""

    having: int
    reading: int
    """Answers that read the table, to questions that do not speak of the column."""
    questions: int
    """Distinct questions with an answer that has it."""
    agents: int
    """Agents, each version apart, that have it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProposedRule:
    """A habit that the answers show, and what shows it."""

    kind: ProposalKind
    predicates: tuple[str, ...] = ()
    """For `benign_filters`: each spelling that occurs."""
    terms: tuple[SqlFilter, ...] = ()
    """The predicates, parsed, in their order."""
    condition: str = ""
    """For `benign_filters`: what the spellings have in common."""
    column: str = ""
    """For the other kinds."""
    phrase: str = ""
    """For `column_mappings`."""
    decision: DecisionRule | None = None
    """For `decision_rules`."""
    table: str = ""
    """For `conventions`."""
    counts: ConventionCounts | None = None
    """For `conventions`."""
    precision: float = 0.0
    """Share of the answers with it that are right; for a mapping, of right answers that read the column.

    For a decision rule, of the answers that it speaks about: those that are as it says.
    """
    least_precision: float = 0.0
    """The lower bound of that share at the error of the bar."""
    support: int = 0
    """Distinct questions that show it."""
    examples: tuple[Query, ...] = ()
    """Some answers that show it."""

    @property
    def id(self) -> str:
        """The same for the same rule, whatever the answers that showed it.

        >>> ProposedRule(kind=ProposalKind.IGNORE_FILTER, column="org").id
        '702fed4d5f33'
        """
        said = (self.kind.value, self.phrase, self.table or self.column, self._condition())
        return sha256("\0".join(said).encode()).hexdigest()[:12]

    def _condition(self) -> str:
        """The conditions, and for which side they speak: the size of a shift depends on the answers."""
        if self.decision is None:
            return self.condition
        return f"{self.decision.conditions}: {'+' if self.decision.shift > 0 else '-'}"

    @property
    def entry(self) -> list[str] | dict[str, str] | list[dict[str, object]]:
        """What it adds to a tenant's rules, below the key that its kind names."""
        match self.kind:
            case ProposalKind.BENIGN_FILTER:
                return list(self.predicates)
            case ProposalKind.IGNORE_FILTER:
                return [self.column]
            case ProposalKind.COLUMN_MAPPING:
                return {self.phrase: self.column}
            case ProposalKind.DECISION_RULE:
                return [] if self.decision is None else [self.decision.text]
            case ProposalKind.CONVENTION:
                stated = [{"table": self.table, "predicate": each} for each in self.predicates]
                return [{**each, "required": True, "when": []} for each in stated]

    @property
    def text(self) -> str:
        """The entry in one line.

        >>> ProposedRule(kind=ProposalKind.COLUMN_MAPPING, phrase="baker", column="staff_name").text
        'baker → staff_name'
        """
        if self.kind is ProposalKind.CONVENTION:
            return f"{self.table}: {' AND '.join(self.predicates)}"
        entry = self.entry
        parts = [f"{phrase} → {column}" for phrase, column in entry.items()] if isinstance(entry, dict) else entry
        return " | ".join(map(str, parts))

    def measured(self, right: Share, *, least_precision: float, answers: Iterable[ObservedAnswer]) -> ProposedRule:
        """The same proposal with what shows it."""
        shown = {each.asked: each.query for each in answers if each.right is not False or self.decision is not None}
        return replace(
            self,
            precision=round(right.rate, 4),
            least_precision=round(least_precision, 4),
            support=right.questions,
            examples=tuple(shown.values())[:EXAMPLES],
        )

    def added_to(self, rules: Rules) -> Rules:
        """The rules with this one."""
        match self.kind:
            case ProposalKind.BENIGN_FILTER:
                pairs = zip(self.predicates, self.terms, strict=True)
                added = tuple(BenignFilter(text=text, terms=(term,)) for text, term in pairs)
                return replace(rules, benign_filters=(*rules.benign_filters, *added))
            case ProposalKind.IGNORE_FILTER:
                return replace(rules, ignore_filters=rules.ignore_filters | {self.column})
            case ProposalKind.COLUMN_MAPPING:
                mappings = {**rules.column_mappings, self.phrase: self.column}
                return replace(rules, column_mappings=MappingProxyType(mappings))
            case ProposalKind.CONVENTION:
                pairs = zip(self.predicates, self.terms, strict=True)
                stated = tuple(Convention(table=self.table, text=text, terms=(term,)) for text, term in pairs)
                return replace(rules, conventions=(*rules.conventions, *stated))
            case ProposalKind.DECISION_RULE:
                added_rules = () if self.decision is None else (self.decision,)
                return replace(rules, decision_rules=(*rules.decision_rules, *added_rules))
