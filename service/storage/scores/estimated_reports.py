"""The report with the share of right answers of each agent: from its scores and the labels of some of its answers."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, case, func, or_, select
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.wire.labels import LabelValue
from evals.estimate.groups import AnswerGroup, agreed_right, estimate_group, usable_labels
from evals.estimate.mixed_judges import Moments, estimate_mixed
from evals.estimate.model_drift import ModelDrift, model_drift
from evals.estimate.narrowing import narrowing
from evals.estimate.right_share import LabelledScore, ShareEstimate
from evals.estimate.score_counts import Probabilities
from scoring.query import UnscoredReason
from service.storage.database import fetch_rows
from service.storage.scores.reports import ReportRow, report_rows
from service.storage.sums.reading import AnswerScope, Period, Sums, read_sums
from service.storage.tables import EVALUATIONS, EVENT_KEYS, LABELS

LEVEL = 0.9
"""How often the interval of an estimate holds the true share."""
SURE_LEVEL = 0.998
"""The same for the interval that pages go by: it is computed again and again, and one at 90 % is often wrong."""
_ROWS = EVALUATIONS.c
_KEYS = EVENT_KEYS.c
_LABELS = LABELS.c
_EVENT = ("tenant", "source", "event_id")
_LISTED = (LabelValue.RIGHT.value, LabelValue.WRONG.value, "p", "probability", "by_model")
"""What is listed of labelled answers, earliest first: how many reviewers call each right and wrong, the judge's
probability and that of the draw, and whether a model judged it."""
MODEL_JUDGES = "llm/"
"""How the names of judges begin that asked a model."""
_HALF = 0.5
_REPORTED = tuple(each.name for each in fields(ReportRow))
_Who = tuple[str, str, str | None, datetime | None]
LabelledAnswers = Mapping[_Who, Sequence[LabelledScore]]
"""By tenant, agent, version and begin of the period; `None` for the last two where they are not separated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimatedRow(ReportRow):
    """One agent's line of the report, with the share of its answers that is right."""

    estimate: float | None
    """Share of right answers, 0 to 1; `None` without labels."""
    low: float
    """Lower bound of the 90 % interval."""
    high: float
    labels: int
    """Labelled answers that the estimate uses."""
    method: str
    """How the estimate came about; with `no labels` nothing is measured yet."""
    verdicts: int
    """Verdicts of a model that the estimate uses."""
    more_labels: int | None
    """How many more labels narrow the interval to ±5 points, by the spread so far; `None` without labels."""
    model_before: float | None
    """Share of the earlier half of labels with which the model that judged their answers agrees; `None` below four."""
    model_after: float | None
    """The same of the later half."""
    model_worse: bool
    """Whether that is surely a fall."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Judged(AnswerGroup):
    """An agent's answers by who judged them."""

    local: Moments
    by_model: Moments


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledEstimate:
    """An agent's line of the report, and what pages go by."""

    row: EstimatedRow
    surely_below: float
    """Upper bound of the 99.8 % interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LatestLabels:
    """The labels that one reviewer gave at this time or later."""

    reviewer: str
    since: datetime


async def estimated_report(
    engine: AsyncEngine,
    wanted: AnswerScope | None = None,
    *,
    by_version: bool = False,
    period: Period | None = None,
    without: LatestLabels | None = None,
    most: int | None = None,
) -> list[EstimatedRow]:
    """The report, or its first `most` lines, each with its estimate; `without` leaves labels out of it.

    Raises `StoreUnavailable`.
    """
    scope = wanted or AnswerScope()
    sums, labelled = await asyncio.gather(
        read_sums(engine, scope, by_version=by_version, by_judge=True, period=period),
        labelled_answers(engine, scope, by_version=by_version, period=period, without=without),
    )
    return estimated_rows(sums, labelled, most=most)


async def labelled_answers(
    engine: AsyncEngine,
    wanted: AnswerScope,
    *,
    by_version: bool = False,
    period: Period | None = None,
    without: LatestLabels | None = None,
) -> LabelledAnswers:
    """The labelled answers of each line of the report. Raises `StoreUnavailable`."""
    found = await fetch_rows(engine, _labelled(wanted, by_version, period, without))
    return {
        (row["tenant"], row["agent"], row.get("agent_version"), row.get("period")): [
            LabelledScore(right=agreed_right(right, wrong), p=p, probability=probability, model=p if by_model else None)
            for right, wrong, p, probability, by_model in zip(*(row[name] for name in _LISTED), strict=True)
        ]
        for row in found
    }


def estimated_rows(sums: Sequence[Sums], labelled: LabelledAnswers, *, most: int | None = None) -> list[EstimatedRow]:
    """The report of sums that were read by judge, or its first `most` lines, each with its estimate."""
    groups = _groups(labelled, sums)
    rows = report_rows(sums)[:most]
    return [_estimated(row, groups[row.tenant, row.agent, row.agent_version, row.period]) for row in rows]


async def labelled_estimates(engine: AsyncEngine, since: datetime) -> list[LabelledEstimate]:
    """The lines of agents with labelled answers since then. Without any label nothing else is read."""
    scope = AnswerScope(since=since)
    labelled = await labelled_answers(engine, scope)
    sums = await read_sums(engine, scope, by_judge=True) if labelled else []
    groups = _groups(labelled, sums)
    return [
        LabelledEstimate(row=row, surely_below=_estimate(groups[row.tenant, row.agent, None, None], SURE_LEVEL).high)
        for row in estimated_rows(sums, labelled)
        if row.labels
    ]


def _estimated(row: ReportRow, group: _Judged) -> EstimatedRow:
    found, drift = _estimate(group, LEVEL), _drift(group)
    return EstimatedRow(
        **{name: getattr(row, name) for name in _REPORTED},
        estimate=None if found.share is None else round(found.share, 4),
        low=round(found.low, 4),
        high=round(found.high, 4),
        labels=found.labels,
        method=found.method.value,
        verdicts=found.verdicts,
        more_labels=narrowing(found, group.scores.answers, None).labels,
        model_before=None if drift is None else round(drift.before, 4),
        model_after=None if drift is None else round(drift.after, 4),
        model_worse=drift is not None and drift.worse,
    )


def _estimate(group: _Judged, level: float) -> ShareEstimate:
    labels = usable_labels(group)
    if labels and group.by_model.judged:
        return estimate_mixed(group.scores, group.local, group.by_model, labels, level=level)
    return estimate_group(replace(group, labels=labels), level=level)


def _drift(group: AnswerGroup) -> ModelDrift | None:
    """Of the labels of answers that a model judged; a tie between reviewers says nothing."""
    judged = [each for each in group.labels if each.model is not None and each.right != _HALF]
    return model_drift([((each.model or 0.0) >= _HALF) == (each.right > _HALF) for each in judged])


def _groups(labelled: LabelledAnswers, sums: Iterable[Sums]) -> dict[_Who, _Judged]:
    answers: dict[_Who, list[Sums]] = defaultdict(list)
    for each in sums:
        answers[each.tenant, each.agent, each.agent_version, each.period].append(each)
    return {who: _group_of(by_judge, labelled.get(who, ())) for who, by_judge in answers.items()}


def _group_of(by_judge: Sequence[Sums], labels: Sequence[LabelledScore]) -> _Judged:
    of_model = [each for each in by_judge if (each.judge or "").startswith(MODEL_JUDGES)]
    whole = _moments(by_judge)
    probabilities = Probabilities.from_sums(
        answers=sum(each.received for each in by_judge), scored=whole.judged, total=whole.total, squares=whole.squares
    )
    local = _moments([each for each in by_judge if each not in of_model])
    return _Judged(scores=probabilities, labels=labels, local=local, by_model=_moments(of_model))


def _moments(sums: Sequence[Sums]) -> Moments:
    return Moments(
        sum(each.scored for each in sums),
        sum(each.p_alone for each in sums),
        sum(each.p_alone_square for each in sums),
    )


def _labelled(
    wanted: AnswerScope, by_version: bool, period: Period | None, without: LatestLabels | None
) -> Select[Any]:
    """For each line of the report lists of its labelled answers: as rows, they would take longer to read."""
    who: list[ColumnElement[Any]] = [_ROWS.tenant, _ROWS.agent]
    if by_version:
        who.append(_ROWS.agent_version)
    if period is not None:
        who.append(func.date_trunc(period.value, _ROWS.occurred_at, "UTC").label("period"))
    votes = _votes(wanted, without).subquery("votes")
    p = case((_ROWS.score.is_not(None), func.coalesce(_ROWS.p_alone, _ROWS.p_correct)))
    own: dict[str, ColumnElement[Any]] = {
        "p": p,
        "by_model": and_(_ROWS.score.is_not(None), _ROWS.judge.startswith(MODEL_JUDGES)),
    }
    listed = [
        func.array_agg(
            aggregate_order_by(own[name] if name in own else votes.c[name], _ROWS.occurred_at, _ROWS.id)
        ).label(name)
        for name in _LISTED
    ]
    joined = votes.join(EVENT_KEYS, and_(*(votes.c[name] == _KEYS[name] for name in _EVENT))).join(
        EVALUATIONS, and_(_ROWS.id == _KEYS.evaluation_id, _ROWS.occurred_at == _KEYS.occurred_at)
    )
    return select(*who, *listed).select_from(joined).where(*_current(wanted)).group_by(*who)


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
