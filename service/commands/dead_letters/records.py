"""`sqlassay dead-letters`: lists the records on the dead-letter topic, and sends them back."""

from __future__ import annotations

import asyncio
import base64
import sys
from collections import Counter
from collections.abc import Coroutine
from datetime import UTC, datetime

import orjson

from consumers.errors import Unavailable
from consumers.wire.texts import shorten
from service.commands.command_context import kafka_settings
from service.commands.exits import Exit, give_up, refuse
from service.kafka.dead_letter_topic import StoredDeadLetter, dead_letters, replay
from service.settings.loading import SettingsError
from service.settings.stream_settings import KafkaSettings


def list_dead_letters(*, reason: str | None, limit: int | None, as_json: bool) -> None:
    """Prints dead letters, oldest first, one a line. Exit code 1 when there are none."""
    _run(_list(kafka_settings(), reason, limit, as_json or not sys.stdout.isatty()))


def replay_dead_letters(*, reason: str | None, limit: int | None) -> None:
    """Sends dead letters back and prints how many. Exit code 1 when there was nothing to send."""
    _run(_replay(kafka_settings(), reason, limit))


def _run(work: Coroutine[None, None, int]) -> None:
    try:
        found = asyncio.run(work)
    except SettingsError as error:
        refuse(str(error))
    except Unavailable as error:
        give_up(str(error))
    if not found:
        raise SystemExit(int(Exit.NO))


async def _list(kafka: KafkaSettings, reason: str | None, limit: int | None, as_json: bool) -> int:
    count = 0
    async for each in dead_letters(kafka, reason):
        if limit is not None and count >= limit:
            break
        count += 1
        if as_json:
            sys.stdout.buffer.write(orjson.dumps(_document(each), option=orjson.OPT_APPEND_NEWLINE))
        else:
            print(_line(each))
    sys.stdout.flush()
    return count


def _document(each: StoredDeadLetter) -> dict[str, object]:
    letter = each.letter
    try:
        value: dict[str, object] = {"value": letter.value.decode()}
    except UnicodeDecodeError:
        value = {"value_base64": base64.b64encode(letter.value).decode()}
    return {
        "partition": each.partition,
        "offset": each.offset,
        "dead_lettered_at": _moment(each.timestamp),
        "reason": letter.reason,
        "detail": letter.detail,
        "original": {"topic": letter.topic, "partition": letter.partition, "offset": letter.offset},
        "replayed": each.replayed,
        "cannot_be_replayed": letter.cannot_be_replayed,
        **value,
    }


def _line(each: StoredDeadLetter) -> str:
    letter = each.letter
    mark = " (sent back)" if each.replayed else ""
    place = f"{letter.topic}[{letter.partition}]@{letter.offset}"
    return f"{each.partition}:{each.offset}  {_moment(each.timestamp)}  {letter.reason}{mark}  {place}  " + shorten(
        letter.detail, 100
    )


def _moment(millis: int) -> str | None:
    try:
        return datetime.fromtimestamp(millis / 1000, UTC).isoformat(timespec="seconds") if millis >= 0 else None
    except (OverflowError, ValueError, OSError):
        return None


async def _replay(kafka: KafkaSettings, reason: str | None, limit: int | None) -> int:
    faults, sent = Counter[str](), 0

    def record(each: StoredDeadLetter, fault: str | None) -> None:
        nonlocal sent
        if fault is None:
            sent += 1
        else:
            faults[fault] += 1

    try:
        await replay(kafka, reason=reason, most=limit, report=record)
    finally:
        print(f"sqlassay: {sent} sent back", file=sys.stderr)
        for fault, count in faults.most_common():
            print(f"sqlassay: {count} not sent: {fault}", file=sys.stderr)
    return sent
