"""The values of an event's parameters: a list by place, or an object by name."""

from __future__ import annotations

from typing import Annotated, cast

from pydantic import BeforeValidator

from scoring.sql.parameters.binding import MOST_PARAMETERS


def _checked(value: object) -> object:
    if not isinstance(value, dict | list):
        raise ValueError("it must be a list, or an object of names and values")
    if len(cast("list[object]", value)) > MOST_PARAMETERS:
        raise ValueError(f"it must hold at most {MOST_PARAMETERS} values")
    return cast("object", value)


ParameterValues = Annotated[dict[str, object] | list[object], BeforeValidator(_checked)]
