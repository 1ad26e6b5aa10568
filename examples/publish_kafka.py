"""Publishes one answer to Kafka: `python examples/publish_kafka.py [BOOTSTRAP_SERVERS [TOPIC]]`."""

import asyncio
import json
import sys

from aiokafka import AIOKafkaProducer

EVENT = {
    "tenant": "meridian-retail",
    "agent": "atlas",
    "question": "How many open orders are there?",
    "sql": "SELECT COUNT(*) FROM orders WHERE status = 'open'",
}
ENVELOPE = {"ce_specversion": "1.0", "ce_id": "orders-7f3a", "ce_source": "/atlas", "ce_type": "sqlassay.query"}


async def publish(servers: str = "127.0.0.1:9092", topic: str = "query-events") -> None:
    """Returns once all in-sync replicas have the event. Sending the same id again is safe: it is scored once."""
    headers = [(name, text.encode()) for name, text in ENVELOPE.items()]
    async with AIOKafkaProducer(bootstrap_servers=servers, acks="all", enable_idempotence=True) as producer:
        await producer.send_and_wait(topic, json.dumps(EVENT).encode(), key=b"orders-7f3a", headers=headers)


asyncio.run(publish(*sys.argv[1:]))
