"""The report with the share of right answers of each agent: from its scores and the labels of some of its answers."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncEngine

from evals.estimate.groups import AnswerGroup, estimate_group, usable_labels
from evals.estimate.mixed_judges import Moments, estimate_mixed
from evals.estimate.model_drift import ModelDrift, model_drift
from evals.estimate.narrowing import narrowing
from evals.estimate.right_share import ShareEstimate
from evals.estimate.score_counts import Probabilities
from service.storage.scores.labelled_groups import (
    MODEL_JUDGES,
    NO_LABELS,
    LabelledGroup,
    LabelledGroups,
    LatestLabels,
    Line,
    labelled_answers,
)
from service.storage.scores.reports import ReportRow, report_rows
from service.storage.sums.reading import AnswerScope, Period, Sums, read_sums

LEVEL = 0.9
"""How often the interval of an estimate holds the true share."""
SURE_LEVEL = 0.998
"""The same for the interval that pages go by: it is computed again and again, and one at 90 % is often wrong."""
_HALF = 0.5
_REPORTED = tuple(each.name for each in fields(ReportRow))


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


def estimated_rows(sums: Sequence[Sums], labelled: LabelledGroups, *, most: int | None = None) -> list[EstimatedRow]:
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


def _groups(labelled: LabelledGroups, sums: Iterable[Sums]) -> dict[Line, _Judged]:
    answers: dict[Line, list[Sums]] = defaultdict(list)
    for each in sums:
        answers[each.tenant, each.agent, each.agent_version, each.period].append(each)
    return {who: _group_of(by_judge, labelled.get(who, NO_LABELS)) for who, by_judge in answers.items()}


def _group_of(by_judge: Sequence[Sums], labelled: LabelledGroup) -> _Judged:
    of_model = [each for each in by_judge if (each.judge or "").startswith(MODEL_JUDGES)]
    whole = _moments(by_judge)
    probabilities = Probabilities.from_sums(
        answers=sum(each.received for each in by_judge), scored=whole.judged, total=whole.total, squares=whole.squares
    )
    local = _moments([each for each in by_judge if each not in of_model])
    return _Judged(
        scores=probabilities,
        labels=labelled.labels,
        heard=labelled.heard,
        local=local,
        by_model=_moments(of_model),
    )


def _moments(sums: Sequence[Sums]) -> Moments:
    return Moments(
        sum(each.scored for each in sums),
        sum(each.p_alone for each in sums),
        sum(each.p_alone_square for each in sums),
    )
