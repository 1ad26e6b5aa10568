"""Tables of unknown rows, and the names under which an expression finds their cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from references.equivalence.proof.logic import Bit, Term


@dataclass(frozen=True, slots=True)
class UnknownRow:
    """A row that may or may not be there."""

    present: Bit
    cells: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """A column: the source it belongs to and its name, both folded."""

    source: str
    name: str
    hidden: bool = False
    """The second of two columns that USING made one."""


@dataclass(frozen=True, slots=True)
class Relation:
    """Rows of unknowns under headings."""

    headings: tuple[Heading, ...]
    rows: tuple[UnknownRow, ...]

    def renamed(self, source: str, names: Sequence[str] = ()) -> Relation:
        """The same rows as a source of this name."""
        shown = [each for each in self.headings if not each.hidden]
        titles = [*names, *(each.name for each in shown[len(names) :])]
        headings = tuple(Heading(source, title.lower()) for title in titles)
        kept = [index for index, each in enumerate(self.headings) if not each.hidden]
        rows = self.rows
        if len(kept) < len(self.headings):
            rows = tuple(UnknownRow(row.present, tuple(row.cells[index] for index in kept)) for row in rows)
        return Relation(headings, rows)


@dataclass(frozen=True, slots=True)
class Group:
    """The rows that an aggregate takes together."""

    rows: tuple[UnknownRow, ...]
    members: tuple[Bit, ...]
    """Which of the rows belong to it."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What an expression sees: a row, the group around it, the rows outside."""

    headings: tuple[Heading, ...]
    cells: tuple[Term, ...]
    outer: Frame | None
    tables: Mapping[str, Relation] = field(default_factory=dict[str, Relation])
    """CTEs, by folded name."""
    group: Group | None = None
    window: tuple[tuple[UnknownRow, ...], int] | None = None
    """The rows of the block and which of them this is."""
    aliases: Mapping[str, Term] = field(default_factory=dict[str, Term])
    """Outputs by name, for HAVING and ORDER BY."""

    def find(self, source: str, name: str) -> Term | None:
        """The cell of a column, here or outside; `None` where there is none."""
        frame: Frame | None = self
        while frame is not None:
            for heading, cell in zip(frame.headings, frame.cells, strict=True):
                if heading.name == name and (heading.source == source if source else not heading.hidden):
                    return cell
            if not source and name in frame.aliases:
                return frame.aliases[name]
            frame = frame.outer
        return None

    def cte(self, name: str) -> Relation | None:
        """A CTE by its name."""
        frame: Frame | None = self
        while frame is not None:
            if name in frame.tables:
                return frame.tables[name]
            frame = frame.outer
        return None

    def on(self, row: UnknownRow, headings: tuple[Heading, ...] | None = None) -> Frame:
        """The same surroundings with another row."""
        return Frame(
            headings or self.headings, row.cells, self.outer, self.tables, self.group, self.window, self.aliases
        )
