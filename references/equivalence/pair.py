"""The language of bounded equivalence: a pair of queries, the ladder of assumptions, the verdict and its witness."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from references.sandbox import Result, Row
from references.semantics import Semantics


class Rung(StrEnum):
    """What the data of a witness may hold: the lower the rung, the more the difference matters."""

    S0 = "S0"
    """Ordinary data: keys and references hold, no NULLs, no ties, one letter case, no empty table."""
    S1 = "S1"
    """NULLs in nullable columns."""
    S2 = "S2"
    """Values repeated in guessed keys, and references that lead nowhere."""
    S3 = "S3"
    """Ties at a LIMIT or in a row order."""
    S4 = "S4"
    """The results differ only in how often rows repeat."""
    S5 = "S5"
    """The results differ only in the order of columns, or one has columns more."""
    S6 = "S6"
    """No rows against NULL or 0, or a table without rows."""
    S7 = "S7"
    """Letter case, or text against number."""


ASSUMPTIONS: Mapping[Rung, str] = {
    Rung.S0: "ordinary data: keys and references hold, no NULLs, no ties, one letter case, no empty table",
    Rung.S1: "a nullable column holds NULL",
    Rung.S2: "a guessed key repeats, or a reference leads nowhere",
    Rung.S3: "rows tie where the order decides",
    Rung.S4: "how often a row repeats counts",
    Rung.S5: "the order or the number of columns counts",
    Rung.S6: "a table is empty, or no rows, NULL and 0 are told apart",
    Rung.S7: "letter case counts, or text is compared with numbers",
}
"""What must be granted for the witness of a rung to count."""


class EquivalenceVerdict(StrEnum):
    DIFFERENT = "different"
    """A witness was executed: the queries give different results on it."""
    EQUIVALENT_UP_TO_BOUND = "equivalent_up_to_bound"
    """Proved: no database with at most `bound` rows a table tells them apart, under the assumption."""
    NOT_REFUTED = "not_refuted"
    """No witness was found, and nothing was proved."""
    UNSUPPORTED = "unsupported"
    """One of the queries cannot be run here without another meaning."""
    ERROR = "error"
    """One of the queries, the schema or the input cannot be read or executed; the reason names it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two queries, and what is known of their database."""

    sql_a: str
    sql_b: str
    schema: str | None = None
    """DDL; `None` is inferred from the queries."""
    constraints: object = None
    """`primary`, `foreign` and `not_null` beside the DDL, as JSON."""
    dialect: str | None = None
    """A sqlglot dialect name; `None` is SQLite."""
    semantics: Semantics = Semantics.BAG


Contents = Mapping[str, tuple[Row, ...]]
"""Rows by table name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A database on which the queries differ, and the rung it needs."""

    rung: Rung
    data: Rung
    """What the database itself takes leave to hold."""
    contents: Contents


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """What was proved of a pair."""

    bound: int
    """Rows a table; 0: nothing."""
    assumption: str
    reason: str | None
    """Why the proof ends there."""
    found: Found | None = None
    """The solver's database, where running the queries confirmed it."""
    disputed: Contents | None = None
    """The solver's database, where running the queries did not confirm it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """A database on which two queries give different results."""

    columns: Mapping[str, tuple[str, ...]]
    rows: Contents
    result_a: Result
    result_b: Result

    @property
    def size(self) -> int:
        """Rows of all tables."""
        return sum(len(rows) for rows in self.rows.values())

    @property
    def largest(self) -> int:
        """Rows of the largest table."""
        return max((len(rows) for rows in self.rows.values()), default=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What is said of a pair."""

    verdict: EquivalenceVerdict
    rung: Rung | None = None
    assumption: str | None = None
    reason: str | None = None
    fault: str | None = None
    """`sql_a` or `sql_b`, where the reason speaks of one side that cannot be read, run or kept in its meaning."""
    bound: int | None = None
    """Rows a table up to which the queries were proved equal."""
    trials: int = 0
    """Databases that were tried."""
    cpu_seconds: float = 0.0
    witness: Witness | None = None
    notes: tuple[str, ...] = field(default=())
    """Guessed keys and references that the verdict leans on, with their reasons."""
