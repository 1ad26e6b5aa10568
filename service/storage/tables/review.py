"""The tables of review: answers drawn for labelling, and what labels taught about a tenant."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    Double,
    Index,
    Integer,
    LargeBinary,
    Text,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY
from sqlmodel import Field, SQLModel

from service.storage.tables.columns import column, table, time_column


class ReviewDrawRow(SQLModel, table=True):
    """With what one agent's answers are drawn for labelling."""

    __tablename__: ClassVar[str] = "review_draws"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name

    tenant: str = column(Text, key=True)
    agent: str = column(Text, key=True)
    secret: bytes = column(LargeBinary)
    wanted: int = column(Integer)
    spread: float = column(Double)
    drawn_at: datetime = time_column()


class ReviewItemRow(SQLModel, table=True):
    """One answer that was drawn for labelling, and who has it now."""

    __tablename__: ClassVar[str] = "review_items"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name
    __table_args__: ClassVar[tuple[Any, ...]] = (
        Index("review_items_agent", "tenant", "agent", "place"),
        CheckConstraint(
            "sampling_probability > 0 AND sampling_probability <= 1", name="review_items_sampling_probability"
        ),
    )

    tenant: str = column(Text, key=True)
    source: str = column(Text, key=True)
    event_id: str = column(Text, key=True)
    agent: str = column(Text)
    occurred_at: datetime = time_column()
    share: float = column(Double)
    sampling_probability: float = column(Double)
    place: float = column(Double)
    drawn_at: datetime = time_column()
    reviewer: str | None = column(Text, null=True)
    leased_until: datetime | None = column(DateTime(timezone=True), null=True)
    labelled_at: datetime | None = column(DateTime(timezone=True), null=True)
    skipped_by: list[str] = Field(sa_column=Column(ARRAY(Text), nullable=False, server_default="{}"))
    skipped_at: datetime | None = column(DateTime(timezone=True), null=True)


class PastLabelRow(SQLModel, table=True):
    """A label that its reviewer replaced or withdrew. A trigger writes the replaced ones."""

    __tablename__: ClassVar[str] = "past_labels"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name

    tenant: str = column(Text, key=True)
    source: str = column(Text, key=True)
    event_id: str = column(Text, key=True)
    reviewer: str = column(Text, key=True)
    labelled_at: datetime = time_column(key=True)
    label: str = column(Text)
    error_type: str | None = column(Text, null=True)
    note: str | None = column(Text, null=True)
    correction: str | None = column(Text, null=True)
    sampling_probability: float | None = column(Double, null=True)
    blind: bool | None = column(Boolean, null=True)
    withdrawn: bool = column(Boolean)
    ended_at: datetime = Field(sa_column=Column(DateTime(timezone=True), nullable=False, server_default=func.now()))


class FeedbackRow(SQLModel, table=True):
    """What one person says about one answer. `event_id` is null while its trace has no stored answer."""

    __tablename__: ClassVar[str] = "feedback"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name
    __table_args__: ClassVar[tuple[Any, ...]] = (
        Index("feedback_event", "tenant", "event_id", "source"),
        Index("feedback_trace", "tenant", "trace_id", postgresql_where=text("trace_id IS NOT NULL")),
        Index("feedback_waiting", "received_at", postgresql_where=text("event_id IS NULL")),
        Index("feedback_newest", "tenant", text("given_at DESC"), text("feedback_id DESC")),
        CheckConstraint("stars BETWEEN 1 AND 5", name="feedback_stars"),
    )

    tenant: str = column(Text, key=True)
    feedback_id: str = column(Text, key=True)
    kind: str = column(Text)
    source: str | None = column(Text, null=True)
    event_id: str | None = column(Text, null=True)
    trace_id: str | None = column(Text, null=True)
    thumb: str | None = column(Text, null=True)
    stars: int | None = column(Integer, null=True)
    edited_sql: str | None = column(Text, null=True)
    comment: str | None = column(Text, null=True)
    user_id: str | None = column(Text, null=True)
    satisfied: bool | None = column(Boolean, null=True)
    given_at: datetime = time_column()
    received_at: datetime = time_column()


class TenantCalibrationRow(SQLModel, table=True):
    """One calibration of a tenant. Rows never change; each version of the rules names the one in force with it."""

    __tablename__: ClassVar[str] = "tenant_calibrations"  # pyright: ignore[reportIncompatibleVariableOverride] SQLModel reads a plain name
    __table_args__: ClassVar[tuple[CheckConstraint, ...]] = (
        CheckConstraint(
            "slope >= 0.5 AND slope <= 2 AND intercept >= -2 AND intercept <= 2", name="tenant_calibrations_bounds"
        ),
    )

    tenant: str = column(Text, key=True)
    version: int = column(BigInteger, key=True)
    judge: str = column(Text)
    evaluator_version: str = column(Text)
    intercept: float = column(Double)
    slope: float = column(Double)
    labels: int = column(Integer)
    labelled_right: int = column(Integer)
    loss_before: float = column(Double)
    loss_after: float = column(Double)
    fitted_at: datetime = Field(sa_column=Column(DateTime(timezone=True), nullable=False, server_default=func.now()))


FEEDBACK = table(FeedbackRow)
REVIEW_DRAWS = table(ReviewDrawRow)
REVIEW_ITEMS = table(ReviewItemRow)
PAST_LABELS = table(PastLabelRow)
TENANT_CALIBRATIONS = table(TenantCalibrationRow)
