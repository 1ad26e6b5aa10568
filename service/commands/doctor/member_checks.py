"""Examines whether only workers are members of the consumer groups."""

from __future__ import annotations

from typing import Any

from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaError

from service.commands.doctor.findings import CheckResult, error, ok
from service.kafka.client import CLIENT_ID
from service.kafka.group_members import connection_of
from service.kafka.library.admin_replies import members_of
from service.settings.stream_settings import KafkaSettings


async def examine_members(settings: KafkaSettings) -> list[CheckResult]:
    """Programs other than workers that read in their place. Their records are committed, so no lag shows the loss."""
    admin: Any = AIOKafkaAdminClient(**connection_of(settings))
    found: list[CheckResult] = []
    try:
        await admin.start()
        for group in sorted(settings.groups.values()):
            members = members_of(await admin.describe_consumer_groups([group]))
            found += [_named(group, client, host) for client, host in members if client != CLIENT_ID]
    except (KafkaError, OSError, TimeoutError):
        return []  # other checks say what is wrong
    finally:
        await admin.close()
    return found or [ok("kafka.members", "only workers are members of the consumer groups")]


def _named(group: str, client: str, host: str) -> CheckResult:
    return error(
        f"kafka.members {group}",
        f"{client} at {host} is a member and no worker: the records of its partitions get no score",
        "stop it, or give it another group; for what it took since TIME stop the workers, run sqlassay rewind TIME"
        " --yes and start them",
    )
