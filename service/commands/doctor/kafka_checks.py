"""Examines Kafka: brokers, topics, partitions, compaction, the group's permissions and progress."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from aiokafka.errors import KafkaError, TopicAuthorizationFailedError

from consumers.errors import Unavailable
from consumers.wire.texts import shorten
from service.commands.doctor.batch_checks import examine_batches
from service.commands.doctor.findings import CheckResult, error, ok, warning
from service.commands.doctor.member_checks import examine_members
from service.commands.doctor.right_checks import examine_rights, examine_writes
from service.commands.doctor.tools import tool
from service.commands.doctor.topic_checks import examine_sizes, examine_topics
from service.kafka.library.admin_replies import group_errors, topic_options
from service.kafka.login import login
from service.kafka.observer import KafkaObserver, KafkaSight
from service.settings.stream_settings import KafkaSettings

_FETCH_MILLISECONDS = 1000
_TRIES, _AGAIN_SECONDS = 10, 0.5
_MADE = "auto.create.topics.enable"


async def examine_kafka(settings: KafkaSettings) -> list[CheckResult]:
    """What is wrong with the configured brokers; raises `SettingsError` for an unreadable certificate file."""
    if not settings.bootstrap_servers:
        return [ok("kafka.reachable", "no Kafka is configured: events come over HTTP")]
    observer = KafkaObserver(settings=settings, groups=settings.groups)
    topics = {*settings.groups, settings.topic_dead, settings.topic_scores}
    try:
        sight = await observer.look(topics, settings.timeout)
        there = {topic for topic, each in sight.topics.items() if each.partitions}
        written = {settings.topic_dead, settings.topic_scores} & there
        writable = await observer.writable(written, settings.timeout)
    except Unavailable as failure:
        fix = "start the brokers, or correct SQLASSAY_KAFKA__BOOTSTRAP_SERVERS and the login"
        return [error("kafka.reachable", str(failure), fix)]
    finally:
        await observer.close()
    asked = await _asked(settings, there)
    configs = asked.configs
    unreadable = await _unreadable(settings, there & settings.groups.keys())
    return [
        ok("kafka.reachable", "the brokers answer"),
        *examine_topics(settings, sight, topics, made=asked.made),
        *examine_sizes(settings, configs),
        *_replicas(settings, sight, there, configs),
        *_compaction(settings, there, {topic: each["cleanup.policy"] for topic, each in configs.items()}),
        *await _batches(settings, sight),
        *await examine_members(settings),
        *examine_rights(settings, topics - sight.topics.keys(), unreadable, asked.refused),
        *examine_writes(settings, written, writable),
    ]


async def _batches(settings: KafkaSettings, sight: KafkaSight) -> list[CheckResult]:
    seen = sight.topics.get(settings.topic_events)
    if seen is None or not seen.partitions or seen.leaderless:
        return []
    return await examine_batches(settings, settings.topic_events, seen)


def _replicas(
    settings: KafkaSettings, sight: KafkaSight, there: Collection[str], configs: Mapping[str, Mapping[str, str]]
) -> Iterator[CheckResult]:
    """Topics of which a replica lacks records, and those that take no writes for it."""
    describe = f"{tool(settings, 'kafka-topics.sh')} --describe --under-replicated-partitions"
    start = f"start the brokers that {describe} says are not in sync"
    for topic in sorted(there):
        seen, needed = sight.topics[topic], int(configs.get(topic, {}).get("min.insync.replicas", 1))
        if not seen.behind:
            continue
        if seen.least_in_sync < needed:
            said = f"a partition has {seen.least_in_sync} of the {needed} replicas in sync that a write needs"
            yield error(f"kafka.replicas {topic}", said, start)
        else:
            said = f"{seen.behind} of its {seen.partitions} partitions have replicas that are not in sync"
            yield warning(f"kafka.replicas {topic}", said, start)


def _compaction(settings: KafkaSettings, there: Collection[str], policies: Mapping[str, str]) -> Iterator[CheckResult]:
    dead, events = settings.topic_dead, settings.topic_events
    alter = f"{tool(settings, 'kafka-configs.sh')} --alter"
    allow = f"{tool(settings, 'kafka-acls.sh')} --add --allow-principal User:NAME --operation DescribeConfigs"
    if dead in policies and "compact" not in policies[dead]:
        yield warning(
            f"kafka.compaction {dead}",
            f"cleanup.policy is {policies[dead]}, so sqlassay forget cannot remove texts from it",
            f"{alter} --topic {dead} --add-config cleanup.policy=[compact,delete]",
        )
    if "compact" in policies.get(events, ""):
        yield error(
            f"kafka.compaction {events}",
            f"cleanup.policy is {policies[events]}: of events with the same key only the last is kept",
            f"{alter} --topic {events} --add-config cleanup.policy=delete",
        )
    for topic in sorted({dead, events} & set(there) - policies.keys()):
        yield warning(
            f"kafka.compaction {topic}",
            "the brokers do not say how the topic is cleaned",
            f"allow it: {allow} --topic {topic}",
        )


async def _unreadable(settings: KafkaSettings, topics: Collection[str]) -> set[str]:
    """Which of these topics this login may describe and not read."""
    refused = set[str]()
    for topic in topics:
        consumer: Any = AIOKafkaConsumer(
            bootstrap_servers=settings.bootstrap_servers or "",
            request_timeout_ms=int(settings.timeout * 1000),
            auto_offset_reset="latest",
            **login(settings),
        )
        try:
            await consumer.start()
            consumer.assign([TopicPartition(topic, 0)])
            # one fetch, which finds nothing
            await consumer.getmany(timeout_ms=_FETCH_MILLISECONDS)
        except TopicAuthorizationFailedError:
            refused.add(topic)
        except (OSError, TimeoutError, KafkaError):
            continue  # other checks say what is wrong
        finally:
            await consumer.stop()
    return refused


@dataclass(slots=True)
class _Asked:
    """What the brokers said of topics, groups and themselves."""

    configs: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    """The settings of each topic that may be described."""
    refused: dict[str, str] = field(default_factory=dict[str, str])
    """The groups that may not be described, each with the error."""
    made: bool | None = None
    """Whether the brokers make topics that are written; `None` where they do not say."""


async def _asked(settings: KafkaSettings, topics: Collection[str]) -> _Asked:
    asked = _Asked()
    admin: Any = AIOKafkaAdminClient(
        bootstrap_servers=settings.bootstrap_servers or "",
        request_timeout_ms=int(settings.timeout * 1000),
        **login(settings),
    )
    try:
        await admin.start()
        for topic in topics:
            answers = await admin.describe_configs([ConfigResource(ConfigResourceType.TOPIC, topic)])
            asked.configs |= {name: found for name, found in topic_options(answers) if "cleanup.policy" in found}
        for group in settings.groups.values():
            asked.refused |= await _group_error(admin, group)
        asked.made = await _makes_topics(admin)
    except (OSError, TimeoutError, KafkaError) as failure:
        asked.refused["*"] = shorten(str(failure) or type(failure).__name__, 120)
    finally:
        await admin.close()
    return asked


async def _makes_topics(admin: Any) -> bool | None:
    brokers = (await admin.describe_cluster())["brokers"]
    wanted = ConfigResource(ConfigResourceType.BROKER, str(brokers[0]["node_id"]))
    said = [options.get(_MADE) for _, options in topic_options(await admin.describe_configs([wanted]))]
    return {"true": True, "false": False}.get(str(said[0]).lower()) if said else None


async def _group_error(admin: Any, group: str) -> dict[str, str]:
    """Why a group may not be described. A broker that has just started first makes its table of groups."""
    failure: type[BaseException] | None = None
    for _ in range(_TRIES):
        failure = await _described(admin, group)
        if failure is None or not getattr(failure, "retriable", False):
            break
        await asyncio.sleep(_AGAIN_SECONDS)
    return {} if failure is None else {group: failure.__name__}


async def _described(admin: Any, group: str) -> type[BaseException] | None:
    try:
        answers = await admin.describe_consumer_groups([group])
    except KafkaError as failure:
        return type(failure)
    return next(iter(group_errors(answers)), None)
