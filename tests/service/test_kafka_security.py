"""What the connection to Kafka shows of us, and whom it trusts, over real TLS."""

from __future__ import annotations

import asyncio
import ssl
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from pydantic import ValidationError

from service.kafka.login import security
from service.settings.loading import SettingsError
from service.settings.stream_settings import KafkaSettings
from tests.servers.certificates import write_certificate


@pytest.fixture
def certificates(tmp_path: Path) -> Path:
    """A folder with the certificates of a CA, a broker and a user."""
    authority = write_certificate(tmp_path, "ca")
    write_certificate(tmp_path, "broker", authority)
    user = write_certificate(tmp_path, "user", authority)
    locked = serialization.BestAvailableEncryption(b"quartz")
    (tmp_path / "locked.key").write_bytes(
        user[1].private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, locked)
    )
    both = (tmp_path / "user.crt").read_text() + (tmp_path / "user.key").read_text()
    (tmp_path / "both.pem").write_text(both)
    return tmp_path


async def caller(folder: Path, settings: KafkaSettings) -> str | None:
    """The name that a broker which asks for a certificate reads from ours; `None` when it refuses us."""
    names: list[str] = []

    def answer(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        shown = writer.get_extra_info("peercert")
        names.append(shown["subject"][0][0][1])
        writer.close()

    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=folder / "ca.crt")
    context.load_cert_chain(folder / "broker.crt", folder / "broker.key")
    context.verify_mode = ssl.CERT_REQUIRED
    async with await asyncio.start_server(answer, "127.0.0.1", 0, ssl=context) as server:
        port = server.sockets[0].getsockname()[1]
        ours = security(settings).ssl_context
        reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=ours)
        # with TLS 1.3 a broker refuses a certificate only after the handshake
        with suppress(ssl.SSLError, ConnectionError):
            await reader.read()
        writer.close()
    return names[0] if names else None


@pytest.mark.parametrize("files", [("user.crt", "user.key"), ("both.pem", None)])
async def test_a_broker_knows_us_by_our_certificate(certificates: Path, files: tuple[str, str | None]):
    certificate, key = files
    settings = KafkaSettings(
        tls=True,
        ca_file=certificates / "ca.crt",
        certificate_file=certificates / certificate,
        key_file=certificates / key if key else None,
    )
    assert await caller(certificates, settings) == "user"


async def test_without_a_certificate_such_a_broker_refuses_us(certificates: Path):
    assert await caller(certificates, KafkaSettings(tls=True, ca_file=certificates / "ca.crt")) is None


@pytest.mark.parametrize(
    ("certificate", "key", "said"),
    [
        ("missing.crt", "user.key", "missing.crt"),
        ("user.crt", "ca.key", "ca.key"),
        ("user.crt", None, "user.crt"),
        ("user.crt", "locked.key", "locked.key"),
    ],
)
def test_an_unreadable_certificate_is_named(certificates: Path, certificate: str, key: str | None, said: str):
    settings = KafkaSettings(
        tls=True, certificate_file=certificates / certificate, key_file=certificates / key if key else None
    )
    with pytest.raises(SettingsError, match=said):
        security(settings)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"certificate_file": "/user.crt"}, "SQLASSAY_KAFKA__TLS=on"),
        ({"tls": True, "key_file": "/user.key"}, "SQLASSAY_KAFKA__CERTIFICATE_FILE"),
    ],
)
def test_a_certificate_that_would_not_be_used_is_refused(given: dict[str, Any], said: str):
    with pytest.raises(ValidationError, match=said):
        KafkaSettings(**given)
