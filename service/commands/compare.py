"""`sqlassay compare`: compares answers with references by running both on databases that the user named."""

from __future__ import annotations

import resource
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import TimeoutError as OutOfTimeError
from dataclasses import asdict
from functools import partial
from typing import TypeAlias

import orjson
from pebble import ProcessExpired, ProcessFuture, ProcessPool

from references.comparison.comparing import Comparison, ResultMatch
from references.comparison.defog import RULES, compare_by
from references.databases.access import Allowance, DatabaseLimits, UnknownDatabaseError
from references.databases.opening import open_database
from references.databases.row_orders import reversed_rows
from references.lint import ReferenceDoubt, lint
from service.commands.exits import answer_no, refuse
from service.commands.jsonl import STANDARD, InputLine, open_input, open_output, read_lines, same_file, size_of
from service.commands.options import CompareOptions
from service.commands.pair_lines import CompareLine, parse_line
from service.commands.progress import progress

WORKERS = 2
"""Processes that run queries. One that hangs or uses too much memory is killed and replaced."""
MAX_WAITING = 64
"""Pairs handed to the workers at once; more would only wait in memory."""
_HEADROOM = 2 * 1024
"""Megabytes of address space for a worker, besides its database."""

Compared: TypeAlias = tuple[Comparison, tuple[ReferenceDoubt, ...]]
"""A comparison, and the doubts about its reference when `--explain` is set."""
RunningComparison: TypeAlias = tuple[InputLine, CompareLine | str, "ProcessFuture[Compared] | None"]
"""A line, its pair or what is wrong with it, and the running comparison."""


def compare_answers(options: CompareOptions) -> None:
    """Writes a line for each input line, in order; then a summary on a terminal."""
    if same_file(options.source, options.out):
        refuse(f"{options.source} is both input and output: name another --out")
    limits = DatabaseLimits(seconds=options.seconds)
    allowance = Allowance.of(options.functions or (), any_role=options.any_role)
    work = partial(_compare, options.databases, limits, allowance, _known_rule(options.semantics), options.explain)
    tally: Counter[str] = Counter()
    with (
        open_input(options.source) as lines,
        open_output(options.out) as sink,
        progress("comparing", size_of(options.source)) as advance,
        ProcessPool(
            max_workers=WORKERS, max_tasks=1000, initializer=_limit_memory, initargs=[DatabaseLimits().megabytes]
        ) as pool,
    ):
        for running in _start_all(read_lines(lines), pool, work, options.seconds):
            row = _row(*running, explain=options.explain)
            sink.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))
            tally[str(row["match"])] += 1
            advance(len(running[0].raw or b"") + 1)
    _summarise(tally, options.out)
    if tally and set(tally) == {ResultMatch.NOT_COMPARED.value}:
        answer_no("no line could be compared: `error` of each says why")


def _start_all(
    lines: Iterator[InputLine], pool: ProcessPool, work: Callable[[CompareLine], Compared], seconds: float
) -> Iterator[RunningComparison]:
    """Yields every line in order, while up to `MAX_WAITING` pairs run ahead."""
    waiting: deque[RunningComparison] = deque()
    # a pair runs several queries, each with its own deadline; this one is for a worker that hangs
    deadline = seconds * 8 + 5
    for line in lines:
        pair = parse_line(line, CompareLine)
        future = pool.schedule(work, args=[pair], timeout=deadline) if isinstance(pair, CompareLine) else None
        waiting.append((line, pair, future))
        if len(waiting) >= MAX_WAITING:
            yield waiting.popleft()
    yield from waiting


def _summarise(tally: Mapping[str, int], out: str) -> None:
    """Prints one line on a terminal when the rows go to a file, and everywhere what was not compared."""
    left = tally.get(ResultMatch.NOT_COMPARED.value, 0)
    if out != STANDARD and sys.stderr.isatty():
        counts = ", ".join(f"{match.value} {tally.get(match.value, 0)}" for match in ResultMatch)
        print(f"{sum(tally.values())} lines: {counts}", file=sys.stderr)
    elif left:
        print(f"sqlassay: {left} of {sum(tally.values())} lines were not compared", file=sys.stderr)


def _known_rule(name: str | None) -> str | None:
    if name is not None and name not in RULES:
        refuse(f"unknown semantics {name!r}: one of {', '.join(RULES)}")
    return name


def _limit_memory(megabytes: int) -> None:
    limit = (megabytes + _HEADROOM) * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _compare(
    databases: str,
    limits: DatabaseLimits,
    allowance: Allowance,
    rule: str | None,
    explain: bool,
    pair: CompareLine,
) -> Compared:
    try:
        with open_database(databases, pair.db_id, limits, allowance) as database:
            run, dialect = database.run, database.dialect
            found = compare_by(pair.reference_sql, pair.sql, run, dialect=dialect, rule=rule)
            return found, lint(pair.reference_sql, dialect, run, reversed_rows(database)) if explain else ()
    except UnknownDatabaseError as error:
        return _failed(f"database: {error}")


def _result(future: ProcessFuture[Compared]) -> Compared:
    try:
        return future.result()
    except OutOfTimeError:
        return _failed("it ran past every deadline and was ended")
    except ProcessExpired as error:
        return _failed(f"it ended its process (code {error.exitcode}): too large?")
    except MemoryError:
        return _failed("it needs more memory than it may have")


def _failed(error: str) -> Compared:
    return Comparison(match=ResultMatch.NOT_COMPARED, error=error), ()


def _row(
    line: InputLine, pair: CompareLine | str, future: ProcessFuture[Compared] | None, *, explain: bool
) -> dict[str, object]:
    if isinstance(pair, str) or future is None:
        match = ResultMatch.NOT_COMPARED.value
        return {"id": None, "line": line.number, "match": match, "error": pair, "alternative": None}
    found, doubts = _result(future)
    row: dict[str, object] = {
        "id": pair.id,
        "match": found.match.value,
        "error": found.error,
        "alternative": found.alternative,
    }
    if explain:
        row["flags"] = sorted(flag.value for flag in found.flags)
        row["doubts"] = [{"code": each.doubt.value, "detail": each.detail} for each in doubts]
        row["difference"] = asdict(found.difference) if found.difference is not None else None
    return row
