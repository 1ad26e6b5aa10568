"""The terms of bounded equivalence: a pair of queries, the ladder of assumptions, the verdict and its witness."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from references.sandbox import Result, Row
from references.semantics import Semantics


class Level(StrEnum):
    """What a witness assumes of the data. The lower the level, the more the difference matters."""

    S0 = "S0"
    """Ordinary data: keys and references hold, no NULLs, no ties, one letter case, no empty table."""
    S1 = "S1"
    """NULLs in nullable columns."""
    S2 = "S2"
    """Repeated values in guessed keys, and guessed references without a parent."""
    S3 = "S3"
    """Ties at a LIMIT or in the order of rows."""
    S4 = "S4"
    """The results differ only in how often rows occur."""
    S5 = "S5"
    """The results differ only in the order of columns, or one has extra columns."""
    S6 = "S6"
    """One result is empty where the other has NULL or 0, or a table is empty."""
    S7 = "S7"
    """The results differ only in letter case, or in text instead of numbers."""


ASSUMPTIONS: Mapping[Level, str] = {
    Level.S0: "ordinary data: keys and references hold, no NULLs, no ties, one letter case, no empty table",
    Level.S1: "a nullable column holds NULL",
    Level.S2: "a guessed key repeats or is NULL, or a guessed reference has no parent",
    Level.S3: "rows tie in a sort order that decides the result",
    Level.S4: "how often a row repeats counts",
    Level.S5: "the order or the number of columns counts",
    Level.S6: "a table is empty, or an empty result, NULL and 0 count as different",
    Level.S7: "letter case counts, or text is compared with numbers",
}
"""The assumption under which the witness of a level counts."""


class EquivalenceVerdict(StrEnum):
    DIFFERENT = "different"
    """The queries were executed on a witness and gave different results."""
    EQUIVALENT_UP_TO_BOUND = "equivalent_up_to_bound"
    """Proved under the assumption: the results agree on every database with at most `bound` rows per table."""
    NOT_REFUTED = "not_refuted"
    """No witness was found, and nothing was proved."""
    UNSUPPORTED = "unsupported"
    """One of the queries cannot be run here with its meaning."""
    ERROR = "error"
    """One of the queries, the schema or the input cannot be read or executed. The reason names it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two queries, and what is known about their database."""

    sql_a: str
    sql_b: str
    schema: str | None = None
    """DDL; when `None`, the schema is inferred from the queries."""
    constraints: object = None
    """`primary`, `foreign` and `not_null` constraints in addition to the DDL, as JSON."""
    dialect: str | None = None
    """A sqlglot dialect name; `None` is SQLite."""
    guessed: bool = False
    """Whether the dialect is a guess: what SQLite refuses may then be right SQL of another one."""
    semantics: Semantics = Semantics.BAG


Contents = Mapping[str, tuple[Row, ...]]
"""Rows by table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A database on which the queries differ, and the level it needs."""

    level: Level
    data: Level
    """The level that the database itself needs."""
    contents: Contents


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """What was proved about a pair."""

    bound: int
    """Rows per table up to which the proof goes; 0 when nothing was proved."""
    assumption: str
    reason: str | None
    """Why the proof goes no further."""
    found: Found | None = None
    """The solver's database, if the queries differ when run on it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """A database on which two queries give different results."""

    columns: Mapping[str, tuple[str, ...]]
    rows: Contents
    result_a: Result
    result_b: Result
    minimal: bool = False
    """Whether no row and no value can be taken away: the queries would agree, or differ on a higher level only."""

    @property
    def size(self) -> int:
        """Rows of all tables."""
        return sum(len(rows) for rows in self.rows.values())

    @property
    def largest(self) -> int:
        """Rows of the largest table."""
        return max((len(rows) for rows in self.rows.values()), default=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class PairFinding:
    """The outcome for a pair."""

    verdict: EquivalenceVerdict
    level: Level | None = None
    assumption: str | None = None
    reason: str | None = None
    fault: str | None = None
    """`sql_a` or `sql_b`, when that side cannot be read or run with its meaning."""
    bound: int | None = None
    """Rows per table up to which the queries were proved equal."""
    trials: int = 0
    """Databases that were tried."""
    cpu_seconds: float = 0.0
    witness: Witness | None = None
    notes: tuple[str, ...] = field(default=())
    """Guessed keys and references that the verdict depends on, with reasons."""
    unseen: bool = False
    """Whether something in which the queries differ decided no result, so that finding no difference means little."""
