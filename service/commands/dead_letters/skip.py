"""`sqlassay skip`: passes a Kafka batch that cannot be read."""

from __future__ import annotations

import asyncio
import re
import sys
from typing import TYPE_CHECKING

import orjson

from consumers.errors import Unavailable
from service.commands.command_context import kafka_settings
from service.commands.exits import Exit, answer_no, give_up, refuse
from service.kafka.group_members import GroupInUse
from service.kafka.skipping import MOST_OFFSETS, NotStuck, OffsetRange, SkipRefused, stuck_partition
from service.settings.loading import SettingsError

if TYPE_CHECKING:
    from service.commands.options import SkipOptions
    from service.settings.stream_settings import KafkaSettings


def skip(options: SkipOptions) -> None:
    """Skips the offsets if that is confirmed, else prints what cannot be read. Exit code 1 if nothing was skipped."""
    try:
        skipped = None if options.offsets is None else _offsets(options.offsets)
        done = asyncio.run(_skip(kafka_settings(), options, skipped))
    except NotStuck as error:
        answer_no(str(error))
    except (SettingsError, SkipRefused, GroupInUse) as error:
        refuse(str(error))
    except Unavailable as error:
        give_up(str(error))
    if not done:
        raise SystemExit(int(Exit.NO))


async def _skip(kafka: KafkaSettings, options: SkipOptions, skipped: OffsetRange | None) -> bool:
    async with stuck_partition(kafka, options.topic, options.partition) as stuck:
        if skipped is not None and options.confirmed:
            count = await stuck.skip(skipped)
            print(
                f"sqlassay: {count} offsets skipped, and dead letters on {kafka.topic_dead} name them", file=sys.stderr
            )
            return True
        for batch in await stuck.batches(skipped.last if skipped is not None else None):
            row = {"offset": batch.offset, "last": batch.last, "error": batch.detail}
            sys.stdout.buffer.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))
        sys.stdout.flush()
        print("sqlassay: nothing was skipped; name these with --offsets FIRST-LAST, and add --yes", file=sys.stderr)
        return False


def _offsets(text: str) -> OffsetRange:
    found = re.fullmatch(r"(\d{1,18})-(\d{1,18})", text)
    if found is None:
        raise SkipRefused(f"--offsets {text} is no range: write the first and the last offset, as in 120-131")
    first, last = int(found[1]), int(found[2])
    if not 0 <= last - first < MOST_OFFSETS:
        raise SkipRefused(f"--offsets {text} holds {last - first + 1} offsets: name from 1 to {MOST_OFFSETS}")
    return OffsetRange(first=first, last=last)
