"""The fault matrix: each cell is a fault of a part, and how it is played."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatch
from functools import partial
from typing import cast

from tests.delivery import (
    corrupt_scenes,
    database_scenes,
    faults,
    kafka_scenes,
    machine_scenes,
    member_faults,
    redis_scenes,
    version_scenes,
)
from tests.delivery.faults import Fault
from tests.delivery.scenes import Scene
from tests.delivery.sites import SERVED, Part
from tests.servers import kafka_segments

NAMED = "SQLASSAY_TEST_CELLS"
"""Patterns of names, joined by spaces; unset is the slice that CI runs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One fault of one part."""

    name: str
    """`part-fault`."""
    fault: Fault | Callable[[], Scene]
    """A fault, or what makes the scene of one."""
    workers: int = 1
    by_proxy: bool = False
    """Whether workers reach the servers by the proxies."""
    in_ci: bool = False
    least_seconds: float = 0.0
    """What the fault takes to be one."""
    pause: float = 0.4
    """Seconds between some events and the next."""
    settings: Mapping[str, str] = field(default_factory=dict[str, str])
    """Of its workers."""
    signs: frozenset[str] = frozenset()
    """Of these, on-call must see one at least."""

    def scene(self) -> Scene:
        """The scene in which it is played once."""
        if isinstance(self.fault, type | partial):
            return cast("Callable[[], Scene]", self.fault)()
        return Scene(cast("Fault", self.fault))


_CI = {"kafka-kill", "postgres-kill"}
_KNOWN_BY = {
    Part.KAFKA: frozenset({"down:kafka", "stalls(KafkaUnavailable)", "kafka_commits(failed)", "readyz"}),
    Part.POSTGRES: frozenset({"down:postgres", "stalls(StoreUnavailable)", "readyz"}),
    Part.REDIS: frozenset({"down:redis", "redis_failures"}),
    Part.MODEL: frozenset({"down:model", "model_calls(failed)", "fallback"}),
}


_NOTICED = {"kafka-kill": 16.0}
"""Seconds until a process calls a server down that gives no other sign: its patience, and the time between probes."""
_IMPATIENT = {"SQLASSAY_KAFKA__STALLED": "12", "SQLASSAY_POOL__EVENT_DEADLINE": "2"}
"""A watchdog that is patient for less time than the fault lasts."""


def _of_servers() -> list[Cell]:
    hows = {"kill": faults.kill, "freeze": faults.freeze, "restart": faults.restart, "slow": faults.slow}
    return [
        Cell(
            name=f"{part}-{how}",
            fault=make(part),
            by_proxy=how == "slow",
            in_ci=f"{part}-{how}" in _CI,
            least_seconds=_NOTICED.get(f"{part}-{how}", 0.0),
            signs=_KNOWN_BY[part] if how == "kill" else frozenset(),
        )
        for part in SERVED
        for how, make in hows.items()
    ]


def _of_networks() -> list[Cell]:
    hows = {
        "reset": faults.reset,
        "refuse": faults.refuse,
        "cut": faults.cut,
        "partition": faults.partition,
        "lost-answers": faults.lose_answers,
        "lost-requests": faults.lose_requests,
    }
    return [
        Cell(name=f"{part}-{how}", fault=make(part), by_proxy=True, in_ci=f"{part}-{how}" == "postgres-lost-answers")
        for part in SERVED
        for how, make in hows.items()
    ]


def _of_batches() -> list[Cell]:
    """A damaged batch of each kind: what raises in the consumer, what the broker refuses, what only looks right."""
    on_disk = {
        "checksum": kafka_segments.wrong_checksum,
        "compression": kafka_segments.broken_compression,
        "codec": kafka_segments.unknown_codec,
        "format": kafka_segments.old_format,
        "offset": kafka_segments.wrong_offset,
    }
    scene, by_network = corrupt_scenes.CorruptBatch, corrupt_scenes.CorruptNetwork
    spoilt = kafka_segments.wrong_checksum
    return [
        *(
            Cell(
                name=f"kafka-corrupt-{kind}",
                fault=partial(scene, damage=damage, spreads=kind == "format"),
                pause=3.0,
                in_ci=kind == "checksum",
            )
            for kind, damage in on_disk.items()
        ),
        Cell(
            name="kafka-corrupt-size",
            fault=partial(scene, damage=kafka_segments.too_large, on_the_way=True),
            by_proxy=True,
            pause=3.0,
        ),
        Cell(name="kafka-corrupt-network", fault=partial(by_network, damage=spoilt), by_proxy=True, pause=3.0),
    ]


CELLS = (
    *_of_servers(),
    Cell(name="workers-kill", fault=member_faults.kill_workers, pause=1.5, in_ci=True),
    Cell(name="workers-freeze", fault=faults.freeze_worker, workers=2),
    Cell(name="workers-restart", fault=faults.restart_workers, workers=2, pause=1.0),
    Cell(name="workers-slow", fault=faults.slow_workers, workers=2),
    Cell(name="workers-come-and-go", fault=member_faults.come_and_go, pause=1.0),
    Cell(name="workers-sigterm-storm", fault=member_faults.storm(0.02), workers=2),
    Cell(name="all-kill", fault=faults.in_turn(*(faults.kill(part) for part in SERVED))),
    Cell(name="all-freeze", fault=faults.together(*(faults.freeze(part) for part in SERVED))),
    *_of_networks(),
    Cell(name="postgres-disk-full", fault=database_scenes.NoRoom, signs=_KNOWN_BY[Part.POSTGRES]),
    Cell(name="postgres-deadlock", fault=database_scenes.deadlocks, workers=2),
    Cell(name="postgres-failover-kill", fault=partial(database_scenes.Failover, how="kill")),
    Cell(name="postgres-failover-freeze", fault=partial(database_scenes.Failover, how="freeze")),
    Cell(name="postgres-failover-demote", fault=partial(database_scenes.Failover, how="demote")),
    Cell(name="postgres-days-dropped", fault=database_scenes.DaysDropped),
    Cell(name="redis-forgets", fault=redis_scenes.RedisForgets, workers=2),
    Cell(name="kafka-records-deleted", fault=kafka_scenes.RecordsDeleted),
    Cell(name="kafka-topic-made-anew", fault=kafka_scenes.TopicMadeAnew),
    Cell(name="kafka-partitions-added", fault=kafka_scenes.add_partitions, workers=2),
    *_of_batches(),
    Cell(name="kafka-kill-long", fault=faults.kill(Part.KAFKA), least_seconds=20, settings=_IMPATIENT),
    Cell(name="kafka-freeze-long", fault=faults.freeze(Part.KAFKA), least_seconds=20, settings=_IMPATIENT),
    Cell(name="workers-clock", fault=machine_scenes.ClockJumps),
    Cell(name="all-names-gone", fault=machine_scenes.NamesGone, by_proxy=True),
    Cell(name="workers-two-versions", fault=version_scenes.TwoVersions, workers=2),
    Cell(name="workers-upgrade-rollback", fault=version_scenes.UpgradeAndRollBack, workers=2, pause=1.0),
)


def selected() -> list[Cell]:
    """The cells that `SQLASSAY_TEST_CELLS` names; raises `ValueError` for a pattern that names none."""
    patterns = os.environ.get(NAMED, "").split()
    if not patterns:
        return [each for each in CELLS if each.in_ci]
    nothing = [pattern for pattern in patterns if not any(fnmatch(each.name, pattern) for each in CELLS)]
    if nothing:
        raise ValueError(f"no cell is named {' '.join(nothing)}: name some of {' '.join(each.name for each in CELLS)}")
    return [each for each in CELLS if any(fnmatch(each.name, pattern) for pattern in patterns)]
