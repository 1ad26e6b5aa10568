"""Examines rights: whether the login may read and write its topics, and use its consumer groups."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from service.commands.doctor.findings import CheckResult, error, ok
from service.commands.doctor.tools import tool
from service.settings.stream_settings import KafkaSettings

_AWAY = frozenset(
    {
        "GroupCoordinatorNotAvailableError",
        "NotCoordinatorForGroupError",
        "GroupLoadInProgressError",
        "NodeNotReadyError",
    }
)
"""What is said of a group whose partition of `__consumer_offsets` has no leader."""


def examine_rights(
    settings: KafkaSettings, hidden: Collection[str], unreadable: Collection[str], refused: Mapping[str, str]
) -> Iterator[CheckResult]:
    """Topics and groups that may not be read or described."""
    add = f"{tool(settings, 'kafka-acls.sh')} --add --allow-principal User:NAME"
    for topic in sorted(unreadable):
        yield error(
            f"kafka.permissions {topic}",
            "the topic may not be read",
            f"{add} --operation Read --topic {topic}",
        )
    for topic in sorted(hidden):
        operation = "Read" if topic in settings.groups else "Write"
        yield error(
            f"kafka.permissions {topic}",
            "the topic may not be described",
            f"{add} --operation {operation} --topic {topic}",
        )
    for group, said in refused.items():
        if said.partition(":")[0] in _AWAY:
            fix = "start the brokers that hold the topic __consumer_offsets, and give it three replicas"
            yield error(f"kafka.group {group}", f"a broker that keeps groups does not answer ({said})", fix)
            continue
        yield error(
            f"kafka.permissions {group}",
            f"the consumer group may not be read ({said})",
            f"{add} --operation Read --group {group}",
        )
    if not hidden and not unreadable and not refused:
        yield ok("kafka.permissions", "topics and consumer groups may be read")


def examine_writes(
    settings: KafkaSettings, topics: Collection[str], writable: Mapping[str, bool]
) -> Iterator[CheckResult]:
    """Which of these topics may not be written; `writable` says it of those of which the brokers say anything."""
    acls = tool(settings, "kafka-acls.sh")
    for topic in sorted(topic for topic in topics if not writable.get(topic, True)):
        yield error(
            f"kafka.permissions {topic}",
            "the topic may not be written, so partitions stand still",
            f"{acls} --list --topic {topic}; remove what denies Write; if nothing does, {acls} --add"
            f" --allow-principal User:NAME --operation Write --topic {topic}",
        )
    unsaid = sorted(topics - writable.keys())
    if unsaid:
        yield ok("kafka.writes", f"not checked: the brokers do not say whether {', '.join(unsaid)} may be written")
    elif topics and all(writable.values()):
        yield ok("kafka.writes", "topics may be written")
