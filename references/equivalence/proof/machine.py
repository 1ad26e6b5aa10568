"""What every part of the proof shares: the unknown tables, the readers of expressions, and what was assumed so far."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from sqlglot import exp

from references.equivalence.proof.calendar import Calendar
from references.equivalence.proof.logic import Bit, Truth, UnknownValue
from references.equivalence.proof.rows import Frame, Relation
from references.equivalence.proof.texts import Functions, Texts


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Evaluates expressions and queries over unknown rows with the readers it was given."""

    tables: Mapping[str, Relation]
    """By lower-cased name."""
    texts: Texts
    functions: Functions
    read_term: TermReader
    read_truth: TruthReader
    read_query: QueryReader
    calendar: Calendar
    dates: bool
    """Whether columns of dates hold dates, and not any text."""
    tick: Callable[[], None]
    """Raises `Unprovable` when time is up."""
    assumptions: dict[str, list[Bit]] = field(default_factory=dict[str, list[Bit]])
    """Formulas that the proof may take as true, by their description."""
    duties: list[Bit] = field(default_factory=list[Bit])
    """Formulas that must hold in every database for the result to be right. They are proved with the rest."""

    def term(self, node: exp.Expr, frame: Frame) -> UnknownValue:
        """Evaluates an expression."""
        self.tick()
        return self.read_term(self, node, frame)

    def truth(self, node: exp.Expr, frame: Frame) -> Truth:
        """Evaluates a condition."""
        return self.read_truth(self, node, frame)

    def query(self, tree: exp.Expr, outer: Frame) -> Relation:
        """Evaluates a query that may refer to the rows of `outer`."""
        return self.read_query(self, tree, outer)

    def assume(self, what: str, bit: Bit) -> None:
        """Excludes databases from the proof: those on which `bit` is false."""
        if bit is not True:
            self.assumptions.setdefault(what, []).append(bit)


TermReader: TypeAlias = Callable[[Machine, exp.Expr, Frame], UnknownValue]
TruthReader: TypeAlias = Callable[[Machine, exp.Expr, Frame], Truth]
QueryReader: TypeAlias = Callable[[Machine, exp.Expr, Frame], Relation]
