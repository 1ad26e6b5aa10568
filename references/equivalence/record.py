"""The line out of a pair: its finding as JSON."""

from __future__ import annotations

from typing import TypeAlias

from references.equivalence.pair import Finding, Witness
from references.sandbox import Result, Value

Record: TypeAlias = dict[str, object]

FIELDS = ("verdict", "level", "assumption", "reason", "bound", "trials", "cpu_seconds", "counterexample")
"""What a line out holds beside its id."""


def finding_record(finding: Finding) -> Record:
    """The finding as JSON; what was guessed of the schema stands with the assumption."""
    guessed = f"guessed: {'; '.join(finding.notes)}" if finding.notes and finding.assumption else ""
    return {
        "verdict": finding.verdict.value,
        "level": finding.rung.value if finding.rung is not None else None,
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
    }


def _result(result: Result) -> Record:
    return {"columns": list(result.columns), "rows": [[plain(cell) for cell in row] for row in result.rows]}


def plain(value: Value) -> int | float | str | None:
    """A value of SQLite's as JSON has it; bytes as SQL writes them.

    >>> plain(b"\\x01"), plain(2.5)
    ("x'01'", 2.5)
    """
    return f"x'{value.hex()}'" if isinstance(value, bytes) else value
