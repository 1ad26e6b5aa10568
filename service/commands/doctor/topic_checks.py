"""Examines topics: whether they exist, have leaders, and accept messages of the size that we write."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from consumers.stream.dead_letters import MAX_KEPT_BYTES
from service.commands.doctor.findings import CheckResult, error, ok, warning
from service.commands.doctor.tools import tool
from service.kafka.observer import KafkaSight
from service.settings.stream_settings import KafkaSettings

LEAST_RESULT = 64 * 1024
"""Bytes of a result that has many reasons with long texts. A topic that accepts less may hold up its partitions."""
_LIMIT = "max.message.bytes"


def examine_topics(
    settings: KafkaSettings, sight: KafkaSight, topics: Collection[str], *, made: bool | None
) -> Iterator[CheckResult]:
    """What is wrong with these topics; `made` says whether the brokers make topics, `None` where they do not say."""
    for topic in sorted(topics & sight.topics.keys()):
        seen = sight.topics[topic]
        if not seen.partitions:
            yield _missing(settings, topic, needed=topic in settings.groups, made=made)
        elif seen.leaderless:
            said = f"{seen.leaderless} of its {seen.partitions} partitions have no leader"
            yield error(f"kafka.topic {topic}", said, "start the brokers that hold their replicas")
        elif seen.partitions == 1 and topic == settings.topic_events:
            alter = f"{tool(settings, 'kafka-topics.sh')} --alter --topic {topic} --partitions N"
            fix = f"{alter}: the most workers that will run"
            yield warning(f"kafka.topic {topic}", "it has one partition, so only one worker can read it", fix)
        else:
            yield ok(f"kafka.topic {topic}", f"{seen.partitions} partitions, each with a leader")


def _missing(settings: KafkaSettings, topic: str, *, needed: bool, made: bool | None) -> CheckResult:
    check, topics = f"kafka.topic {topic}", tool(settings, "kafka-topics.sh")
    fix = f"{topics} --create --topic {topic} --partitions N --replication-factor 3"
    if needed:
        return error(check, "it does not exist", fix)
    waits = "workers keep their events until it does"
    if made is False:
        return error(check, f"it does not exist, and the brokers make no topics: {waits}", fix)
    if made:
        return warning(check, "it does not exist; the brokers make it when it is first written", fix)
    return warning(check, f"it does not exist; unless the brokers make topics that are written, {waits}", fix)


def examine_sizes(settings: KafkaSettings, configs: Mapping[str, Mapping[str, str]]) -> Iterator[CheckResult]:
    """Topics that refuse what workers write."""
    limits = {topic: int(options.get(_LIMIT, -1)) for topic, options in configs.items()}
    results, dead = limits.get(settings.topic_scores, -1), limits.get(settings.topic_dead, -1)
    if 0 <= results < LEAST_RESULT:
        yield error(
            f"kafka.size {settings.topic_scores}",
            f"{_LIMIT} is {results}, so larger results are refused, and their partitions stand still",
            _raised(settings, settings.topic_scores),
        )
    if 0 <= dead < MAX_KEPT_BYTES:
        yield warning(
            f"kafka.size {settings.topic_dead}",
            f"{_LIMIT} is {dead}, so larger dead letters are cut, and cannot be replayed",
            _raised(settings, settings.topic_dead),
        )


def _raised(settings: KafkaSettings, topic: str) -> str:
    alter = f"{tool(settings, 'kafka-configs.sh')} --alter"
    return f"{alter} --entity-type topics --entity-name {topic} --add-config {_LIMIT}=1048588"
