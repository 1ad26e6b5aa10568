"""Every way to log in to Kafka, on a broker that has them all; whom it does not know it refuses."""

from __future__ import annotations

import asyncio
import base64
import json
import re
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from itertools import product
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest
from aiokafka import AIOKafkaConsumer
from aiokafka.errors import KafkaConnectionError
from pydantic import ValidationError
from sqlalchemy import URL

from consumers.stream.ports import Message
from service.kafka.client import KafkaUnavailable, open_publisher, topics
from service.kafka.login import login, token_provider
from service.kafka.tokens import IssuedToken, KeptTokens
from service.serving import ProcessRole
from service.settings.loading import SettingsError
from service.settings.stream_settings import KafkaSettings
from tests.servers.fixtures import Kafka, available, make_topics, new_kafka
from tests.servers.secure_kafka import PASSWORD, USER, Right, SecureKafka
from tests.servers.sessions import own_server
from tests.service.test_kafka import SAMPLE, Bench
from tests.waiting import WaitUntil

pytestmark = pytest.mark.slow  # starts a broker of its own


@pytest.fixture(scope="module")
def broker() -> Iterator[SecureKafka]:
    with available(own_server(SecureKafka)) as server:
        yield server


def settings(broker: SecureKafka, port: int, **changed: Any) -> KafkaSettings:
    given = {"bootstrap_servers": f"127.0.0.1:{port}", "tls": True, "ca_file": broker.home / "ca.crt", "timeout": 5.0}
    return KafkaSettings.model_validate(given | changed)


def certificate(home: Path, name: str = USER) -> dict[str, Path]:
    return {"certificate_file": home / f"{name}.crt", "key_file": home / f"{name}.key"}


async def round_trip(given: KafkaSettings, broker: SecureKafka) -> bytes | None:
    """Publishes and reads a record with these settings."""
    kafka = new_kafka(broker.bootstrap)
    await make_topics(kafka, only=[kafka.events], partitions=1)
    async with open_publisher(given) as publisher:
        await publisher.publish([Message(topic=kafka.events, key=None, value=b"one", headers=())])
    reader: Any = AIOKafkaConsumer(
        kafka.events,
        bootstrap_servers=given.bootstrap_servers or "",
        auto_offset_reset="earliest",
        **login(given),
    )
    async with reader, asyncio.timeout(20):
        return (await reader.getone()).value


async def test_a_client_certificate_is_a_login(broker: SecureKafka):
    assert await round_trip(settings(broker, broker.mutual, **certificate(broker.home)), broker) == b"one"


@pytest.mark.parametrize("mechanism", ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"])
async def test_a_password_is_a_login(broker: SecureKafka, mechanism: str):
    given = settings(broker, broker.secret, sasl_mechanism=mechanism, sasl_username=USER, sasl_password=PASSWORD)
    assert await round_trip(given, broker) == b"one"


async def test_whom_the_broker_or_the_client_does_not_know_is_refused(broker: SecureKafka):
    scram = {"sasl_mechanism": "SCRAM-SHA-512", "sasl_username": USER, "sasl_password": PASSWORD}
    for given in (
        settings(broker, broker.mutual),
        settings(broker, broker.mutual, **certificate(broker.home), ca_file=None),
        settings(broker, broker.secret, **scram, ca_file=None),
        settings(broker, broker.secret, **scram | {"sasl_password": "another"}),
    ):
        with pytest.raises(KafkaUnavailable):
            await topics(given)


def unsecured_token(seconds: float, subject: str = USER) -> str:
    """A token without a signature, as a broker without a validator of its own takes it."""
    now = time.time()
    parts = ({"alg": "none"}, {"sub": subject, "iat": now, "exp": now + seconds})
    return ".".join(base64.urlsafe_b64encode(json.dumps(each).encode()).decode().rstrip("=") for each in parts) + "."


class TokenEndpoint:
    """Gives tokens to one client, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[dict[str, str]] = []
        self.seconds = 3.0
        self.url = ""

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        fields = dict(line.split(": ", 1) for line in head.splitlines()[1:] if line)
        lower = {name.lower(): value for name, value in fields.items()}
        body = (await reader.readexactly(int(lower["content-length"]))).decode()
        self.asked.append({name: values[0] for name, values in parse_qs(body).items()})
        right = lower.get("authorization") == "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
        said = (
            {"access_token": unsecured_token(self.seconds), "expires_in": self.seconds}
            if right
            else {"error": "invalid_client"}
        )
        text = json.dumps(said).encode()
        status = "200 OK" if right else "401 Unauthorized"
        writer.write(f"HTTP/1.1 {status}\r\ncontent-length: {len(text)}\r\nconnection: close\r\n\r\n".encode() + text)
        await writer.drain()
        writer.close()


@asynccontextmanager
async def token_endpoint() -> AsyncIterator[TokenEndpoint]:
    endpoint = TokenEndpoint()
    async with await asyncio.start_server(endpoint.answer, "127.0.0.1", 0) as server:
        endpoint.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/token"
        yield endpoint


def bearer(broker: SecureKafka, url: str, **changed: Any) -> KafkaSettings:
    given = {
        "sasl_mechanism": "OAUTHBEARER",
        "sasl_username": USER,
        "sasl_password": PASSWORD,
        "sasl_token_url": url,
        "sasl_token_fields": {"scope": "kafka"},
    }
    return settings(broker, broker.token, **given | changed)


async def test_a_token_is_a_login_and_is_renewed_before_it_ends(broker: SecureKafka):
    async with token_endpoint() as endpoint:
        given = bearer(broker, endpoint.url)
        assert await round_trip(given, broker) == b"one"
        kafka = new_kafka(broker.bootstrap)
        await make_topics(kafka, only=[kafka.events], partitions=1)
        before = len(endpoint.asked)
        async with open_publisher(given) as publisher:
            # each token lives for 3 s, and the broker ends its connection with it
            for number in range(8):
                await publisher.publish([Message(topic=kafka.events, key=None, value=b"%d" % number, headers=())])
                await asyncio.sleep(1)
        assert len(endpoint.asked) >= before + 3
        assert endpoint.asked[0] == {"grant_type": "client_credentials", "scope": "kafka"}


async def test_a_refused_client_is_named_and_its_secret_is_not(broker: SecureKafka, capsys: pytest.CaptureFixture[str]):
    async with token_endpoint() as endpoint:
        given = bearer(broker, endpoint.url, sasl_password="wrong-quartz")
        with pytest.raises(KafkaUnavailable):
            await topics(given)
        provider = token_provider(given)
        assert provider is not None
        with pytest.raises(KafkaConnectionError, match="gives no token: status 401, invalid_client") as refused:
            await provider.token()
        assert "quartz" not in str(refused.value) + "".join(capsys.readouterr())


async def test_an_endpoint_that_is_gone_or_another_page_is_named(broker: SecureKafka):
    async with token_endpoint() as endpoint:
        gone = endpoint.url
    provider = token_provider(bearer(broker, gone))
    assert provider is not None
    with pytest.raises(KafkaConnectionError, match=f"{gone} gives no token"):
        await provider.token()


async def test_connections_share_a_token_until_most_of_its_life_is_over():
    now, given = [0.0], iter(range(9))

    async def source() -> IssuedToken:
        return IssuedToken(value=str(next(given)), seconds=100.0)

    kept = KeptTokens(source, {"logicalCluster": "lkc-1"}, lambda: now[0])
    assert await asyncio.gather(kept.token(), kept.token()) == ["0", "0"]
    now[0] = 79.0
    assert await kept.token() == "0"
    now[0] = 80.0
    assert await kept.token() == "1"
    assert kept.extensions() == {"logicalCluster": "lkc-1"}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"sasl_mechanism": "OAUTHBEARER"}, "SQLASSAY_KAFKA__SASL_TOKEN_URL and SQLASSAY_KAFKA__SASL_USERNAME"),
        ({"sasl_mechanism": "AWS_MSK_IAM", "tls": True}, "SQLASSAY_KAFKA__SASL_REGION"),
    ],
)
def test_a_login_that_lacks_something_is_refused_with_its_setting(given: dict[str, Any], said: str):
    with pytest.raises(ValidationError, match=said):
        KafkaSettings.model_validate(given)


async def test_tokens_for_msk_are_signed_with_the_machines_credentials(monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("aws_msk_iam_sasl_signer", reason="the extra msk is not installed")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "quartz")
    provider = token_provider(KafkaSettings(sasl_mechanism="AWS_MSK_IAM", tls=True, sasl_region="eu-central-1"))
    assert provider is not None
    signed: Any = await provider.token()
    url = base64.urlsafe_b64decode(signed + "=" * (-len(signed) % 4)).decode()
    assert url.startswith("https://kafka.eu-central-1.amazonaws.com/?Action=kafka-cluster%3AConnect")
    assert "AKIDEXAMPLE" in url
    assert "quartz" not in url


def test_without_the_extra_a_login_to_msk_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "aws_msk_iam_sasl_signer.MSKAuthTokenProvider", None)
    with pytest.raises(SettingsError, match=r"pip install 'sqlassay\[msk\]'"):
        token_provider(KafkaSettings(sasl_mechanism="AWS_MSK_IAM", tls=True, sasl_region="eu-central-1"))


def rights(role: str, kafka: Kafka) -> Iterator[Right]:
    """What the page says that a role needs, with the names of this test."""
    page = (Path(__file__).parents[2] / "docs" / "connections.md").read_text(encoding="utf-8")
    names = {
        "query-events": kafka.events,
        "query-labels": kafka.labels,
        "query-feedback": kafka.feedback,
        "query-spans": kafka.spans,
        "query-events.dead": kafka.dead,
        "query-scores": kafka.scores,
        **{f"sqlassay{end}": f"{kafka.group}{end}" for end in ("", "-labels", "-feedback", "-spans")},
    }
    for kind, listed, operations in re.findall(rf"^\| {role} \| (topic|group)s (.+) \| (.+) \|$", page, re.MULTILINE):
        for name, operation in product(re.findall(r"`(.+?)`", listed), operations.split(", ")):
            yield kind, names[name], operation


async def test_each_role_works_with_the_rights_that_the_page_names(
    broker: SecureKafka, database: URL, wait_until: WaitUntil
):
    kafka = new_kafka(broker.bootstrap)
    await make_topics(kafka)
    for role in ("worker", "api"):
        await broker.allow(role, rights(role, kafka))
    bench = Bench(database, kafka)

    def secured(role: str) -> dict[str, Any]:
        return settings(broker, broker.mutual, **certificate(broker.home, role)).model_dump(
            include={"bootstrap_servers", "tls", "ca_file", "certificate_file", "key_file"}
        )

    async with (
        bench.serving(ProcessRole.WORKER, **secured("worker")) as worker,
        bench.serving(ProcessRole.API, **secured("api")) as api,
    ):
        sent = await api.post("/v1/events", json=[{**SAMPLE, "event_id": str(number)} for number in range(5)])
        assert {each["status"] for each in sent.json()["results"]} == {"published"}
        await bench.send(b"{")

        async def stored() -> bool:
            return len(await bench.rows()) == 5 and len(await bench.read(kafka.dead)) == 1

        await wait_until(stored)
        for client in (worker, api):
            ready = await client.get("/readyz")
            assert ready.status_code == 200, ready.text
        assert len(await bench.read(kafka.scores)) == 5
