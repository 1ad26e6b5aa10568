"""Types of fields: how they are read, and what the contracts say of them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, TypeAlias, cast

from pydantic import AfterValidator, BeforeValidator, Field, WithJsonSchema

from consumers.wire.texts import INVISIBLE, plain_name
from scoring.sql.parameters.binding import MOST_PARAMETERS


def blank_as_absent(value: object) -> object:
    """The value, or `None` for a blank text."""
    return None if isinstance(value, str) and not value.strip() else value


def to_utc(moment: datetime) -> datetime:
    """The moment in UTC, as which a moment without a zone is read; raises `ValueError` if its year is out of range."""
    try:
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except OverflowError as error:
        raise ValueError("in UTC its year is out of range") from error


_WORD = rf"[^\x00-\x20\x7f-\x9f*{INVISIBLE}\u2800\ufff0-\ufff8]+"
NAME_PATTERN = f"^{_WORD}( {_WORD})*$"
"""No control or invisible characters, single spaces within, and no `*`, which means all tenants in a token."""
NAME_RULE = "a name must not begin or end in a space, or hold two in a row, *, a control character or an invisible one"
Name: TypeAlias = Annotated[
    str, Field(strict=True, min_length=1, max_length=128, pattern=NAME_PATTERN), BeforeValidator(plain_name)
]
"""Of an agent, a reviewer and their like, in one form."""
_BLANK_PATTERN = r"^[\t-\r\x1c-\x20\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*$"
"""What `str.strip` takes for blank."""
OptionalName: TypeAlias = Annotated[
    Name | None,
    BeforeValidator(blank_as_absent),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "minLength": 1, "maxLength": 128, "pattern": NAME_PATTERN},
                {"type": "string", "pattern": _BLANK_PATTERN, "description": "Blank is as absent."},
                {"type": "null"},
            ]
        }
    ),
]
"""Of a release or a dialect."""
Moment: TypeAlias = Annotated[
    datetime,
    AfterValidator(to_utc),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "format": "date-time"},
                {
                    "type": "number",
                    "minimum": -62_135_596_800_000,
                    "maximum": 253_402_300_799_999,
                    "description": "Seconds since 1970; beyond 20,000,000,000, milliseconds.",
                },
            ]
        }
    ),
]
"""A time; in UTC if it has no zone."""


def _few_parameters(value: object) -> object:
    if not isinstance(value, dict | list):
        raise ValueError("it must be a list, or an object of names and values")
    if len(cast("list[object]", value)) > MOST_PARAMETERS:
        raise ValueError(f"it must hold at most {MOST_PARAMETERS} values")
    return cast("object", value)


ParameterValues = Annotated[dict[str, object] | list[object], BeforeValidator(_few_parameters)]
"""The values of an event's parameters: a list by place, or an object by name."""
