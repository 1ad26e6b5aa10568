"""How the columns of the tables are declared."""

from __future__ import annotations

from typing import Any, cast

from sqlalchemy import Boolean, Column, DateTime, Table, false, true
from sqlmodel import Field, SQLModel

METADATA = SQLModel.metadata
"""All tables that are declared."""


def column(kind: Any, *, key: bool = False, null: bool = False) -> Any:
    """A column of this kind; without `null` it always has a value."""
    return Field(sa_column=Column(kind, primary_key=key, nullable=null))


def time_column(*, key: bool = False) -> Any:
    """A time with its zone."""
    return column(DateTime(timezone=True), key=key)


def flag(*, default: bool) -> Any:
    """A truth with a default."""
    return Field(sa_column=Column(Boolean, nullable=False, server_default=true() if default else false()))


def table(model: type[SQLModel]) -> Table:
    """The table of a model."""
    return cast("Table", getattr(model, "__table__"))  # noqa: B009 SQLModel does not declare it
