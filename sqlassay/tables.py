"""Whole lines out for tables of answers, as an engine has them: the same rows as `sqlassay score` writes to Parquet."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any

from scoring.query import Unscored
from service.commands.files.columns import FIELDS, field_names, table_line
from service.commands.files.row_sinks import flat_fields
from service.commands.score_lines import TABLE_FIELDS, LocalScorer, invalid_line_row, names_of, read_event
from service.judges.weights import local_judge
from sqlassay.limited import LimitedProcess
from sqlassay.rules import read_rules

try:
    pa: Any = import_module("pyarrow")  # it has no types
except ModuleNotFoundError as error:
    message = "sqlassay.tables needs pyarrow: pip install 'sqlassay[arrow,cli]'"
    raise ModuleNotFoundError(message, name="pyarrow") from error

# a row of an engine has no number
ROW_FIELDS = tuple(name for name in TABLE_FIELDS if name != "line")
"""The columns of scores."""


class TableScorer:
    """Scores batches of answers in this process. Cheap to send to another: rules are read there, once a process.

    `rules` is a mapping with the keys of a rules document. `columns` names the columns of fields that have another name
    than the field. The columns in `keep` are put before those of the scores; they must not have one of their names.
    With `cpu_seconds`, answers are scored in a process of their own, as `sqlassay.Scorer` does.
    """

    def __init__(
        self,
        rules: Mapping[str, object] | None = None,
        *,
        columns: Mapping[str, str] | None = None,
        keep: Sequence[str] = (),
        cpu_seconds: float | None = None,
    ) -> None:
        unknown = sorted(set(columns or ()) - FIELDS)
        if unknown:
            raise ValueError(
                f"columns names {unknown[0]!r}, which is no field of an answer: {', '.join(sorted(FIELDS))}"
            )
        taken = sorted(set(keep) & set(ROW_FIELDS))
        if taken:
            raise ValueError(f"keep names {taken[0]!r}, which is a column of the scores: rename it first")
        self._rules = json.dumps(rules or {}, sort_keys=True)
        self._columns, self.keep, self._cpu_seconds = dict(columns or {}), tuple(keep), cpu_seconds
        if rules:
            read_rules(rules)

    def __call__(self, batch: Any) -> Any:
        """Returns a `pyarrow.RecordBatch` with one row for each row of the batch, in order.

        Raises `ValueError` if the batch has no question or no SQL.
        """
        fields = self._fields(batch.schema.names)
        score = _scoring(self._rules, self._cpu_seconds)
        read = batch.select(list(dict.fromkeys(fields.values()))).to_pylist()
        rows = [flat_fields(score(row, fields), ROW_FIELDS) for row in read]
        scores = pa.RecordBatch.from_pylist(rows, schema=row_schema())
        kept = [batch.column(batch.schema.get_field_index(name)) for name in self.keep]
        named = [batch.schema.field(name) for name in self.keep]
        return pa.RecordBatch.from_arrays([*kept, *scores.columns], schema=pa.schema([*named, *scores.schema]))

    def _fields(self, found: Collection[str]) -> dict[str, str]:
        fields = field_names(found) | self._columns
        for field in ("question", "sql", *self._columns):
            if fields.get(field) not in found:
                named = fields.get(field, field)
                raise ValueError(f"no column {named!r} for the field {field}: the columns are {', '.join(found)}")
        return fields


def row_schema() -> Any:
    """The `pyarrow.Schema` of scores."""
    from service.commands.files.parquet_files import table_schema  # noqa: PLC0415 it needs pyarrow

    return table_schema(ROW_FIELDS)


@cache
def _scoring(
    rules: str, cpu_seconds: float | None
) -> Callable[[Mapping[str, object], Mapping[str, str]], Mapping[str, object]]:
    """Scores one row of a table, whatever it holds."""
    scorer = LocalScorer(read_rules(json.loads(rules)), local_judge())
    process = None if cpu_seconds is None else LimitedProcess(scorer.rules, cpu_seconds)

    def score(row: Mapping[str, object], fields: Mapping[str, str]) -> Mapping[str, object]:
        line = table_line(0, row, fields)
        if process is None:
            return scorer.row(line)
        event = read_event(line)
        if isinstance(event, Unscored):
            return invalid_line_row(line, event, scorer.rules)
        return {**names_of(event), **process.record(event.query())}

    return score
