"""Messages that a broker refuses for their size: none is dropped unseen."""

from __future__ import annotations

from collections.abc import Sequence

from consumers.errors import TooLargeForBroker
from consumers.stream.ports import Message, Publisher

_DEFAULT_BYTES = 1_048_588
"""`max.message.bytes` of a topic that has no setting of its own."""


def explain_refusal(refused: Sequence[Message]) -> str:
    """Says what was refused, and the command that raises the limit.

    >>> print(explain_refusal([Message(topic="query-scores", key=b"a", value=b"b" * 600)]))
    the broker refuses 1 message on query-scores for its size (601 bytes): raise max.message.bytes of the topic, \
kafka-configs.sh --alter --entity-type topics --entity-name query-scores --add-config max.message.bytes=1048588
    """
    topic, largest = refused[0].topic, max(len(each.key or b"") + len(each.value or b"") for each in refused)
    what = "1 message" if len(refused) == 1 else f"{len(refused)} messages"
    size = f"its size ({largest} bytes)" if len(refused) == 1 else f"their size (up to {largest} bytes)"
    return (
        f"the broker refuses {what} on {topic} for {size}: raise max.message.bytes of the topic, kafka-configs.sh"
        f" --alter --entity-type topics --entity-name {topic} --add-config max.message.bytes="
        f"{max(_DEFAULT_BYTES, 2 * largest)}"
    )


async def publish_each(publisher: Publisher, messages: Sequence[Message]) -> None:
    """Publishes messages of one topic; raises `TooLargeForBroker` if one was refused, the others being written."""
    refused = await publisher.publish(messages)
    if refused:
        raise TooLargeForBroker(explain_refusal([messages[place] for place in sorted(refused)]))
