"""The tables of review: answers drawn for labelling, and what labels taught about a tenant."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar, cast

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    DateTime,
    Double,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
    func,
)
from sqlmodel import Field, SQLModel


def _column(kind: Any, *, key: bool = False, null: bool = False) -> Any:
    return Field(sa_column=Column(kind, primary_key=key, nullable=null))


class ReviewDrawRow(SQLModel, table=True):
    """With what one agent's answers are drawn for labelling."""

    __tablename__: ClassVar[str] = "review_draws"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name

    tenant: str = _column(Text, key=True)
    agent: str = _column(Text, key=True)
    secret: bytes = _column(LargeBinary)
    wanted: int = _column(Integer)
    spread: float = _column(Double)
    drawn_at: datetime = _column(DateTime(timezone=True))


class ReviewItemRow(SQLModel, table=True):
    """One answer that was drawn for labelling, and who has it now."""

    __tablename__: ClassVar[str] = "review_items"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name
    __table_args__: ClassVar[tuple[Any, ...]] = (
        Index("review_items_agent", "tenant", "agent", "place"),
        CheckConstraint(
            "sampling_probability > 0 AND sampling_probability <= 1", name="review_items_sampling_probability"
        ),
    )

    tenant: str = _column(Text, key=True)
    source: str = _column(Text, key=True)
    event_id: str = _column(Text, key=True)
    agent: str = _column(Text)
    occurred_at: datetime = _column(DateTime(timezone=True))
    share: float = _column(Double)
    sampling_probability: float = _column(Double)
    place: float = _column(Double)
    drawn_at: datetime = _column(DateTime(timezone=True))
    reviewer: str | None = _column(Text, null=True)
    leased_until: datetime | None = _column(DateTime(timezone=True), null=True)
    labelled_at: datetime | None = _column(DateTime(timezone=True), null=True)


class TenantCalibrationRow(SQLModel, table=True):
    """One calibration of a tenant. Rows never change; each version of the rules names the one in force with it."""

    __tablename__: ClassVar[str] = "tenant_calibrations"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name
    __table_args__: ClassVar[tuple[CheckConstraint, ...]] = (
        CheckConstraint(
            "slope >= 0.5 AND slope <= 2 AND intercept >= -2 AND intercept <= 2", name="tenant_calibrations_bounds"
        ),
    )

    tenant: str = _column(Text, key=True)
    version: int = _column(BigInteger, key=True)
    judge: str = _column(Text)
    evaluator_version: str = _column(Text)
    intercept: float = _column(Double)
    slope: float = _column(Double)
    labels: int = _column(Integer)
    labelled_right: int = _column(Integer)
    loss_before: float = _column(Double)
    loss_after: float = _column(Double)
    fitted_at: datetime = Field(sa_column=Column(DateTime(timezone=True), nullable=False, server_default=func.now()))


def _table(model: type[SQLModel]) -> Table:
    return cast("Table", getattr(model, "__table__"))  # noqa: B009 SQLModel does not declare it


REVIEW_DRAWS = _table(ReviewDrawRow)
REVIEW_ITEMS = _table(ReviewItemRow)
TENANT_CALIBRATIONS = _table(TenantCalibrationRow)
