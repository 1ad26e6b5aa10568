"""`sqlassay verify`: whether two queries mean the same, each pair in a process that can be ended."""

from __future__ import annotations

import os
import resource
import sys
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import TimeoutError as OutOfTimeError
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, TypeAlias

import orjson
from pebble import ProcessExpired, ProcessFuture, ProcessPool
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from rich.markdown import Markdown

from consumers.wire.texts import shorten
from references.databases import DatabaseLimits, UnknownDatabaseError, open_one
from references.equivalence.candidates import crossed
from references.equivalence.explain import explain as explained
from references.equivalence.on_database import OnDatabase, run_on, with_database
from references.equivalence.pair import EquivalenceVerdict, Finding, Pair
from references.equivalence.record import finding_record
from references.equivalence.verify import verify
from references.semantics import Semantics
from scoring.sql.dialects import known
from service.commands.exits import refuse
from service.commands.jsonl import STANDARD, Line, open_input, open_output, read_lines, same_file, size_of
from service.commands.progress import progress
from service.commands.rendering import print_to_terminal, shown

WORKERS = max(1, min(os.cpu_count() or 1, 8))
"""Processes that verify; one that hangs or grows past its bound is ended and replaced."""
MOST_WAITING = 64
"""Pairs handed out at once: more would only wait in memory."""
_MEMORY = 4 * 1024**3
"""Bytes of address space of a worker, the solver's libraries included."""
_QUERY = DatabaseLimits()
"""What one query on a named database may cost."""
_GRACE = 2.0
"""Seconds beyond the budget after which a worker is ended."""
_Id = Annotated[str, BeforeValidator(lambda value: str(value) if isinstance(value, int) else value)]  # pyright: ignore[reportUnknownLambdaType] pydantic gives anything


class PairLine(BaseModel):
    """One line in. Keys that are not fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: _Id
    sql_a: str = Field(min_length=1)
    sql_b: str = Field(min_length=1)
    schema_: str | None = Field(default=None, alias="schema")
    constraints: dict[str, object] | None = None
    dialect: str | None = None
    semantics: Semantics | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """How pairs are verified."""

    bound: int
    budget: float
    """Seconds of CPU a pair."""
    semantics: Semantics | None
    """For lines that name none."""
    database: str | None = None
    """A file or URL on which both queries are run first."""

    @property
    def seconds(self) -> float:
        """By the clock, after which a pair is ended: a database answers up to four queries, each in its own time."""
        return self.budget + _GRACE + (0 if self.database is None else 4 * _QUERY.seconds)


@dataclass(frozen=True, slots=True)
class Named:
    """A pair with its name, or why a line is none."""

    line: int
    id: str | None
    pair: Pair | str


Handed: TypeAlias = tuple[Named, "ProcessFuture[Finding] | None"]
Verified: TypeAlias = tuple[Named, Finding]


def read_semantics(name: str | None) -> Semantics | None:
    """The semantics of a name; an unknown one ends the command."""
    if name is not None and name not in set(Semantics):
        refuse(f"unknown semantics {name!r}: one of {', '.join(Semantics)}")
    return Semantics(name) if name is not None else None


def verify_lines(source: str, out: str, options: Options, *, explain: bool, cross_check: bool) -> Counter[str]:
    """Writes a line for each line of `source`, in order; returns how many ended how."""
    if same_file(source, out):
        refuse(f"{source} is both input and output: name another --out")
    if options.database is not None and "://" not in options.database and not Path(options.database).is_file():
        refuse(f"there is no database {options.database}: name a SQLite file, or a URL of PostgreSQL or DuckDB")
    tally: Counter[str] = Counter()
    with (
        open_input(source) as lines,
        nullcontext(None) if explain and out == STANDARD else open_output(out) as sink,
        progress("verifying", size_of(source)) as advance,
        ProcessPool(max_workers=WORKERS, max_tasks=500, initializer=_bound) as pool,
    ):
        done: Iterable[Verified] = _verified(read_lines(lines), pool, options, advance)
        for named, finding in _crossed(list(done)) if cross_check else done:
            if sink is not None:
                sink.write(orjson.dumps(_row(named, finding), option=orjson.OPT_APPEND_NEWLINE))
            if explain:
                _print(named, finding)
            tally[finding.verdict.value] += 1
    return tally


def summarise(tally: Mapping[str, int], out: str) -> None:
    """One line for a person, where the rows went to a file."""
    if out != STANDARD and sys.stderr.isatty():
        counts = ", ".join(f"{each.value} {tally[each.value]}" for each in EquivalenceVerdict if tally.get(each.value))
        print(f"{sum(tally.values())} pairs: {counts}", file=sys.stderr)


def _verified(lines: Iterator[Line], pool: ProcessPool, options: Options, advance: object) -> Iterator[Verified]:
    """Every line in order, while up to `MOST_WAITING` pairs run ahead of it."""
    work = partial(_verify, options)
    waiting: deque[Handed] = deque()
    for line in lines:
        named = read_pair(line, options.semantics)
        future = None
        if isinstance(named.pair, Pair):
            future = pool.schedule(work, args=[named.pair], timeout=options.seconds)
        waiting.append((named, future))
        if callable(advance):
            advance(len(line.raw or b"") + 1)
        if len(waiting) >= MOST_WAITING:
            yield _ended(*waiting.popleft())
    while waiting:
        yield _ended(*waiting.popleft())


def read_pair(line: Line, semantics: Semantics | None) -> Named:
    """The pair of a line, or why it is none."""
    if line.raw is None:
        return Named(line.number, None, "the line is too long")
    try:
        found = PairLine.model_validate(orjson.loads(line.raw))
    except orjson.JSONDecodeError as error:
        return Named(line.number, None, f"the line is not JSON ({shorten(str(error))}): write one object a line")
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        where = ".".join(map(str, fault["loc"])) or "line"
        return Named(line.number, None, f"{where}: {shorten(fault['msg'])}")
    if found.dialect is not None and known(found.dialect) is None:
        return Named(line.number, found.id, f"dialect: {shorten(found.dialect)!r} is no dialect that is known")
    pair = Pair(
        sql_a=found.sql_a,
        sql_b=found.sql_b,
        schema=found.schema_,
        constraints=found.constraints,
        dialect=found.dialect,
        semantics=found.semantics or semantics or Semantics.BAG,
    )
    return Named(line.number, found.id, pair)


def _verify(options: Options, pair: Pair) -> Finding:
    work = partial(verify, pair, bound=options.bound, budget=options.budget)
    return work() if options.database is None else with_database(_on_database(options.database, pair), work)


def _on_database(where: str, pair: Pair) -> OnDatabase:
    try:
        with open_one(where, _QUERY) as database:
            return run_on(pair, database.run, database.dialect)
    except UnknownDatabaseError as error:
        return OnDatabase(summary=str(error))


def _bound() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


def _ended(named: Named, future: ProcessFuture[Finding] | None) -> Verified:
    if future is None:
        return named, Finding(verdict=EquivalenceVerdict.ERROR, reason=str(named.pair))
    try:
        return named, future.result()
    except OutOfTimeError:
        return named, _open("it ran past its budget and was ended")
    except ProcessExpired as error:
        return named, _open(f"it ended its process (code {error.exitcode})")
    except MemoryError:
        return named, _open("it needs more memory than it may have")
    except Exception as error:  # One pair that trips a bug must not cost the file its verdicts.
        return named, _open(f"the verifier failed ({type(error).__name__}): please report it")


def _open(reason: str) -> Finding:
    return Finding(verdict=EquivalenceVerdict.NOT_REFUTED, reason=reason)


def _crossed(done: list[Verified]) -> list[Verified]:
    """Witnesses of one question run on all its answers; a question is one reference over one schema."""
    questions: dict[object, list[int]] = {}
    for index, (named, _) in enumerate(done):
        if isinstance(named.pair, Pair):
            whole = replace(named.pair, sql_b="", constraints=repr(named.pair.constraints))
            questions.setdefault(whole, []).append(index)
    results = list(done)
    for indices in questions.values():
        pairs = [done[index][0].pair for index in indices]
        known_pairs = [pair for pair in pairs if isinstance(pair, Pair)]
        for index, finding in zip(indices, crossed(known_pairs, [done[i][1] for i in indices]), strict=True):
            results[index] = (done[index][0], finding)
    return results


def _row(named: Named, finding: Finding) -> dict[str, object]:
    row = {"id": named.id, **finding_record(finding)}
    return row if named.id is not None else {**row, "line": named.line}


def _print(named: Named, finding: Finding) -> None:
    if isinstance(named.pair, str):
        text = f"## line {named.line}: error\n\n{named.pair}\n"
    else:
        text = explained(named.id or f"line {named.line}", named.pair.sql_a, named.pair.sql_b, finding)
    if sys.stdout.isatty():
        print_to_terminal(Markdown("\n".join(map(shown, text.split("\n")))))
    else:
        print(text.encode("utf-8", "backslashreplace").decode("utf-8"))
