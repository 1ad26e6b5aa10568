"""`sqlassay doctor` on real servers with planted faults: each is named, with its fix."""

from __future__ import annotations

import asyncio
import os
import ssl
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import orjson
import pytest
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.admin.config_resource import ConfigResource, ConfigResourceType
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from sqlalchemy import URL, text
from sqlalchemy.ext.asyncio import create_async_engine

from service.commands.doctor.findings import CheckHealth
from service.commands.doctor.other_checks import SecureServer
from tests.servers.fixtures import Kafka, RedisSpace
from tests.servers.processes import free_port

BARE = {name: value for name, value in os.environ.items() if not name.startswith("SQLASSAY_")}
WITHOUT_SEARCHES = {"SQLASSAY_DATABASE__SEARCH_INDEX": "false"}
"""The tests' databases have no index of searches."""


async def doctor(**settings: str) -> tuple[int, dict[str, dict[str, str]]]:
    """The exit code, and the findings by their check."""
    child = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "service", "doctor", env=BARE | WITHOUT_SEARCHES | settings, stdout=subprocess.PIPE
    )
    try:
        async with asyncio.timeout(180):
            out, _ = await child.communicate()
    except TimeoutError:
        child.kill()
        raise
    rows = [orjson.loads(line) for line in out.splitlines()]
    for each in rows:
        assert bool(each["fix"]) is (each["health"] != "ok"), each
    return child.returncode or 0, {each["check"]: each for each in rows}


def settings_of(kafka: Kafka, redis: RedisSpace, database: URL) -> dict[str, str]:
    return {
        "SQLASSAY_DATABASE__URL": database.render_as_string(hide_password=False),
        "SQLASSAY_REDIS__URL": redis.url,
        "SQLASSAY_KAFKA__BOOTSTRAP_SERVERS": kafka.bootstrap,
        "SQLASSAY_KAFKA__GROUP": kafka.group,
        "SQLASSAY_KAFKA__TOPIC_EVENTS": kafka.events,
        "SQLASSAY_KAFKA__TOPIC_DEAD": kafka.dead,
        "SQLASSAY_KAFKA__TOPIC_SCORES": kafka.scores,
        "SQLASSAY_KAFKA__TOPIC_LABELS": kafka.labels,
        "SQLASSAY_KAFKA__TOPIC_FEEDBACK": kafka.feedback,
        "SQLASSAY_KAFKA__TOPIC_SPANS": kafka.spans,
    }


async def clean(kafka: Kafka, topic: str, policy: str) -> None:
    """Sets how a topic is cleaned."""
    admin = AIOKafkaAdminClient(bootstrap_servers=kafka.bootstrap)
    await admin.start()
    change = ConfigResource(ConfigResourceType.TOPIC, topic, configs={"cleanup.policy": policy})
    await admin.alter_configs([change])
    await admin.close()


@pytest.mark.slow  # runs commands as processes
async def test_a_sound_installation_has_no_finding_but_ok(kafka: Kafka, redis: RedisSpace, database: URL):
    await clean(kafka, kafka.dead, "compact")
    code, found = await doctor(**settings_of(kafka, redis, database))
    assert (code, [each for each in found.values() if each["health"] != "ok"]) == (0, [])
    assert {
        "settings",
        "database.reachable",
        "database.version",
        "database.writable",
        "database.migrations",
        "database.permissions",
        "database.partitions",
        "database.clock",
        "database.search_path",
        "database.connections",
        "database.statement_timeout",
        "database.password",
        "database.indexes",
        "kafka.reachable",
        f"kafka.topic {kafka.events}",
        "kafka.permissions",
        "kafka.writes",
        "redis.reachable",
    } <= found.keys()


@pytest.mark.slow  # runs commands as processes
async def test_servers_that_do_not_answer_are_named(database: URL):
    nobody = f"127.0.0.1:{free_port()}"
    url = database.set(port=free_port()).render_as_string(hide_password=False)
    code, found = await doctor(
        SQLASSAY_DATABASE__URL=url,
        SQLASSAY_REDIS__URL=f"redis://{nobody}/0",
        SQLASSAY_KAFKA__BOOTSTRAP_SERVERS=nobody,
        SQLASSAY_KAFKA__TIMEOUT="2",
    )
    bad = {check: each["health"] for check, each in found.items() if each["health"] != "ok"}
    assert (code, bad) == (
        1,
        {"database.reachable": "error", "kafka.reachable": "error", "redis.reachable": "warning"},
    )


@pytest.mark.slow  # runs commands as processes
async def test_topics_that_are_missing_too_narrow_or_cleaned_wrongly_are_named(
    kafka: Kafka, redis: RedisSpace, database: URL
):
    narrow = f"{kafka.events}-narrow"
    admin = AIOKafkaAdminClient(bootstrap_servers=kafka.bootstrap)
    await admin.start()
    await admin.create_topics([NewTopic(narrow, 1, 1)])
    await clean(kafka, narrow, "compact")
    missing = f"{kafka.labels}-missing"
    changes = {"SQLASSAY_KAFKA__TOPIC_EVENTS": narrow, "SQLASSAY_KAFKA__TOPIC_LABELS": missing}
    code, found = await doctor(**(settings_of(kafka, redis, database) | changes))
    await admin.delete_topics([narrow])
    await admin.close()
    bad = {check: each["health"] for check, each in found.items() if each["health"] != "ok"}
    assert (code, bad) == (
        1,
        {
            f"kafka.topic {missing}": "error",
            f"kafka.topic {narrow}": "warning",
            f"kafka.compaction {narrow}": "error",
            f"kafka.compaction {kafka.dead}": "warning",
        },
    )
    assert f"--create --topic {missing}" in found[f"kafka.topic {missing}"]["fix"]
    assert "cleanup.policy=[compact,delete]" in found[f"kafka.compaction {kafka.dead}"]["fix"]


@pytest.mark.slow  # runs commands as processes
async def test_a_pending_migration_and_a_role_with_too_few_permissions_are_named(database: URL, empty_database: URL):
    code, found = await doctor(SQLASSAY_DATABASE__URL=empty_database.render_as_string(hide_password=False))
    assert (code, found["database.migrations"]["fix"]) == (1, "run sqlassay migrate")
    engine = create_async_engine(database, isolation_level="AUTOCOMMIT")
    role = f"reader_{os.getpid()}"
    async with engine.connect() as connection:
        await connection.execute(text(f"CREATE ROLE {role} LOGIN PASSWORD 'reads'"))
        await connection.execute(text(f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}"))
    try:
        reader = database.set(username=role, password="reads").render_as_string(hide_password=False)
        code, found = await doctor(SQLASSAY_DATABASE__URL=reader)
    finally:
        async with engine.connect() as connection:
            await connection.execute(text(f"DROP OWNED BY {role}"))
            await connection.execute(text(f"DROP ROLE {role}"))
        await engine.dispose()
    assert code == 1
    assert "evaluations" in found["database.permissions"]["detail"]
    assert f"TO {role}" in found["database.permissions"]["fix"]
    assert found["database.partitions"]["health"] == "warning"


@pytest.mark.slow  # runs commands as processes
async def test_a_setting_that_is_invalid_is_the_only_finding():
    code, found = await doctor(SQLASSAY_KAFKA__TIMEOUT="soon")
    assert (code, list(found)) == (1, ["settings"])
    assert "SQLASSAY_KAFKA__TIMEOUT" in found["settings"]["detail"]


def certificate(folder: Path, days: float) -> Path:
    """A certificate of 127.0.0.1 that signed itself and ends in so many days, with its key."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - timedelta(days=30))
        .not_valid_after(now + timedelta(days=days))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    kind = serialization.Encoding.PEM
    hidden = key.private_bytes(kind, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path = folder / "server.pem"
    path.write_bytes(hidden + made.public_bytes(kind))
    return path


@pytest.mark.parametrize(
    ("days", "trusted", "health", "said"),
    [
        (90.0, True, CheckHealth.OK, "ends in 90 days"),
        (3.0, True, CheckHealth.WARNING, "ends in 3 days"),
        (-1.0, True, CheckHealth.ERROR, "expired"),
        (90.0, False, CheckHealth.ERROR, "refused"),
    ],
)
async def test_a_certificate_that_ends_soon_or_is_not_trusted_is_named(
    tmp_path: Path, days: float, trusted: bool, health: CheckHealth, said: str
):
    path = certificate(tmp_path, days)
    served = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    served.load_cert_chain(path)
    server = await asyncio.start_server(lambda _, writer: writer.close(), "localhost", 0, ssl=served)
    port = server.sockets[0].getsockname()[1]
    context = ssl.create_default_context(cafile=path if trusted else None)
    finding = await SecureServer(name="kafka", host="localhost", port=port, context=context).examine()
    server.close()
    assert (finding.health, said in finding.detail) == (health, True), finding
