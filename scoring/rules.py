"""A tenant's application rules, parsed: Rapp of STEF, section 3.5."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType

from scoring.calibration import TenantCalibration
from scoring.decision_rules import DecisionRule
from scoring.learned_rules import LearnedRules
from scoring.linking import content_words
from scoring.schema import DatabaseSchema
from scoring.specification import SqlFilter
from scoring.values import FiscalYear, Grain


class Tier(StrEnum):
    """The quality tier of a score (STEF, Table 3)."""

    EXCELLENT = "excellent"
    GOOD = "good"
    MARGINAL = "marginal"
    POOR = "poor"

    @property
    def action(self) -> str:
        """What the paper recommends for a score of this tier.

        >>> Tier.POOR.action
        'review it at once'
        """
        return _ACTIONS[self]


_ACTIONS = {
    Tier.EXCELLENT: "nothing to do; fit for automated use",
    Tier.GOOD: "watch for patterns; review with low priority",
    Tier.MARGINAL: "have a person review it; look into the failure",
    Tier.POOR: "review it at once",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TierBounds:
    """The lowest score, in [0, 100], of each tier but `poor`; strictly falling."""

    excellent: float = 90.0
    good: float = 75.0
    marginal: float = 50.0

    def tier(self, score: float) -> Tier:
        """The tier that holds `score`.

        >>> TierBounds().tier(89.99).value
        'good'
        """
        if score >= self.excellent:
            return Tier.EXCELLENT
        if score >= self.good:
            return Tier.GOOD
        return Tier.MARGINAL if score >= self.marginal else Tier.POOR


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceBounds:
    """The confidence γ, in [0, 1], from which Γ is 1.0, and that from which it is 0.8; falling."""

    full: float = 0.85
    most: float = 0.65

    def multiplier(self, confidence: float) -> float:
        """Γ(γ) (STEF, equation 13).

        >>> [ConfidenceBounds().multiplier(gamma) for gamma in (0.85, 0.65, 0.64)]
        [1.0, 0.8, 0.5]
        """
        if confidence >= self.full:
            return 1.0
        return 0.8 if confidence >= self.most else 0.5


class UnparseablePolicy(StrEnum):
    """What SQL that does not parse counts as."""

    UNSCORED = "unscored"
    INCORRECT = "incorrect"


class JudgePolicy(StrEnum):
    """Who gives the verdict."""

    LOCAL = "local"
    LLM = "llm"
    CASCADE = "cascade"


class WhenUnavailable(StrEnum):
    """What happens to an answer if the model cannot be reached within the deadline."""

    LOCAL = "local"
    """The local verdict, marked as a fallback."""
    DEFER = "defer"
    """It is tried again later."""


class WhenSpent(StrEnum):
    """What happens to an answer when the day's budget is spent."""

    LOCAL = "local"
    """The local verdict, marked as a fallback."""
    UNSCORED = "unscored"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRules:
    """How a tenant's answers are judged."""

    policy: JudgePolicy = JudgePolicy.LOCAL
    bar: float = 0.75
    """Cascade: the local confidence γ, in [0, 1], from which no model is asked."""
    watched_bar: float = 0.85
    """Cascade: the same for answers of agents under suspicion and of new versions, where it is above `bar`."""
    random_share: float = 0.0
    """Cascade: the share of answers at or above the bar that the model is asked about all the same, at random."""
    budget: float | None = None
    """Money per day for model calls, in the currency of the price list; `None` is the service's own bound."""
    tokens: int | None = None
    """Tokens per day for model calls, sent and received; `None` is the service's own bound."""
    when_unavailable: WhenUnavailable = WhenUnavailable.LOCAL
    when_spent: WhenSpent = WhenSpent.LOCAL


@dataclass(frozen=True, slots=True, kw_only=True)
class BenignFilter:
    """A predicate that an agent may add unasked."""

    text: str
    """As the tenant wrote it."""
    terms: tuple[SqlFilter, ...]
    """Its parsed conditions, ANDed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Convention:
    """A condition that comes with a table in this house, whatever is asked."""

    table: str
    """The table's own name, in lower case."""
    text: str
    """The predicate, as the tenant wrote it."""
    terms: tuple[SqlFilter, ...]
    """Its parsed conditions, ANDed."""
    required: bool = True
    """Whether an answer that reads the table and lacks the condition is at fault."""
    when: tuple[str, ...] = ()
    """Phrases (lower case) of a question for which alone the condition is meant; without any it always is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LookAlike:
    """A column that words mean in this house, as `table.column` in lower case, and those that look like it."""

    column: str
    instead_of: tuple[str, ...]
    """The columns that look like it."""
    when: tuple[str, ...] = ()
    """Phrases (lower case) of a question that mean the column; without any, every question about its table does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeZone:
    """The zone in which this house cuts the hours and days of columns."""

    zone: str
    """Its name in lower case, such as `europe/vienna` or `utc`, or the `table.column` that holds it."""
    columns: frozenset[str]
    """The columns, as `table.column` in lower case, that hold moments of another zone; of UTC if the zone is UTC."""
    parts: frozenset[Grain] = frozenset()
    """The parts of a time for which it counts; without any it is every one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """One version of one tenant's rules."""

    column_mappings: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """The question's phrase (lower case) → the column it means (lower case)."""
    benign_filters: tuple[BenignFilter, ...] = ()
    conventions: tuple[Convention, ...] = ()
    units: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """The column (lower case, with or without its table) → the unit that it is stored in, such as `cent`."""
    look_alikes: tuple[LookAlike, ...] = ()
    time_zones: tuple[TimeZone, ...] = ()
    codes: Mapping[str, Mapping[str, str]] = field(default_factory=lambda: MappingProxyType({}))
    """The column (lower case, with or without its table) → each stored value (lower case) → what it means."""
    fiscal_year: FiscalYear = field(default_factory=FiscalYear)
    ignore_filters: frozenset[str] = frozenset()
    """Columns (lower case) whose filters are not aligned."""
    decision_rules: tuple[DecisionRule, ...] = ()
    """Rules that move `p_correct` where certain reason codes are found together."""
    lambda_min: int = 1000
    """λ_min: the least LIMIT that counts as a safety default when no top-k is asked (STEF, equation 18)."""
    tiers: TierBounds = TierBounds()
    confidence: ConfidenceBounds = ConfidenceBounds()
    dialect: str | None = None
    """The dialect of SQL that names none."""
    strict_form: bool = False
    """Whether forms (extra columns, order, rounding …) count against an answer."""
    rules_may_excuse: bool = False
    """Whether a learned rule that a model applies may excuse a condition that the SQL lacks."""
    unparseable: UnparseablePolicy = UnparseablePolicy.UNSCORED
    judge: JudgeRules = JudgeRules()
    sample_rate: float = 1.0
    """Share of events that are scored, in [0, 1]."""
    store_raw: bool = True
    """Whether questions, SQL and texts that quote them are stored; if not, only scores and codes are."""
    memory: bool = True
    """Whether answers are compared with the tenant's earlier ones, where memory is on."""
    schema: DatabaseSchema | None = None
    """The tenant's database, if the tenant has declared it."""
    calibration: TenantCalibration | None = None
    """The calibration in force, fitted to the tenant's labels."""
    learned: LearnedRules | None = None
    """The learned rules in force. Only a model reads them."""
    version: int = 0
    """Version of the stored row; 0 is the built-in default."""
    phrases: tuple[tuple[str, tuple[str, ...], str], ...] = field(init=False, repr=False, compare=False)
    """Each mapping's phrase, its content words and its column."""
    by_words: Mapping[tuple[str, ...], str] = field(init=False, repr=False, compare=False)
    """The mapped column by the content words of its phrase; of two phrases with the same words the first counts."""

    def __post_init__(self) -> None:
        # Read several times for each event, and the same for all events under one version of the rules.
        phrases = tuple([(phrase, content_words(phrase), column) for phrase, column in self.column_mappings.items()])
        object.__setattr__(self, "phrases", phrases)
        object.__setattr__(self, "by_words", {words: column for _, words, column in reversed(phrases)})
