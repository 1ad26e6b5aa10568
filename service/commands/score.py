"""`sqlassay score`: a file of answers to a file of scores, or one answer explained. Needs no database."""

from __future__ import annotations

import gc
import json
import sys
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

import orjson

from consumers.events import MAX_EVENT_BYTES, InvalidEvent, InvalidReason, QueryEvent, decode_event
from scoring.evaluation import conclude, examine
from scoring.judge import InvalidWeightsError, LocalJudge
from scoring.query import Query, Unscored, UnscoredReason
from scoring.record import Record, score_record, unscored_record
from scoring.rules import JudgePolicy, Rules
from scoring.sql import KNOWN_DIALECTS
from scoring.sql.dialects import known
from scoring.verdict import Score
from service.commands.exits import refuse
from service.commands.jsonl import STANDARD, Line, open_input, open_output, read_lines, same_file, size_of
from service.commands.progress import progress
from service.commands.rules_file import load_rules
from service.rendering import explanation, print_to_terminal, refusal
from service.weights import fitted_judge, local_judge


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
        result = self(query)
        if isinstance(result, Unscored):
            return unscored_record(result, self.rules.version)
        return score_record(result)

    def row(self, line: Line) -> Record:
        """The line out for a line in, whatever it holds."""
        event = read_event(line)
        if isinstance(event, Unscored):
            return {"event_id": None, "line": line.number, **unscored_record(event, self.rules.version)}
        try:
            return {"event_id": event.event_id, **self.record(event.query())}
        except Exception as error:  # One answer that trips a bug must not cost the file its scores.
            failed = Unscored(
                UnscoredReason.SCORER_FAILED, f"the scorer failed ({type(error).__name__}): please report it"
            )
            return {"event_id": event.event_id, **unscored_record(failed, self.rules.version)}


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


def require_local(policy: str) -> None:
    """Ends the command where a judge is asked for that no setting names."""
    if policy not in set(JudgePolicy):
        refuse(f"unknown judge {policy!r}: one of {', '.join(JudgePolicy)}")
    if policy != JudgePolicy.LOCAL:
        refuse(f"--judge {policy} asks a model server, which this version does not do yet: use --judge local")


def read_judge(path: str | None) -> LocalJudge:
    """The local judge with the packaged weights, or with those of a file."""
    if path is None:
        return local_judge()
    try:
        return fitted_judge(Path(path))
    except InvalidWeightsError as error:
        refuse(str(error))


def score_lines(source: str, target: str, scorer: Scorer) -> Tally:
    """Writes one row for each line in, in order; one line at a time is in memory."""
    if same_file(source, target):
        refuse(f"{source} is both input and output: name another --out")
    tally = Tally()
    gc.freeze()  # The loaded modules never become garbage, and a collection that walks them costs a parse.
    with (
        open_input(source) as lines,
        open_output(target) as rows,
        progress("scoring", size_of(source)) as advance,
    ):
        for line in read_lines(lines, MAX_EVENT_BYTES):
            row = scorer.row(line)
            rows.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))
            tally.add(row)
            advance(len(line.raw or b"") + 1)
    return tally


def explain(question: str, sql: str, enriched: str | None, scorer: Scorer, *, as_json: bool) -> None:
    """One answer: a readable explanation on a terminal, the line out as JSON elsewhere."""
    query = Query(question=question, sql=sql, enriched_question=enriched)
    if as_json or not sys.stdout.isatty():
        print(json.dumps({"event_id": None, **scorer.record(query)}, ensure_ascii=True))
        return
    result = scorer(query)
    print_to_terminal(refusal(query, result) if isinstance(result, Unscored) else explanation(result))


def summarise(tally: Tally, target: str) -> None:
    """The last line, for a person only: pipes get nothing but rows."""
    if sys.stderr.isatty():
        where = "" if target == STANDARD else f" → {Path(target).name}"
        print(f"{tally}{where}", file=sys.stderr)
