"""Writes `docs/benchmarks.md` from the results recorded in `docs/benchmarks/`, so that each figure is in one place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict

DOCS = Path(__file__).parents[2] / "docs"
RECORDS = DOCS / "benchmarks"
PAGE = DOCS / "benchmarks.md"
INTRODUCTION = """# Benchmarks

What speed, delivery and proofs were measured, each with its command and machine. Times depend on the machine and its
load: read them as ratios. `make contracts` writes this page from `docs/benchmarks/`.
"""
MEANINGS: Mapping[str, str] = {
    "micros_event": "µs to score one event",
    "read_sql": "of these, µs to read the SQL",
    "read_questions": "µs to read the question and the enriched question",
    "align": "µs to align",
    "judge": "µs to judge",
    "record": "µs to write the line out",
    "parse": "µs for a bare parse of the same SQL, cold",
    "parses_per_event": "cost of an event in cold bare parses",
    "parse_again": "µs for a bare parse, warm",
    "parses_again_per_event": "cost of an event in warm bare parses",
    "seconds": "seconds per measurement",
    "in_process": "events per second in one process, without Kafka and PostgreSQL",
    "stream": "events per second from Kafka to committed row, local judge",
    "stream_share": "the same as a share of the in-process rate",
    "stream_without_memory": "the same rate where four agents answer each question",
    "stream_with_memory": "that rate with the tenants' memory on",
    "memory_share": "the rate with memory as a share of the rate without",
    "model": "events per second with a model that takes one second, 200 calls in flight",
    "model_share": "the same as a share of the ideal 200 per second",
    "wait_p95": "seconds from publishing to a readable row at half the maximum rate, 95th percentile",
    "calm_p95": "the same for one tenant alone",
    "calm_p95_beside_flood": "the same beside a tenant that floods a slow model with ten times as much",
    "answers": "answers stored",
    "worker_cpu_ms": "ms of CPU of the worker and its scoring processes, per answer",
    "postgresql_cpu_ms": "ms of CPU of PostgreSQL, per answer",
    "worker_answers_per_core": "answers a second for each core of workers",
    "text_bytes": "bytes of question, enriched question and SQL, per answer",
    "row_bytes": "bytes of the row with its record",
    "index_bytes": "bytes of the row's indexes",
    "other_bytes": "bytes in other tables: event key and what is not counted yet",
    "stored_bytes": "bytes on the disk of PostgreSQL, per answer",
    "wal_bytes": "bytes of PostgreSQL's log, per answer",
    "event_bytes": "bytes of the event in Kafka, before compression",
    "in_flight": "calls in flight",
    "model_seconds": "seconds the model takes per reply",
    "replies_per_second": "replies per second",
    "ideal_per_second": "calls in flight ÷ seconds per reply",
    "share_of_ideal": "replies per second ÷ the ideal",
    "cpu_ms_per_reply": "ms of CPU per reply, masking and reading included",
}
"""What the names in a benchmark's `--json` output mean."""


class FigureTable(BaseModel):
    """Rows of text under a head."""

    head: list[str]
    rows: list[list[str]]


class Recorded(BaseModel):
    """One recorded result: a file in `docs/benchmarks/`."""

    model_config = ConfigDict(extra="forbid")

    title: str
    command: str
    recorded: str
    commit: str | None
    machine: str
    about: str | None
    figures: dict[str, float | int | str] = {}
    tables: list[FigureTable] = []
    notes: list[str] = []


def page() -> str:
    """The page as the recorded results make it."""
    records = [Recorded.model_validate_json(path.read_bytes()) for path in sorted(RECORDS.glob("*.json"))]
    lines = [INTRODUCTION, *(line for record in records for line in _section(record))]
    return "\n".join(lines).rstrip("\n") + "\n"


def _section(record: Recorded) -> Iterator[str]:
    commit = f", commit {record.commit}" if record.commit else ""
    yield f"## {record.title}\n"
    yield f"`{record.command}`, {record.recorded}{commit}. Machine: {record.machine}.\n"
    if record.about:
        yield f"{record.about}\n"
    if record.figures:
        yield from (f"- `{name}` {value}: {MEANINGS.get(name, '')}" for name, value in record.figures.items())
        yield ""
    for table in record.tables:
        yield from _table(table.head, table.rows)
    if record.notes:
        yield from (f"- {note}" for note in record.notes)
        yield ""


def _table(head: list[str], rows: list[list[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield "|---" * len(head) + "|"
    yield from (f"| {' | '.join(row)} |" for row in rows)
    yield ""


def write_page() -> None:
    """Writes the page."""
    PAGE.write_text(page(), encoding="utf-8")
