"""The benchmark that SQLAssay ships: questions about a ferry company, with its database."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from pathlib import Path

from service.commands.eval.runner.run_options import EvalRunOptions
from service.commands.exits import refuse

FOLDER = Path(__file__).parent / "shipped"
BENCHMARK = FOLDER / "benchmark.jsonl"
SCHEMA = FOLDER / "ferries.sql"
_DATABASES = "databases"
"""The folder of the run that gets the database."""


def with_shipped_benchmark(options: EvalRunOptions) -> EvalRunOptions:
    """The options with the shipped benchmark, its tables and its database, which is written into the run's folder."""
    if options.databases is not None or options.schemas is not None:
        refuse("--databases and --schemas belong to a --benchmark: name one, or leave them out to run the shipped one")
    databases = Path(options.out) / _DATABASES
    try:
        databases.mkdir(parents=True, exist_ok=True)
        write_database(databases / "ferries.sqlite")
    except (OSError, sqlite3.Error) as error:
        refuse(f"cannot write {databases}: {error}")
    return replace(options, benchmark=str(BENCHMARK), databases=str(databases), schemas=str(SCHEMA))


def write_database(path: Path) -> None:
    """Writes the database, unless it is there."""
    if path.exists():
        return
    beside = path.with_name(f".{path.name}.new")
    beside.unlink(missing_ok=True)
    connection = sqlite3.connect(beside)
    with connection:
        for name in ("ferries.sql", "rows.sql"):
            connection.executescript((FOLDER / name).read_text(encoding="utf-8"))
    connection.close()
    beside.replace(path)
