"""Scores the lines of a file: one row for each line, in order, whatever the line contains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple, cast

import orjson

from consumers.wire.events import MAX_EVENT_BYTES, InvalidEvent, InvalidReason, QueryEvent, decode_event
from scoring.query import Query, Unscored, UnscoredReason
from scoring.record import SCORED_FIELDS, Record, unscored_record
from scoring.rules import Rules
from service.commands.files.columns import key_hint
from service.commands.files.formats import ScoredFiles
from service.commands.files.row_sinks import RowSink
from service.commands.jsonl import InputLine
from service.commands.one_answer.answer_scorer import NAME_FIELDS, LocalAnswerScorer, record_of
from service.commands.progress import progress
from service.processes.budgeted_process import budgeted_processes
from service.processes.forked_call import CallEnded
from service.processes.interpreter import tune_interpreter

CPU_SECONDS = 1.0
"""CPU that one line may take."""
_AT_ONCE = 16
"""Lines that are given to a scoring process together."""


class Encoded(NamedTuple):
    """A row as it is written, and what a run counts of it."""

    content: bytes
    score: float | None
    p_correct: float | None
    unscored: str | None
    refused: str | None
    """Why the line is not an event, if it is none."""

    @classmethod
    def of(cls, row: Record) -> Encoded:
        """Encodes a row."""
        return cls(
            orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE),
            cast("float | None", row["score"]),
            cast("float | None", row["p_correct"]),
            cast("str | None", row["unscored"]),
            f"line {row['line']}: {cast('Any', row['reasons'])[0]['detail']}" if "line" in row else None,
        )


@dataclass(frozen=True, slots=True)
class LocalScorer(LocalAnswerScorer):
    """Scores files with the local judge: the same answer always gets the same row."""

    cpu_seconds: float = CPU_SECONDS
    jobs: int = 1
    """How many processes score a file."""

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

    def score_file(self, files: ScoredFiles) -> RunTally:
        """Writes one row for each line, in order. Holds some lines in memory at a time."""
        with self.opened(files) as opened:
            return write_all(*opened)

    @contextmanager
    def opened(
        self, files: ScoredFiles, more: Iterable[str] = ()
    ) -> Generator[tuple[Iterator[tuple[InputLine, Encoded]], RowWriter]]:
        """Opens both files; yields each line with its row, in order, and what writes rows, with `more` fields.

        A line that takes more than `cpu_seconds` of CPU, or that ends its scoring process, has a row without a score.
        """
        with (
            budgeted_processes(self._encoded, self.cpu_seconds, self.jobs) as processes,
            scored_file(files, more) as (lines, write),
        ):
            results = processes.run(lines, _AT_ONCE)
            yield (
                ((line, self._ended(line, row) if isinstance(row, CallEnded) else row) for line, row in results),
                write,
            )

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

    rows: RowSink
    advance: Callable[[int], None]
    tally: RunTally

    def __call__(self, line: InputLine, row: Record) -> None:
        self.encoded(line, Encoded.of(row))

    def encoded(self, line: InputLine, row: Encoded) -> None:
        """Writes a row that is encoded already."""
        self.rows.write(row.content)
        self.tally.add(row)
        self.advance(len(line.raw or b"") + 1)


def write_all(rows: Iterable[tuple[InputLine, Encoded]], write: RowWriter) -> RunTally:
    """Writes the rows of lines, in order."""
    for line, row in rows:
        write.encoded(line, row)
    return write.tally


@contextmanager
def scored_file(files: ScoredFiles, more: Iterable[str] = ()) -> Generator[tuple[Iterator[InputLine], RowWriter]]:
    """Opens both files; yields the lines to score and the writer of the rows. A table has `more` columns at its end."""
    tune_interpreter()
    with (
        files.lines() as lines,
        files.rows((*TABLE_FIELDS, *more)) as rows,
        progress("scoring", files.size) as advance,
    ):
        yield lines, RowWriter(rows, advance, RunTally())


TABLE_FIELDS = (*NAME_FIELDS, "source", *SCORED_FIELDS, "unscored", "line", "evaluator_version", "rules_version")
"""The columns of a table of rows."""


def names_of(event: QueryEvent) -> Record:
    """The `NAME_FIELDS` of an event, and its source if it names another than the default."""
    names: Record = {name: getattr(event, name) for name in NAME_FIELDS}
    return names if event.source == f"/{event.tenant}/{event.agent}" else {**names, "source": event.source}


def no_names(line: InputLine) -> Record:
    """The `NAME_FIELDS` of a line that is not an event, and its number."""
    return {**dict.fromkeys(NAME_FIELDS), "line": line.number}


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
    """What became of the lines of a run."""

    scored: int = 0
    score: float = 0.0
    """The sum of all scores."""
    p_correct: float = 0.0
    """The sum of all `p_correct`."""
    unscored: Counter[str] = field(default_factory=Counter[str])
    """Answers without a score, by reason."""
    refused: int = 0
    """Lines that are not an event."""
    first_refused: str | None = None

    def add(self, row: Encoded) -> None:
        if row.score is not None:
            self.scored += 1
            self.score += row.score
            self.p_correct += row.p_correct or 0.0
        elif row.refused is not None:
            self.refused += 1
            self.first_refused = self.first_refused or row.refused
        else:
            self.unscored[str(row.unscored)] += 1

    @property
    def lines(self) -> int:
        return self.scored + self.unscored.total() + self.refused

    def figures(self) -> dict[str, float]:
        """The mean score, the mean `p_correct`, and the share of all lines that have a score; 0 without any score."""
        scored = max(1, self.scored)
        return {
            "mean": self.score / scored,
            "p_correct": self.p_correct / scored,
            "cover": self.scored / max(1, self.lines),
        }

    def __str__(self) -> str:
        reasons = ", ".join(f"{reason} {count}" for reason, count in self.unscored.most_common())
        mean = f"{self.figures()['mean']:.2f}" if self.scored else "–"
        return (
            f"scored {self.scored}, unscored {self.unscored.total()}{f' ({reasons})' if reasons else ''},"
            f" refused {self.refused}, mean {mean}"
        )


def read_event(line: InputLine) -> QueryEvent | Unscored:
    """Returns the event on a line, or why the line is not an event."""
    if line.raw is None:
        detail = f"the line is longer than {MAX_EVENT_BYTES} bytes: shorten its texts or attributes"
        return Unscored(UnscoredReason.INVALID_EVENT, detail)
    try:
        return decode_event(line.raw, require_id=False)
    except InvalidEvent as error:
        in_text = error.reason is InvalidReason.INVALID_TEXT
        hint = key_hint(line.raw) if error.reason is InvalidReason.MISSING_FIELD else ""
        return Unscored(UnscoredReason.INVALID_TEXT if in_text else UnscoredReason.INVALID_EVENT, f"{error}{hint}")
