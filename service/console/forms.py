"""What the console's forms send: a browser sends the fields that were left empty too."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from typing import Annotated, Any, Self, cast

from pydantic import BeforeValidator, Field, ValidationInfo, field_validator, model_validator

from consumers.wire.labels import ErrorType
from evals.slices.counts import SliceKind
from service.api.caller import Caller
from service.api.evaluations import AnswerFilter, ListQuery, Name, ReportQuery
from service.storage.scores.evaluation_pages import EvaluationFilter, FeedbackSaid, Order
from service.storage.scores.slice_parts import LONGEST_VALUE

_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def _read_day(value: object) -> object:
    if not isinstance(value, str) or not _DAY.fullmatch(value):
        raise ValueError("write a day such as 2026-11-02")
    return value


Day = Annotated[date, BeforeValidator(_read_day)]


class RecentDays(StrEnum):
    """Times that end now. Days begin at midnight UTC."""

    TODAY = "today"
    WEEK = "7d"
    """Today and the six days before."""
    MONTH = "30d"
    ALL = "all"


RANGES = {RecentDays.TODAY: "Today", RecentDays.WEEK: "7 days", RecentDays.MONTH: "30 days", RecentDays.ALL: "All"}
"""The ranges as pages name them."""
_DAYS = {RecentDays.TODAY: 1, RecentDays.WEEK: 7, RecentDays.MONTH: 30}
CARRIED = ("tenant", "agent", "agent_version", "range", "from_day", "to_day", "since", "until")
"""The parameters that every link of the console keeps."""
ANY_TIME: Mapping[str, None] = dict.fromkeys(("range", "from_day", "to_day", "since", "until"))
"""The parameters of time, left out of a link."""


class BrowserForm(AnswerFilter):
    """A form in which an empty field restricts nothing, and a time is a range of days.

    `since` and `until` win over the days, and the days over `range`.
    """

    range: RecentDays = RecentDays.ALL
    from_day: Day | None = None
    to_day: Day | None = None
    """The last day, inclusive."""

    @model_validator(mode="before")
    @classmethod
    def _leave_out_empty(cls, given: object) -> object:
        if not isinstance(given, dict):
            return given
        return {name: value for name, value in cast("dict[str, object]", given).items() if value != ""}

    @field_validator("to_day")
    @classmethod
    def _check_order(cls, last: date | None, info: ValidationInfo) -> date | None:
        first = info.data.get("from_day")
        if last is not None and first is not None and last < first:
            raise ValueError(f"the last day is before the first, {first}")
        return last

    def at(self, now: datetime) -> Self:
        """The form with the times that its days and its range mean at this time."""
        if self.since is not None or self.until is not None:
            return self
        since, until = self.from_day, self.to_day
        if since is None and until is None and self.range in _DAYS:
            since = now.astimezone(UTC).date() - timedelta(days=_DAYS[self.range] - 1)
        # no day follows the last one of the calendar
        after = until + timedelta(days=1) if until is not None and until < date.max else None
        return self.model_copy(update={"since": _midnight(since), "until": _midnight(after)})

    def given(self) -> dict[str, Any]:
        """The parameters of the address, without those that restrict nothing."""
        return _as_text(self.model_dump(mode="json", exclude_none=True, exclude_defaults=True))

    def carried(self) -> dict[str, Any]:
        """The parameters that every link of the console keeps."""
        return {name: value for name, value in self.given().items() if name in CARRIED}


class AgentOrder(StrEnum):
    """How the agents of the overview are sorted."""

    WORST = "worst"
    """Those with an alarm first, then the worst."""
    NAME = "name"
    MEAN = "mean"
    """The lowest mean score first."""
    WRONG = "wrong"
    """The largest share judged wrong first."""
    ANSWERS = "answers"
    """Those with most answers first."""


class ReportForm(ReportQuery, BrowserForm):
    """The form above the agents."""

    sort: AgentOrder = AgentOrder.WORST
    name: Name | None = None
    """Only agents whose name, or whose tenant's name, contains this, whatever its case."""
    page: Annotated[int, Field(ge=1, le=1_000)] = 1
    """The page of the agents."""


class ListForm(ListQuery, BrowserForm):
    """The form above the answers."""

    judge: Name | None = None
    reviewed: bool | None = None
    error_type: ErrorType | None = None
    """Only answers that a reviewer calls wrong with this error type."""
    feedback: FeedbackSaid | None = None
    """Only answers on which people said this."""
    slice_kind: SliceKind | None = None
    slice_value: Annotated[str, Field(max_length=LONGEST_VALUE, pattern=r"^[^\x00]*$")] | None = None
    """Only answers in the slice of this kind with this value."""
    search: Annotated[str, Field(max_length=200, pattern=r"^[^\x00]*$")] | None = None

    @property
    def shown_order(self) -> Order:
        """The order; answers without a score have no worst."""
        return Order.NEWEST if self.unscored else self.order

    def wanted(self, caller: Caller) -> EvaluationFilter:
        """The answers of the form, restricted to what the caller may access."""
        wanted = super().wanted(caller)
        wanted = replace(wanted, judge=self.judge, reviewed=self.reviewed, search=self.search, feedback=self.feedback)
        return replace(wanted, error_type=self.error_type, slice_kind=self.slice_kind, slice_value=self.slice_value)


def _midnight(day: date | None) -> datetime | None:
    return None if day is None else datetime.combine(day, time(), UTC)


def _as_text(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: str(value).lower() if isinstance(value, bool) else value for name, value in values.items()}
