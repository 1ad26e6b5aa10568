"""The slow tests of delivery, alerts and pages at full counts, then the benches; records them in docs/benchmarks/."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from service.contracts.benchmarks_page import RECORDS, write_page
from tests.delivery.fault_table import TABLE, machine, read_rows
from tests.delivery.fault_table import write_page as write_fault_table
from tests.delivery.figures import FIGURES
from tests.servers.kafka_server import KafkaServer
from tests.servers.postgres_server import debian_postgres
from tests.servers.sessions import own_server

ROOT = Path(__file__).parents[2]
FULL = {"CRASH_ROUNDS": "30", "REBALANCES": "20", "FAULT_SECONDS": "20", "POISON": "300", "CELLS": "*"}
"""The counts that the project promises; CI runs a slice."""
RUNS = (
    ("slow", "tests/delivery", "tests/deploy"),
    ("slow", "tests/pages"),
    ("nightly", "tests/service", "tests/library"),
    ("nightly", "tests/evals"),
)
"""The mark of the tests of each run, and their folders."""


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        figures, table = Path(folder) / "figures.jsonl", Path(folder) / "faults.jsonl"
        counts = {f"SQLASSAY_TEST_{name}": value for name, value in FULL.items()}
        environment = {**os.environ, **counts, FIGURES: str(figures), TABLE: str(table)}
        # runs of their own: pytest takes the conftest of one folder for that of the other
        codes = [_tests(mark, *folders, environment=environment) for mark, *folders in RUNS]
        rows = [json.loads(line) for line in figures.read_text().splitlines()] if figures.exists() else []
        if table.exists():
            write_fault_table(read_rows(table))
    record_suites(rows, passed=not any(codes))
    record_benches()
    write_page()
    return max(codes)


def _tests(mark: str, *folders: str, environment: Mapping[str, str]) -> int:
    command = [sys.executable, "-m", "pytest", "-m", mark, *folders, "--durations=20", *sys.argv[1:]]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


def record(name: str, **fields: Any) -> None:
    """Replaces a recorded result; its title, command, text and notes stay."""
    path = RECORDS / f"{name}.json"
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    measured = {
        "recorded": f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        "commit": commit.stdout.strip() or None,
        "machine": machine(),
    }
    document = {**json.loads(path.read_text(encoding="utf-8")), **measured, **fields}
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def record_suites(rows: list[Mapping[str, object]], *, passed: bool) -> None:
    found = "All suites passed." if passed else "Not all suites passed: see the run."
    head = ["suite", "what was done", "events", "what the audit found"]
    cells = [[str(row["suite"]), str(row["done"]), f"{row['events']:,}", str(row["found"])] for row in rows]
    about = f"{found} [Delivery](delivery.md) has the outages."
    record("delivery", about=about, tables=[{"head": head, "rows": cells}])


def record_benches() -> None:
    with (
        own_server(partial(KafkaServer, lasting=True), on_disk=True) as kafka,
        own_server(debian_postgres, on_disk=True) as postgres,
    ):
        environment = {
            **os.environ,
            "SQLASSAY_KAFKA__BOOTSTRAP_SERVERS": kafka.bootstrap,
            "SQLASSAY_DATABASE__URL": postgres.url,
        }
        for name, arguments in (
            ("stream", ["stream", "--seconds", "60"]),
            ("capacity", ["capacity", "--answers", "10000"]),
            ("model-calls", ["judge"]),
        ):
            record(name, figures=_bench(arguments, environment), notes=[])
        reports = _bench(["reports"], environment)
        rows = [
            [f"{each['answers']:,}", f"{each['p50_ms']}", f"{each['p95_ms']}", f"{each['summing_seconds']}"]
            for each in reports["measured"]
        ]
        head = [
            "stored answers",
            "ms of a report, median",
            "ms, 95th percentile",
            "seconds in which new sums were made",
        ]
        grown = f"Ten times the answers take {reports['growth']} times as long (95th percentiles)."
        record("reports", command="sqlassay bench reports", tables=[{"head": head, "rows": rows}], notes=[grown])


def _bench(arguments: list[str], environment: Mapping[str, str]) -> dict[str, Any]:
    made = subprocess.run(
        [sys.executable, "-m", "service", "bench", *arguments, "--json"],
        cwd=ROOT,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return json.loads(made.stdout)


if __name__ == "__main__":
    sys.exit(main())
