"""Findings as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from references.equivalence.pair import PairFinding, Witness
from references.sandbox import Result, Value

Record: TypeAlias = dict[str, object]


def finding_record(finding: PairFinding) -> Record:
    """Returns the finding as JSON. Guesses about the schema are part of the assumption."""
    guessed = f"guessed: {'; '.join(finding.notes)}" if finding.notes and finding.assumption else ""
    return {
        "verdict": finding.verdict.value,
        "level": finding.level.value if finding.level is not None else None,
        "assumption": "; ".join(each for each in (finding.assumption, guessed) if each) or None,
        "reason": finding.reason,
        "bound": finding.bound,
        "trials": finding.trials,
        "cpu_seconds": finding.cpu_seconds,
        "counterexample": _counterexample(finding.witness) if finding.witness is not None else None,
    }


def _counterexample(witness: Witness) -> Record:
    return {
        "tables": {
            name: {"columns": list(witness.columns[name]), "rows": [[plain(cell) for cell in row] for row in rows]}
            for name, rows in witness.rows.items()
        },
        "result_a": _result(witness.result_a),
        "result_b": _result(witness.result_b),
        "minimal": witness.minimal,
    }


def _result(result: Result) -> Record:
    return {"columns": list(result.columns), "rows": [[plain(cell) for cell in row] for row in result.rows]}


def plain(value: Value) -> int | float | str | None:
    """Returns a SQLite value as JSON, with bytes as an SQL literal.

    >>> plain(b"\\x01"), plain(2.5)
    ("x'01'", 2.5)
    """
    return f"x'{value.hex()}'" if isinstance(value, bytes) else value


def witness_of(counterexample: Mapping[str, Any]) -> Witness:
    """The witness that `finding_record` wrote.

    >>> held = {"columns": ["id"], "rows": [[7]]}
    >>> found = witness_of({"tables": {"shelf": held}, "result_a": held, "result_b": held, "minimal": True})
    >>> found.rows, found.result_a.rows, found.minimal
    ({'shelf': ((7,),)}, ((7,),), True)
    """
    tables = counterexample["tables"]
    return Witness(
        columns={name: tuple(held["columns"]) for name, held in tables.items()},
        rows={name: tuple(tuple(row) for row in held["rows"]) for name, held in tables.items()},
        result_a=_result_of(counterexample["result_a"]),
        result_b=_result_of(counterexample["result_b"]),
        minimal=counterexample["minimal"],
    )


def _result_of(held: Mapping[str, Any]) -> Result:
    return Result(columns=tuple(held["columns"]), rows=tuple(tuple(row) for row in held["rows"]))
