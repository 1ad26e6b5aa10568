"""Examines Redis, and the certificates of the servers that are reached with TLS."""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from redis.exceptions import RedisError

from service.commands.doctor.findings import CheckResult, error, ok, warning
from service.failures import failure_text
from service.kafka.login import security
from service.redis.link import RedisLink, open_redis
from service.settings import Settings
from service.settings.storage_settings import RedisSettings

SOON_DAYS = 14
"""Days before its end at which a certificate is a warning."""
_SECONDS = 10.0
_VERDICT_SECONDS = 2.0
"""How long a server may take to refuse our certificate."""
_DAY = 86_400


async def examine_redis(settings: RedisSettings) -> list[CheckResult]:
    """What is wrong with the configured Redis; raises `SettingsError` for an invalid URL."""
    async with open_redis(settings) as link:
        if link is None:
            return [ok("redis.reachable", "no Redis is configured: each process has a cache of its own")]
        try:
            # untyped by the library
            await link.client.ping()  # pyright: ignore[reportGeneralTypeIssues, reportUnknownMemberType]
        except (RedisError, OSError, TimeoutError) as failure:
            fix = "start Redis, or correct SQLASSAY_REDIS__URL; until then each worker spends its part of a budget"
            return [warning("redis.reachable", f"it does not answer ({failure_text(failure)})", fix)]
        return [ok("redis.reachable", "Redis answers"), await _writable(link, settings)]


async def _writable(link: RedisLink, settings: RedisSettings) -> CheckResult:
    """Whether it takes a key, which is gone a second later: a full Redis answers a ping."""
    try:
        # untyped by the library
        await link.client.set(f"{settings.prefix}:doctor", "1", ex=1)  # pyright: ignore[reportUnknownMemberType]
    except (RedisError, OSError, TimeoutError) as failure:
        fix = "give it memory or an eviction policy, name its primary, or grant the right: SQLAssayRedisFailing.md"
        return warning("redis.writable", f"it refuses to keep a key ({failure_text(failure)})", fix)
    return ok("redis.writable", "it takes keys")


@dataclass(frozen=True, slots=True, kw_only=True)
class SecureServer:
    """A server that is reached with TLS."""

    name: str
    host: str
    port: int
    context: ssl.SSLContext
    shown: Path | None = None
    """The certificate that we show, which the server may refuse."""

    async def examine(self) -> CheckResult:
        """How long its certificate is valid."""
        check = f"tls {self.name} {self.host}:{self.port}"
        try:
            left = (await self._ends()) - time.time()
        except ssl.SSLCertVerificationError as failure:
            fix = "renew the certificate, or trust the authority that signed it"
            return error(check, f"its certificate is refused: {failure.verify_message}", fix)
        except _RefusesUsError as failure:
            ends = f"openssl x509 -enddate -noout -in {self.shown}"
            fix = f"renew {self.shown} if it has ended ({ends}), or have the server trust its signer"
            return error(check, f"it closes the connection once it has seen our certificate: {failure}", fix)
        except (OSError, TimeoutError) as failure:
            return error(check, f"no connection ({failure_text(failure)})", "start the server, or correct its address")
        said = f"its certificate ends in {left / _DAY:.0f} days"
        return ok(check, said) if left > SOON_DAYS * _DAY else warning(check, said, "renew the certificate")

    async def _ends(self) -> float:
        """When its certificate ends, in seconds since 1970."""
        async with asyncio.timeout(_SECONDS):
            reader, writer = await asyncio.open_connection(self.host, self.port, ssl=self.context)
        try:
            if self.shown is not None:
                await _accepted(reader)
            found = writer.get_extra_info("ssl_object").getpeercert()
            return ssl.cert_time_to_seconds(found["notAfter"])
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()


class _RefusesUsError(Exception):
    """The server does not accept our certificate."""


async def _accepted(reader: asyncio.StreamReader) -> None:
    """Returns once the server waits for a request; with TLS 1.3 it refuses a certificate after the handshake only."""
    try:
        async with asyncio.timeout(_VERDICT_SECONDS):
            if not await reader.read(1):
                raise _RefusesUsError("it gives no reason")
    except TimeoutError:
        return
    except (ssl.SSLError, ConnectionError) as failure:
        raise _RefusesUsError(failure_text(failure)) from failure


def secure_servers(settings: Settings) -> Iterator[SecureServer]:
    """The brokers and the model server, where they are reached with TLS."""
    kafka, model = settings.kafka, settings.judge.base_url
    if kafka.tls and kafka.bootstrap_servers:
        context = security(kafka).ssl_context or ssl.create_default_context()
        for each in kafka.bootstrap_servers.split(","):
            host, _, port = each.strip().rpartition(":")
            shown = kafka.certificate_file
            yield SecureServer(name="kafka", host=host, port=int(port), context=context, shown=shown)
    parts = urlsplit(model or "")
    if parts.scheme == "https" and parts.hostname:
        context = ssl.create_default_context()
        yield SecureServer(name="model", host=parts.hostname, port=parts.port or 443, context=context)
