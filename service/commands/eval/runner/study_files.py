"""Cross-checks the methods of a run, and writes its study: tables, times, and the cases for a person to attribute."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from evals.runner.cases import BenchmarkCase
from evals.study.disagreements import Attribution, DisagreementKind, GoldDisagreement, disagreements
from evals.study.method_figures import mean_seconds
from evals.study.outcomes import by_case, counterexample_of
from evals.study.study_page import study_of, study_page, times_page
from service.commands.eval.runner.assessing import cross_check_case
from service.commands.eval.runner.journal import replace_file
from service.commands.exits import refuse
from service.csv_tables import CsvTable, plain
from service.processes.limited_pool import CallStopped, LimitedPool

STUDY = "study.json"
STUDY_PAGE = "study.md"
TIMES = "times.md"
ATTRIBUTIONS = "attributions.csv"
_SECONDS = 60.0
"""Clock time for running the counterexamples of a case on its other answers."""
_COLUMNS = (
    *("case_id", "disagreement", "attribution", "note", "methods", "asked", "question"),
    *("gold_sql", "answer", "counterexample"),
)


async def cross_checked(cases: Sequence[BenchmarkCase], records: Sequence[dict[str, Any]], pool: LimitedPool) -> None:
    """Runs each counterexample of a case on its other answers; `crossed` in `ex_verified` says what it shows."""
    known = {each.case_id: each for each in cases}
    for case_id, held in by_case(records).items():
        answers = [{"sql": each["generated_sql"], "ex_verified": each["ex_verified"]} for each in held]
        if len(answers) < 2 or all(counterexample_of(each) is None for each in held):
            continue
        found = await pool.call(cross_check_case, known[case_id], answers, seconds=_SECONDS)
        if not isinstance(found, CallStopped):
            for record, crossed in zip(held, found, strict=True):
                if crossed is not None:
                    record["ex_verified"]["crossed"] = crossed


def write_study(folder: Path, entries: Sequence[Mapping[str, Any]]) -> dict[str, object]:
    """Writes the study of a run, and returns it. What a person filled into `attributions.csv` is kept and counted."""
    records = [each["record"] for each in entries]
    filled = _filled(folder / ATTRIBUTIONS)
    study = study_of(records, {key: row["attribution"] for key, row in filled.items()})
    replace_file(folder / STUDY, orjson.dumps(study, option=_JSON))
    replace_file(folder / STUDY_PAGE, study_page(study).encode())
    replace_file(folder / ATTRIBUTIONS, _table(disagreements(records), filled).encode())
    seconds = {(each["record"]["case_id"], each["record"]["sample"]): each["cpu_seconds"] for each in entries}
    times = times_page(mean_seconds(records, seconds))
    replace_file(folder / TIMES, times.encode())
    print(times, file=sys.stderr)
    return study


_JSON = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE


def _filled(path: Path) -> dict[tuple[str, str], dict[str, str]]:
    """The rows of a file of attributions by case and kind. Ends the command at a word that is none."""
    try:
        rows = list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")))
    except FileNotFoundError:
        return {}
    found: dict[tuple[str, str], dict[str, str]] = {}
    for number, written in enumerate(rows, 2):
        if any(written.get(name) is None for name in _COLUMNS[:4]):
            refuse(f"{path}, row {number}: it lacks one of the columns {', '.join(_COLUMNS[:4])}: remove the file")
        row = {name: plain(written[name]) for name in _COLUMNS[:4]}
        row["attribution"] = row["attribution"].strip().lower()
        if row["attribution"] not in {*Attribution, ""}:
            words = ", ".join(Attribution)
            refuse(f"{path}, row {number}: attribution is {words} or empty, not {row['attribution'][:40]!r}")
        found[(row["case_id"], row["disagreement"])] = row
    return found


def _table(found: Sequence[GoldDisagreement], filled: Mapping[tuple[str, str], Mapping[str, str]]) -> str:
    text = io.StringIO()
    table = CsvTable(text)
    table.write(_COLUMNS)
    for each in found:
        known = filled.get((each.case_id, each.by.value), {})
        table.write(
            [
                *(each.case_id, each.by.value, known.get("attribution", ""), known.get("note", "")),
                *(" ".join(each.methods), each.asked, each.question, each.gold_sql, each.answer),
                _shown(each.counterexample) if each.by is DisagreementKind.SEARCH else "",
            ]
        )
    return text.getvalue()


def _shown(counterexample: Mapping[str, Any] | None) -> str:
    """A counterexample in one cell: the rows of each table, and both results."""
    if counterexample is None:
        return ""
    tables = [f"{name}{_rows(held)}" for name, held in counterexample["tables"].items()]
    results = f"gold gives {_rows(counterexample['result_a'])}, the answer {_rows(counterexample['result_b'])}"
    return f"{'; '.join(tables)}: {results}"


def _rows(held: Mapping[str, Any]) -> str:
    return f"({', '.join(held['columns'])}) {orjson.dumps(held['rows']).decode()}"
