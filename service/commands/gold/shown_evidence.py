"""What a model may be shown of a comparison: the first rows of both results, and the witness."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from consumers.judging.comparing.gold_case import GoldEvidence, Shown
from references.comparison.comparing import Run
from references.comparison.results import QueryResult
from references.equivalence.finding_json import plain
from references.equivalence.pair import Witness
from references.sandbox import Failure

MOST_ROWS, MOST_COLUMNS = 10, 12
"""Rows and columns of a result that are shown."""
_LONGEST_CELL = 100
"""Characters of a cell that are shown."""


@dataclass(slots=True)
class RunLog:
    """Runs queries, and remembers the result of each."""

    run: Run
    results: dict[str, QueryResult] = field(default_factory=dict[str, QueryResult])

    def __call__(self, sql: str) -> QueryResult | Failure:
        """Runs one query."""
        found = self.run(sql)
        if isinstance(found, QueryResult):
            self.results[sql] = found
        return found

    def evidence(self, sql: str, gold: str | None) -> GoldEvidence:
        """Both results, where they ran; the gold result is that of `gold`, else of the first gold query that ran."""
        others = [found for query, found in self.results.items() if query != sql]
        reference = self.results.get(gold or "") or (others[0] if others else self.results.get(sql))
        answer = self.results.get(sql)
        return GoldEvidence(
            gold_result=shown_result(reference.columns, reference.rows) if reference is not None else None,
            answer_result=shown_result(answer.columns, answer.rows) if answer is not None else None,
        )


def shown_result(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> Shown:
    """The first rows and columns of a result, with the number of rows in all.

    >>> shown_result(["n"], [[b"\\x01"], ["x" * 101]])["rows"][1][0][-1]
    '…'
    """
    cells = [[_cell(cell) for cell in row[:MOST_COLUMNS]] for row in rows[:MOST_ROWS]]
    return {
        "columns": [str(each)[:_LONGEST_CELL] for each in columns[:MOST_COLUMNS]],
        "rows": cells,
        "rows_in_all": len(rows),
    }


def _cell(value: object) -> object:
    if value is None or isinstance(value, bool | int | float):
        return value
    text = str(plain(value)) if isinstance(value, bytes) else str(value)
    return text if len(text) <= _LONGEST_CELL else f"{text[: _LONGEST_CELL - 1]}…"


def shown_witness(witness: Witness) -> Shown:
    """The tables of a witness, and what both queries give on it."""
    tables = {name: shown_result(witness.columns[name], rows) for name, rows in witness.rows.items()}
    return {
        "tables": tables,
        "gold_result": shown_result(witness.result_a.columns, witness.result_a.rows),
        "answer_result": shown_result(witness.result_b.columns, witness.result_b.rows),
    }
