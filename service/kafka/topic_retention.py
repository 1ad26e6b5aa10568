"""Says how long a topic keeps what is written to it: what Kafka holds, nobody else can delete."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import timedelta
from typing import Any

from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from aiokafka.errors import KafkaError

from service.kafka.library.admin_replies import topic_options
from service.kafka.login import login
from service.settings.stream_settings import KafkaSettings

_UNKNOWN = "for an unknown time: the broker does not say"


async def topic_retention(settings: KafkaSettings, topics: Collection[str]) -> Mapping[str, str]:
    """For each topic, how long it keeps a record, in words."""
    said = dict.fromkeys(topics, _UNKNOWN)
    admin: Any = AIOKafkaAdminClient(
        bootstrap_servers=settings.bootstrap_servers or "",
        request_timeout_ms=int(settings.timeout * 1000),
        **login(settings),
    )
    try:
        await admin.start()
        for topic in topics:
            answers = await admin.describe_configs([ConfigResource(ConfigResourceType.TOPIC, topic)])
            said |= {name: _in_words(options) for name, options in topic_options(answers)}
    except (KafkaError, OSError, ValueError, TimeoutError):
        return said
    finally:
        await admin.close()
    return said


def _in_words(config: Mapping[str, str]) -> str:
    """How long a topic with this configuration keeps a record.

    >>> _in_words({"cleanup.policy": "delete", "retention.ms": "604800000"})
    'for 7 days, 0:00:00'
    >>> _in_words({"cleanup.policy": "compact"})
    'until a later record of its key replaces it'
    """
    if "delete" not in config.get("cleanup.policy", "delete"):
        return "until a later record of its key replaces it"
    milliseconds = int(config.get("retention.ms", "-2") or -2)
    if milliseconds == -2:
        return _UNKNOWN
    return "for ever" if milliseconds < 0 else f"for {timedelta(milliseconds=milliseconds)}"
