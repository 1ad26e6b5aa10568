"""`sqlassay publish`: publishes a file of events to the topic that the workers read."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from consumers.decoding import Known, Record, decode
from consumers.errors import Unavailable
from consumers.publishing.event_messages import event_message
from consumers.stream.ports import Publisher
from consumers.wire.events import MAX_EVENT_BYTES
from service.commands.command_context import kafka_settings
from service.commands.exits import Exit, give_up, refuse
from service.commands.jsonl import InputLine, open_input, read_lines, size_of
from service.commands.progress import progress
from service.kafka.client import open_publisher
from service.settings.loading import SettingsError
from service.settings.stream_settings import KafkaSettings

_AT_ONCE = 500


@dataclass(slots=True)
class PublishTally:
    """Counts the published and the refused lines."""

    published: int = 0
    refused: int = 0

    def refuse(self, line: InputLine, why: str) -> None:
        """Reports a line that was not published."""
        self.refused += 1
        print(f"sqlassay: line {line.number}: {why}", file=sys.stderr)


def publish(source: str) -> None:
    """Publishes every line that is an event and reports the others. Exit code 1 when there are any."""
    kafka, tally = kafka_settings(), PublishTally()
    with open_input(source) as stream, progress("publishing", size_of(source)) as advance:
        try:
            asyncio.run(_publish(kafka, read_lines(stream, MAX_EVENT_BYTES), tally, advance))
        except SettingsError as error:
            refuse(str(error))
        except Unavailable as error:
            give_up(f"{error}; {tally.published} events are published")
    print(f"sqlassay: {tally.published} published, {tally.refused} refused", file=sys.stderr)
    if tally.refused:
        raise SystemExit(int(Exit.NO))


async def _publish(
    kafka: KafkaSettings, lines: Iterator[InputLine], tally: PublishTally, advance: Callable[[int], None]
) -> None:
    async with open_publisher(kafka) as publisher:
        while group := list(islice(lines, _AT_ONCE)):
            await _send(publisher, kafka.topic_events, group, tally)
            advance(sum(len(line.raw or b"") + 1 for line in group))


async def _send(publisher: Publisher, topic: str, group: Sequence[InputLine], tally: PublishTally) -> None:
    known: list[tuple[InputLine, Known]] = []
    for line in group:
        if line.raw is None:
            tally.refuse(line, f"longer than {MAX_EVENT_BYTES} bytes")
        elif line.raw.strip():
            decoded = decode(Record(payload=line.raw))
            if isinstance(decoded, Known):
                known.append((line, decoded))
            else:
                tally.refuse(line, f"{decoded.reason}: {decoded.detail}")
    refused = set(await publisher.publish([event_message(each, topic) for _, each in known]))
    tally.published += len(known) - len(refused)
    for place in sorted(refused):
        tally.refuse(known[place][0], "the broker refuses records of this size")
