"""What a worker reports of the records that it cannot store yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import orjson

from consumers.errors import StoreUnavailable
from consumers.evaluation.event_evaluation import EventKey
from consumers.keep_labels import KeepLabels, Label, Target
from service.pipeline.topic_handlers import keep_label_records
from tests.memory.stream import MemoryRecord


@dataclass(slots=True)
class RefusingLabels:
    """A `LabelStore` whose role has lost a right."""

    async def events(self, targets: Sequence[Target]) -> Mapping[Target, EventKey]:
        raise StoreUnavailable(f"permission denied for table labels ({len(targets)} asked for)")

    async def keep(self, labels: Sequence[tuple[EventKey, Label]]) -> None:
        raise AssertionError(f"{len(labels)} labels of unknown events are kept")


def record(offset: int, document: object) -> MemoryRecord:
    value = orjson.dumps(document)
    return MemoryRecord(topic="query-labels", partition=0, offset=offset, value=value)


async def test_labels_that_wait_for_the_store_are_reported_once_a_batch_with_the_cause():
    stalls: list[tuple[str, str]] = []
    label = {"event_id": "a", "reviewer": "ines", "label": "right"}
    handle = keep_label_records(
        KeepLabels(store=RefusingLabels()), lambda what, error: stalls.append((what, str(error)))
    )
    receipts = await handle([record(0, label), record(1, label), record(2, "no label")])
    outcomes = [await each for each in receipts]
    assert [each and each.kind.value for each in outcomes] == ["deferred", "deferred", "dead_lettered"]
    assert stalls == [("labels", "permission denied for table labels (1 asked for)")]
    await handle([record(3, "no label")])
    assert len(stalls) == 1
