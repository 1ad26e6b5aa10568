"""Dead letters of one topic that wait to be published, and whether there are too many to go on reading."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Sequence

from consumers.evaluation.outcomes import Outcome
from consumers.queueing.groups import Groups
from consumers.queueing.retrying import Backoff, retry_while_unavailable
from consumers.stream.backlog import Item
from consumers.stream.dead_letter_limit import DeadLetterLimit
from consumers.stream.dead_letters import UnpublishedDeadLetter, publish_cut
from consumers.stream.ports import Message, Publisher


class DeadLetterQueue:
    """Publishes dead letters in groups, for as long as it takes."""

    def __init__(
        self,
        *,
        topic: str,
        publisher: Publisher,
        limit: DeadLetterLimit,
        backoff: Backoff,
        published: Callable[[Sequence[tuple[Item, Outcome]]], None],
    ) -> None:
        self._topic, self._publisher, self._backoff, self._published = topic, publisher, backoff, published
        self.limit = limit
        self._waiting = Groups[tuple[Item, Outcome]](size=100, linger=0.01)

    def put(self, item: Item, outcome: Outcome) -> None:
        """Queues the dead letter of a record."""
        self._waiting.put((item, outcome))

    async def publish(self) -> None:
        """Waits for a group and publishes it. What the broker refuses at any size is queued again after a pause."""
        group = await self._waiting.next()
        drafts = [
            UnpublishedDeadLetter(item.record, self._topic, outcome.reason, outcome.detail) for item, outcome in group
        ]
        refused = set(await publish_cut(self._send, drafts))
        if refused:
            await asyncio.sleep(self._backoff.most)
            self._waiting.put(*[group[place] for place in sorted(refused)])
        self._published([each for place, each in enumerate(group) if place not in refused])

    async def _send(self, messages: Sequence[Message]) -> Collection[int]:
        return await retry_while_unavailable(lambda: self._publisher.publish(messages), self._backoff)
