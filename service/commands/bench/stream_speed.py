"""`sqlassay bench stream`: measures Kafka to committed row, relative to the same machine's in-process rate."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import count, cycle, islice
from typing import TypeVar

import orjson

from service.commands.bench.figures import print_figures
from service.commands.bench.rig import Rig, Sample, rigged, slow_model
from service.commands.bench.scoring_speed import is_scorable, measure
from service.commands.exits import give_up
from service.judges.weights import local_judge
from service.samples import sample_events
from service.settings import Settings

MODEL_SECONDS = 1.0
MODEL_CALLS = 200
"""Calls in flight. At one second each, the ideal is 200 verdicts per second."""
CALM_PER_SECOND = 20.0
FLOOD = 10
"""The flooding tenant sends this many times as much."""
IN_PROCESS_EVENTS = 150
"""Events scored in process per second of measurement; many, because a shared machine's speed varies."""
_LOCAL, _ASKING, _CALM = "bench-local", "bench-asking", "bench-calm"
_MODEL_ALONE = {"judge": {"policy": "llm"}}
_WIDE = {
    "SQLASSAY_JUDGE__IN_FLIGHT": str(MODEL_CALLS),
    "SQLASSAY_JUDGE__TENANT_IN_FLIGHT": str(MODEL_CALLS),
    # a slot is held for the call only; the work before and after it overlaps with other calls
    "SQLASSAY_POOL__TENANT_IN_FLIGHT": str(2 * MODEL_CALLS),
}
MEMORY_AGENTS = 4
"""Agents that answer each question where memory is measured: it does most where others answered before."""
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamSpeed:
    """The figures of one run. Rates are events per second; a wait is the time from publishing to a readable row."""

    seconds: int
    """Length of each measurement."""
    in_process: float
    """Decoding and scoring in one process without Kafka or a database. The mean of before and after."""
    stream: float
    """Kafka to committed row, local judge, one worker, without memory."""
    stream_share: float
    """As a share of the in-process rate."""
    stream_without_memory: float
    """As `stream`, of questions that four agents answer."""
    stream_with_memory: float
    """The same with the tenants' memory on, right after it."""
    memory_share: float
    """As a share of `stream_without_memory`."""
    model: float
    """Kafka to committed row, a judge of one second, 200 calls in flight, one worker."""
    model_share: float
    """As a share of the ideal."""
    wait_p95: float
    """Seconds, with the local judge at half the rate of `stream`."""
    calm_p95: float
    """Seconds, for one slow tenant alone."""
    calm_p95_beside_flood: float
    """The same while another tenant floods a slow judge with ten times as many events."""


def bench_stream(*, seconds: int, as_json: bool) -> None:
    """Prints the figures. Needs Kafka, and cleans up."""
    print_figures(lambda settings: _measured(settings, seconds), as_json=as_json)


async def _measured(settings: Settings, seconds: int) -> StreamSpeed:
    before = await asyncio.to_thread(in_process, seconds)
    stream = await _on(settings, lambda rig: _local_rate(rig, before, seconds))
    refuse_standstill(stream, seconds)
    forgetful = await _on(settings, lambda rig: _local_rate(rig, before, seconds, agents=MEMORY_AGENTS))
    refuse_standstill(forgetful, seconds)
    remembering = await _on(settings, lambda rig: _local_rate(rig, before, seconds, agents=MEMORY_AGENTS, memory="on"))
    after = await asyncio.to_thread(in_process, seconds)
    model = await _on(settings, lambda rig: _model_rate(rig, seconds))
    wait = await _on(settings, lambda rig: _wait(rig, stream / 2, seconds))
    alone = await _on(settings, lambda rig: _calm(rig, seconds, flooded=False))
    beside = await _on(settings, lambda rig: _calm(rig, seconds, flooded=True))
    rate = (before + after) / 2
    return StreamSpeed(
        seconds=seconds,
        in_process=round(rate, 1),
        stream=round(stream, 1),
        stream_share=round(stream / rate, 3),
        stream_without_memory=round(forgetful, 1),
        stream_with_memory=round(remembering, 1),
        memory_share=round(remembering / forgetful, 3),
        model=round(model, 1),
        model_share=round(model * MODEL_SECONDS / MODEL_CALLS, 3),
        wait_p95=round(wait, 3),
        calm_p95=round(alone, 3),
        calm_p95_beside_flood=round(beside, 3),
    )


def refuse_standstill(rate: float, seconds: int) -> None:
    """Ends the command if no event was stored: nothing can be measured at a share of that rate."""
    if rate <= 0:
        give_up(f"no event was stored in {seconds} s: the machine is too busy; use a larger --seconds")


async def _on(settings: Settings, work: Callable[[Rig], Awaitable[Result]]) -> Result:
    async with rigged(settings) as rig:
        return await work(rig)


def events(tenant: str, agents: int = 1) -> Iterator[dict[str, object]]:
    """Yields distinct events forever: the samples, with a new number in each SQL, and in each question of `agents`."""
    samples = [each for each in sample_events() if is_scorable(orjson.dumps(each), {})]
    for asked, sample in zip(count(), cycle(samples), strict=False):
        for place in range(agents):
            number = asked * agents + place
            yield {
                "event_id": str(number),
                "tenant": tenant,
                "agent": sample["agent"] if agents == 1 else f"agent {place}",
                "question": f"{sample['question']} (no. {asked})",
                "enriched_question": sample.get("enriched_question"),
                "sql": f"{sample['sql']} /* no. {number} */",
                "dialect": sample.get("dialect"),
            }


def in_process(seconds: int) -> float:
    """Events per second on one core, including decoding, for the events that the stream measures."""
    raws = [orjson.dumps(each) for each in islice(events(_LOCAL), IN_PROCESS_EVENTS * seconds)]
    return measure(raws, {}, local_judge(), rounds=1).events_per_second


async def _local_rate(rig: Rig, guess: float, seconds: int, *, agents: int = 1, memory: str = "off") -> float:
    total = int(guess * seconds)
    await rig.publish(islice(events(_LOCAL, agents), total))
    with rig.worker(SQLASSAY_MEMORY__ENABLED=memory):
        return steady_rate(await rig.watch(_LOCAL, total, seconds * 4), total)


async def _model_rate(rig: Rig, seconds: int) -> float:
    total = MODEL_CALLS * seconds
    await rig.set_rules(_ASKING, _MODEL_ALONE)
    await rig.publish(islice(events(_ASKING), total))
    with slow_model(MODEL_SECONDS) as named, rig.worker(**named, **_WIDE):
        return steady_rate(await rig.watch(_ASKING, total, seconds * 4), total)


async def _wait(rig: Rig, per_second: float, seconds: int) -> float:
    with rig.worker():
        await _warm(rig)
        return await _p95(rig, _LOCAL, per_second, seconds)


async def _calm(rig: Rig, seconds: int, *, flooded: bool) -> float:
    await rig.set_rules(_ASKING, _MODEL_ALONE)
    with slow_model(MODEL_SECONDS) as named, rig.worker(**named):
        await _warm(rig)
        if not flooded:
            return await _p95(rig, _CALM, CALM_PER_SECOND, seconds)
        rate = CALM_PER_SECOND * FLOOD
        flood = asyncio.create_task(rig.publish(islice(events(_ASKING), int(rate * seconds)), rate))
        waited = await _p95(rig, _CALM, CALM_PER_SECOND, seconds)
        await flood
        return waited


async def _warm(rig: Rig) -> None:
    """Runs a few events through a worker that has just started, before the measurement."""
    await rig.publish(islice(events("bench-warm"), 200))
    await rig.watch("bench-warm", 200, 120)


async def _p95(rig: Rig, tenant: str, per_second: float, seconds: int) -> float:
    total = max(1, int(per_second * seconds))
    watching = asyncio.create_task(rig.waits(tenant, total, seconds * 4))
    await rig.publish(islice(events(tenant), total), per_second)
    return percentile(await watching, 0.95, total)


def steady_rate(samples: Sequence[Sample], total: int) -> float:
    """Rows per second without the first and last twentieth, which include the worker's start and end.

    >>> steady_rate([Sample(seconds=second, rows=10 * second) for second in range(11)], 100)
    10.0
    """
    inner = [each for each in samples if 0.05 * total <= each.rows <= 0.95 * total]
    # a run too short to have a middle counts as a whole
    first, last = (inner[0], inner[-1]) if len(inner) > 1 else (samples[0], samples[-1])
    return (last.rows - first.rows) / max(last.seconds - first.seconds, 0.001)


def percentile(waits: Sequence[float], share: float, total: int) -> float:
    """The wait that this share of all events did not exceed. Infinite when fewer events than that have a row.

    >>> percentile([1.0, 2.0, 3.0, 4.0], 0.5, 4), percentile([1.0], 0.95, 2)
    (2.0, inf)
    """
    place = math.ceil(share * total) - 1
    return sorted(waits)[place] if place < len(waits) else math.inf
