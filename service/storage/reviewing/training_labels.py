"""Labelled answers as the commands read them that learn from labels: one line for each answer, with its texts."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, and_, func, select, tuple_
from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.wire.labels import LabelValue, agreed_label
from service.storage.database import fetch_rows
from service.storage.tables import EVALUATIONS, EVENT_KEYS, LABELS

_BATCH = 500
_KEYS = EVENT_KEYS.c
_ROWS = EVALUATIONS.c
_LABELS = LABELS.c
_EVENT = ("tenant", "source", "event_id")
_TEXTS = (
    "agent",
    "agent_version",
    "occurred_at",
    "question",
    "enriched_question",
    "sql",
    "dialect",
    "result",
    "history",
    "p_alone",
    "judge",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingFilter:
    """Which labels to count; a field left out restricts nothing."""

    tenant: str | None = None
    agent: str | None = None
    reviewer: str | None = None
    event_id: str | None = None
    blind: bool | None = None
    """Only labels given before the judge's verdict was shown (true), or only those given after it (false)."""
    since: datetime | None = None
    """Earliest time of labelling, inclusive."""
    until: datetime | None = None
    """Latest time of labelling, exclusive."""


class AnswerKey(NamedTuple):
    """The key of a labelled event."""

    tenant: str
    source: str
    event_id: str


@dataclass(frozen=True, slots=True)
class AgreedLabel:
    """What the labels of one answer say together."""

    correct: bool
    labels: int
    """How many reviewers say right or wrong."""
    probability: float | None
    """The probability with which the answer was drawn for labelling."""
    labelled_at: datetime
    """The time of the latest label."""
    error_type: str | None = None
    """What most of those say who call it wrong; of equally many, the first by name."""


async def training_lines(engine: AsyncEngine, wanted: TrainingFilter) -> AsyncGenerator[list[dict[str, Any]]]:
    """Yields batches of lines, in order of the events' keys; raises `StoreUnavailable`.

    Left out are answers of which as many reviewers say right as wrong, and answers whose texts are not stored.
    """
    agreed = await agreed_labels(engine, wanted)
    labelled = list(agreed)
    for start in range(0, len(labelled), _BATCH):
        keys = labelled[start : start + _BATCH]
        rows = await fetch_rows(engine, _texts(keys, wanted.agent))
        yield [_line(row, agreed[AnswerKey(*(row[name] for name in _EVENT))]) for row in rows]


async def agreed_labels(engine: AsyncEngine, wanted: TrainingFilter) -> Mapping[AnswerKey, AgreedLabel]:
    """What the reviewers of each answer say together, in order of the keys; `agent` is not read."""
    key = [_LABELS[name] for name in _EVENT]
    right, wrong = (func.count().filter(_LABELS.label == each.value) for each in (LabelValue.RIGHT, LabelValue.WRONG))
    latest, probability = func.max(_LABELS.labelled_at), func.max(_LABELS.sampling_probability)
    fault = func.mode().within_group(_LABELS.error_type).filter(_LABELS.label == LabelValue.WRONG.value)
    votes = (right.label("right"), wrong.label("wrong"), fault.label("error_type"))
    counted = select(*key, *votes, latest.label("at"), probability.label("drawn"))
    rows = await fetch_rows(engine, counted.where(*_conditions(wanted)).group_by(*key).order_by(*key))
    agreed: dict[AnswerKey, AgreedLabel] = {}
    for row in rows:
        correct = agreed_label(row["right"], row["wrong"])
        if correct is not None:
            label = AgreedLabel(correct, row["right"] + row["wrong"], row["drawn"], row["at"], row["error_type"])
            agreed[AnswerKey(*(row[name] for name in _EVENT))] = label
    return agreed


def _conditions(wanted: TrainingFilter) -> list[ColumnElement[bool]]:
    equal: dict[ColumnElement[Any], object] = {
        _LABELS.tenant: wanted.tenant,
        _LABELS.reviewer: wanted.reviewer,
        _LABELS.event_id: wanted.event_id,
        _LABELS.blind: wanted.blind,
    }
    conditions: list[ColumnElement[bool]] = [_LABELS.label != LabelValue.UNSURE.value]
    conditions += [column == value for column, value in equal.items() if value is not None]
    if wanted.since is not None:
        conditions.append(_LABELS.labelled_at >= wanted.since)
    if wanted.until is not None:
        conditions.append(_LABELS.labelled_at < wanted.until)
    return conditions


def _texts(keys: Sequence[AnswerKey], agent: str | None) -> Any:
    names = [_KEYS[name] for name in _EVENT]
    current = and_(_ROWS.id == _KEYS.evaluation_id, _ROWS.occurred_at == _KEYS.occurred_at)
    query = (
        select(*names, _ROWS.id.label("evaluation_id"), *(_ROWS[name] for name in _TEXTS))
        .select_from(EVENT_KEYS.join(EVALUATIONS, current))
        .where(tuple_(*names).in_([tuple(key) for key in keys]), _ROWS.withheld.is_(False))
        .order_by(*names)
    )
    return query if agent is None else query.where(_ROWS.agent == agent)


def _line(row: Mapping[str, Any], label: AgreedLabel) -> dict[str, Any]:
    said = {"label": int(label.correct), "labels": label.labels, "probability": label.probability}
    kept = {name: value for name, value in row.items() if value is not None}
    fault = {} if label.correct or label.error_type is None else {"error_type": label.error_type}
    return kept | said | fault | {"labelled_at": label.labelled_at}
