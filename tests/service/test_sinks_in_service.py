"""A running service sends what it scores to the sinks of its settings."""

from __future__ import annotations

from typing import Any

from service.settings.sink_settings import SinkSettings
from tests.servers.sink_peer import Peer, peer
from tests.waiting import WaitUntil

__all__ = ["peer"]


async def test_a_score_reaches_two_sinks_and_is_counted(serving: Any, peer: Peer, wait_until: WaitUntil) -> None:
    sinks = SinkSettings.model_validate(
        {"every": 0.05, "phoenix": {"url": peer.url}, "webhook": {"url": f"{peer.url}/hook"}}
    )
    event = {
        "event_id": "1",
        "question": "How many ovens?",
        "sql": "SELECT COUNT(*) FROM ovens",
        "attributes": {"trace_id": "a" * 32, "span_id": "b" * 16},
    }
    async with serving(sinks=sinks) as client:
        [result] = (await client.post("/v1/events", json=event)).json()["results"]

        async def arrived() -> bool:
            return len(peer.requests) == 2

        await wait_until(arrived)

        async def counted() -> bool:
            said = (await client.get("/metrics")).text
            ends = [f'sqlassay_sink_scores_total{{end="sent",sink="{each}"}} 1.0' for each in ("phoenix", "webhook")]
            return all(each in said for each in ends)

        await wait_until(counted)
    bodies = {path: body["data"] for path, _, body in peer.requests}
    [annotation] = bodies["/v1/span_annotations"]
    assert (annotation["span_id"], annotation["result"]["score"]) == ("b" * 16, result["score"])
    [told] = bodies["/hook"]
    assert (told["id"], told["score"], told["trace_id"]) == (result["evaluation_id"], result["score"], "a" * 32)
