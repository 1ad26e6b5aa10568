"""Redis forgets all it knew, again and again, in the middle of a tenant's budget."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from tests.delivery import traffic
from tests.delivery.scenes import Scene
from tests.delivery.sites import Site
from tests.delivery.traffic import ASKING, LOCAL, Message

BUDGET = 0.003
"""Money per day: 250 calls of 120 tokens at 0.1 per million."""
_COST = "SELECT coalesce(sum(cost), 0) FROM evaluations WHERE tenant = $1"


@dataclass(slots=True, eq=False)
class RedisForgets(Scene):
    """Redis holds nothing after each restart; the workers alone know what they spent."""

    @asynccontextmanager
    async def prepared(self, site: Site) -> AsyncGenerator[None]:
        async with site.stage.connection() as database:
            await database.execute("DELETE FROM tenant_rules WHERE tenant = $1", ASKING)
        judge = {"policy": "llm", "when_unavailable": "local", "when_spent": "local", "budget": BUDGET}
        await site.stage.rule(ASKING, judge=judge)
        yield

    def events(self, seed: int, count: int) -> Sequence[Message]:
        """Many for the model."""
        return traffic.events(seed, count, tenants=(ASKING, LOCAL))

    async def happen(self, site: Site) -> str:
        times = max(2, int(site.seconds / 2))
        for _ in range(times):
            site.servers.redis.kill()
            await asyncio.sleep(0.5)
            await asyncio.to_thread(site.servers.redis.start)
            await asyncio.sleep(1.5)
        return f"killed and started empty {times} times, before a budget of {BUDGET:g}"

    async def wrong(self, site: Site) -> list[str]:
        async with site.stage.connection() as database:
            spent = float(await database.fetchval(_COST, ASKING) or 0)
        if spent == 0:
            return ["the model was never paid, so that no budget was tried"]
        return [f"{spent:g} was spent of a budget of {BUDGET:g}"] if spent > BUDGET else []
