"""What `CREATE TABLE` declares of rows beside keys and references: CHECK, lists of values and generated columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sqlglot import exp

from references.enum_types import named_type, values_of
from references.schema import Check

_SHOWN = 100
_KEPT = (
    exp.NotNullColumnConstraint, exp.PrimaryKeyColumnConstraint, exp.UniqueColumnConstraint, exp.Reference,
    exp.CheckColumnConstraint, exp.ComputedColumnConstraint, exp.PrimaryKey, exp.ForeignKey,
)  # fmt: skip
_HARMLESS = (
    exp.DefaultColumnConstraint, exp.CommentColumnConstraint, exp.CollateColumnConstraint, exp.IndexColumnConstraint,
    exp.AutoIncrementColumnConstraint, exp.GeneratedAsIdentityColumnConstraint, exp.CharacterSetColumnConstraint,
    exp.EncodeColumnConstraint, exp.OnUpdateColumnConstraint, exp.ClusteredColumnConstraint, exp.Properties,
    exp.NonClusteredColumnConstraint, exp.InlineLengthColumnConstraint, exp.CompressColumnConstraint,
)  # fmt: skip
"""Declarations that forbid no row."""
_UNSIGNED = frozenset({
    exp.DType.UTINYINT, exp.DType.USMALLINT, exp.DType.UMEDIUMINT, exp.DType.UINT, exp.DType.UBIGINT,
    exp.DType.UDECIMAL, exp.DType.UDOUBLE,
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Declarations:
    """The declarations of one table."""

    tree: exp.Schema
    dialect: str
    enums: Mapping[str, tuple[str, ...]]
    """Values of declared types, by name."""

    def checks(self) -> Iterator[Check]:
        """Conditions on rows, and how generated columns are computed."""
        for each in self.tree.expressions:
            if isinstance(each, exp.ColumnDef):
                yield from self._of_column(each)
        for each in table_constraints(self.tree):
            if isinstance(each, exp.CheckColumnConstraint):
                yield self._check(each.this, "CHECK")

    def _of_column(self, column: exp.ColumnDef) -> Iterator[Check]:
        values = self.values(column.name) or ()
        own = exp.Column(this=column.this.copy())
        if values:
            literals = [exp.Literal.string(each) for each in values]
            yield self._check(exp.In(this=own, expressions=literals), "ENUM")
        if column.kind is not None and column.kind.this in _UNSIGNED:
            yield self._check(exp.GTE(this=own, expression=exp.Literal.number(0)), "UNSIGNED")
        for each in kinds(column):
            if isinstance(each, exp.CheckColumnConstraint):
                yield self._check(each.this, "CHECK")
            elif isinstance(each, exp.ComputedColumnConstraint):
                yield self._check(each.this, "GENERATED", column.name.lower())

    def values(self, name: str) -> tuple[str, ...] | None:
        """The values of a column in the order in which they sort, none where they are too many to list.

        `None` for a column of a type that lists none.
        """
        kind = next((each.kind for each in self._columns() if each.name.lower() == name.lower()), None)
        if kind is None:
            return None
        return values_of(kind) or self.enums.get(named_type(kind)) or (() if kind.this is exp.DType.SET else None)

    def _columns(self) -> Iterator[exp.ColumnDef]:
        return (each for each in self.tree.expressions if isinstance(each, exp.ColumnDef))

    def _check(self, tree: exp.Expr, reason: str, computes: str | None = None) -> Check:
        return Check(sql=tree.sql(dialect=self.dialect), dialect=self.dialect, reason=reason, computes=computes)

    def ignored(self) -> Iterator[str]:
        """Constraints that are not read and may forbid rows."""
        columns = [*self._columns()]
        for each in columns:
            if self.values(each.name) == () and each.kind is not None:
                yield f"{each.name} {each.kind.sql(self.dialect)}"[:_SHOWN]
        found = [one for column in columns for one in kinds(column) if isinstance(one, exp.Expr)]
        for each in (*found, *table_constraints(self.tree)):
            one_null = isinstance(each, exp.UniqueColumnConstraint) and each.args.get("nulls")
            if one_null or not isinstance(each, (*_KEPT, *_HARMLESS)):
                yield each.sql(self.dialect)[:_SHOWN]


def kinds(tree: exp.ColumnDef) -> list[object]:
    """The constraints of a column, of whatever type: options of some dialects are among them."""
    return [each.args.get("kind") for each in tree.args.get("constraints") or ()]


def table_constraints(tree: exp.Schema) -> Iterator[exp.Expr]:
    """The constraints of a table, with a name or without."""
    for each in tree.expressions:
        if isinstance(each, exp.Constraint):
            yield from each.expressions
        elif not isinstance(each, exp.ColumnDef):
            yield each


_TEXTS = frozenset({exp.DType.VARCHAR, exp.DType.NVARCHAR, exp.DType.CHAR, exp.DType.NCHAR, exp.DType.BPCHAR})


def longest_text(type_: exp.DataType | None) -> int | None:
    """How many characters a text of a type may have; `None` where it sets no limit, and without a type.

    >>> longest_text(exp.DataType.build("VARCHAR(3)")), longest_text(exp.DataType.build("TEXT"))
    (3, None)
    """
    named = [each.name for each in type_.expressions if each.name.isdigit()] if type_ is not None else []
    return int(named[0]) if named and type_ is not None and type_.this in _TEXTS else None


_SECOND_DIGITS: Mapping[str, int] = {
    **dict.fromkeys(("mysql", "singlestore", "doris", "starrocks", "clickhouse", "sqlite"), 0),
    **dict.fromkeys(("trino", "presto", "athena"), 3),
}
"""Digits after the second where a type names none; six in other dialects."""
_TYPE_DIGITS: Mapping[exp.DType, int] = {
    exp.DType.DATE: 0,
    exp.DType.SMALLDATETIME: 0,
    exp.DType.TIMESTAMP_S: 0,
    exp.DType.TIMESTAMP_MS: 3,
    exp.DType.DATETIME64: 3,
}


def digits_of_second(type_: exp.DataType, dialect: str) -> int:
    """How many digits of a fraction of a second a type of moments holds. T-SQL's DATETIME ends with `.997`.

    >>> digits_of_second(exp.DataType.build("TIMESTAMP(0)"), "postgres"), digits_of_second(
    ...     exp.DataType.build("DATETIME"), "mysql"
    ... )
    (0, 0)
    """
    named = [each.name for each in type_.expressions if each.name.isdigit()]
    if named:
        return int(named[0])
    if dialect in {"tsql", "fabric"} and type_.is_type(exp.DType.DATETIME):
        return 2
    return next(
        (digits for each, digits in _TYPE_DIGITS.items() if type_.is_type(each)), _SECOND_DIGITS.get(dialect, 6)
    )
