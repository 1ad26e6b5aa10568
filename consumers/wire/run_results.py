"""The field `result` of an event: what running the SQL gave, without values of rows and names of columns."""

from __future__ import annotations

from typing import Annotated, Self, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, JsonValue, WithJsonSchema, model_validator

from scoring.query import RunResult

MOST_ROWS = 10**15
MOST_COLUMNS = 10_000
MAX_ERROR = 100_000
"""Longest error that is accepted, in characters. Less of it is stored."""


def _counted(value: object) -> object:
    """The number of columns, where their names are given."""
    if not isinstance(value, list):
        return value
    names = cast("list[object]", value)
    if not all(isinstance(each, str) for each in names):
        raise ValueError("it must be a number, or a list of names")
    return len(names)


_Count = Annotated[int, Field(strict=True, ge=0)]
_Flag = Annotated[bool, Field(strict=True)]
_Columns = Annotated[
    int,
    BeforeValidator(_counted),
    Field(strict=True, ge=0, le=MOST_COLUMNS),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "integer", "minimum": 0, "maximum": MOST_COLUMNS},
                {"type": "array", "items": {"type": "string"}, "maxItems": MOST_COLUMNS},
            ]
        }
    ),
]


def _where(name: str, **says: object) -> dict[str, object]:
    return {"properties": {name: says}, "required": [name]}


_GONE = {"anyOf": [_where("executed", const=False), _where("error", type="string", pattern=r"\S")]}
_NONE = {"anyOf": [_where("empty", const=True), _where("rows", const=0)]}
_ROWS = _where("rows", type="integer", minimum=1)
_SOME = {"anyOf": [_ROWS, _where("empty", const=False), _where("only_null", const=True)]}
_CONTRADICTIONS: list[JsonValue] = [
    cast("JsonValue", {"allOf": both})
    for both in (
        [_where("executed", const=True), _where("error", type="string", pattern=r"\S")],
        [_GONE, _SOME],
        [_where("empty", const=True), _ROWS],
        [_where("empty", const=False), _where("rows", const=0)],
        [_where("only_null", const=True), _NONE],
    )
]
"""What `_contradictions` refuses, for the contracts."""


class ResultDocument(BaseModel):
    """What running the SQL gave. Every key is optional; other keys are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore", json_schema_extra={"not": {"anyOf": _CONTRADICTIONS}})

    executed: _Flag | None = Field(
        default=None,
        description="Whether the database ran the SQL to its end. Leave it out where the SQL was sent to none.",
    )
    error: Annotated[str, Field(strict=True, max_length=MAX_ERROR)] | None = Field(
        default=None,
        description="Message, code or type of the error. Only words of the SQL and of error messages are kept.",
    )
    rows: Annotated[_Count, Field(le=MOST_ROWS)] | None = Field(default=None, description="How many rows came back.")
    columns: _Columns | None = Field(
        default=None, description="How many columns came back, or their names, which are counted and not kept."
    )
    empty: _Flag | None = Field(default=None, description="No row came back.")
    only_null: _Flag | None = Field(default=None, description="Rows came back, and every value is NULL.")

    @model_validator(mode="after")
    def _agree(self) -> Self:
        if self.error is not None and not self.error.strip():
            object.__setattr__(self, "error", None)
        fault = next((fault for fault, holds in self._contradictions() if holds), None)
        if fault is not None:
            raise ValueError(f"{fault}: leave out the one that is not true")
        return self

    def _contradictions(self) -> tuple[tuple[str, bool], ...]:
        none, some = self.empty is True or self.rows == 0, self.empty is False or bool(self.rows)
        gone = self.executed is False or self.error is not None
        return (
            ("executed is true and error is set", self.executed is True and self.error is not None),
            ("executed is false or error is set, and rows came back", gone and (some or self.only_null is True)),
            ("empty is true and rows is not 0", self.empty is True and bool(self.rows)),
            ("empty is false and rows is 0", self.empty is False and self.rows == 0),
            ("only_null is true and no row came back", self.only_null is True and none),
        )

    def run_result(self) -> RunResult:
        """What scoring reads of it."""
        return RunResult(
            executed=self.executed,
            error=self.error or "",
            rows=self.rows,
            columns=self.columns,
            empty=self.empty,
            only_null=self.only_null,
        )
