"""`sqlassay publish`: a file of events onto the topic that the workers read."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from consumers.decoding import Known, Record, decode
from consumers.errors import Unavailable
from consumers.publishing.events import event_message
from consumers.stream.ports import Publisher
from consumers.wire.events import MAX_EVENT_BYTES
from service.commands.dead_letters import kafka_settings
from service.commands.exits import Exit, give_up, refuse
from service.commands.jsonl import Line, open_input, read_lines, size_of
from service.commands.progress import progress
from service.kafka.client import open_publisher
from service.settings.loading import SettingsError
from service.settings.stream_settings import KafkaSettings

_AT_ONCE = 500


@dataclass(slots=True)
class Sent:
    """What came of the lines so far."""

    published: int = 0
    refused: int = 0

    def refuse(self, line: Line, why: str) -> None:
        """Tells of a line that is no event."""
        self.refused += 1
        print(f"sqlassay: line {line.number}: {why}", file=sys.stderr)


def publish(source: str) -> None:
    """Publishes every line that is an event and tells of the others; exit code 1 where there are any."""
    kafka, sent = kafka_settings(), Sent()
    with open_input(source) as stream, progress("publishing", size_of(source)) as advance:
        try:
            asyncio.run(_publish(kafka, read_lines(stream, MAX_EVENT_BYTES), sent, advance))
        except SettingsError as error:
            refuse(str(error))
        except Unavailable as error:
            give_up(f"{error}; {sent.published} events are published")
    print(f"sqlassay: {sent.published} published, {sent.refused} refused", file=sys.stderr)
    if sent.refused:
        raise SystemExit(int(Exit.NO))


async def _publish(kafka: KafkaSettings, lines: Iterator[Line], sent: Sent, advance: Callable[[int], None]) -> None:
    async with open_publisher(kafka) as publisher:
        while group := list(islice(lines, _AT_ONCE)):
            await _send(publisher, kafka.topic_events, group, sent)
            advance(sum(len(line.raw or b"") + 1 for line in group))


async def _send(publisher: Publisher, topic: str, group: Sequence[Line], sent: Sent) -> None:
    known: list[tuple[Line, Known]] = []
    for line in group:
        if line.raw is None:
            sent.refuse(line, f"longer than {MAX_EVENT_BYTES} bytes")
        elif line.raw.strip():
            decoded = decode(Record(payload=line.raw))
            if isinstance(decoded, Known):
                known.append((line, decoded))
            else:
                sent.refuse(line, f"{decoded.reason}: {decoded.detail}")
    refused = set(await publisher.publish([event_message(each, topic) for _, each in known]))
    sent.published += len(known) - len(refused)
    for place in sorted(refused):
        sent.refuse(known[place][0], "the broker refuses records of this size")
