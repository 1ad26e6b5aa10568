"""The HTTP client of model calls: one host only, no headers about this machine, a bounded response.

It is aiohttp alone: a client of the protocol would only build one JSON body, and takes half a second to import.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from ssl import SSLContext
from typing import Self
from urllib.parse import parse_qs, urlsplit

import aiohttp
import orjson

MAX_BODY = 256 * 1024
"""Largest response body read, in bytes, unless the caller expects longer ones."""
CONNECT_SECONDS = 5.0
_HEADERS = (
    ("accept", "application/json"),
    ("content-type", "application/json"),
    ("user-agent", "sqlassay"),
    ("accept-encoding", "identity"),
)
"""All headers that are sent beside the key's: others would describe this machine or its environment."""
_AUTOMATIC = ("Accept", "Accept-Encoding", "Content-Type", "User-Agent")


@dataclass(frozen=True, slots=True)
class ServerResponse:
    """What a server answered."""

    status: int
    headers: Mapping[str, str]
    """Whatever the case of their names."""
    content: bytes


class StatusError(Exception):
    """The server answers with a status that is no success."""

    def __init__(self, response: ServerResponse) -> None:
        super().__init__(f"status {response.status}")
        self.response = response


class TransportError(Exception):
    """A call failed below HTTP."""


class NotConnectedError(TransportError):
    """No connection was made, so that the server knows nothing of the call."""


class TooLargeError(TransportError):
    """The body of a response is larger than the bound, or its size is unknown."""


@lru_cache(16)
def _origin(url: str) -> tuple[str, str | None, int | None]:
    read = urlsplit(url)
    return read.scheme, read.hostname, read.port


class PlainClient:
    """Sends to one host only, with the listed headers only, and reads at most `max_body` bytes."""

    def __init__(
        self,
        base_url: str,
        api_key: str | None,
        connections: int,
        max_body: int = MAX_BODY,
        proxy: str | None = None,
    ) -> None:
        self._max_body, self._proxy, self._origin = max_body, proxy, _origin(base_url)
        # Azure's URLs name a version of the API, and its keys have a header of their own
        is_azure = "api-version" in parse_qs(urlsplit(base_url).query, keep_blank_values=True)
        key = (("api-key", api_key) if is_azure else ("authorization", f"Bearer {api_key}")) if api_key else None
        self._key = api_key.encode() if api_key else None
        self._headers = [*_HEADERS, key] if key else [*_HEADERS]
        is_secure = "https" in {urlsplit(each).scheme for each in (base_url, proxy or "")}
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=connections, ssl=_authorities() if is_secure else True),
            # the caller bounds the total time
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS),
            cookie_jar=aiohttp.DummyCookieJar(),
            skip_auto_headers=_AUTOMATIC,
            auto_decompress=False,
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._session.close()

    async def post_json(self, url: str, body: Mapping[str, object]) -> bytes:
        """The content of the response; raises `TransportError`, and `StatusError` for a status that is no success."""
        if _origin(url) != self._origin:
            raise NotConnectedError(f"{urlsplit(url).hostname} is not the configured server")
        try:
            response = await self._send(url, orjson.dumps(body))
        # a proxy that refuses the tunnel passes nothing on
        except (aiohttp.ClientConnectorError, aiohttp.ClientHttpProxyError, aiohttp.ConnectionTimeoutError) as error:
            raise NotConnectedError(str(error)) from error
        except (aiohttp.ClientError, OSError) as error:
            raise TransportError(str(error)) from error
        # a server that repeats the key must not put it into rows and logs
        content = response.content.replace(self._key, b"...") if self._key else response.content
        if not 200 <= response.status < 300:
            raise StatusError(replace(response, content=content))
        return content

    async def _send(self, url: str, content: bytes) -> ServerResponse:
        sending = self._session.post(url, data=content, headers=self._headers, allow_redirects=False, proxy=self._proxy)
        async with sending as response:
            if response.headers.get("content-encoding", "identity") != "identity":
                raise TooLargeError("the response is compressed, and its size unknown")
            return ServerResponse(response.status, response.headers, await _read(response, self._max_body))


def _authorities() -> SSLContext:
    """The system's authorities, whatever the environment names."""
    # loading them takes a while, and a server without TLS needs none
    from httpx2 import create_ssl_context  # noqa: PLC0415 for the reason above

    return create_ssl_context(trust_env=False)


async def _read(response: aiohttp.ClientResponse, most: int) -> bytes:
    body = bytearray()
    async for chunk in response.content.iter_any():
        body += chunk
        if len(body) > most:
            # drops the rest of the body
            response.close()
            raise TooLargeError(f"the response has more than {most} bytes")
    return bytes(body)
