"""Reads the folders that `sqlassay eval run` wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import orjson

from service.commands.eval.runner.journal import read_json
from service.commands.eval.runner.run_files import CASES, SUMMARY
from service.commands.exits import refuse

_NEEDED = ("case_id", "question", "gold_sql", "pass", "score", "parse_ok", "grounding_ok", "equivalence")


def read_run(folder: str) -> tuple[str, list[dict[str, Any]]]:
    """The name and the records of a run. Ends the command when the folder holds none."""
    path = Path(folder)
    try:
        lines = (path / CASES).read_bytes().splitlines()
    except OSError:
        refuse(f"{folder} holds no {CASES}: name a folder that `sqlassay eval run` wrote")
    records: list[dict[str, Any]] = []
    for number, line in enumerate(lines, 1):
        try:
            record: Any = orjson.loads(line)
        except orjson.JSONDecodeError:
            refuse(f"{path / CASES}, line {number}: it is not JSON")
        missing = [name for name in _NEEDED if not isinstance(record, dict) or name not in record]
        if missing:
            refuse(f"{path / CASES}, line {number}: it has no {missing[0]}")
        records.append(cast("dict[str, Any]", record))
    if not records:
        refuse(f"{path / CASES} is empty")
    return path.name or folder, records


def read_summary(folder: str) -> dict[str, Any]:
    """The summary of a run. Ends the command when the folder holds none."""
    found = read_json(Path(folder) / SUMMARY)
    if not isinstance(found, dict) or "pass_rate" not in found:
        refuse(f"{folder} holds no {SUMMARY}: name a folder that `sqlassay eval run` wrote")
    return cast("dict[str, Any]", found)
