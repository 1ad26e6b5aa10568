"""What marks an event as a canary: a question with a known answer that was asked on a schedule."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field


class CanaryFailure(StrEnum):
    """Why a canary has no answer to compare. `docs/metrics.md` documents each member."""

    UNREACHABLE = "unreachable"
    """The endpoint could not be reached, or stayed busy."""
    TIMEOUT = "timeout"
    """It gave no answer in time."""
    RAISED = "raised"
    """It answered with an error."""
    INVALID = "invalid"
    """Its reply was no answer."""
    TOO_LARGE = "too_large"
    """Its reply was larger than is read."""
    NO_SQL = "no_sql"
    """Its reply held no SQL."""


def _by_name(value: object) -> object:
    return {"case_id": value} if isinstance(value, str) else value


class CanaryDocument(BaseModel):
    """Which canary an event is about. A string stands for its `case_id`."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    case_id: Annotated[str, Field(strict=True, min_length=1, max_length=256)] = Field(
        description="The case of the benchmark."
    )
    failure: CanaryFailure | None = Field(default=None, description="Why there is no answer; absent where there is.")


Canary = Annotated[CanaryDocument, BeforeValidator(_by_name)]
"""The field of an event."""
