"""Which calibration of a tenant is in force: the commands that list, promote and roll back. They fit nothing."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict

from sqlalchemy.ext.asyncio import AsyncEngine

from scoring import EVALUATOR_VERSION
from service.commands.command_context import with_database
from service.commands.exits import answer_no
from service.commands.rules.rule_versions import shared_rules
from service.storage.reviewing.calibration_store import (
    StoredCalibration,
    calibrations,
    versions_in_force,
)
from service.storage.reviewing.rollback import version_before
from service.storage.rule_store import StoredRules


async def put_in_force(engine: AsyncEngine, tenant: str, version: int | None, author: str) -> StoredRules:
    """Puts a stored calibration in force, or none, in all processes."""
    async with shared_rules(engine) as rules:
        return await rules.put_calibration(tenant, version, author=author)


def show_calibrations(tenant: str, *, as_json: bool) -> None:
    """Prints the tenant's calibrations, newest first. Exit code 1 when there is none."""
    found = with_database(lambda engine: calibrations(engine, tenant))
    for each in found:
        print(json.dumps(_document(each)) if as_json or not sys.stdout.isatty() else _text(each))
    if not found:
        answer_no(f"tenant {tenant!r} has no calibrations: sqlassay learn tenant {tenant}")


def promote(tenant: str, *, version: int | None, author: str) -> None:
    """Puts a version in force, the newest without `version`. Exit code 1 when it does not exist or would do nothing."""

    async def work(engine: AsyncEngine) -> tuple[StoredCalibration | None, StoredRules | None]:
        stored = await calibrations(engine, tenant)
        wanted = next((each for each in stored if version in {None, each.calibration.version}), None)
        if wanted is None or wanted.in_force or wanted.calibration.evaluator != EVALUATOR_VERSION:
            return wanted, None
        return wanted, await put_in_force(engine, tenant, wanted.calibration.version, author)

    wanted, rules = with_database(work)
    if wanted is None:
        answer_no(f"tenant {tenant!r} has no such calibration: sqlassay learn calibrations {tenant} lists them")
    elif wanted.in_force:
        answer_no(f"calibration {wanted.calibration.version} of tenant {tenant!r} is in force already")
    elif rules is None:
        line = wanted.calibration
        answer_no(
            f"calibration {line.version} was fitted to evaluator {line.evaluator}, and this is {EVALUATOR_VERSION}:"
            f" run sqlassay backfill, then sqlassay learn tenant {tenant}"
        )
    else:
        print(_now(tenant, wanted.calibration.version, rules))


def rollback(tenant: str, *, author: str) -> None:
    """Puts in force what was before the calibration in force. Exit code 1 when none is in force."""

    async def work(engine: AsyncEngine) -> tuple[int | None, StoredRules | None]:
        history = await versions_in_force(engine, tenant)
        current = history[0] if history else None
        if current is None:
            return None, None
        before = version_before(history)
        return before, await put_in_force(engine, tenant, before, author)

    before, rules = with_database(work)
    if rules is None:
        answer_no(f"tenant {tenant!r} has no calibration in force")
    print(_now(tenant, before, rules))


def _now(tenant: str, version: int | None, rules: StoredRules) -> str:
    what = "no calibration" if version is None else f"calibration {version}"
    return f"{tenant}: {what} is in force with version {rules.version} of the rules"


def _document(stored: StoredCalibration) -> dict[str, object]:
    document = asdict(stored)
    line = document.pop("calibration")
    return {**line, **document, "fitted_at": stored.fitted_at.isoformat()}


def _text(stored: StoredCalibration) -> str:
    line = stored.calibration
    mark = "in force" if stored.in_force else "stored"
    gain = f"{stored.labels} labels, log-loss {stored.loss_before:.3f} → {stored.loss_after:.3f}"
    fitted = f"fitted {stored.fitted_at:%Y-%m-%d %H:%M} to {line.judge}, evaluator {line.evaluator}"
    return f"{line.version}  {mark}  intercept {line.intercept:+.2f}  slope {line.slope:.2f}  {gain}, {fitted}"
