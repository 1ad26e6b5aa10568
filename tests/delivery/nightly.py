"""The suites of delivery at their full counts, then the benches; writes the table of docs/delivery.md."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

from tests.delivery.figures import FIGURES
from tests.servers.kafka_server import KafkaServer
from tests.servers.postgres_server import debian_postgres
from tests.servers.sessions import own_server

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "delivery.md"
FULL = {"CRASH_ROUNDS": "30", "REBALANCES": "20", "OUTAGE_SECONDS": "20", "POISON": "300"}
"""The counts that the project promises; CI runs a slice."""
BEGIN, END = "<!-- nightly: begin -->", "<!-- nightly: end -->"


def main() -> int:
    with tempfile.TemporaryDirectory() as folder:
        figures = Path(folder) / "figures.jsonl"
        counts = {f"SQLASSAY_TEST_{name}": value for name, value in FULL.items()}
        suites = subprocess.run(
            [sys.executable, "-m", "pytest", "tests/delivery", "--durations=20", *sys.argv[1:]],
            cwd=ROOT,
            env={**os.environ, **counts, FIGURES: str(figures)},
            check=False,
        )
        rows = [json.loads(line) for line in figures.read_text().splitlines()] if figures.exists() else []
    told = "all suites passed" if suites.returncode == 0 else "not all suites passed: see the run"
    write("\n".join([*heading(told), "", *suite_table(rows), "", *bench_table()]))
    return suites.returncode


def heading(told: str) -> Iterator[str]:
    commit = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    yield f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC, commit {commit.stdout.strip() or 'unknown'}, {machine()}: {told}."


def machine() -> str:
    """Cores and memory: what the figures depend on most."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    model = re.search(r"^model name\s*: (.+)$", Path("/proc/cpuinfo").read_text(), flags=re.MULTILINE)
    return f"{os.cpu_count()} cores ({model[1] if model else 'unknown'}), {memory:.0f} GiB"


def suite_table(rows: list[Mapping[str, object]]) -> Iterator[str]:
    yield "| suite | what was done | events | what the audit found |"
    yield "|---|---|---|---|"
    for row in rows:
        yield f"| {row['suite']} | {row['done']} | {row['events']:,} | {row['found']} |"


def bench_table() -> Iterator[str]:
    with own_server(KafkaServer) as kafka, own_server(debian_postgres) as postgres:
        environment = {
            **os.environ,
            "SQLASSAY_KAFKA__BOOTSTRAP_SERVERS": kafka.bootstrap,
            "SQLASSAY_DATABASE__URL": postgres.url,
        }
        for title, command in (
            ("`sqlassay bench stream --seconds 60`", ["bench", "stream", "--seconds", "60", "--json"]),
            ("`sqlassay bench judge`", ["bench", "judge", "--json"]),
        ):
            yield from one_bench(title, command, environment)


def one_bench(title: str, command: list[str], environment: Mapping[str, str]) -> Iterator[str]:
    made = subprocess.run(
        [sys.executable, "-m", "service", *command],
        cwd=ROOT,
        env=dict(environment),
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if made.returncode != 0:
        yield f"{title} failed."
        return
    yield f"| {title} | |"
    yield "|---|---|"
    for name, value in json.loads(made.stdout).items():
        yield f"| {name} | {value} |"
    yield ""


def write(table: str) -> None:
    """Puts the table in its place on the page."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}\n\n{table.strip()}\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
