"""`sqlassay learn tenant`, `calibrations`, `promote` and `rollback`: a tenant's own calibration of the judge."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict

from sqlalchemy.ext.asyncio import AsyncEngine

from learning.tenant_calibration import LEAST_LABELS, LEAST_OF_EACH, FittedLine, NotFitted
from scoring import EVALUATOR_VERSION
from service.commands.command_context import settings, with_database
from service.commands.exits import answer_no
from service.commands.learn.calibration_versions import put_in_force
from service.commands.score import read_judge
from service.pipeline.tenant_calibrations import LearnedCalibration, learn_calibration


def learn_tenant(tenant: str, *, promote: bool, dry_run: bool, author: str, as_json: bool) -> None:
    """Fits and stores the tenant's calibration. Exit code 1 when nothing was stored."""
    weights = settings().judge.weights
    judge = read_judge(str(weights) if weights is not None else None).name

    async def work(engine: AsyncEngine) -> LearnedCalibration:
        learned = await learn_calibration(engine, tenant, judge, store=not dry_run)
        if promote and learned.version is not None:
            await put_in_force(engine, tenant, learned.version, author)
        return learned

    learned = with_database(work)
    print(json.dumps(_document(tenant, judge, learned)) if as_json else _text(tenant, judge, learned))
    if not isinstance(learned.fit, FittedLine):
        answer_no(_why_not(learned.fit, learned))
    if learned.version is not None and not promote:
        print(f"sqlassay: put it in force with: sqlassay learn promote {tenant}", file=sys.stderr)


def _document(tenant: str, judge: str, learned: LearnedCalibration) -> dict[str, object]:
    document: dict[str, object] = {
        "tenant": tenant,
        "version": learned.version,
        "judge": judge,
        "evaluator_version": EVALUATOR_VERSION,
        "labels": learned.labels,
        "drawn": learned.drawn,
        "of_others": learned.of_others,
    }
    if isinstance(learned.fit, FittedLine):
        return document | asdict(learned.fit)
    return document | {"not_fitted": learned.fit.value}


def _text(tenant: str, judge: str, learned: LearnedCalibration) -> str:
    fit = learned.fit
    kind = "drawn for labelling" if learned.drawn else "labelled"
    said = f"{tenant}, {judge}: {learned.labels} answers {kind}"
    if not isinstance(fit, FittedLine):
        return said
    what = f"calibration {learned.version}" if learned.version is not None else "a calibration, not stored"
    line = f"{what}: intercept {fit.intercept:+.2f}, slope {fit.slope:.2f}"
    return (
        f"{said}, {fit.labelled_right} right → {line}; held-out log-loss {fit.loss_before:.3f} → {fit.loss_after:.3f}"
    )


def _why_not(why: NotFitted, learned: LearnedCalibration) -> str:
    others = ""
    if learned.of_others:
        others = f" {learned.of_others} more were scored by another judge or evaluator: run sqlassay backfill"
    match why:
        case NotFitted.FEW_LABELS:
            return f"{learned.labels} labelled answers: a calibration needs {LEAST_LABELS}. Label more.{others}"
        case NotFitted.ONE_SIDED:
            needed = f"at least {LEAST_OF_EACH} right and {LEAST_OF_EACH} wrong"
            return f"nearly all labels say the same: a calibration needs {needed} answers. Label more.{others}"
        case NotFitted.NO_GAIN:
            return f"no line is better on held-out answers: the packaged judge stays. Label more answers.{others}"
