"""How a request reaches the model server: to one host only, saying nothing of this machine, and read only so far.

aiohttp carries it beneath OpenAI's client: with httpx's own transport a call cost twice the processor's time, and what
a call costs is what its slot waits beside the model.
"""

from __future__ import annotations

from functools import lru_cache
from ssl import SSLContext
from typing import Any

import aiohttp
import httpx2

MAX_BODY = 256 * 1024
"""Largest response body read, in bytes."""
CONNECT_SECONDS = 5.0
_SENT_HEADERS = frozenset("accept content-type user-agent".split())
"""Of the headers that the client library sets; the others tell of this machine or its environment."""
_AUTOMATIC = ("Accept", "Accept-Encoding", "Content-Type", "User-Agent")


_read_url = lru_cache(4)(httpx2.URL)


class TooLargeError(httpx2.TransportError):
    """The body is larger than the bound."""


class PlainClient(httpx2.AsyncClient):
    """Builds a request of what is sent alone: reading the address anew each time and merging settings that nobody made
    is a fifth of what the client library costs."""

    def build_request(self, method: str, url: httpx2.URL | str, **parts: Any) -> httpx2.Request:
        """The request with its headers and content; this client has nothing to add to them."""
        return httpx2.Request(method, _read_url(str(url)), headers=parts["headers"], content=parts["content"])


class BoundedTransport(httpx2.AsyncBaseTransport):
    """Sends to one host only, with no header but those it names, and reads no more than `MAX_BODY` bytes."""

    def __init__(self, base_url: httpx2.URL, api_key: str | None, connections: int) -> None:
        self._origin = (base_url.scheme, base_url.host, base_url.port)
        self._authorization = f"Bearer {api_key}" if api_key else None
        verify: SSLContext = httpx2.create_ssl_context(trust_env=False)
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=connections, ssl=verify),
            # how long a call may take in all is the caller's to say
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS),
            cookie_jar=aiohttp.DummyCookieJar(),
            skip_auto_headers=_AUTOMATIC,
            auto_decompress=False,
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The response, its body bounded; raises for another host than the one that is set."""
        url = request.url
        if (url.scheme, url.host, url.port) != self._origin:
            raise httpx2.UnsupportedProtocol(f"{url.host} is not the server that is set")
        try:
            return await self._sent(request)
        except aiohttp.ClientConnectorError as error:
            raise httpx2.ConnectError(str(error)) from error
        except aiohttp.ConnectionTimeoutError as error:
            raise httpx2.ConnectTimeout(str(error)) from error
        except (aiohttp.ClientError, OSError) as error:
            raise httpx2.ReadError(str(error)) from error

    async def _sent(self, request: httpx2.Request) -> httpx2.Response:
        sending = self._session.request(
            request.method,
            str(request.url),
            data=request.content,
            headers=self._headers(request),
            allow_redirects=False,
        )
        async with sending as response:
            if response.headers.get("content-encoding", "identity") != "identity":
                raise TooLargeError("the response is packed, and its size unknown")
            body = await _read(response)
            return httpx2.Response(response.status, headers=list(response.headers.items()), content=body)

    def _headers(self, request: httpx2.Request) -> list[tuple[str, str]]:
        kept = [(name, value) for name, value in request.headers.multi_items() if name.lower() in _SENT_HEADERS]
        kept.append(("accept-encoding", "identity"))
        if self._authorization is not None:
            kept.append(("authorization", self._authorization))
        return kept

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._session.close()


async def _read(response: aiohttp.ClientResponse) -> bytes:
    body = bytearray()
    async for chunk in response.content.iter_any():
        body += chunk
        if len(body) > MAX_BODY:
            # whatever is still to come of it is not waited for
            response.close()
            raise TooLargeError(f"the response has more than {MAX_BODY} bytes")
    return bytes(body)
