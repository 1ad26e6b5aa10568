"""Says whether a consumer group is in use: who sets its offsets meanwhile would be overruled by its members."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import IllegalGenerationError, KafkaError, RebalanceInProgressError, UnknownMemberIdError

from service.kafka.client import unavailable
from service.kafka.library.admin_replies import members_of
from service.kafka.login import login
from service.settings.stream_settings import KafkaSettings

IN_USE = (IllegalGenerationError, RebalanceInProgressError, UnknownMemberIdError)
"""Errors of a commit while the group has members."""


class GroupInUse(Exception):  # noqa: N818 it names what happened
    """The group has members; the message says what to do."""

    def __init__(self, group: str, members: Collection[tuple[str, str]] = ()) -> None:
        """`members` are what each calls itself, and its host."""
        named = ", ".join(f"{client} at {host}" for client, host in sorted(members))
        super().__init__(
            f"group {group} has members{f' ({named})' if named else ''}, which would go on from their own offsets:"
            " stop all of them, workers (kubectl scale --replicas=0) and others. One that was killed remains until its"
            " session timeout, up to a minute. Then run this command again, and start the workers"
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
    members = members_of(answers)
    if members:
        raise GroupInUse(group, members)


def connection_of(settings: KafkaSettings) -> dict[str, Any]:
    """The arguments with which a command's client connects."""
    return {
        "bootstrap_servers": settings.bootstrap_servers or "",
        "client_id": "sqlassay-command",
        "request_timeout_ms": int(settings.timeout * 1000),
        **login(settings),
    }
