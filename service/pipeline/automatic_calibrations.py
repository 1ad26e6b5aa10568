"""Fits the calibrations of tenants with new labels once an hour, and puts better ones in force."""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager
from typing import Protocol

from sqlalchemy.ext.asyncio import AsyncEngine

from consumers.errors import Unavailable
from learning.tenant_calibration import LEAST_LABELS
from service.background import background_task
from service.logs import log
from service.pipeline.tenant_calibrations import learn_calibration
from service.storage.database import translate_errors
from service.storage.locks import AdvisoryLock, try_alone
from service.storage.reviewing.calibration_store import tenants_with_new_labels
from service.storage.rule_store import StoredRules

_EVERY_SECONDS = 3600.0


class CalibrationRules(Protocol):
    """Puts calibrations in force."""

    async def put_calibration(self, tenant: str, version: int | None, *, author: str | None = None) -> StoredRules:
        """Puts a stored calibration in force, or none; raises `StoreUnavailable`."""
        ...


def calibrating(engine: AsyncEngine, rules: CalibrationRules, judge: str) -> AbstractAsyncContextManager[object]:
    """Calibrates once an hour while the context is open."""

    async def work() -> None:
        while True:
            try:
                await calibrate_tenants(engine, rules, judge)
            except Unavailable as error:
                log.warning("calibration_deferred", error=str(error))
            except Exception as error:
                log.error("calibration_failed", exc_info=error)
            await asyncio.sleep(_EVERY_SECONDS)

    return background_task(work(), "calibrations")


async def calibrate_tenants(engine: AsyncEngine, rules: CalibrationRules, judge: str) -> list[str]:
    """Fits each tenant with new labels, and returns those with a new calibration in force.

    Does nothing while another process fits. Raises `StoreUnavailable`.
    """
    changed: list[str] = []
    with translate_errors(engine.url):
        async with try_alone(engine, AdvisoryLock.CALIBRATIONS) as alone:
            if not alone:
                return changed
            for tenant in await tenants_with_new_labels(engine, LEAST_LABELS):
                learned = await learn_calibration(engine, tenant, judge, store=True)
                if learned.version is not None:
                    await rules.put_calibration(tenant, learned.version, author="automatic")
                    log.info("calibration_in_force", tenant=tenant, version=learned.version, labels=learned.labels)
                    changed.append(tenant)
    return changed
