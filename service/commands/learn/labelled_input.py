"""Reads labelled answers for learned rules, from files or from what is stored of a tenant, and examines them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

import orjson
from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.judging.prompting import ShownReference
from consumers.wire.events import MAX_EVENT_BYTES, InvalidEvent, decode_event, parse_json
from consumers.wire.learned_rules_document import group_digest
from learning.rules.examples import LabelledExample
from scoring.evaluation import examine
from scoring.query import Query
from scoring.rules import Rules
from scoring.verdict import Case
from service.commands.exits import refuse
from service.commands.jsonl import STANDARD, open_input, read_lines
from service.pipeline.rule_learning.labelled_cases import LabelledCase, first_rows
from service.storage.reviewing.training_labels import TrainingFilter, training_lines


@dataclass(frozen=True, slots=True)
class LabelledLine:
    """A labelled answer as it was read."""

    id: str
    where: str
    """For messages."""
    query: Query
    fields: Mapping[str, object]


@dataclass(slots=True, kw_only=True)
class ReadLabels:
    """Labelled answers that a model can judge, by id."""

    cases: dict[str, LabelledCase] = field(default_factory=dict[str, LabelledCase])
    left_out: int = 0
    """Answers that no model judges: SQL that has no score or did not run."""

    @property
    def examples(self) -> list[LabelledExample]:
        """The labelled answers."""
        return [each.example for each in self.cases.values()]


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelFields:
    """Which fields of a line are read beside the answer."""

    group: str
    cluster_by: str | None = None
    references: bool = False


def read_files(sources: Sequence[str]) -> Iterator[LabelledLine]:
    """Yields the labelled answers of files. A line without a label ends the command."""
    for source in sources:
        shown = "stdin" if source == STANDARD else source
        with open_input(source) as stream:
            for line in read_lines(stream, MAX_EVENT_BYTES):
                if line.raw is not None and not line.raw.strip():
                    continue
                yield _line(line.raw or b"", f"{shown}, line {line.number}")


async def read_tenant(engine: AsyncEngine, tenant: str) -> list[LabelledLine]:
    """The tenant's stored labels on which reviewers agree; raises `StoreUnavailable`."""
    found: list[LabelledLine] = []
    async for batch in training_lines(engine, TrainingFilter(tenant=tenant)):
        for each in batch:
            raw = orjson.dumps(each, default=str)
            found.append(_line(raw, f"the label of {each['source']} {each['event_id']}"))
    return found


def _line(raw: bytes, where: str) -> LabelledLine:
    try:
        row = cast("Mapping[str, object]", parse_json(raw))
        event = decode_event(row, require_id=False)
    except InvalidEvent as error:
        refuse(f"{where}: {error}")
    if row.get("label") not in (0, 1) or isinstance(row.get("label"), bool):
        refuse(f"{where}: needs `label` 0 or 1")
    name = row.get("event_id", row.get("id"))
    source = f"{row['source']} " if "source" in row else ""
    return LabelledLine(where if name is None else f"{source}{name}", where, event.query(), row)


def examined(lines: Iterable[LabelledLine], rules: Rules, wanted: LabelFields) -> ReadLabels:
    """The answers, examined by these rules. Ends the command where a field is missing or an id stands twice."""
    found = ReadLabels()
    for each in lines:
        if each.fields.get(wanted.group) is None:
            refuse(f"{each.where}: needs `{wanted.group}`, by which --group keeps answers together")
        if wanted.cluster_by is not None and each.fields.get(wanted.cluster_by) is None:
            refuse(f"{each.where}: needs `{wanted.cluster_by}`, by which --cluster-by forms clusters")
        name = each.id if each.id not in found.cases else f"{each.id} ({each.where})"
        case = examine(each.query, rules)
        if isinstance(case, Case) and not case.ran_nothing:
            found.cases[name] = LabelledCase(
                example=_example(name, each, wanted),
                case=case,
                reference=_reference(each.fields) if wanted.references else None,
            )
        else:
            found.left_out += 1
    return found


def _example(name: str, line: LabelledLine, wanted: LabelFields) -> LabelledExample:
    return LabelledExample(
        id=name,
        question=line.query.question,
        correct=line.fields["label"] == 1,
        group=group_digest(str(line.fields[wanted.group])),
        kind=str(line.fields.get(wanted.cluster_by)) if wanted.cluster_by is not None else "",
    )


def _reference(fields: Mapping[str, object]) -> ShownReference | None:
    sql = fields.get("reference_sql")
    if not isinstance(sql, str) or not sql.strip():
        return None
    rows = {name: first_rows(fields.get(name)) for name in ("rows", "reference_rows")}
    return ShownReference(sql=sql, rows={name: value for name, value in rows.items() if value is not None})
