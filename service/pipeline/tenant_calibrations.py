"""What a tenant's labels teach about the judge: a calibration of the tenant's own. Needs the extra `learn`."""

from __future__ import annotations

import asyncio
from dataclasses import asdict, dataclass

from sqlalchemy.ext.asyncio import AsyncEngine

from learning.tenant_calibration import LEAST_LABELS, FittedLine, LabelledProbability, NotFitted, fit_line
from service.storage.reviewing.calibration_store import add_calibration, labelled_rows


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedCalibration:
    """The result of fitting one tenant's calibration."""

    fit: FittedLine | NotFitted
    labels: int
    """Labelled answers that the fit could read."""
    drawn: bool
    """Whether only answers were read that are known to be drawn for labelling."""
    of_others: int
    """Labelled answers that another judge or evaluator scored, or none."""
    version: int | None
    """The version that was stored, if any."""


async def learn_calibration(engine: AsyncEngine, tenant: str, judge: str, *, store: bool) -> LearnedCalibration:
    """Fits the tenant's calibration of `judge`, and stores it where it is better on held-out answers.

    Answers with a recorded probability of being drawn are read alone where they suffice: what people choose to label
    is worse than the rest. Raises `StoreUnavailable`.
    """
    found = await labelled_rows(engine, tenant, judge)
    drawn = [each for each in found.rows if each.drawn]
    only_drawn = len(drawn) >= LEAST_LABELS
    rows = [
        LabelledProbability(p_judge=each.p_judge, correct=each.correct, question=each.question)
        for each in (drawn if only_drawn else found.rows)
    ]
    fit = await asyncio.to_thread(fit_line, rows)
    version = None
    if store and isinstance(fit, FittedLine):
        version = await add_calibration(engine, tenant, judge, **asdict(fit))
    return LearnedCalibration(fit=fit, labels=len(rows), drawn=only_drawn, of_others=found.of_others, version=version)
