"""A batch that cannot be read: every record beside it is scored, its partition is named, and a command passes it."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field

import httpx
import orjson

from tests.delivery import auditing, traffic
from tests.delivery.auditing import Place
from tests.delivery.scenes import Scene
from tests.delivery.sites import Part, Site
from tests.delivery.stage import until
from tests.delivery.traffic import Key
from tests.delivery.workers import BUILD, ROOT, Worker
from tests.servers.kafka_segments import Damage, StoredBatch, batches
from tests.servers.proxy import SOUND, Network

MORE = 400
"""Events that no worker has read when one of their batches is damaged."""


@dataclass(slots=True, eq=False)
class CorruptBatch(Scene):
    """A batch is damaged in the broker's log, or on its way from the broker, until an operator skips it."""

    damage: Damage = field(kw_only=True)
    on_the_way: bool = field(default=False, kw_only=True)
    """Whether the network damages it; the cell's workers then come by the proxy."""
    spreads: bool = field(default=False, kw_only=True)
    """Whether the broker cannot find some batches behind it either."""
    _batch: StoredBatch | None = None
    _partition: int = -1
    _skipped: range = range(0)
    """Offsets that the operator gives up."""
    _lost: set[Key] = field(default_factory=set[Key])
    _wrong: list[str] = field(default_factory=list[str])

    async def happen(self, site: Site) -> str:
        stage = site.stage
        for each in site.members:
            assert await asyncio.to_thread(each.leave) == 0
        places = await stage.publish(traffic.events(11, MORE))
        batch = self._choose(site, places)
        self._spoil(site, batch)
        worker = await site.worker()
        await self._others_ended(site, batch)
        self._wrong += await _unnamed(worker, stage.kafka.events, self._partition, batch)
        await self._mend(site, batch)
        given_up = f"{len(self._skipped)} given up" if self._skipped else "none given up"
        return f"a batch of {batch.last - batch.first + 1} events damaged, {given_up}"

    async def wrong(self, site: Site) -> list[str]:
        """Each event of the batch is a dead letter and has no row; nothing else is a dead letter for this reason."""
        letters = [
            dict(each.headers)
            for each in await auditing.records(site.stage.kafka, site.stage.kafka.dead)
            if dict(each.headers)["dead-letter-reason"] == b"UNREADABLE_BATCH"
        ]
        named = sorted((int(each["dead-letter-partition"]), int(each["dead-letter-offset"])) for each in letters)
        if named != [(self._partition, offset) for offset in self._skipped]:
            self._wrong.append(f"dead letters name {named}, not {self._skipped} of partition {self._partition}")
        rows = (await site.stage.held()).current
        self._wrong += [f"{key} has a row" for key in self._lost if rows[key]]
        return self._wrong

    def _choose(self, site: Site, places: Sequence[Place]) -> StoredBatch:
        """One of several events, with others before and behind it, of those that no worker has seen."""
        for partition in sorted({each for each, _ in places}):
            stored = batches(site.servers.kafka.home / "data", site.stage.kafka.events, partition)
            since = min(offset for each, offset in places if each == partition)
            unread = [each for each in stored if each.first >= since][1:-1]
            if several := [each for each in unread if each.last > each.first]:
                self._partition, self._batch = partition, several[0]
                return several[0]
        raise AssertionError("no partition has an unread batch of several events between others")

    def _spoil(self, site: Site, batch: StoredBatch) -> None:
        if self.on_the_way:
            network = Network(spoilt=(batch.raw, self.damage(batch.raw)))
            site.servers.proxies[Part.KAFKA].become(network)
        else:
            batch.become(self.damage(batch.raw))

    async def _others_ended(self, site: Site, batch: StoredBatch) -> None:
        wanted = {self._partition: batch.first}
        for partition, offset in site.stage.published.values():
            if partition != self._partition:
                wanted[partition] = max(wanted.get(partition, 0), offset + 1)

        async def ended() -> bool:
            await asyncio.sleep(0.2)
            done = await auditing.committed(site.stage.kafka)
            return all(done.get(partition, 0) >= offset for partition, offset in wanted.items())

        await until(ended, "all that is not behind the damaged batch to be committed")

    async def _mend(self, site: Site, batch: StoredBatch) -> None:
        """Gives up what cannot be read."""
        _, said = await skip(site, self._partition)
        rows = [orjson.loads(line) for line in said.splitlines() if line.startswith("{")]
        self._skipped = range(rows[0]["offset"], (rows[-1]["last"] or rows[-1]["offset"]) + 1)
        if self._skipped.start != batch.first or (self._skipped.stop != batch.last + 1 and not self.spreads):
            self._wrong.append(f"skip names {self._skipped}, and {batch.first} to {batch.last} are damaged")
        self._lost = {
            key
            for key, (partition, offset) in site.stage.published.items()
            if partition == self._partition and offset in self._skipped
        }
        site.stage.may_be_gone |= self._lost
        offsets = ("--offsets", f"{self._skipped.start}-{self._skipped.stop - 1}", "--yes")
        code, said = await skip(site, self._partition, *offsets)
        if (code, "has members" in said) != (2, True):
            self._wrong.append(f"skip under a running worker ended with {code}: {said}")
        for each in site.members:
            assert await asyncio.to_thread(each.leave) == 0
        code, said = await skip(site, self._partition, *offsets)
        if code != 0:
            self._wrong.append(f"skip ended with {code}: {said}")
        await site.worker()


@dataclass(slots=True, eq=False)
class CorruptNetwork(CorruptBatch):
    """The network damages a batch for some time: nothing is given up, and the worker goes on by itself."""

    on_the_way: bool = field(default=True, kw_only=True)

    async def _mend(self, site: Site, batch: StoredBatch) -> None:
        del batch
        site.servers.proxies[Part.KAFKA].become(SOUND)


async def _unnamed(worker: Worker, topic: str, partition: int, batch: StoredBatch) -> list[str]:
    """What on-call cannot see of a stuck partition."""
    assert worker.address is not None
    wrong: list[str] = []
    async with httpx.AsyncClient(base_url=worker.address, timeout=10) as client:
        ready, metrics = await client.get("/readyz"), (await client.get("/metrics")).text
    place = f"partition {partition} of {topic} cannot be read at offset {batch.first}"
    if ready.status_code != 200 or place not in ready.text or "degraded" not in ready.text:
        wrong.append(f"/readyz answers {ready.status_code} {ready.text}")
    if f'sqlassay_kafka_stuck{{partition="{partition}",topic="{topic}"}} 1.0' not in metrics:
        wrong.append("no metric names the stuck partition")
    if "partition_stuck" not in worker.said or f'"offset":{batch.first},' not in worker.said.replace(" ", ""):
        wrong.append("no log line names the stuck partition")
    if not await worker.healthy():
        wrong.append("the watchdog asks for a restart")
    return wrong


async def skip(site: Site, partition: int, *words: str) -> tuple[int, str]:
    """`sqlassay skip` as an operator runs it beside the workers."""
    stage = site.stage
    place = ("--topic", stage.kafka.events, "--partition", str(partition))
    variables = Worker.variables(stage.environment(), ROOT)
    run = await asyncio.to_thread(
        subprocess.run, [*BUILD, "skip", *place, *words], env=variables, capture_output=True, text=True, check=False
    )
    return run.returncode, run.stdout + run.stderr
