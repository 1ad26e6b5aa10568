"""Reads the labelled answers that `sqlassay eval judge` measures a judge on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import cast

from consumers.wire.events import MAX_EVENT_BYTES, InvalidEvent, decode_event, parse_json
from evals.agreement import Judged
from scoring.query import Query
from scoring.rules import Rules
from service.commands.eval.judge_options import JudgeOptions
from service.commands.exits import refuse
from service.commands.jsonl import answer_files, open_input, read_lines
from service.commands.rules.rules_file import load_rules


@dataclass(frozen=True, slots=True)
class LabelledAnswer:
    """One answer and whether its label says it is correct."""

    row: Mapping[str, object]
    query: Query
    id: str
    correct: bool
    rules: Rules
    """The rules of its tenant."""

    def field(self, name: str) -> str:
        """The value of a field; the answer's id when the field is absent, so that the answer is a group of its own."""
        return str(self.row.get(name, self.id))

    def groups(self, fields: Sequence[str]) -> tuple[str, ...]:
        """Its groups by each field; by the first it always has one, by the others "" where the field is absent."""
        return (self.field(fields[0]), *(str(self.row.get(name) or "") for name in fields[1:]))

    def judged(self, p_correct: float, options: JudgeOptions, *, score: float | None = None) -> Judged:
        """The answer with what a judge said of it."""
        visible = self.row.get("visible")
        fields = {name: _values(self.row.get(name)) for name in options.by or ()}
        group = self.field(options.group)
        return Judged(
            id=self.id,
            correct=self.correct,
            p_correct=p_correct,
            group=group,
            fields=fields,
            question=self.query.question,
            agent=str(self.row.get("agent") or ""),
            company=str(self.row.get("company") or self.row.get("db_id") or ""),
            visible=visible if isinstance(visible, bool) else None,
            score=score,
        )


def _values(value: object) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(dict.fromkeys(str(each) for each in cast("list[object]", value)))
    return () if value is None else (str(value),)


def read_labelled_answers(source: str, *, with_enriched: bool, rules: str | None = None) -> Iterator[LabelledAnswer]:
    """Reads the labelled answers of a file, or of every `answers.jsonl` in a folder and below, in order of their paths.

    An invalid line, a missing label, or a company without rules in a folder of rules ends the command.
    """
    rules_of = _rules_by_company(rules)
    for each in answer_files(source):
        yield from _read_file(each, rules_of, with_enriched=with_enriched)


def _rules_by_company(source: str | None) -> Callable[[str], Rules]:
    """The rules of a file for every company, or those of a folder, read once each."""
    if source is None:
        return lambda _: Rules()
    folder = Path(source)
    if not folder.is_dir():
        rules = load_rules(source).rules(0)
        return lambda _: rules

    @cache
    def of_company(company: str) -> Rules:
        path = folder / f"{company.lower()}.json"
        if path.name != f"{company.lower()}.json" or not path.is_file():
            refuse(f"--rules {source}: no rules for the company {company!r}: add {company.lower()}.json")
        return load_rules(str(path)).rules(0)

    return of_company


def _read_file(source: str, rules_of: Callable[[str], Rules], *, with_enriched: bool) -> Iterator[LabelledAnswer]:
    with open_input(source) as stream:
        for line in read_lines(stream, MAX_EVENT_BYTES):
            try:
                row = _as_answer(cast("Mapping[str, object]", parse_json(line.raw or b"")))
                event = decode_event(row, require_id=False)
            except InvalidEvent as error:
                refuse(f"{source}, line {line.number}: {error}")
            if row.get("label") not in (0, 1):
                refuse(f"{source}, line {line.number}: needs `label` 0 or 1")
            query = event.query()
            if not with_enriched:
                query = replace(query, enriched_question=None)
            identity = str(row.get("id", row.get("event_id", line.number)))
            yield LabelledAnswer(row, query, identity, row["label"] == 1, rules_of(str(row.get("company") or "")))


def _as_answer(row: Mapping[str, object]) -> Mapping[str, object]:
    """A pair of queries without a question as an answer with its reference; any other line as it is."""
    if row.get("question") is not None or not isinstance(row.get("sql_a"), str):
        return row
    return {**row, "question": "", "reference_sql": row["sql_a"], "sql": row.get("sql_b")}
