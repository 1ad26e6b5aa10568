"""Tables of unknown rows, and how expressions find their cells by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from references.equivalence.proof.logic import Bit, UnknownValue


@dataclass(frozen=True, slots=True)
class UnknownRow:
    """A row that may or may not exist."""

    present: Bit
    cells: tuple[UnknownValue, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """A column: its source and its name, both in lower case."""

    source: str
    name: str
    hidden: bool = False
    """Whether it is the second of two columns that USING merged."""


@dataclass(frozen=True, slots=True)
class Relation:
    """Unknown rows with their headings."""

    headings: tuple[Heading, ...]
    rows: tuple[UnknownRow, ...]

    def renamed(self, source: str, names: Sequence[str] = ()) -> Relation:
        """The same rows as a source with this name."""
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
    """The rows over which aggregates are computed."""

    rows: tuple[UnknownRow, ...]
    members: tuple[Bit, ...]
    """For each row, whether it belongs to the group."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What an expression can refer to: a row, its group, and the rows of outer queries."""

    headings: tuple[Heading, ...]
    cells: tuple[UnknownValue, ...]
    outer: Frame | None
    tables: Mapping[str, Relation] = field(default_factory=dict[str, Relation])
    """CTEs by lower-cased name."""
    group: Group | None = None
    window: tuple[tuple[UnknownRow, ...], int] | None = None
    """The rows of the block, and the place of this one."""
    aliases: Mapping[str, UnknownValue] = field(default_factory=dict[str, UnknownValue])
    """Outputs by name, for HAVING and ORDER BY."""

    def find(self, source: str, name: str) -> UnknownValue | None:
        """Finds the cell of a column in this frame or an outer one."""
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
        """Finds a CTE by its name."""
        frame: Frame | None = self
        while frame is not None:
            if name in frame.tables:
                return frame.tables[name]
            frame = frame.outer
        return None

    def on(self, row: UnknownRow, headings: tuple[Heading, ...] | None = None) -> Frame:
        """The same frame with another row."""
        return Frame(
            headings or self.headings, row.cells, self.outer, self.tables, self.group, self.window, self.aliases
        )
