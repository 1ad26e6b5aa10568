"""What SQL only seems to do: conditions that restrict nothing, outputs that no row changes."""

from __future__ import annotations

from enum import StrEnum

from scoring.immutable import immutable


class VoidKind(StrEnum):
    """What a part of the SQL fails to do."""

    CONDITION = "condition"
    """It holds for every row, so it filters nothing."""
    COMPLEMENT = "complement"
    """A UNION of some rows of a table and all others."""
    DECOY = "decoy"
    """It is on literals alone, whatever the row holds."""
    ARM = "arm"
    """It never holds, so an OR or a UNION does without it."""
    WIDENING = "widening"
    """An arm of an OR that nearly every row satisfies, on a column of its own."""
    APART = "apart"
    """An arm of an OR on columns that no other arm reads."""
    FALLBACK = "fallback"
    """A constant that stands for NULL meets a condition, or an arm of an OR keeps NULL beside a value."""
    EMPTY = "empty"
    """It leaves no row of the block."""
    CONFLICT = "conflict"
    """Two values of one column are asked for at once; the conditions stay filters."""
    OUTPUT = "output"
    """An output of the answer is the same whatever the rows hold."""
    ARITHMETIC = "arithmetic"
    """An output of the answer is changed by a constant."""
    COMPUTED = "computed"
    """An output computes more than one value that is asked for, or a sort key orders rows unlike its value."""
    COMPARED = "compared"
    """What a condition compares is changed by a constant."""
    ORDER = "order"
    """A sort key is the same for every row."""
    GROUP = "group"
    """A group key is the same for every row."""
    SAMPLE = "sample"
    """A random part of a table's rows is read."""
    COLUMN = "column"
    """A computed column of an inner query that nothing reads."""
    LAST_DAY = "last day"
    """A range ends with a date: of a column of moments it has only the first moment of that day."""
    UNUSED = "unused"
    """A query with conditions that nothing reads."""


@immutable()
class Void:
    """One part of the SQL that does not do what it seems to do."""

    kind: VoidKind
    block: str
    """Path of its query block, as in `Block.path`."""
    text: str
    """Canonical SQL, for people."""
    numbers: tuple[float, ...] = ()
    """The constants of an arithmetic."""
    values: tuple[str, ...] = ()
    """The values of a conflict, the columns of a widening arm, names and literals of an arm apart, the literals of a
    decoy or column, column and date of a last day, what an output computes, or those that a changed value is compared
    with."""
