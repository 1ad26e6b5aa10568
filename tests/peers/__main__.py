"""Writes the tables of `docs/peers.md`: `make peers`. Needs the development data, and the network the first time.

`--every 4` judges every fourth answer. `--only TEXT` measures only the methods whose names hold it; the verdicts of the
others are those of their last run on the same answers.
"""

from __future__ import annotations

import argparse
import json
import pickle
import platform
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.development import HOME, labels_path
from tests.peers.environments import CACHE
from tests.peers.figures import Judged, agreement_table, smells_table, write
from tests.peers.methods import METHODS, Case, Found, measure


def main() -> None:
    """Judges the answers with every method, and writes the page when each has verdicts."""
    arguments = argparse.ArgumentParser(prog="python -m tests.peers")
    arguments.add_argument("--every", type=int, default=1, help="judge every Nth answer only")
    arguments.add_argument("--only", default="", help="measure only methods whose names hold this text")
    given = arguments.parse_args()
    if not labels_path("dev_spider_ex").is_file():
        sys.exit(f"make peers needs {labels_path('dev_spider_ex')}: set SQLASSAY_DEVELOPMENT_DATA to its folder")
    rows = [json.loads(line) for line in labels_path("dev_spider_ex").read_text(encoding="utf-8").splitlines()]
    rows = rows[:: given.every]
    kept = ("id", "db_id", "question", "sql")
    cases = [{name: row[name] for name in kept} | {"gold_sql": row["reference_sql"]} for row in rows]
    found = {method: _found(method, cases, given.every, again=given.only in method) for method in METHODS}
    complete = {method: each for method, each in found.items() if each is not None}
    if len(complete) < len(METHODS):
        sys.exit(f"not written: no verdicts yet of {', '.join(sorted(set(METHODS) - set(complete)))}")
    judged = [each for verdicts, _ in complete.values() for each in verdicts]
    labels = {row["id"]: row["label"] == 1 for row in rows}
    smells = smells_table(complete["attestql"][1], complete["eval run"][1])
    write("\n\n".join([_about(len(cases), given.every), agreement_table(judged, labels), smells]))


def _found(method: str, cases: list[Case], every: int, *, again: bool) -> Found | None:
    stored = CACHE / "verdicts" / f"{every}-{METHODS.index(method)}.pickle"
    if again:
        with TemporaryDirectory() as folder:
            found = measure(method, cases, HOME / "spider_db", Path(folder))
        stored.parent.mkdir(parents=True, exist_ok=True)
        stored.write_bytes(pickle.dumps(found))
        for each in found[0]:
            print(_told(each), flush=True)
        return found
    return pickle.loads(stored.read_bytes()) if stored.is_file() else None


def _told(judged: Judged) -> str:
    return f"{judged.name}: {judged.failed or f'{judged.cpu_seconds:.0f} s of CPU'}"


def _about(cases: int, every: int) -> str:
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False)
    when = datetime.now(UTC).strftime("%Y-%m-%d %H:%M")
    which = f'`make peers ARGS="--every {every}"`' if every > 1 else "`make peers`"
    return (
        f"{which}, {when} UTC, commit {commit.stdout.strip() or 'unknown'}, {cases} answers. "
        f"Machine: 2 cores, busy; Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}."
    )


if __name__ == "__main__":
    main()
