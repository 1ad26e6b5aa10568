"""A running service watches its agents and shows what their alarms say."""

import random

from service.metrics import Metrics
from service.settings.observability_settings import AlarmSettings, MetricSettings
from service.storage.alarms.agent_alarms import AgentAlarmState
from tests.service.test_metrics import NOW, scraped

RIGHT = "SELECT COUNT(*) FROM ovens WHERE city = '{}'"
WRONG = "SELECT MAX(name) FROM bakers WHERE age > 3"


def events(agent: str, count: int, sql: str, *, first: int, seed: int) -> list[dict[str, str]]:
    """Answers to different questions, one an hour."""
    numbers = random.Random(seed)
    cities = [f"{numbers.choice('BDFGKLMNPRST')}{numbers.choice('aeiou')}rum{number}" for number in range(count)]
    return [
        {
            "event_id": f"{agent}{first + place}",
            "tenant": "bakers",
            "agent": agent,
            "question": f"How many ovens are in {city}?",
            "sql": sql.format(city),
            "occurred_at": f"2026-{1 + (first + place) // 600:02}-{1 + (first + place) % 600 // 24:02}"
            f"T{(first + place) % 24:02}:00:00Z",
        }
        for place, city in enumerate(cities)
    ]


async def test_an_agent_that_became_worse_is_shown_and_a_good_one_is_not(serving, wait_until):
    async with serving(alarms=AlarmSettings(every=0.1)) as client:
        for agent, then in (("crumb", WRONG), ("rye", RIGHT)):
            sent = events(agent, 60, RIGHT, first=0, seed=1) + events(agent, 20, then, first=60, seed=2)
            assert (await client.post("/v1/events", json=sent)).status_code == 202

        async def taken_up() -> bool:
            shown = (await scraped(client)).get("sqlassay_agent_alarm_answers", {})
            return len(shown) == 2 and (await scraped(client))["sqlassay_agent_alarm"] != {}

        await wait_until(taken_up)

        async def on() -> bool:
            shown = (await scraped(client))["sqlassay_agent_alarm"]
            return {labels[2] for labels, value in shown.items() if value} == {"crumb"}

        await wait_until(on)


async def test_a_service_that_does_not_watch_keeps_no_answers(serving):
    async with serving(alarms=AlarmSettings(enabled=False)) as client:
        await client.post("/v1/events", json=events("crumb", 3, RIGHT, first=0, seed=1))
        assert "sqlassay_agent_alarm" not in (await scraped(client))


def state(agent: str, *, fall: bool, judge: str = "local/4") -> AgentAlarmState:
    return AgentAlarmState(
        tenant="bakers", agent=agent, judge=judge, evaluator_version="1", fall=fall, below=False,
        wrong=False, fall_evidence=float(fall), below_evidence=0.0, wrong_evidence=0.0, answers=7, answered_at=NOW,
    )  # fmt: skip


def test_agents_beyond_the_bound_show_the_worst_and_a_former_judge_is_shown_no_more():
    metrics = Metrics(MetricSettings(tenants=1, agents=1), "local/4")
    metrics.alarms.show([state("crumb", fall=False), state("rye", fall=True), state("oat", fall=False)])
    shown = metrics.exposition().decode()
    assert 'agent="crumb",evaluator="1",judge="local/4",kind="fall",tenant="bakers"} 0.0' in shown
    assert 'agent="other",evaluator="1",judge="local/4",kind="fall",tenant="bakers"} 1.0' in shown
    metrics.alarms.show([state("crumb", fall=True, judge="local/4+c1")])
    shown = metrics.exposition().decode()
    assert 'judge="local/4+c1",kind="fall",tenant="bakers"} 1.0' in shown
    assert 'judge="local/4",' not in shown
