"""`sqlassay doctor` on clusters whose faults need a server of their own: replicas, permissions and clocks."""

from __future__ import annotations

import asyncio
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import orjson
import pytest
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.errors import KafkaError
from sqlalchemy import URL

from service.commands.doctor.findings import CheckHealth, CheckResult
from service.commands.doctor.other_checks import secure_servers
from service.settings import Settings
from service.settings.stream_settings import KafkaSettings
from tests.conftest import administer
from tests.delivery.workers import ROOT, WRONG_CLOCK
from tests.servers.certificates import write_certificate
from tests.servers.fixtures import Kafka, available, make_topics, new_kafka
from tests.servers.kafka_server import KafkaServer, SecondBroker
from tests.servers.secure_kafka import USER, SecureKafka
from tests.servers.sessions import own_server
from tests.service.commands.test_doctor import BARE, doctor
from tests.service.test_small_topics import limit
from tests.waiting import WaitUntil

pytestmark = pytest.mark.slow  # starts brokers of its own and runs commands as processes


@pytest.fixture
def second(own_kafka: KafkaServer) -> Iterator[SecondBroker]:
    """A second broker in the cluster of `own_kafka`."""
    with available(own_server(lambda home: SecondBroker(home, own_kafka))) as server:
        yield server


def variables(kafka: Kafka) -> dict[str, str]:
    return {
        "SQLASSAY_KAFKA__BOOTSTRAP_SERVERS": kafka.bootstrap,
        "SQLASSAY_KAFKA__GROUP": kafka.group,
        "SQLASSAY_KAFKA__TOPIC_EVENTS": kafka.events,
        "SQLASSAY_KAFKA__TOPIC_DEAD": kafka.dead,
        "SQLASSAY_KAFKA__TOPIC_SCORES": kafka.scores,
        "SQLASSAY_KAFKA__TOPIC_LABELS": kafka.labels,
        "SQLASSAY_KAFKA__TOPIC_SPANS": kafka.spans,
        "SQLASSAY_KAFKA__TOPIC_FEEDBACK": "",
    }


async def test_partitions_without_a_leader_and_replicas_that_are_behind_are_named(
    own_kafka: KafkaServer, second: SecondBroker, wait_until: WaitUntil
):
    kafka = new_kafka(own_kafka.bootstrap)
    admin = AIOKafkaAdminClient(bootstrap_servers=kafka.bootstrap)
    await admin.start()
    replicas = {
        kafka.events: {0: [1], 1: [2]},
        kafka.labels: {0: [1, 2]},
        kafka.spans: {0: [1, 2]},
        kafka.scores: {0: [1]},
        kafka.dead: {0: [1]},
    }
    needy = {kafka.spans: {"min.insync.replicas": "2"}}
    await admin.create_topics([NewTopic(topic, -1, -1, each, needy.get(topic, {})) for topic, each in replicas.items()])
    await admin.close()
    code, found = await doctor(**variables(kafka))
    assert (code, [each for each in found if each.startswith("kafka.replicas")]) == (0, []), found
    await asyncio.to_thread(second.kill)

    async def seen() -> bool:
        nonlocal code, found
        code, found = await doctor(**variables(kafka))
        return f"kafka.replicas {kafka.labels}" in found and found[f"kafka.topic {kafka.events}"]["health"] == "error"

    await wait_until(seen)
    # the second broker may have kept a group, too
    groups = {check: each["fix"] for check, each in found.items() if check.startswith("kafka.group ")}
    assert all("__consumer_offsets" in fix for fix in groups.values())
    bad = {check: each for check, each in found.items() if each["health"] == "error" and check not in groups}
    assert (code, bad.keys()) == (1, {f"kafka.topic {kafka.events}", f"kafka.replicas {kafka.spans}"})
    assert "1 of its 2 partitions have no leader" in bad[f"kafka.topic {kafka.events}"]["detail"]
    assert "start the brokers" in bad[f"kafka.topic {kafka.events}"]["fix"]
    assert "1 of the 2 replicas in sync that a write needs" in bad[f"kafka.replicas {kafka.spans}"]["detail"]
    behind = found[f"kafka.replicas {kafka.labels}"]
    assert (behind["health"], "--under-replicated-partitions" in behind["fix"]) == ("warning", True)


async def test_a_group_whose_broker_is_away_is_named_and_holds_nothing_up(own_kafka: KafkaServer, second: SecondBroker):
    kafka = new_kafka(own_kafka.bootstrap)
    admin = AIOKafkaAdminClient(bootstrap_servers=kafka.bootstrap)
    await admin.start()
    topics = (kafka.events, kafka.labels, kafka.spans, kafka.scores, kafka.dead)
    await admin.create_topics([NewTopic(topic, -1, -1, {0: [1]}) for topic in topics])
    group = await _group_kept_by(2, admin)
    await admin.close()
    await asyncio.to_thread(second.kill)
    _, found = await doctor(**variables(kafka) | {"SQLASSAY_KAFKA__GROUP": group})
    assert found["kafka.reachable"]["health"] == "ok"
    assert found[f"kafka.batches {kafka.events}-0"]["health"] == "warning", found.keys()
    away = {check: each for check, each in found.items() if check.startswith("kafka.group ")}
    assert away, found.keys()
    assert all("does not answer" in each["detail"] for each in away.values())


async def _group_kept_by(broker: int, admin: AIOKafkaAdminClient) -> str:
    """The name of a consumer group that this broker keeps: brokers share them by name."""
    for number in range(400):
        name = f"group-{number}"
        with suppress(KafkaError):
            if await admin.find_coordinator(name) == broker:
                return name
        await asyncio.sleep(0.1)
    raise AssertionError(f"broker {broker} keeps no group")


async def test_missing_permissions_are_named_with_the_line_that_gives_them():
    with available(own_server(SecureKafka)) as server:
        kafka = new_kafka(server.bootstrap)
        await make_topics(kafka)
        certificates = server.home
        login = {
            "SQLASSAY_KAFKA__BOOTSTRAP_SERVERS": f"127.0.0.1:{server.mutual}",
            "SQLASSAY_KAFKA__TLS": "on",
            "SQLASSAY_KAFKA__CA_FILE": str(certificates / "ca.crt"),
        }

        async def seen_by(name: str) -> tuple[int, dict[str, str]]:
            files = {
                "SQLASSAY_KAFKA__CERTIFICATE_FILE": str(certificates / f"{name}.crt"),
                "SQLASSAY_KAFKA__KEY_FILE": str(certificates / f"{name}.key"),
            }
            code, found = await doctor(**variables(kafka) | login | files)
            return code, {
                check.removeprefix("kafka.permissions "): str(each["fix"])
                for check, each in found.items()
                if check.startswith("kafka.permissions ")
            }

        code, everything = await seen_by(USER)
        assert everything == {}, everything
        written = ((kafka.dead, "Write"), (kafka.scores, "Write"))
        rights = [("topic", topic, operation) for topic, operation in written]
        # it may see the topic of events, and only read that of labels; and it may not use the group of spans
        rights += [("topic", kafka.events, "Describe"), ("topic", kafka.labels, "Read")]
        rights += [("group", kafka.group, "Read"), ("group", f"{kafka.group}-labels", "Read")]
        await server.allow("worker", rights)
        code, missing = await seen_by("worker")
        assert (code, missing.keys()) == (1, {kafka.events, kafka.spans, f"{kafka.group}-spans"}), missing
        assert f"--operation Read --topic {kafka.events}" in missing[kafka.events]
        assert f"--operation Read --topic {kafka.spans}" in missing[kafka.spans]
        assert f"--operation Read --group {kafka.group}-spans" in missing[f"{kafka.group}-spans"]
        # it beats the right that was given
        await server.deny("worker", [("topic", kafka.scores, "Write")])
        _, missing = await seen_by("worker")
        denied = missing[kafka.scores]
        assert f"kafka-acls.sh --bootstrap-server 127.0.0.1:{server.mutual} --list --topic {kafka.scores}" in denied


async def test_a_database_that_takes_no_writes_is_named(database: URL, postgres_url: URL):
    await administer(postgres_url, f"ALTER DATABASE {database.database} SET default_transaction_read_only = on")
    code, found = await doctor(SQLASSAY_DATABASE__URL=database.render_as_string(hide_password=False))
    written = found["database.writable"]
    assert (code, written["health"], "no standby" in written["detail"]) == (1, "error", True)
    await administer(postgres_url, str(written["fix"]).partition(": ")[2])
    _, found = await doctor(SQLASSAY_DATABASE__URL=database.render_as_string(hide_password=False))
    assert found["database.writable"]["health"] == "ok"


async def test_a_role_that_only_reads_is_named_and_not_taken_for_a_standby(database: URL, postgres_url: URL):
    role = f"reader_{database.database}"
    await administer(postgres_url, f"CREATE ROLE {role} LOGIN PASSWORD 'quartz'")
    await administer(postgres_url.set(database=database.database), f"GRANT SELECT ON alembic_version TO {role}")
    await administer(postgres_url, f"ALTER ROLE {role} SET default_transaction_read_only = on")
    url = database.set(username=role, password="quartz").render_as_string(hide_password=False)
    code, found = await doctor(SQLASSAY_DATABASE__URL=url)
    written = found["database.writable"]
    assert (code, "is on for the role," in written["detail"]) == (1, True), written
    assert f"ALTER ROLE {role} RESET default_transaction_read_only" in written["fix"]
    assert found["database.space"]["detail"] == "not checked: the database takes no writes"


async def test_a_topic_of_results_that_no_broker_makes_is_an_error(own_kafka: KafkaServer):
    own_kafka.kill()
    with (own_kafka.home / "server.properties").open("a") as properties:
        properties.write("auto.create.topics.enable=false\n")
    own_kafka.start()
    kafka = new_kafka(own_kafka.bootstrap)
    await make_topics(kafka, only=[each for each in kafka.topics if each != kafka.scores])
    code, found = await doctor(**variables(kafka))
    named = found[f"kafka.topic {kafka.scores}"]
    assert (code, named["health"], "the brokers make no topics" in named["detail"]) == (1, "error", True), named


async def test_topics_that_refuse_what_workers_write_are_named(kafka: Kafka):
    _, found = await doctor(**variables(kafka))
    assert [check for check in found if check.startswith("kafka.size")] == []
    await limit(kafka, kafka.scores, 512)
    await limit(kafka, kafka.dead, 512_000)
    code, found = await doctor(**variables(kafka))
    sizes = {check: each["health"] for check, each in found.items() if check.startswith("kafka.size")}
    assert (code, sizes) == (1, {f"kafka.size {kafka.scores}": "error", f"kafka.size {kafka.dead}": "warning"})
    fix = found[f"kafka.size {kafka.scores}"]["fix"]
    assert f"--entity-name {kafka.scores} --add-config max.message.bytes=1048588" in fix


@pytest.mark.parametrize(("wrong_by", "health"), [(-300, "error"), (300, "error"), (5, "ok")])
async def test_a_clock_that_is_wrong_is_named(database: URL, tmp_path: Path, wrong_by: int, health: str):
    wrong = tmp_path / "wrong_by"
    wrong.write_text(str(wrong_by))
    settings = {
        "SQLASSAY_DATABASE__URL": database.render_as_string(hide_password=False),
        "SQLASSAY_TEST_WRONG_BY": str(wrong),
        "PYTHONPATH": str(ROOT),
    }
    child = await asyncio.create_subprocess_exec(
        *WRONG_CLOCK, "doctor", env=BARE | settings, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    out, err = await child.communicate()
    [found] = [row for row in map(orjson.loads, out.splitlines()) if row["check"] == "database.clock"]
    assert (found["health"], child.returncode) == (health, int(health == "error")), err
    if health == "error":
        assert ("ahead of" if wrong_by < 0 else "behind") in found["detail"]
        assert "NTP" in found["fix"]


async def test_a_role_that_has_every_right_and_does_not_own_the_tables_is_named(database: URL, postgres_url: URL):
    role, as_owner = f"worker_{database.database}", postgres_url.set(database=database.database)
    await administer(postgres_url, f"CREATE ROLE {role} LOGIN PASSWORD 'quartz'")
    given = database.set(username=role, password="quartz").render_as_string(hide_password=False)
    for right in ("CREATE ON SCHEMA public", "SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public"):
        await administer(as_owner, f"GRANT {right} TO {role}")
    code, found = await doctor(SQLASSAY_DATABASE__URL=given)
    named = found["database.partitions"]
    assert (code, named["health"], found["database.permissions"]["health"]) == (0, "warning", "ok")
    assert "does not own evaluations" in named["detail"]
    await administer(
        as_owner,
        f"DO $$ DECLARE said text; BEGIN FOR said IN {_select(named['fix'])} LOOP EXECUTE said; END LOOP; END $$",
    )
    _, found = await doctor(SQLASSAY_DATABASE__URL=given)
    assert found["database.partitions"]["health"] == "ok"


def _select(fix: str) -> str:
    """The query whose rows psql runs."""
    return fix.partition("superuser: ")[2].removesuffix("\\gexec")


async def test_a_broker_that_refuses_our_certificate_is_named(tmp_path: Path):
    authority = write_certificate(tmp_path, "ca")
    for name, issuer in (("broker", authority), ("user", authority), ("stranger", None)):
        write_certificate(tmp_path, name, issuer)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=tmp_path / "ca.crt")
    context.load_cert_chain(tmp_path / "broker.crt", tmp_path / "broker.key")
    context.verify_mode = ssl.CERT_REQUIRED

    async def examined(name: str, port: int) -> CheckResult:
        kafka = KafkaSettings(
            bootstrap_servers=f"127.0.0.1:{port}",
            tls=True,
            ca_file=tmp_path / "ca.crt",
            certificate_file=tmp_path / f"{name}.crt",
            key_file=tmp_path / f"{name}.key",
        )
        [server] = secure_servers(Settings(kafka=kafka))
        return await server.examine()

    def wait(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Says nothing, as a broker that waits for a request."""

    async with await asyncio.start_server(wait, "127.0.0.1", 0, ssl=context) as server:
        port = server.sockets[0].getsockname()[1]
        accepted, refused = await asyncio.gather(*(examined(each, port) for each in ("user", "stranger")))
    assert "its certificate ends in 0 days" in accepted.detail
    assert (refused.health, "seen our certificate" in refused.detail) == (CheckHealth.ERROR, True), refused
    assert str(tmp_path / "stranger.crt") in (refused.fix or "")
