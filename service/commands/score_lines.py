"""Scores the lines of a file: one row for each line, in order, whatever the line contains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from typing import BinaryIO, NamedTuple

import orjson

from consumers.wire.events import MAX_EVENT_BYTES, InvalidEvent, InvalidReason, QueryEvent, decode_event
from scoring.evaluation import conclude, examine
from scoring.judging.local import LocalJudge
from scoring.query import Query, Unscored, UnscoredReason
from scoring.record import Record, score_record, unscored_record
from scoring.rules import Rules
from scoring.verdict import Score
from service.commands.exits import refuse
from service.commands.jsonl import InputLine, open_input, open_output, read_lines, same_file, size_of
from service.commands.progress import progress
from service.processes.budgeted_process import budgeted_process
from service.processes.forked_call import CallEnded
from service.processes.interpreter import tune_interpreter

CPU_SECONDS = 1.0
"""CPU that one line may take."""
_AT_ONCE = 16
"""Lines that are given to the scoring process together."""


class Encoded(NamedTuple):
    """A row as it is written, and what a run counts of it."""

    content: bytes
    score: object
    unscored: object

    @classmethod
    def of(cls, row: Record) -> Encoded:
        return cls(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE), row["score"], row["unscored"])


@dataclass(frozen=True, slots=True)
class LocalScorer:
    """Scores with the local judge: the same answer always gets the same row."""

    rules: Rules
    judge: LocalJudge
    cpu_seconds: float = CPU_SECONDS

    def __call__(self, query: Query) -> Score | Unscored:
        case = examine(query, self.rules)
        if isinstance(case, Unscored):
            return case
        return conclude(case, self.judge.judge(case))

    def record(self, query: Query) -> Record:
        """The fields of a row, except its names."""
        return record_of(self(query), self.rules)

    def row(self, line: InputLine) -> Record:
        """Returns the row for a line, whatever the line contains."""
        event = read_event(line)
        if isinstance(event, Unscored):
            return invalid_line_row(line, event, self.rules)
        try:
            return {**names_of(event), **self.record(event.query())}
        except Exception as error:  # One answer that trips a bug must not cost the file its scores.
            return {**names_of(event), **record_of(scorer_failed(error), self.rules)}

    def score_file(self, source: str, target: str) -> RunTally:
        """Writes one row for each line, in order. Holds a few lines in memory at a time.

        A line that takes more than `cpu_seconds` of CPU, or that ends the scoring process, has a row without a score.
        """
        with (
            budgeted_process(self._encoded, self.cpu_seconds) as process,
            scored_file(source, target) as (lines, write),
        ):
            while some := list(islice(lines, _AT_ONCE)):
                for line, result in zip(some, process.run(some), strict=True):
                    write.encoded(line, self._ended(line, result) if isinstance(result, CallEnded) else result)
        return write.tally

    def _encoded(self, line: InputLine) -> Encoded:
        return Encoded.of(self.row(line))

    def _ended(self, line: InputLine, ended: CallEnded) -> Encoded:
        why = line_too_costly(self.cpu_seconds) if ended.over_limit else scorer_failed(ended)
        event = read_event(line)
        names = no_names(line) if isinstance(event, Unscored) else names_of(event)
        return Encoded.of({**names, **record_of(why, self.rules)})


@dataclass(frozen=True, slots=True)
class RowWriter:
    """Writes rows, counts them and moves the progress bar."""

    rows: BinaryIO
    advance: Callable[[int], None]
    tally: RunTally

    def __call__(self, line: InputLine, row: Record) -> None:
        self.encoded(line, Encoded.of(row))

    def encoded(self, line: InputLine, row: Encoded) -> None:
        """Writes a row that is encoded already."""
        self.rows.write(row.content)
        self.tally.add(row)
        self.advance(len(line.raw or b"") + 1)


@contextmanager
def scored_file(source: str, target: str) -> Generator[tuple[Iterator[InputLine], RowWriter]]:
    """Opens both files; yields the lines to score and the writer of the rows."""
    if same_file(source, target):
        refuse(f"{source} is both input and output: name another --out")
    tune_interpreter()
    with (
        open_input(source) as lines,
        open_output(target) as rows,
        progress("scoring", size_of(source)) as advance,
    ):
        yield read_lines(lines, MAX_EVENT_BYTES), RowWriter(rows, advance, RunTally())


NAME_FIELDS = ("event_id", "tenant", "agent")
"""The fields of a row that say whose answer it is."""


def names_of(event: QueryEvent) -> Record:
    """The `NAME_FIELDS` of an event."""
    return {name: getattr(event, name) for name in NAME_FIELDS}


def no_names(line: InputLine) -> Record:
    """The `NAME_FIELDS` of a line that is not an event, and its number."""
    return {**dict.fromkeys(NAME_FIELDS), "line": line.number}


def record_of(result: Score | Unscored, rules: Rules) -> Record:
    """The fields of a row, except its names."""
    return unscored_record(result, rules.version) if isinstance(result, Unscored) else score_record(result)


def invalid_line_row(line: InputLine, reason: Unscored, rules: Rules) -> Record:
    """The row for a line that is not an event."""
    return {**no_names(line), **unscored_record(reason, rules.version)}


def line_too_costly(seconds: float) -> Unscored:
    """The result for a line that took more than these seconds of CPU."""
    detail = f"scoring took more than {seconds:g} s of CPU (--cpu-seconds): shorten the question or the SQL"
    return Unscored(UnscoredReason.TOO_COSTLY, detail)


def scorer_failed(error: Exception) -> Unscored:
    """The result for an answer on which the scorer raised: a bug."""
    return Unscored(UnscoredReason.SCORER_FAILED, f"the scorer failed ({type(error).__name__}): please report it")


@dataclass(slots=True)
class RunTally:
    """Counts for the last line of a run on a terminal."""

    scored: int = 0
    total: float = 0.0
    unscored: Counter[str] = field(default_factory=Counter[str])

    def add(self, row: Encoded) -> None:
        if isinstance(row.score, float):
            self.scored += 1
            self.total += row.score
        else:
            self.unscored[str(row.unscored)] += 1

    def __str__(self) -> str:
        lines = self.scored + self.unscored.total()
        mean = f", mean {self.total / self.scored:.2f}" if self.scored else ""
        reasons = ", ".join(f"{reason} {count}" for reason, count in self.unscored.most_common())
        return f"{lines} lines: {self.scored} scored{mean}" + (f", without a score: {reasons}" if reasons else "")


def read_event(line: InputLine) -> QueryEvent | Unscored:
    """Returns the event on a line, or why the line is not an event."""
    if line.raw is None:
        detail = f"the line is longer than {MAX_EVENT_BYTES} bytes: shorten its texts or attributes"
        return Unscored(UnscoredReason.INVALID_EVENT, detail)
    try:
        return decode_event(line.raw, require_id=False)
    except InvalidEvent as error:
        in_text = error.reason is InvalidReason.INVALID_TEXT
        return Unscored(UnscoredReason.INVALID_TEXT if in_text else UnscoredReason.INVALID_EVENT, str(error))
