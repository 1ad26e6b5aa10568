"""Sets the workers' offsets back to a time."""

from __future__ import annotations

import asyncio
import sys
from datetime import datetime

import orjson

from consumers.errors import Unavailable
from service.commands.command_context import kafka_settings
from service.commands.exits import answer_no, give_up, refuse
from service.commands.report import read_time
from service.commands.rewinding.rewind_options import RewindOptions
from service.kafka.group_members import GroupInUse
from service.kafka.rewinding import RewoundPartition, plan_rewind, rewind_group
from service.settings.loading import SettingsError
from service.settings.stream_settings import KafkaSettings


def rewind(options: RewindOptions) -> None:
    """Prints a line for each partition that is set back, or would be. Exit code 1 if none is."""
    moment = read_time("TIME", options.to)
    kafka = kafka_settings()
    topics = options.topics or [each for each in (kafka.topic_events, kafka.topic_spans) if each]
    unread = [each for each in topics if each not in kafka.groups]
    if unread:
        refuse(f"workers do not read a topic {unread[0]}: name one of {', '.join(kafka.groups)}")
    try:
        found = asyncio.run(_rewind(kafka, topics, moment, confirmed=options.confirmed))
    except (SettingsError, GroupInUse) as error:
        refuse(str(error))
    except Unavailable as error:
        give_up(str(error))
    _report(found)
    count = sum(each.again for each in found)
    if not count:
        answer_no(f"no record that was read was published at or after {moment.isoformat()}")
    said = "are read again" if options.confirmed else "would be read again; add --yes"
    print(f"sqlassay: {count} records {said}", file=sys.stderr)


async def _rewind(
    kafka: KafkaSettings, topics: list[str], moment: datetime, *, confirmed: bool
) -> list[RewoundPartition]:
    found: list[RewoundPartition] = []
    for topic in topics:
        planned = await plan_rewind(kafka, topic, moment)
        if planned is None:
            print(f"sqlassay: there is no topic {topic}, so nothing of it was read", file=sys.stderr)
            continue
        if confirmed:
            await rewind_group(kafka, kafka.groups[topic], planned)
        found += planned
    return found


def _report(found: list[RewoundPartition]) -> None:
    for each in found:
        row = {
            "topic": each.topic,
            "partition": each.partition,
            "group": each.group,
            "from": each.committed,
            "to": each.offset,
            "again": each.again,
            "oldest": each.oldest,
        }
        sys.stdout.buffer.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))
    sys.stdout.flush()
    cut = [f"{each.topic} {each.partition}" for each in found if each.oldest]
    if cut:
        said = "Kafka has deleted older records of these partitions, so some since that time may be missing"
        print(f"sqlassay: {said}: {', '.join(cut)}", file=sys.stderr)
