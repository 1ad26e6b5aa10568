"""Writes records as no client of Python would: with header names that are not UTF-8.

Run as a process of its own, with aiokafka's builder in plain Python, which asks a name to encode itself.
"""

from __future__ import annotations

import asyncio
import json
import sys

from aiokafka import AIOKafkaProducer


class Foreign(str):
    """A name of other bytes."""

    __slots__ = ()

    def encode(self, encoding: str = "utf-8", errors: str = "strict") -> bytes:
        return b"caf\xe9"


async def publish(bootstrap: str, topic: str, codec: str, ids: list[str], foreign: str) -> None:
    """All of them in one batch on one partition, the `foreign` one with such a header."""
    packed = None if codec == "none" else codec
    async with AIOKafkaProducer(bootstrap_servers=bootstrap, linger_ms=500, compression_type=packed) as producer:
        sent = []
        for each in ids:
            document = {"event_id": each, "question": "How many cups?", "sql": "SELECT COUNT(*) FROM cups"}
            headers = [("kind", b"plain"), (Foreign("x"), b"\xff")] if each == foreign else [("kind", b"plain")]
            sent.append(
                await producer.send(topic, json.dumps(document).encode(), key=b"k", partition=0, headers=headers)
            )
        await asyncio.gather(*sent)


if __name__ == "__main__":
    bootstrap, topic, codec, ids, foreign = sys.argv[1:]
    asyncio.run(publish(bootstrap, topic, codec, ids.split(","), foreign))
