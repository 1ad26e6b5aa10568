"""What estimates are made from, beside the sums: labelled answers, and what users say, by line of the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Integer, Join, Select, Subquery, and_, case, cast, func, or_, select
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.wire.labels import LabelValue
from evals.estimate.groups import agreed_right
from evals.estimate.right_share import ENOUGH_HEARD, Heard, LabelledScore
from scoring.query import UnscoredReason
from service.storage.database import fetch_rows
from service.storage.sums.reading import AnswerScope, Period
from service.storage.tables import EVALUATIONS, EVENT_KEYS, FEEDBACK, LABELS

_ROWS, _KEYS, _LABELS, _GIVEN = EVALUATIONS.c, EVENT_KEYS.c, LABELS.c, FEEDBACK.c
_EVENT = ("tenant", "source", "event_id")
_LISTED = (LabelValue.RIGHT.value, LabelValue.WRONG.value, "p", "probability", "by_model", "heard")
"""What is listed of labelled answers, earliest first: how many reviewers call each right and wrong, the judge's
probability and that of the draw, whether a model judged it, and what users say."""
MODEL_JUDGES = "llm/"
"""How the names of judges begin that asked a model."""
Line = tuple[str, str, str | None, datetime | None]
"""Tenant, agent, version and begin of the period of a report's line; `None` for what is not separated."""


@dataclass(frozen=True, slots=True)
class LabelledGroup:
    """The labelled answers of one line of the report."""

    labels: Sequence[LabelledScore]
    heard: Heard | None = None
    """What users say of all answers of the line; `None` where too few labelled answers have feedback to use it."""


NO_LABELS = LabelledGroup(())
LabelledGroups = Mapping[Line, LabelledGroup]


@dataclass(frozen=True, slots=True, kw_only=True)
class LatestLabels:
    """The labels that one reviewer gave at this time or later."""

    reviewer: str
    since: datetime


async def labelled_answers(
    engine: AsyncEngine,
    wanted: AnswerScope,
    *,
    by_version: bool = False,
    period: Period | None = None,
    without: LatestLabels | None = None,
) -> LabelledGroups:
    """The labelled answers of each line of the report. Raises `StoreUnavailable`."""
    who = _line(by_version, period)
    groups = {
        _line_of(row): LabelledGroup(_labels_of(row))
        for row in await fetch_rows(engine, _labelled(wanted, who, without))
    }
    enough = [line for line, group in groups.items() if sum(each.heard != 0 for each in group.labels) >= ENOUGH_HEARD]
    if not enough:
        return groups
    heard = {
        _line_of(row): Heard(row["satisfied"], row["dissatisfied"])
        for row in await fetch_rows(engine, _heard(wanted, who))
    }
    return {**groups, **{line: replace(groups[line], heard=heard.get(line)) for line in enough}}


def _line(by_version: bool, period: Period | None) -> list[ColumnElement[Any]]:
    who: list[ColumnElement[Any]] = [_ROWS.tenant, _ROWS.agent]
    if by_version:
        who.append(_ROWS.agent_version)
    if period is not None:
        who.append(func.date_trunc(period.value, _ROWS.occurred_at, "UTC").label("period"))
    return who


def _line_of(row: Mapping[str, Any]) -> Line:
    return row["tenant"], row["agent"], row.get("agent_version"), row.get("period")


def _labels_of(row: Mapping[str, Any]) -> list[LabelledScore]:
    listed = zip(*(row[name] for name in _LISTED), strict=True)
    return [
        LabelledScore(
            right=agreed_right(right, wrong), p=p, probability=probability, model=p if by_model else None, heard=heard
        )
        for right, wrong, p, probability, by_model, heard in listed
    ]


def _labelled(wanted: AnswerScope, who: Sequence[ColumnElement[Any]], without: LatestLabels | None) -> Select[Any]:
    """For each line of the report lists of its labelled answers: as rows, they would take longer to read."""
    votes = _votes(wanted, without).subquery("votes")
    own: dict[str, ColumnElement[Any]] = {
        "p": case((_ROWS.score.is_not(None), func.coalesce(_ROWS.p_alone, _ROWS.p_correct))),
        "by_model": and_(_ROWS.score.is_not(None), _ROWS.judge.startswith(MODEL_JUDGES)),
        "heard": _what_users_say(*(_GIVEN[name] == votes.c[name] for name in _EVENT)),
    }
    listed = [
        func.array_agg(
            aggregate_order_by(own[name] if name in own else votes.c[name], _ROWS.occurred_at, _ROWS.id)
        ).label(name)
        for name in _LISTED
    ]
    return select(*who, *listed).select_from(_current_rows(votes)).where(*_current(wanted)).group_by(*who)


def _heard(wanted: AnswerScope, who: Sequence[ColumnElement[Any]]) -> Select[Any]:
    """With how many answers of each line more users are satisfied than not, and the other way round."""
    event: list[ColumnElement[Any]] = [_GIVEN[name] for name in _EVENT]
    said = func.sum(_SATISFACTION)
    given = select(*event, said.label("said")).where(_GIVEN.event_id.is_not(None)).group_by(*event)
    if wanted.tenant is not None:
        given = given.where(_GIVEN.tenant == wanted.tenant)
    heard = given.subquery("heard")
    counts = [
        func.count().filter(heard.c.said > 0).label("satisfied"),
        func.count().filter(heard.c.said < 0).label("dissatisfied"),
    ]
    return select(*who, *counts).select_from(_current_rows(heard)).where(*_current(wanted)).group_by(*who)


_SATISFACTION = case((_GIVEN.satisfied.is_(True), 1), (_GIVEN.satisfied.is_(False), -1), else_=0)


def _what_users_say(*same_event: ColumnElement[bool]) -> ColumnElement[Any]:
    """1, 0 or -1, as more users are satisfied with an answer, as many, or fewer."""
    said = select(cast(func.sign(func.coalesce(func.sum(_SATISFACTION), 0)), Integer))
    return said.where(*same_event).scalar_subquery()


def _current_rows(events: Subquery) -> Join:
    """The current row of each of these events."""
    key = and_(*(events.c[name] == _KEYS[name] for name in _EVENT))
    return events.join(EVENT_KEYS, key).join(
        EVALUATIONS, and_(_ROWS.id == _KEYS.evaluation_id, _ROWS.occurred_at == _KEYS.occurred_at)
    )


def _votes(wanted: AnswerScope, without: LatestLabels | None) -> Select[Any]:
    """The labels of each event, counted before its row is read: that is done once for all its labels."""
    conditions: list[ColumnElement[bool]] = [_LABELS.label != LabelValue.UNSURE]
    if wanted.tenant is not None:
        conditions.append(_LABELS.tenant == wanted.tenant)
    if without is not None:
        conditions.append(or_(_LABELS.reviewer != without.reviewer, _LABELS.labelled_at < without.since))
    event: list[ColumnElement[Any]] = [_LABELS[name] for name in _EVENT]
    votes = (func.count().filter(_LABELS.label == each).label(each) for each in (LabelValue.RIGHT, LabelValue.WRONG))
    probability = func.max(_LABELS.sampling_probability).label("probability")
    return select(*event, *votes, probability).where(*conditions).group_by(*event)


def _current(wanted: AnswerScope) -> list[ColumnElement[bool]]:
    """The current rows in scope, without those that the sample rate left out."""
    conditions: list[ColumnElement[bool]] = [
        _ROWS.current,
        _ROWS.unscored.is_distinct_from(UnscoredReason.NOT_SAMPLED.value),
    ]
    equal = ("tenant", "agent", "agent_version")
    conditions += [_ROWS[name] == getattr(wanted, name) for name in equal if getattr(wanted, name) is not None]
    if wanted.since is not None:
        conditions.append(_ROWS.occurred_at >= wanted.since)
    if wanted.until is not None:
        conditions.append(_ROWS.occurred_at < wanted.until)
    return conditions
