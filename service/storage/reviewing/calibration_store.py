"""Tenants' calibrations in PostgreSQL, and the labelled probabilities that they are fitted to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import and_, func, or_, select, tuple_
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncEngine

from scoring import EVALUATOR_VERSION
from scoring.calibration import TenantCalibration, uncalibrated_judge
from scoring.reason_kinds import FORGERIES
from scoring.reasons import ReasonCode
from service.storage.database import fetch_rows, translate_errors
from service.storage.reviewing.training_labels import AnswerKey, TrainingFilter, agreed_labels
from service.storage.tables import EVALUATIONS, EVENT_KEYS, LABELS, TENANT_CALIBRATIONS, TENANT_RULES

_BATCH = 500
_ROWS = EVALUATIONS.c
_LINES = TENANT_CALIBRATIONS.c
_UNMOVED = frozenset({*FORGERIES, ReasonCode.SQL_UNPARSEABLE, ReasonCode.SQL_FAILED})
"""Reasons of answers that no calibration moves."""


@dataclass(frozen=True, slots=True)
class LabelledRow:
    """A labelled answer with the probability of the judge alone."""

    p_judge: float
    correct: bool
    question: str
    drawn: bool
    """Whether it is recorded with which probability the answer was drawn for labelling."""


@dataclass(frozen=True, slots=True)
class LabelledRows:
    """The labelled answers of a tenant that a calibration may learn from."""

    rows: Sequence[LabelledRow]
    of_others: int
    """Labelled answers without a score of this judge and evaluator."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCalibration:
    """A stored calibration and what it gained when it was fitted."""

    calibration: TenantCalibration
    labels: int
    labelled_right: int
    loss_before: float
    loss_after: float
    fitted_at: datetime
    in_force: bool


async def labelled_rows(engine: AsyncEngine, tenant: str, judge: str) -> LabelledRows:
    """The answers whose labels agree, by `judge` and this evaluator; raises `StoreUnavailable`."""
    agreed = await agreed_labels(engine, TrainingFilter(tenant=tenant))
    keys, found = list(agreed), list[LabelledRow]()
    unmoved = {code.value for code in _UNMOVED}
    others = 0
    for start in range(0, len(keys), _BATCH):
        for row in await fetch_rows(engine, _judged(keys[start : start + _BATCH])):
            key = AnswerKey(row["tenant"], row["source"], row["event_id"])
            of_judge = (uncalibrated_judge(row["judge"] or ""), row["evaluator_version"]) == (judge, EVALUATOR_VERSION)
            if row["p_alone"] is None or not of_judge:
                others += 1
            elif not unmoved & set(row["reason_codes"]):
                p_judge = row["p_alone"] if row["p_judge"] is None else row["p_judge"]
                label = agreed[key]
                question = row["question"] or f"{key.source} {key.event_id}"
                found.append(LabelledRow(float(p_judge), label.correct, question, label.probability is not None))
    return LabelledRows(found, others)


def _judged(keys: Sequence[AnswerKey]) -> Any:
    names = [EVENT_KEYS.c[name] for name in ("tenant", "source", "event_id")]
    columns = ("question", "judge", "evaluator_version", "reason_codes", "p_alone")
    current = and_(_ROWS.id == EVENT_KEYS.c.evaluation_id, _ROWS.occurred_at == EVENT_KEYS.c.occurred_at)
    query = select(*names, *(_ROWS[name] for name in columns), _ROWS.record["p_judge"].as_float().label("p_judge"))
    query = query.select_from(EVENT_KEYS.join(EVALUATIONS, current))
    return query.where(tuple_(*names).in_([tuple(key) for key in keys])).order_by(*names)


async def add_calibration(engine: AsyncEngine, tenant: str, judge: str, **fitted: float) -> int:
    """Stores a calibration of `judge` by this evaluator and returns its version; raises `StoreUnavailable`."""
    with translate_errors(engine.url):
        async with engine.begin() as connection:
            lock = func.pg_advisory_xact_lock(func.hashtextextended("calibration " + tenant, 0))
            await connection.execute(select(lock))
            newest = await connection.scalar(select(func.max(_LINES.version)).where(_LINES.tenant == tenant))
            version = (newest or 0) + 1
            row = {"tenant": tenant, "version": version, "judge": judge, "evaluator_version": EVALUATOR_VERSION}
            await connection.execute(insert(TENANT_CALIBRATIONS).values(row | fitted))
    return version


async def tenants_with_new_labels(engine: AsyncEngine, least: int) -> list[str]:
    """Tenants with at least so many labels, of which some came after their newest calibration was fitted."""
    labels = LABELS.c
    newest = select(func.max(_LINES.fitted_at)).where(_LINES.tenant == labels.tenant)
    fitted = newest.correlate(LABELS).scalar_subquery()
    # senders choose the time of a label: one from the future would be new for ever
    latest = func.max(labels.labelled_at).filter(labels.labelled_at <= func.now())
    query = select(labels.tenant).group_by(labels.tenant).order_by(labels.tenant)
    enough = query.having(func.count() >= least, or_(fitted.is_(None), latest > fitted))
    return [row["tenant"] for row in await fetch_rows(engine, enough)]


async def calibrations(engine: AsyncEngine, tenant: str) -> list[StoredCalibration]:
    """The tenant's calibrations, newest first; raises `StoreUnavailable`."""
    in_force = next(iter(await versions_in_force(engine, tenant)), None)
    rows = await fetch_rows(
        engine, select(TENANT_CALIBRATIONS).where(_LINES.tenant == tenant).order_by(_LINES.version.desc())
    )
    figures = ("labels", "labelled_right", "loss_before", "loss_after", "fitted_at")
    return [
        StoredCalibration(
            calibration=TenantCalibration(
                version=row["version"],
                judge=row["judge"],
                evaluator=row["evaluator_version"],
                intercept=row["intercept"],
                slope=row["slope"],
            ),
            in_force=row["version"] == in_force,
            **{name: row[name] for name in figures},
        )
        for row in rows
    ]


async def versions_in_force(engine: AsyncEngine, tenant: str) -> list[int | None]:
    """The calibration of each version of the tenant's rules, newest first; `None` is no calibration."""
    table = TENANT_RULES.c
    query = select(table.calibration_version).where(table.tenant == tenant).order_by(table.version.desc())
    return [row["calibration_version"] for row in await fetch_rows(engine, query)]
