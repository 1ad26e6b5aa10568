"""Reads the lines of `verify` and `compare`: pairs of queries as JSON, one a line."""

from __future__ import annotations

from typing import Annotated, TypeVar

import orjson
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from consumers.wire.texts import shorten
from references.semantics import Semantics
from service.commands.jsonl import InputLine

Model = TypeVar("Model", bound=BaseModel)


def _text_id(value: object) -> object:
    return str(value) if isinstance(value, int) else value


PairId = Annotated[str, BeforeValidator(_text_id)]


class VerifyLine(BaseModel):
    """A line of `sqlassay verify`. Other keys are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: PairId
    sql_a: str = Field(min_length=1)
    sql_b: str = Field(min_length=1)
    schema_: str | None = Field(default=None, alias="schema")
    constraints: dict[str, object] | None = None
    dialect: str | None = None
    semantics: Semantics | None = None


class CompareLine(BaseModel):
    """A line of `sqlassay compare`. Other keys are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: PairId
    db_id: str
    reference_sql: str = Field(min_length=1)
    sql: str


def parse_line(line: InputLine, model: type[Model]) -> Model | str:
    """Returns the pair on a line, or what is wrong with the line."""
    if line.raw is None:
        return "the line is too long"
    try:
        return model.model_validate(orjson.loads(line.raw))
    except orjson.JSONDecodeError as error:
        return f"the line is not JSON ({shorten(str(error))}): write one object a line"
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        return f"{'.'.join(map(str, fault['loc'])) or 'line'}: {shorten(fault['msg'])}"
