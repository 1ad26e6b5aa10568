"""A running service learns when its agents answer, and shows for how long one has been silent."""

from datetime import UTC, datetime, timedelta

from service.metrics import Metrics
from service.settings.observability_settings import MetricSettings
from service.storage.sums.keeping import sum_stale_hours
from tests.service.test_metrics import scraped


async def test_an_agent_that_stopped_is_shown_when_the_service_starts(serving, engine, wait_until):
    now = datetime.now(UTC)
    sent = [
        {
            "event_id": f"{hour}-{number}",
            "tenant": "bakers",
            "agent": "crumb",
            "question": "How many loaves?",
            "sql": "SELECT COUNT(*) FROM loaves",
            "occurred_at": (now - timedelta(hours=hour, minutes=number)).isoformat(),
        }
        for hour in range(10, 190)  # more than a week: a weekend that nobody has seen is no silence
        for number in range(4)
    ]
    async with serving() as client:
        assert (await client.post("/v1/events", json=sent)).status_code == 202
        await wait_until(lambda: all_scored(client, len(sent)))
        await sum_stale_hours(engine, now)
    async with serving() as client:
        await wait_until(lambda: shows(client, "sqlassay_agent_silence"))
        (silence,) = (await scraped(client))["sqlassay_agent_silence"].values()
        assert silence >= 1


async def all_scored(client, count: int) -> bool:
    return sum((await scraped(client)).get("sqlassay_score_count", {}).values()) == count


async def shows(client, name: str) -> bool:
    return bool((await scraped(client)).get(name))


def test_agents_beyond_the_bound_show_the_longest_silence_and_a_forgotten_one_is_shown_no_more():
    metrics = Metrics(MetricSettings(tenants=1, agents=1), "local/4")
    metrics.silences.show({("bakers", "crumb"): 0.2, ("bakers", "rye"): 0.4, ("bakers", "oat"): 1.5})
    shown = metrics.exposition().decode()
    assert 'sqlassay_agent_silence{agent="crumb",tenant="bakers"} 0.2' in shown
    assert 'sqlassay_agent_silence{agent="other",tenant="bakers"} 1.5' in shown
    metrics.silences.show({("bakers", "crumb"): 0.0})
    assert 'agent="other"' not in metrics.exposition().decode()
