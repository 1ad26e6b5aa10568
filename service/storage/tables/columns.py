"""How the columns of the tables are declared."""

from __future__ import annotations

from enum import Flag, auto
from typing import Any, cast

from sqlalchemy import Boolean, Column, DateTime, Table, false, true
from sqlmodel import Field, SQLModel

METADATA = SQLModel.metadata
"""All tables that are declared."""


class Use(Flag):
    """What a column of an evaluation is used for; statements, lists and files are made from this."""

    SCORE = auto()
    """Says something of the score, not of the event: from the field of the line out of that name, or from an import."""
    LIST = auto()
    """Stands in lists of answers."""
    FILE = auto()
    """Is a column of a file of answers."""


NO_USE = Use(0)


def column(kind: Any, *, key: bool = False, null: bool = False, use: Use = NO_USE) -> Any:
    """A column of this kind; without `null` it always has a value."""
    return Field(sa_column=Column(kind, primary_key=key, nullable=null, info={"use": use}))


def time_column(*, key: bool = False, use: Use = NO_USE) -> Any:
    """A time with its zone."""
    return column(DateTime(timezone=True), key=key, use=use)


def flag(*, default: bool, use: Use = NO_USE) -> Any:
    """A truth with a default."""
    server_default = true() if default else false()
    return Field(sa_column=Column(Boolean, nullable=False, server_default=server_default, info={"use": use}))


def columns_for(table: Table, use: Use) -> list[Column[Any]]:
    """The columns of a table with this use, in their order."""
    return [each for each in table.c if use in each.info.get("use", NO_USE)]


def table(model: type[SQLModel]) -> Table:
    """The table of a model."""
    return cast("Table", getattr(model, "__table__"))  # noqa: B009 SQLModel does not declare it
