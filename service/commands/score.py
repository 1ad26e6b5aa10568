"""`sqlassay score`: a file of answers to a file of scores, or one answer explained. Needs no database."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO

import orjson

from consumers.wire.events import MAX_EVENT_BYTES, InvalidEvent, InvalidReason, QueryEvent, decode_event
from scoring.evaluation import conclude, examine
from scoring.judging.local import InvalidWeightsError, LocalJudge
from scoring.query import Query, Unscored, UnscoredReason
from scoring.record import Record, score_record, unscored_record
from scoring.rules import JudgePolicy, Rules
from scoring.sql import KNOWN_DIALECTS
from scoring.sql.dialects import known
from scoring.verdict import Score
from service.commands.exits import refuse
from service.commands.jsonl import STANDARD, Line, open_input, open_output, read_lines, same_file, size_of
from service.commands.progress import progress
from service.commands.rendering import explanation, print_to_terminal, refusal
from service.commands.rules_file import load_rules
from service.judges.weights import fitted_judge, local_judge
from service.processes.interpreter import tune_interpreter


@dataclass(frozen=True, slots=True)
class Scorer:
    """Scores with one tenant's rules and the local judge: the same answer always gets the same row."""

    rules: Rules
    judge: LocalJudge

    def __call__(self, query: Query) -> Score | Unscored:
        case = examine(query, self.rules)
        if isinstance(case, Unscored):
            return case
        return conclude(case, self.judge.judge(case))

    def record(self, query: Query) -> Record:
        """The fields of a line out but `event_id`."""
        return record_of(self(query), self.rules)

    def row(self, line: Line) -> Record:
        """The line out for a line in, whatever it holds."""
        event = read_event(line)
        if isinstance(event, Unscored):
            return refused_row(line, event, self.rules)
        try:
            return {"event_id": event.event_id, **self.record(event.query())}
        except Exception as error:  # One answer that trips a bug must not cost the file its scores.
            return {"event_id": event.event_id, **record_of(bug(error), self.rules)}

    def score_file(self, source: str, target: str) -> Tally:
        """Writes one row for each line in, in order; one line at a time is in memory."""
        with scored_file(source, target) as (lines, write):
            for line in lines:
                write(line, self.row(line))
        return write.tally


@dataclass(frozen=True, slots=True)
class RowWriter:
    """Writes rows, counts them and moves the progress bar."""

    rows: BinaryIO
    advance: Callable[[int], None]
    tally: Tally

    def __call__(self, line: Line, row: Record) -> None:
        self.rows.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))
        self.tally.add(row)
        self.advance(len(line.raw or b"") + 1)


@contextmanager
def scored_file(source: str, target: str) -> Generator[tuple[Iterator[Line], RowWriter]]:
    """The lines of a file, and what writes a row for each."""
    if same_file(source, target):
        refuse(f"{source} is both input and output: name another --out")
    tune_interpreter()
    with (
        open_input(source) as lines,
        open_output(target) as rows,
        progress("scoring", size_of(source)) as advance,
    ):
        yield read_lines(lines, MAX_EVENT_BYTES), RowWriter(rows, advance, Tally())


def record_of(result: Score | Unscored, rules: Rules) -> Record:
    """The fields of a line out but `event_id`."""
    return unscored_record(result, rules.version) if isinstance(result, Unscored) else score_record(result)


def refused_row(line: Line, why: Unscored, rules: Rules) -> Record:
    """The line out of a line that is no event."""
    return {"event_id": None, "line": line.number, **unscored_record(why, rules.version)}


def bug(error: Exception) -> Unscored:
    """What an answer ends as that tripped a bug."""
    return Unscored(UnscoredReason.SCORER_FAILED, f"the scorer failed ({type(error).__name__}): please report it")


@dataclass(slots=True)
class Tally:
    """What a run did, for its last line on a terminal."""

    scored: int = 0
    total: float = 0.0
    unscored: Counter[str] = field(default_factory=Counter[str])

    def add(self, row: Record) -> None:
        """Counts one line out."""
        if isinstance(score := row["score"], float):
            self.scored += 1
            self.total += score
        else:
            self.unscored[str(row["unscored"])] += 1

    def __str__(self) -> str:
        lines = self.scored + self.unscored.total()
        mean = f", mean {self.total / self.scored:.2f}" if self.scored else ""
        why = ", ".join(f"{reason} {count}" for reason, count in self.unscored.most_common())
        return f"{lines} lines: {self.scored} scored{mean}" + (f", without a score: {why}" if why else "")


def read_event(line: Line) -> QueryEvent | Unscored:
    """The event of a line, or why it is none."""
    if line.raw is None:
        detail = f"the line is longer than {MAX_EVENT_BYTES} bytes: shorten its texts or attributes"
        return Unscored(UnscoredReason.INVALID_EVENT, detail)
    try:
        return decode_event(line.raw, require_id=False)
    except InvalidEvent as error:
        in_text = error.reason is InvalidReason.INVALID_TEXT
        return Unscored(UnscoredReason.INVALID_TEXT if in_text else UnscoredReason.INVALID_EVENT, str(error))


def read_rules(path: str | None, dialect: str | None) -> Rules:
    """One tenant's rules from a JSON file, with the dialect of SQL that names none."""
    rules = Rules() if path is None else load_rules(path).rules(version=0)
    return rules if dialect is None else replace(rules, dialect=known_dialect(dialect))


def known_dialect(name: str) -> str:
    """The dialect, when it is one that can be read."""
    found = known(name)
    if found is None:
        refuse(f"unknown dialect {name!r}: one of {', '.join(sorted(KNOWN_DIALECTS))}")
    return found


def known_policy(name: str) -> JudgePolicy:
    """The judge policy of that name, or the end of the command."""
    if name not in set(JudgePolicy):
        refuse(f"unknown judge {name!r}: one of {', '.join(JudgePolicy)}")
    return JudgePolicy(name)


def read_judge(path: str | None) -> LocalJudge:
    """The local judge with the packaged weights, or with those of a file."""
    if path is None:
        return local_judge()
    try:
        return fitted_judge(Path(path))
    except InvalidWeightsError as error:
        refuse(str(error))


def explain(query: Query, result: Score | Unscored, rules: Rules, *, as_json: bool) -> None:
    """One answer: a readable explanation on a terminal, the line out as JSON elsewhere."""
    if as_json or not sys.stdout.isatty():
        print(json.dumps({"event_id": None, **record_of(result, rules)}, ensure_ascii=True))
        return
    print_to_terminal(refusal(query, result) if isinstance(result, Unscored) else explanation(result))


def summarise(tally: Tally, target: str) -> None:
    """The last line, for a person only: pipes get nothing but rows."""
    if sys.stderr.isatty():
        where = "" if target == STANDARD else f" → {Path(target).name}"
        print(f"{tally}{where}", file=sys.stderr)
