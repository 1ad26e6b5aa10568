"""What a question asks (`Sq`) and what SQL does (`Ssql`), in the terms the paper aligns (eq. 1–10)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from scoring.values import Number, RelativeTime, TimeRange, Value


class Op(StrEnum):
    """How a filter compares, after normalisation (`stef.md`, Stage 2)."""

    EQ = "="
    NE = "!="
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="
    IN = "in"
    NOT_IN = "not in"
    CONTAINS = "contains"
    NOT_CONTAINS = "not contains"
    STARTS_WITH = "starts with"
    NOT_STARTS_WITH = "not starts with"
    ENDS_WITH = "ends with"
    NOT_ENDS_WITH = "not ends with"
    LIKE = "like"
    """A pattern that none of the three above says."""
    NOT_LIKE = "not like"
    WITHIN = "within"
    """The time lies in the range of `rhs` (TimeRange, RelativeTime or DatePart)."""
    NOT_WITHIN = "not within"
    IS_NULL = "is null"
    NOT_NULL = "is not null"
    EXISTS = "exists"
    """`rhs` is the subquery's Expression; the subquery's own conditions are filters of their own."""
    NOT_EXISTS = "not exists"
    OTHER = "other"
    """A predicate with no simpler name; `lhs` holds its canonical text."""


_OPPOSITES = (
    (Op.EQ, Op.NE),
    (Op.LT, Op.GE),
    (Op.LE, Op.GT),
    (Op.IN, Op.NOT_IN),
    (Op.CONTAINS, Op.NOT_CONTAINS),
    (Op.STARTS_WITH, Op.NOT_STARTS_WITH),
    (Op.ENDS_WITH, Op.NOT_ENDS_WITH),
    (Op.LIKE, Op.NOT_LIKE),
    (Op.WITHIN, Op.NOT_WITHIN),
    (Op.IS_NULL, Op.NOT_NULL),
    (Op.EXISTS, Op.NOT_EXISTS),
)
NEGATION: dict[Op, Op] = dict(_OPPOSITES) | {right: left for left, right in _OPPOSITES}
"""Each operator's opposite; `OTHER` has none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column by its own lower-case name and, where the SQL says it, its base table's (never an alias)."""

    name: str
    table: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Operand:
    """The left side of a filter, a projection, a sort or group key: a column or an expression of columns."""

    name: str
    """Canonical lower-case text without table names or aliases: `country`, `count(*)`, `a - b`; a question's phrase."""
    columns: tuple[Column, ...] = ()
    """The columns it reads, first-read first; empty on the question's side."""
    func: str | None = None
    """Upper-case aggregate function it is or holds (`COUNT`, `SUM`, `AVG`, `MIN`, `MAX`, …)."""
    distinct: bool = False
    """The aggregate counts distinct values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """One condition: the paper's (lhs, op, rhs)."""

    lhs: Operand | None
    """`None` when a question names no column; it then matches on operator and value."""
    op: Op
    rhs: Value | None
    """`None` for IS NULL and IS NOT NULL."""


class Clause(StrEnum):
    """Where in a query block a filter stands."""

    WHERE = "where"
    HAVING = "having"
    ON = "on"
    """A join condition that compares with something other than a column of another table."""
    CASE = "case"
    """A condition of CASE inside an aggregate, or the aggregate's argument when it is boolean."""
    FILTER = "filter"
    """`aggregate(…) FILTER (WHERE …)`."""
    QUALIFY = "qualify"


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlFilter(Filter):
    """A condition the SQL applies."""

    block: str
    """Path of the query block it restricts, as in `Block.path`."""
    clause: Clause
    alternative: int | None = None
    """Filters of one block with the same number are ORed; `None` is a plain AND term."""
    text: str = ""
    """The predicate as canonical SQL, for people."""


class Source(StrEnum):
    """Which text a question filter was read from."""

    QUESTION = "question"
    """Qu: required of the SQL."""
    DEFINITION = "definition"
    """A definition in Qe of words that Qu uses: required of the SQL."""
    ENRICHED = "enriched"
    """Only Qe holds it and it defines nothing in Qu: permitted, never required."""


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionFilter(Filter):
    """A condition the question implies."""

    source: Source = Source.QUESTION
    span: str
    """The words it was read from, verbatim."""
    start: int
    """Offset of `span` in the text that `source` names, in characters."""
    certain: float = 1.0
    """How surely these words are a condition, in [0, 1]: a quoted literal is 1, a lone capitalised word less."""
    alternatives: tuple[Value, ...] = ()
    """Other values that say the same, any one of which will do: `French` may be stored as `france`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregation:
    """An aggregate, the paper's (func, col, distinct)."""

    func: str
    """Upper-case: COUNT, SUM, AVG, MIN, MAX or the SQL function's name."""
    column: str
    """Canonical operand text, `*` for all rows; on the question's side the phrase, possibly empty."""
    distinct: bool = False
    block: str = ""
    columns: tuple[Column, ...] = ()
    windowed: bool = False
    """It is computed OVER a window, so it does not collapse rows."""
    conditional: bool = False
    """A CASE, IF or FILTER inside restricts its rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Projection:
    """One output column of a query block."""

    operand: Operand
    block: str
    alias: str | None = None
    star: bool = False
    """`*` or `t.*`."""
    literal: bool = False
    """It reads no column and no subquery."""
    conditional: bool = False
    """It holds CASE, IIF or IF."""
    subqueries: tuple[str, ...] = ()
    """Blocks of scalar subqueries in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SortKey:
    operand: Operand
    descending: bool
    block: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupKey:
    operand: Operand
    block: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """At most `count` rows of a block: LIMIT, FETCH, TOP, or a rank or row number compared with a constant."""

    count: int | None
    """`None` where it is not a literal."""
    block: str
    offset: int = 0
    ranked: bool = False
    """It was a rank or row number compared with a constant."""
    partition: tuple[Operand, ...] = ()
    """PARTITION BY keys of the rank: top k within each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Join:
    kind: str
    """`inner`, `left`, `right`, `full`, `cross`, `semi`, `anti`, `natural`, `comma`."""
    table: str
    """Base table name, or the block path of a derived table."""
    block: str
    pairs: tuple[tuple[Column, Column], ...] = ()
    """Columns equated by ON, USING or an old-style WHERE."""


class SubqueryRole(StrEnum):
    SCALAR = "scalar"
    IN = "in"
    NOT_IN = "not in"
    EXISTS = "exists"
    NOT_EXISTS = "not exists"
    DERIVED = "derived"
    """A subquery in FROM."""
    QUANTIFIED = "quantified"
    """ANY or ALL."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Subquery:
    role: SubqueryRole
    block: str
    parent: str
    correlated: bool = False
    key: Operand | None = None
    """The outer operand of IN / NOT IN: a semi-join key, not a filter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetOperation:
    kind: str
    """`union`, `union all`, `intersect`, `except` (`… all` where said)."""
    left: str
    right: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    func: str
    partition_by: tuple[Operand, ...]
    order_by: tuple[SortKey, ...]
    block: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Division:
    """One division, for ratio and percentage questions."""

    block: str
    real: bool
    """Some operand is cast to a real type, is a decimal literal, an AVG, or multiplied by one before dividing."""
    hundred: bool
    """The quotient (or its numerator) is multiplied by 100."""
    numerator: str = ""
    denominator: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One SELECT. `path` is `main`, then `main/cte:name`, `main/in:1`, `main/scalar:1`, `main/union:2`, and so on."""

    path: str
    tables: tuple[str, ...] = ()
    """Base tables it reads, lower case, in FROM order, without schema."""
    distinct: bool = False
    output: bool = False
    """Its rows are rows of the answer: the main SELECT, or each arm of the main set operation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlSpec:
    """`Ssql`: everything in the order of the text; each entry names its block."""

    dialect: str
    """The dialect it was read in, given or guessed."""
    projections: tuple[Projection, ...] = ()
    aggregations: tuple[Aggregation, ...] = ()
    filters: tuple[SqlFilter, ...] = ()
    """All conditions, HAVING included; join keys and semi-join keys are not among them."""
    group_by: tuple[GroupKey, ...] = ()
    order_by: tuple[SortKey, ...] = ()
    limits: tuple[Limit, ...] = ()
    joins: tuple[Join, ...] = ()
    set_operations: tuple[SetOperation, ...] = ()
    subqueries: tuple[Subquery, ...] = ()
    windows: tuple[Window, ...] = ()
    ctes: tuple[str, ...] = ()
    divisions: tuple[Division, ...] = ()
    blocks: tuple[Block, ...] = ()
    columns: frozenset[Column] = frozenset()
    """Every base column that is read anywhere."""
    functions: frozenset[str] = frozenset()
    """Upper-case names of other functions and casts used (ROUND, SUBSTR, STRFTIME, CAST, …)."""
    nodes: int = 0
    """Nodes of the syntax tree as the parser counts them: without names, columns and literals."""

    @property
    def outputs(self) -> frozenset[str]:
        """Paths of the blocks whose rows are the answer's."""
        return frozenset(block.path for block in self.blocks if block.output)

    @property
    def having(self) -> tuple[SqlFilter, ...]:
        return tuple(each for each in self.filters if each.clause is Clause.HAVING)

    @property
    def limit(self) -> Limit | None:
        """The limit on the answer's rows, if any: LIMIT and its kin, or a row number over all rows."""
        return next((each for each in self.limits if each.block == "main" and not each.partition), None)

    @property
    def distinct(self) -> bool:
        """The answer's rows are made distinct by SELECT DISTINCT."""
        return any(block.distinct for block in self.blocks if block.output)


class Kind(StrEnum):
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
    kind: Kind
    start: int
    end: int


class Direction(StrEnum):
    MOST = "most"
    """Highest, most, latest, longest: DESC or MAX."""
    LEAST = "least"
    """Lowest, fewest, earliest, shortest: ASC or MIN."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """A thing the question wants listed."""

    phrase: str
    """As written, without articles: `full names`."""
    head: str
    """Its head noun, stemmed: `name`."""
    start: int
    of: str | None = None
    """Whose, where said: `names of the drivers` has `drivers`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Superlative:
    """`highest score`, `top 5 … by revenue`, `oldest`, `most common`: a request for the k first rows of an order."""

    direction: Direction
    measure: str
    """The phrase ordered by; empty where only the adjective says it (`oldest`)."""
    word: str
    """The superlative word itself, lower case."""
    k: int | None
    """Rows asked for: 1 for a singular superlative, None where the number of rows is not said."""
    start: int
    counted: bool = False
    """Ordered by how many there are (`most flights`, `most common`): COUNT, not a column's MAX."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordering:
    """`sorted by x`, `in descending order`, `alphabetically`, `ranked`."""

    phrase: str
    descending: bool | None
    """`None` where no direction is said."""
    start: int


class RatioKind(StrEnum):
    PERCENTAGE = "percentage"
    RATIO = "ratio"
    RATE = "rate"
    DIFFERENCE = "difference"
    """`how much more`, `difference between`, `compared with`: subtraction of two."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    kind: RatioKind
    phrase: str
    start: int


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionSpec:
    """`Sq` of one text (Qu or Qe)."""

    text: str
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
    """Every number said, also those that became a k or part of a date."""
    distinct: bool = False
    """`different`, `distinct`, `unique` is asked for."""
    ratios: tuple[Ratio, ...] = ()
    negations: tuple[str, ...] = ()
    """Words that negate, verbatim, in order: `not`, `without`, `other than`, `never`."""
    yes_no: bool = False
    """It asks whether (`Is …`, `Did …`, `whether`)."""
    parts: int = 1
    """How many questions it holds."""
    definitions: tuple[Definition, ...] = field(default=())

    @property
    def top_k(self) -> int | None:
        """Rows explicitly asked for (`top 5`, `the first three`), else None."""
        return next((each.k for each in self.superlatives if each.k is not None), None)
