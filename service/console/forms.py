"""What the console's forms send: a browser sends the fields that were left empty too."""

from __future__ import annotations

from typing import cast

from pydantic import BaseModel, model_validator

from service.api.evaluations import ListQuery, ReportQuery


class BrowserForm(BaseModel):
    """A form in which an empty field restricts nothing."""

    @model_validator(mode="before")
    @classmethod
    def _leave_out_empty(cls, given: object) -> object:
        if not isinstance(given, dict):
            return given
        return {name: value for name, value in cast("dict[str, object]", given).items() if value != ""}


class ReportForm(ReportQuery, BrowserForm):
    """The form above the agents."""


class ListForm(ListQuery, BrowserForm):
    """The form above the answers."""
