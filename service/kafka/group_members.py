"""Says whether a consumer group is in use: who sets its offsets meanwhile would be overruled by its members."""

from __future__ import annotations

from typing import Any

from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import IllegalGenerationError, KafkaError, RebalanceInProgressError, UnknownMemberIdError

from service.kafka.client import unavailable
from service.kafka.library.admin_replies import has_members
from service.kafka.login import login
from service.settings.stream_settings import KafkaSettings

IN_USE = (IllegalGenerationError, RebalanceInProgressError, UnknownMemberIdError)
"""Errors of a commit while the group has members."""


class GroupInUse(Exception):  # noqa: N818 it names what happened
    """The group has members; the message says what to do."""

    def __init__(self, group: str) -> None:
        super().__init__(
            f"group {group} has members, which would go on from their own offsets: stop all workers (kubectl scale"
            " --replicas=0), run this command again, and start them"
        )


async def refuse_members(settings: KafkaSettings, group: str) -> None:
    """Raises `GroupInUse` if the group has members, and `KafkaUnavailable`."""
    admin: Any = AIOKafkaAdminClient(**connection_of(settings))
    try:
        await admin.start()
        answers = await admin.describe_consumer_groups([group])
    except (KafkaError, OSError, TimeoutError) as error:
        raise unavailable(error) from error
    finally:
        await admin.close()
    if has_members(answers):
        raise GroupInUse(group)


def connection_of(settings: KafkaSettings) -> dict[str, Any]:
    """The arguments with which a command's client connects."""
    return {
        "bootstrap_servers": settings.bootstrap_servers or "",
        "client_id": "sqlassay-command",
        "request_timeout_ms": int(settings.timeout * 1000),
        **login(settings),
    }
