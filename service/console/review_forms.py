"""What the forms of the review send: who reviews which answers, and a label."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any
from uuid import UUID

from pydantic import Field, ValidationError

from consumers.wire.labels import ErrorType, LabelValue
from service.api.errors import ApiError
from service.api.evaluations import Name
from service.console.forms import BrowserForm
from service.storage.reviewing.disagreements import Between
from service.storage.scores.evaluation_pages import MAX_PAGE


class ReviewNotice(StrEnum):
    """What the last step did; the page says it."""

    SAVED = "saved"
    SAVED_LATE = "saved_late"
    WITHDRAWN = "withdrawn"
    NOT_WITHDRAWN = "not_withdrawn"
    SKIPPED = "skipped"
    NOTHING_LEFT = "nothing_left"
    NO_TENANT = "no_tenant"
    NO_NAME = "no_name"


NOTICES: Mapping[ReviewNotice, str] = {
    ReviewNotice.SAVED: "Saved.",
    ReviewNotice.SAVED_LATE: "Saved. Your time was over and another reviewer has this answer: both labels are kept.",
    ReviewNotice.WITHDRAWN: "Undone: this label is withdrawn.",
    ReviewNotice.NOT_WITHDRAWN: "Nothing was undone: the label has changed, or was withdrawn before.",
    ReviewNotice.SKIPPED: "Skipped. Others are handed that answer first.",
    ReviewNotice.NOTHING_LEFT: "Nothing is left: all such answers of 30 days are labelled, or handed to others.",
    ReviewNotice.NO_TENANT: "Choose a tenant first.",
    ReviewNotice.NO_NAME: "Enter your name first: the labels are stored under it.",
}


class ReviewForm(BrowserForm):
    """Who reviews, and which answers."""

    reviewer: Name | None = None
    blind: bool = True
    """Whether the verdict is shown only after the label."""
    quick: bool = False
    """Whether a key stores the label at once, and the next answer follows without the verdict."""
    notice: ReviewNotice | None = None

    def kept(self) -> dict[str, Any]:
        """The parameters that each step keeps."""
        return {name: value for name, value in self.given().items() if name != "notice"}


class DisagreementForm(BrowserForm):
    """The form above the answers about which labels disagree. Its time is that of the latest label."""

    between: Between = Between.REVIEWERS
    limit: Annotated[int, Field(ge=1, le=MAX_PAGE)] = 50
    cursor: Annotated[str, Field(max_length=4000)] | None = None


def posted_form(fields: Mapping[str, str]) -> ReviewForm:
    """The parameters among the fields of a form; raises a 400 where one is not valid."""
    given = {name: fields[name] for name in ReviewForm.model_fields if name in fields and name != "notice"}
    try:
        return ReviewForm.model_validate(given)
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        message = f"{fault['loc'][0] if fault['loc'] else 'form'}: {fault['msg']}"
        raise ApiError(400, "INVALID_PARAMETER", message, "Go back and correct the form.") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedLabel:
    """A label as it was typed."""

    label: str = ""
    error_type: str = ""
    note: str = ""
    correction: str = ""

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> TypedLabel:
        """From the fields of a form, or from a stored label. Browsers send line ends as CR LF."""
        names = ("label", "error_type", "note", "correction")
        return cls(**{name: (given.get(name) or "").replace("\r\n", "\n") for name in names})

    @property
    def fault(self) -> str | None:
        """Why it cannot be stored; `None` where nothing is wrong with its choices."""
        if self.label not in set(LabelValue):
            return "Choose right, wrong or unsure."
        if self.error_type and self.error_type not in set(ErrorType):
            return f"There is no error type {self.error_type[:40]!r}: choose one of the list."
        if self.error_type and self.label != LabelValue.WRONG:
            return f"An error type belongs to a wrong answer: choose wrong, or no error type for {self.label}."
        return None

    def says(self) -> dict[str, str | None]:
        """Its fields as they are stored: what was left empty is absent."""
        return {
            "label": self.label,
            "error_type": self.error_type or None,
            "note": (self.note.strip() and self.note) or None,
            "correction": (self.correction.strip() and self.correction) or None,
        }

    def is_that_of(self, stored: Mapping[str, Any] | None) -> bool:
        """Whether a stored label says the same."""
        return stored is not None and all(stored[name] == value for name, value in self.says().items())

    def document(self, evaluation_id: UUID, tenant: str, reviewer: str, *, blind: bool) -> dict[str, Any]:
        """The label as the API takes it."""
        said = {name: value for name, value in self.says().items() if value is not None}
        return said | {"evaluation_id": str(evaluation_id), "tenant": tenant, "reviewer": reviewer, "blind": blind}


def read_moment(text: str) -> datetime:
    """The time of the label that a form means; raises a 400 for anything else."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        message = f"labelled_at: {text[:40]!r} is not the time of a label"
        raise ApiError(400, "INVALID_PARAMETER", message, "Go back, reload the page and try again.")
    return moment
