"""What a question asks: `Sq`."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import NamedTuple

from scoring.immutable import immutable
from scoring.specification.terms import Aggregation, Filter
from scoring.values import Number, RelativeTime, TimeRange, Value


class TokenKind(StrEnum):
    """What a token of a question is."""

    WORD = "word"
    NUMBER = "number"
    QUOTED = "quoted"
    PUNCTUATION = "punctuation"


class Token(NamedTuple):
    """A word, number, quoted literal or mark of a question, with its place.

    A tuple, because a question has many and a frozen dataclass costs three times as much to make.
    """

    text: str
    lower: str
    stem: str
    kind: TokenKind
    start: int
    end: int


class FilterOrigin(StrEnum):
    """Which text a question filter was read from."""

    QUESTION = "question"
    """Qu: required of the SQL."""
    DEFINITION = "definition"
    """A definition in Qe of words that Qu uses: required of the SQL."""
    ENRICHED = "enriched"
    """Only Qe has it, and it defines nothing in Qu: permitted, never required."""


@immutable()
class QuestionFilter(Filter):
    """A condition the question implies."""

    source: FilterOrigin = FilterOrigin.QUESTION
    span: str
    """The words it was read from, verbatim."""
    start: int
    """Offset of `span` in the specification's text of what `source` names, in characters."""
    certain: float = 1.0
    """How certain it is that these words are a condition, in [0, 1]: a quoted literal is 1, a capitalised word less."""
    alternatives: tuple[Value, ...] = ()
    """Other values that mean the same and match as well: `French` may be stored as `france`."""

    def permitted(self) -> QuestionFilter:
        """The same condition as a permitted one: SQL may apply it and need not."""
        # `dataclasses.replace` takes six times as long, and an event does this for most of its filters.
        return QuestionFilter(
            lhs=self.lhs,
            op=self.op,
            rhs=self.rhs,
            source=FilterOrigin.ENRICHED,
            span=self.span,
            start=self.start,
            certain=self.certain,
            alternatives=self.alternatives,
        )


@immutable()
class Output:
    """A thing the question wants listed."""

    phrase: str
    """As written, without articles: `full names`."""
    head: str
    """Its head noun, stemmed: `name`."""
    start: int
    of: str | None = None
    """The owner, if named: `drivers` in `names of the drivers`."""


class Direction(StrEnum):
    MOST = "most"
    """Highest, most, latest, longest: DESC or MAX."""
    LEAST = "least"
    """Lowest, fewest, earliest, shortest: ASC or MIN."""


@immutable()
class Superlative:
    """`highest score`, `top 5 … by revenue`, `oldest`, `most common`: a request for the k first rows of an order."""

    direction: Direction
    measure: str
    """The phrase ordered by; empty if only the adjective names it (`oldest`)."""
    word: str
    """The superlative word itself, lower case."""
    k: int | None
    """Rows asked for: 1 for a singular superlative, None if the number of rows is unknown."""
    start: int
    counted: bool = False
    """Ordered by how many there are (`most flights`, `most common`): COUNT, not a column's MAX."""


@immutable()
class Ordering:
    """`sorted by x`, `in descending order`, `alphabetically`, `ranked`."""

    phrase: str
    descending: bool | None
    """`None` if no direction is given."""
    start: int


class RatioKind(StrEnum):
    PERCENTAGE = "percentage"
    RATIO = "ratio"
    RATE = "rate"
    DIFFERENCE = "difference"
    """`how much more`, `difference between`, `compared with`: subtraction of two."""


@immutable()
class Ratio:
    kind: RatioKind
    phrase: str
    start: int


@immutable()
class Definition:
    """`carcinogenic refers to label = '+'`, `rate = a / b`, `hometown means city, state`."""

    phrase: str
    """What is defined, verbatim."""
    text: str
    """What it is defined as, verbatim."""
    filters: tuple[QuestionFilter, ...] = ()
    """Its conditions, `source` DEFINITION, `lhs.columns` filled."""
    columns: tuple[str, ...] = ()
    """Identifiers it names, lower case, without table."""
    functions: tuple[str, ...] = ()
    """Upper-case aggregates and arithmetic it asks for: MAX, AVG, SUM, COUNT, DIVIDE, SUBTRACT, MULTIPLY."""
    start: int = 0

    def filtering(self, filters: tuple[QuestionFilter, ...]) -> Definition:
        """The same definition with other conditions; `dataclasses.replace` takes three times as long."""
        return Definition(
            phrase=self.phrase,
            text=self.text,
            filters=filters,
            columns=self.columns,
            functions=self.functions,
            start=self.start,
        )


@immutable()
class QuestionSpec:
    """`Sq` of one text (Qu or Qe)."""

    text: str
    language: str = ""
    """The language of a question that is not in English, and is not read."""
    tokens: tuple[Token, ...] = ()
    """Without those of `definitions`."""
    outputs: tuple[Output, ...] = ()
    aggregations: tuple[Aggregation, ...] = ()
    filters: tuple[QuestionFilter, ...] = ()
    group_by: tuple[str, ...] = ()
    """Phrases after `per`, `for each`, `by`, `in each`."""
    superlatives: tuple[Superlative, ...] = ()
    ordering: Ordering | None = None
    time_ranges: tuple[TimeRange | RelativeTime, ...] = ()
    """Those of `filters`, listed."""
    numbers: tuple[Number, ...] = ()
    """Every number, also those that are a k or part of a date."""
    distinct: bool = False
    """`different`, `distinct`, `unique` is asked for."""
    ratios: tuple[Ratio, ...] = ()
    negations: tuple[str, ...] = ()
    """Words that negate, verbatim, in order: `not`, `without`, `other than`, `never`."""
    excluded: tuple[int, ...] = ()
    """Where the words start that a negation excludes directly: `cancelled` in `not yet cancelled`."""
    yes_no: bool = False
    """It asks whether (`Is …`, `Did …`, `whether`)."""
    parts: int = 1
    """How many questions it holds."""
    definitions: tuple[Definition, ...] = ()
    stems: frozenset[str] = field(init=False, repr=False, compare=False)
    """The stems of `tokens`."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "stems", frozenset([token.stem for token in self.tokens]))

    def enriched(
        self, text: str, filters: tuple[QuestionFilter, ...], definitions: tuple[Definition, ...]
    ) -> QuestionSpec:
        """The same question with definitions after it; `dataclasses.replace` takes three times as long."""
        return QuestionSpec(
            text=text,
            language=self.language,
            tokens=self.tokens,
            outputs=self.outputs,
            aggregations=self.aggregations,
            filters=filters,
            group_by=self.group_by,
            superlatives=self.superlatives,
            ordering=self.ordering,
            time_ranges=self.time_ranges,
            numbers=self.numbers,
            distinct=self.distinct,
            ratios=self.ratios,
            negations=self.negations,
            excluded=self.excluded,
            yes_no=self.yes_no,
            parts=self.parts,
            definitions=definitions,
        )

    @property
    def top_k(self) -> int | None:
        """Rows explicitly asked for (`top 5`, `the first three`), else None."""
        return next((each.k for each in self.superlatives if each.k is not None), None)
