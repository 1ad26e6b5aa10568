"""The parts of an evaluation: the aligned case, a judge's reply to it, and the score from both."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from scoring.immutable import immutable
from scoring.query import Query
from scoring.question.follow_ups import FollowUp
from scoring.reasons import ReasonCode
from scoring.rules import Rules, Tier
from scoring.specification import (
    Filter,
    Output,
    Projection,
    QuestionFilter,
    QuestionSpec,
    SqlFilter,
    SqlSpec,
)
from scoring.sql.comments import without_comments


class FilterStatus(StrEnum):
    """How many of the required filters the SQL applies (STEF, Table 1)."""

    FULLY_APPLIED = "fully_applied"
    FULLY_APPLIED_WITH_EXTRAS = "fully_applied_with_extras"
    PARTIALLY_APPLIED = "partially_applied"
    NOT_APPLIED = "not_applied"


class Verdict(StrEnum):
    """The four-point ordinal scale (STEF, Table 2), best first."""

    CORRECT = "Correct"
    LIKELY_CORRECT = "Likely Correct"
    POTENTIALLY_INCORRECT = "Potentially Incorrect"
    INCORRECT = "Incorrect"


class EnrichmentStatus(StrEnum):
    """Whether Qe still asks what Qu asks (Stage 1)."""

    FAITHFUL = "faithful"
    EXTENDED = "extended"
    LOSSY = "lossy"
    CONTRADICTORY = "contradictory"
    MISSING = "missing"


@immutable()
class Enrichment:
    status: EnrichmentStatus
    score: float
    """In [0, 100]."""
    lost: tuple[str, ...] = ()
    """What Qu asks and Qe leaves out."""
    added: tuple[str, ...] = ()
    """Restrictions that only Qe holds."""
    changed: tuple[str, ...] = ()
    """What Qe asks differently, as `before → after`."""


@immutable()
class Weakening:
    """A definition of Qe that takes away what Qu asks, or contradicts it."""

    asked: str
    """The words of Qu."""
    given: str
    """What Qe says in their place."""
    contradicts: bool = False
    """True where Qe gives another value, bound, number or aggregate; false where it drops the condition."""
    condition: QuestionFilter | None = None
    """The condition of Qu, if it was read as one."""
    words: frozenset[str] = frozenset()
    """Stems of the words whose meaning is lost, where no condition was read."""
    rows: int | None = None
    """How many rows Qu asks for, if that is what is changed."""
    functions: frozenset[str] = frozenset()
    """The aggregates that Qu asks for, if those are changed."""


@immutable(kw_only=False)
class FilterMatch:
    """A required filter and the SQL filters that apply it: two bounds may make one range."""

    required: QuestionFilter
    present: tuple[SqlFilter, ...]


@immutable()
class FilterAlignment:
    """Every filter of both sides, each in exactly one place."""

    matched: tuple[FilterMatch, ...] = ()
    missing: tuple[QuestionFilter, ...] = ()
    mismatched: tuple[FilterMatch, ...] = ()
    """The right column with a wrong operator or value."""
    extra: tuple[SqlFilter, ...] = ()
    benign: tuple[SqlFilter, ...] = ()
    ignored: tuple[Filter, ...] = ()
    """Of both sides: filters on columns the tenant ignores."""
    status: FilterStatus = FilterStatus.FULLY_APPLIED


@immutable()
class Dimension:
    """The match signal of projection, aggregation or grouping."""

    match: bool = True
    missing: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()


class NormalizationRule(StrEnum):
    """The four normalisation rules (STEF, section 5)."""

    REQUIRED_GROUP_BY = "required_group_by"
    BENIGN_GROUP_BY = "benign_group_by"
    DEFAULT_ORDER_BY = "default_order_by"
    SAFETY_LIMIT = "safety_limit"


@immutable(kw_only=False)
class Normalization:
    """A rule that fired and the construct it excused."""

    rule: NormalizationRule
    construct: str


@immutable()
class Case:
    """What a judge sees: the query, both specifications and their alignment (stage 3)."""

    query: Query
    rules: Rules
    question: QuestionSpec
    """Sq of Qu."""
    enriched: QuestionSpec
    """Sq of Qe; of Qu where there is none."""
    sql: SqlSpec
    answer: tuple[Projection, ...]
    """The columns of the answer."""
    things: tuple[Output, ...]
    """The outputs that name a thing. `number of` is an aggregate, and `how much` alone names nothing."""
    named: tuple[Output, ...]
    """The outputs asked for that resemble some column of the answer."""
    defined: frozenset[str]
    """Columns that Qe's definitions name, as `scoring.words.letters` writes them."""
    spoken: frozenset[str]
    """Stems of the words of both questions."""
    words: int
    """Words of Qu."""
    read: frozenset[str]
    """Columns and tables that the SQL reads, written likewise."""
    required: tuple[QuestionFilter, ...]
    """Qu's filters and Qe's definitions of them, after mappings."""
    filters: FilterAlignment
    projection: Dimension
    aggregation: Dimension
    grouping: Dimension
    normalizations: tuple[Normalization, ...]
    enrichment: Enrichment
    weakened: tuple[Weakening, ...] = ()
    """What Qe's definitions take away from Qu."""
    dropped: tuple[QuestionFilter, ...] = ()
    """Conditions of Qu that the text of Qe, without its definitions, lacks or changes."""
    unparseable: str | None = None
    """Why the SQL did not parse, where the tenant counts that as `Incorrect`; `sql` is then empty."""
    failed: bool = False
    """The database did not run the SQL."""
    follow_up: FollowUp | None = None
    """How a fragment was read in its conversation; `query` has its meaning as the question."""

    asked: str = field(init=False, repr=False, compare=False)
    """The person's own question in lower case."""
    said: str = field(init=False, repr=False, compare=False)
    """Both questions in lower case."""
    written: str = field(init=False, repr=False, compare=False)
    """The SQL without its comments."""

    def __post_init__(self) -> None:
        # Read by many signals, so they are made once.
        keep = object.__setattr__
        keep(self, "asked", self.question.text.casefold())
        keep(self, "said", f"{self.question.text}\n{self.query.enriched_question or ''}".casefold())
        keep(self, "written", without_comments(self.query.sql, self.sql.dialect))

    @property
    def ran_nothing(self) -> bool:
        """Whether the SQL did not parse or did not run: no model is asked, and memory does not use the answer."""
        return self.failed or self.unparseable is not None


@dataclass(frozen=True, slots=True)
class Finding:
    """A signal fired."""

    strength: float
    """In (0, 1]; the judge multiplies it by the signal's weight."""
    detail: str
    """One line that names the construct."""


@immutable()
class Reason:
    """A reason for a verdict."""

    code: ReasonCode
    detail: str
    """One line that names the construct."""
    weight: float = 0.0
    """How far it moved the log-odds of being correct; negative counts against the answer."""


@immutable()
class Reply:
    """A judge's answer to a case."""

    verdict: Verdict
    confidence: float
    """γ in [0, 1]: the probability that the verdict is on the correct side (right or wrong)."""
    p_correct: float
    """Probability, in [0, 1], that the SQL answers the question."""
    reasons: tuple[Reason, ...]
    """Those that moved it most, strongest first."""
    judge: str
    """Name and version: `local/1`, with a tenant's calibration `local/1+c2`."""
    p_judge: float | None = None
    """`p_correct` before the tenant's calibration; `None` where none is in force."""
    model: str = ""
    """The model that was asked or should have been; empty without one."""
    prompt_hash: str = ""
    """SHA-256 of the prompt that was sent."""
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    """Money for this reply, in the currency of the price list."""
    cached: bool = False
    """The reply to the same prompt was reused, at no cost."""
    fallback: bool = False
    """The local verdict, in place of a model that could not be asked."""
    proposed: tuple[QuestionFilter, ...] = ()
    """Accepted conditions that the model read from the question: filters are aligned again with them."""
    rationale: str = ""
    """The model's own words, or why it gave none, for display only."""
    rules_applied: tuple[int, ...] = ()
    """Numbers, from 1, of the learned rules that the model says decided."""
    asked_probability: float | None = None
    """The probability with which the model was asked; `None` where it did not judge the answer."""


@immutable()
class Composite:
    """The parts of Φ (STEF, equations 11–14)."""

    filters: int
    """σ_filters ∈ {0, 3, 4, 5}."""
    verdict: int
    """σ_verdict ∈ {0, 2, 3, 5}."""
    leniency: int
    """δ ∈ {0, 1}."""
    multiplier: float
    """Γ ∈ {0.5, 0.8, 1.0}."""
    score: float
    """Φ in [0, 100], two decimals."""


@immutable()
class Score:
    """A concluded evaluation."""

    case: Case
    reply: Reply
    composite: Composite
    tier: Tier
