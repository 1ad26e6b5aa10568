"""A tenant that floods a slow judge does not keep another tenant's events waiting."""

from __future__ import annotations

from tests.delivery import traffic
from tests.delivery.auditing import Held
from tests.delivery.figures import note
from tests.delivery.stage import Stage, until
from tests.delivery.traffic import ASKING, LOCAL

FLOOD, CALM = 400, 60


async def test_a_flood_before_a_slow_judge_lets_another_tenant_pass(stage: Stage):
    await stage.ready_worker(SQLASSAY_JUDGE__TENANT_IN_FLIGHT="4", SQLASSAY_JUDGE__IN_FLIGHT="8")
    await stage.publish(traffic.events(1, FLOOD, tenants=(ASKING,)))
    await stage.publish(traffic.events(2, CALM, tenants=(LOCAL,)))

    async def calm_is_done() -> bool:
        return rows(await stage.held(), LOCAL) == CALM

    await until(calm_is_done, "the calm tenant's rows")
    flooded = rows(await stage.held(), ASKING)
    assert flooded < FLOOD / 2
    await stage.drained()
    findings = await stage.audit()
    assert findings.clean, str(findings)
    note(
        "fairness",
        done=f"{FLOOD} events of one tenant before a slow judge, then {CALM} of another",
        events=FLOOD + CALM,
        found=f"all {CALM} had their row when {flooded} of the flood had theirs",
    )


def rows(store: Held, tenant: str) -> int:
    return sum(key.tenant == tenant for key in store.current)
