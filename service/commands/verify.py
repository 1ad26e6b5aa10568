"""`sqlassay verify`: checks whether two queries mean the same, each pair in a process that can be killed."""

from __future__ import annotations

import os
import resource
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import TimeoutError as OutOfTimeError
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeAlias

import orjson
from pebble import ProcessExpired, ProcessFuture, ProcessPool
from rich.markdown import Markdown

from consumers.wire.texts import shorten
from references.databases.access import Allowance, DatabaseLimits, UnknownDatabaseError
from references.databases.opening import open_one
from references.databases.qualified import ResolvingDatabase
from references.equivalence.candidates import crossed
from references.equivalence.explain import explain as explained
from references.equivalence.finding_json import finding_record
from references.equivalence.on_database import OnDatabase, run_on, with_database
from references.equivalence.pair import EquivalenceVerdict, Pair, PairFinding
from references.equivalence.verify import verify
from references.semantics import Semantics
from scoring.sql.dialects import canonical_dialect
from service.commands.exits import refuse
from service.commands.jsonl import STANDARD, InputLine, open_input, open_output, read_lines, same_file, size_of
from service.commands.options import VerifyOptions
from service.commands.pair_lines import VerifyLine, parse_line
from service.commands.progress import progress
from service.commands.rendering.terminal import print_to_terminal, printable

WORKERS = max(1, min(os.cpu_count() or 1, 8))
"""Processes that verify. One that hangs or uses too much memory is killed and replaced."""
MAX_WAITING = 64
"""Pairs handed to the workers at once; more would only wait in memory."""
_MEMORY = 4 * 1024**3
"""Bytes of data of a worker."""
_QUERY = DatabaseLimits()
"""Limits of one query on a named database."""
_GRACE = 2.0
"""Seconds after which a worker is killed, beyond the time that its budget takes on a busy machine."""
_BUSY = 3
"""Seconds that one second of the budget, which is one of CPU, may take."""


@dataclass(frozen=True, slots=True)
class NamedPair:
    """The pair on a line, or what is wrong with the line."""

    line: int
    id: str | None
    pair: Pair | str


RunningPair: TypeAlias = tuple[NamedPair, "ProcessFuture[PairFinding] | None"]
Verified: TypeAlias = tuple[NamedPair, PairFinding]


def verify_pairs(options: VerifyOptions) -> None:
    """Writes a line for each input line, in order; then a summary on a terminal."""
    _check(options)
    tally: Counter[str] = Counter()
    with (
        open_input(options.source) as lines,
        nullcontext(None) if options.explain and options.out == STANDARD else open_output(options.out) as sink,
        progress("verifying", size_of(options.source)) as advance,
        ProcessPool(max_workers=WORKERS, max_tasks=500, initializer=_limit_memory) as pool,
    ):
        verified: Iterable[Verified] = _verify_lines(read_lines(lines), pool, options, advance)
        for named, finding in _cross_checked(list(verified)) if options.cross_check else verified:
            if sink is not None:
                sink.write(orjson.dumps(_row(named, finding), option=orjson.OPT_APPEND_NEWLINE))
            if options.explain:
                _print(named, finding)
            tally[finding.verdict.value] += 1
    _summarise(tally, options.out)


def _check(options: VerifyOptions) -> None:
    """Ends the command when an option cannot be used."""
    source, database = options.source, options.database
    if options.semantics is not None and options.semantics not in set(Semantics):
        refuse(f"unknown semantics {options.semantics!r}: one of {', '.join(Semantics)}")
    if same_file(source, options.out):
        refuse(f"{source} is both input and output: name another --out")
    if database is not None and "://" not in database and not Path(database).is_file():
        named = "of this name" if {"@", "="} & set(database) or ":/" in database else database
        refuse(f"there is no database {named}: name a SQLite file, or a URL of PostgreSQL or DuckDB")


def _summarise(tally: Mapping[str, int], out: str) -> None:
    """Prints one line on a terminal when the rows go to a file."""
    if out != STANDARD and sys.stderr.isatty():
        counts = ", ".join(f"{each.value} {tally[each.value]}" for each in EquivalenceVerdict if tally.get(each.value))
        print(f"{sum(tally.values())} pairs: {counts}", file=sys.stderr)


def _verify_lines(
    lines: Iterator[InputLine], pool: ProcessPool, options: VerifyOptions, advance: Callable[[int], None]
) -> Iterator[Verified]:
    """Yields every line's finding in order, while up to `MAX_WAITING` pairs run ahead."""
    work, timeout = partial(_verify, options), _timeout(options)
    waiting: deque[RunningPair] = deque()
    for line in lines:
        named = read_pair(line, options.semantics)
        future = None
        if isinstance(named.pair, Pair):
            future = pool.schedule(work, args=[named.pair], timeout=timeout)
        waiting.append((named, future))
        advance(len(line.raw or b"") + 1)
        if len(waiting) >= MAX_WAITING:
            yield _result(*waiting.popleft())
    while waiting:
        yield _result(*waiting.popleft())


def read_pair(line: InputLine, semantics: str | None) -> NamedPair:
    """Returns the pair on a line, or what is wrong with the line. `semantics` is for lines that name none."""
    found = parse_line(line, VerifyLine)
    if isinstance(found, str):
        return NamedPair(line.number, None, found)
    if found.dialect is not None and canonical_dialect(found.dialect) is None:
        return NamedPair(line.number, found.id, f"dialect: unknown dialect {shorten(found.dialect)!r}")
    pair = Pair(
        sql_a=found.sql_a,
        sql_b=found.sql_b,
        schema=found.schema_,
        constraints=found.constraints,
        dialect=found.dialect,
        semantics=found.semantics or Semantics(semantics or Semantics.BAG),
    )
    return NamedPair(line.number, found.id, pair)


def _verify(options: VerifyOptions, pair: Pair) -> PairFinding:
    work = partial(verify, pair, bound=options.bound, budget=options.budget)
    return (
        work()
        if options.database is None
        else with_database(_on_database(options.database, _allowance(options), pair), work)
    )


def _allowance(options: VerifyOptions) -> Allowance:
    return Allowance.of(options.functions or (), any_role=options.any_role)


def _on_database(where: str, allowance: Allowance, pair: Pair) -> OnDatabase:
    try:
        with open_one(where, _QUERY, allowance) as database:
            return run_on(pair, ResolvingDatabase(database).run, database.dialect)
    except UnknownDatabaseError as error:
        return OnDatabase(summary=str(error))


def _timeout(options: VerifyOptions) -> float:
    """Seconds after which a pair is ended: for its budget, and on a database for four queries with their own limits."""
    return _BUSY * options.budget + _GRACE + (0 if options.database is None else 4 * _QUERY.seconds)


def _limit_memory() -> None:
    # RLIMIT_DATA and not RLIMIT_AS: the solver's libraries map far more than they use
    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))


def _result(named: NamedPair, future: ProcessFuture[PairFinding] | None) -> Verified:
    if future is None:
        return named, PairFinding(verdict=EquivalenceVerdict.ERROR, reason=str(named.pair))
    try:
        return named, future.result()
    except OutOfTimeError:
        return named, _not_refuted("it ran past its budget and was ended")
    except ProcessExpired as error:
        return named, _not_refuted(f"it ended its process (code {error.exitcode})")
    except MemoryError:
        return named, _not_refuted("it needs more memory than it may have")
    except Exception as error:  # One pair that trips a bug must not cost the file its verdicts.
        return named, _not_refuted(f"the verifier failed ({type(error).__name__}): please report it")


def _not_refuted(reason: str) -> PairFinding:
    return PairFinding(verdict=EquivalenceVerdict.NOT_REFUTED, reason=reason)


def _cross_checked(verified: list[Verified]) -> list[Verified]:
    """Runs each counterexample on all answers to the same question: the same `sql_a` over the same schema."""
    questions: dict[object, list[int]] = {}
    for index, (named, _) in enumerate(verified):
        if isinstance(named.pair, Pair):
            question = replace(named.pair, sql_b="", constraints=repr(named.pair.constraints))
            questions.setdefault(question, []).append(index)
    results = list(verified)
    for indices in questions.values():
        pairs = [verified[index][0].pair for index in indices]
        known_pairs = [pair for pair in pairs if isinstance(pair, Pair)]
        findings = crossed(known_pairs, [verified[index][1] for index in indices])
        for index, finding in zip(indices, findings, strict=True):
            results[index] = (verified[index][0], finding)
    return results


def _row(named: NamedPair, finding: PairFinding) -> dict[str, object]:
    row = {"id": named.id, **finding_record(finding)}
    return row if named.id is not None else {**row, "line": named.line}


def _print(named: NamedPair, finding: PairFinding) -> None:
    if isinstance(named.pair, str):
        text = f"## line {named.line}: error\n\n{named.pair}\n"
    else:
        text = explained(named.id or f"line {named.line}", named.pair.sql_a, named.pair.sql_b, finding)
    if sys.stdout.isatty():
        print_to_terminal(Markdown("\n".join(map(printable, text.split("\n")))))
    else:
        print(text.encode("utf-8", "backslashreplace").decode("utf-8"))
