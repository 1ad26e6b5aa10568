"""`sqlassay compare`: answers against references, by running both on databases that the user named."""

from __future__ import annotations

import resource
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import TimeoutError as OutOfTimeError
from dataclasses import asdict
from functools import partial
from typing import Annotated, TypeAlias

import orjson
from pebble import ProcessExpired, ProcessFuture, ProcessPool
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from consumers.wire.texts import shorten
from references.comparison.verdict import Comparison, Match, compare
from references.databases import DatabaseLimits, UnknownDatabaseError, open_database
from references.lint import ReferenceDoubt, lint
from references.semantics import Semantics
from service.commands.exits import refuse
from service.commands.jsonl import Line, open_input, open_output, read_lines, same_file, size_of
from service.commands.progress import progress

WORKERS = 2
"""Processes that run queries; one that hangs or grows past its bound is ended and replaced."""
MOST_WAITING = 64
"""Pairs handed out at once: more would only wait in memory."""
_HEADROOM = 2 * 1024
"""Megabytes of address space that a worker needs beside its database."""
Row: TypeAlias = dict[str, object]
_Id = Annotated[str, BeforeValidator(lambda value: str(value) if isinstance(value, int) else value)]  # pyright: ignore[reportUnknownLambdaType] pydantic gives anything


class Pair(BaseModel):
    """One line in. Keys that are not fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: _Id
    db_id: str
    reference_sql: str = Field(min_length=1)
    sql: str


Compared: TypeAlias = tuple[Comparison, tuple[ReferenceDoubt, ...]]
"""A comparison, and the doubts about its reference where they were asked for."""
Handed: TypeAlias = tuple[Line, Pair | str, "ProcessFuture[Compared] | None"]
"""A line, its pair or why it is none, and the comparison under way."""


def compare_lines(
    source: str, out: str, databases: str, *, semantics: str | None, seconds: float, explain: bool
) -> Counter[str]:
    """Writes a line for each line of `source`, in order; returns how many matched how."""
    if same_file(source, out):
        refuse(f"{source} is both input and output: name another --out")
    work = partial(_compare, databases, DatabaseLimits(seconds=seconds), _semantics(semantics), explain)
    tally: Counter[str] = Counter()
    with (
        open_input(source) as lines,
        open_output(out) as sink,
        progress("comparing", size_of(source)) as advance,
        ProcessPool(
            max_workers=WORKERS, max_tasks=1000, initializer=_bound, initargs=[DatabaseLimits().megabytes]
        ) as pool,
    ):
        for handed in _handed_out(read_lines(lines), pool, work, seconds):
            row = _row(*handed, explain=explain)
            sink.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))
            tally[str(row["match"])] += 1
            advance(len(handed[0].raw or b"") + 1)
    return tally


def _handed_out(
    lines: Iterator[Line], pool: ProcessPool, work: Callable[[Pair], Compared], seconds: float
) -> Iterator[Handed]:
    """Every line in order, while up to `MOST_WAITING` pairs run ahead of it."""
    waiting: deque[Handed] = deque()
    # a pair runs several queries, each with its own deadline: this one is for what no deadline stops
    deadline = seconds * 8 + 5
    for line in lines:
        pair = _read(line)
        future = pool.schedule(work, args=[pair], timeout=deadline) if isinstance(pair, Pair) else None
        waiting.append((line, pair, future))
        if len(waiting) >= MOST_WAITING:
            yield waiting.popleft()
    yield from waiting


def summarise(tally: Mapping[str, int], out: str) -> None:
    """One line for a person, where the rows went to a file."""
    if out != "-" and sys.stderr.isatty():
        counts = ", ".join(f"{match.value} {tally.get(match.value, 0)}" for match in Match)
        print(f"{sum(tally.values())} lines: {counts}", file=sys.stderr)


def _semantics(name: str | None) -> Semantics | None:
    if name is not None and name not in set(Semantics):
        refuse(f"unknown semantics {name!r}: one of {', '.join(Semantics)}")
    return Semantics(name) if name is not None else None


def _read(line: Line) -> Pair | str:
    if line.raw is None:
        return "the line is too long"
    try:
        return Pair.model_validate(orjson.loads(line.raw))
    except orjson.JSONDecodeError as error:
        return f"the line is not JSON ({shorten(str(error))}): write one object a line"
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        return f"{'.'.join(map(str, fault['loc'])) or 'line'}: {shorten(fault['msg'])}"


def _bound(megabytes: int) -> None:
    limit = (megabytes + _HEADROOM) * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _compare(
    databases: str, limits: DatabaseLimits, semantics: Semantics | None, explain: bool, pair: Pair
) -> Compared:
    try:
        with open_database(databases, pair.db_id, limits) as database:
            run, dialect = database.run, database.dialect
            found = compare(pair.reference_sql, pair.sql, run, dialect=dialect, semantics=semantics)
            return found, lint(pair.reference_sql, dialect, run) if explain else ()
    except UnknownDatabaseError as error:
        return _none(f"database: {error}")


def _ended(future: ProcessFuture[Compared]) -> Compared:
    try:
        return future.result()
    except OutOfTimeError:
        return _none("it ran past every deadline and was ended")
    except ProcessExpired as error:
        return _none(f"it ended its process (code {error.exitcode}): too large?")
    except MemoryError:
        return _none("it needs more memory than it may have")


def _none(error: str) -> Compared:
    return Comparison(match=Match.NONE, error=error), ()


def _row(line: Line, pair: Pair | str, future: ProcessFuture[Compared] | None, *, explain: bool) -> Row:
    if isinstance(pair, str) or future is None:
        return {"id": None, "line": line.number, "match": Match.NONE.value, "error": pair, "alternative": None}
    found, doubts = _ended(future)
    row: Row = {"id": pair.id, "match": found.match.value, "error": found.error, "alternative": found.alternative}
    if explain:
        row["flags"] = sorted(flag.value for flag in found.flags)
        row["doubts"] = [{"code": each.doubt.value, "detail": each.detail} for each in doubts]
        row["difference"] = asdict(found.difference) if found.difference is not None else None
    return row
