"""Looks every few seconds at the answers that were stored, and shows what the agents' alarms say."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass

from consumers.errors import RefusedByStore, Unavailable
from consumers.ports import RuleSource
from service.background import background_task
from service.logs import log
from service.pipeline.process_parts import ProcessParts, utc_now
from service.storage.alarms.agent_alarms import agent_alarms
from service.storage.alarms.update_alarms import UpdateAlarms
from service.storage.incidents.agent_incidents import agent_incidents
from service.storage.incidents.update_incidents import UpdateIncidents


@dataclass(frozen=True, slots=True)
class WatchedBounds:
    """The bounds of the tenants' rules that are in force."""

    rules: RuleSource
    tier: str

    async def __call__(self, tenants: Collection[str]) -> Mapping[str, float]:
        """The lowest score of the tier for each tenant; raises `RulesUnavailable`."""
        found = await self.rules.rules(tenants)
        return {tenant: float(getattr(each.tiers, self.tier)) for tenant, each in found.items()}


@asynccontextmanager
async def watching_agents(parts: ProcessParts) -> AsyncGenerator[None]:
    """Watches while the context is open, unless the settings say not to. Failures are logged and counted."""
    settings = parts.settings.alarms
    if not settings.enabled:
        yield
        return
    bounds = WatchedBounds(parts.rules, settings.tier)
    update_alarms = UpdateAlarms(parts.engine, bounds, settings.settle, settings.judged_wrong)
    update_incidents = UpdateIncidents(parts.engine)
    async with background_task(_watch(parts, update_alarms, update_incidents, settings.every), "agent-alarms"):
        yield


async def _watch(
    parts: ProcessParts, update_alarms: UpdateAlarms, update_incidents: UpdateIncidents, every: float
) -> None:
    while True:
        try:
            await update_alarms(utc_now())
            parts.metrics.alarms.show(await agent_alarms(parts.engine))
            await parts.suspected.look(parts.engine, utc_now())
            await update_incidents(utc_now())
            parts.metrics.incidents.show(await agent_incidents(parts.engine, current=True))
        except (Unavailable, RefusedByStore) as error:
            parts.metrics.alarms.failed()
            log.warning("agent_alarms_failed", error=str(error))
        except Exception as error:
            parts.metrics.alarms.failed()
            parts.metrics.failed("agent-alarms", error)
        await asyncio.sleep(every)
