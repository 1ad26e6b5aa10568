"""The HTTP transport of model calls: one host only, no headers about this machine, a bounded response.

It puts aiohttp beneath httpx, whose own transport takes twice the processor time of a call. A client library for the
protocol would only build one JSON body, and takes half a second to import.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from ssl import SSLContext
from typing import Any

import aiohttp
import httpx2
import orjson

MAX_BODY = 256 * 1024
"""Largest response body read, in bytes, unless the caller expects longer ones."""
CONNECT_SECONDS = 5.0
_SENT_HEADERS = frozenset("accept content-type user-agent".split())
"""Headers that are sent; others describe this machine or its environment."""
_HEADERS = {"accept": "application/json", "content-type": "application/json", "user-agent": "sqlassay"}
_AUTOMATIC = ("Accept", "Accept-Encoding", "Content-Type", "User-Agent")


_read_url = lru_cache(4)(httpx2.URL)


class StatusError(Exception):
    """The server answers with a status that is no success."""

    def __init__(self, response: httpx2.Response) -> None:
        super().__init__(f"status {response.status_code}")
        self.response = response


class TooLargeError(httpx2.TransportError):
    """The body of a response is larger than the bound, or its size is unknown."""


class PlainClient(httpx2.AsyncClient):
    """Builds each request from its own headers and content only.

    Parsing the URL for each call and merging unused client settings would be a fifth of the client library's cost.
    """

    def build_request(self, method: str, url: httpx2.URL | str, **parts: Any) -> httpx2.Request:
        """Builds the request; the client adds nothing."""
        return httpx2.Request(method, _read_url(str(url)), headers=parts["headers"], content=parts["content"])

    async def post_json(self, url: str, body: Mapping[str, object]) -> bytes:
        """The content of the response; raises `StatusError` for any status that is no success."""
        response = await self.send(self.build_request("POST", url, headers=_HEADERS, content=orjson.dumps(body)))
        if not response.is_success:
            raise StatusError(response)
        return response.content


class BoundedTransport(httpx2.AsyncBaseTransport):
    """Sends to one host only, with the listed headers only, and reads at most `max_body` bytes."""

    def __init__(
        self,
        base_url: httpx2.URL,
        api_key: str | None,
        connections: int,
        max_body: int = MAX_BODY,
        proxy: str | None = None,
    ) -> None:
        self._max_body = max_body
        self._proxy = proxy
        self._origin = (base_url.scheme, base_url.host, base_url.port)
        # Azure's URLs name a version of the API, and its keys have a header of their own
        is_azure = "api-version" in base_url.params
        self._key = (("api-key", api_key) if is_azure else ("authorization", f"Bearer {api_key}")) if api_key else None
        # loading the authorities' certificates takes a while, and a server without TLS needs none
        is_secure = "https" in {base_url.scheme, httpx2.URL(proxy or "").scheme}
        verify: SSLContext | bool = httpx2.create_ssl_context(trust_env=False) if is_secure else True
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=connections, ssl=verify),
            # the caller bounds the total time
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS),
            cookie_jar=aiohttp.DummyCookieJar(),
            skip_auto_headers=_AUTOMATIC,
            auto_decompress=False,
        )

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Returns the response; raises for any host other than the configured one."""
        url = request.url
        if (url.scheme, url.host, url.port) != self._origin:
            raise httpx2.UnsupportedProtocol(f"{url.host} is not the configured server")
        try:
            return await self._send(request)
        # a proxy that refuses the tunnel passes nothing on
        except (aiohttp.ClientConnectorError, aiohttp.ClientHttpProxyError) as error:
            raise httpx2.ConnectError(str(error)) from error
        except aiohttp.ConnectionTimeoutError as error:
            raise httpx2.ConnectTimeout(str(error)) from error
        except (aiohttp.ClientError, OSError) as error:
            raise httpx2.ReadError(str(error)) from error

    async def _send(self, request: httpx2.Request) -> httpx2.Response:
        sending = self._session.request(
            request.method,
            str(request.url),
            data=request.content,
            headers=self._headers(request),
            allow_redirects=False,
            proxy=self._proxy,
        )
        async with sending as response:
            if response.headers.get("content-encoding", "identity") != "identity":
                raise TooLargeError("the response is compressed, and its size unknown")
            body = await _read(response, self._max_body)
            return httpx2.Response(response.status, headers=list(response.headers.items()), content=body)

    def _headers(self, request: httpx2.Request) -> list[tuple[str, str]]:
        kept = [(name, value) for name, value in request.headers.multi_items() if name.lower() in _SENT_HEADERS]
        kept.append(("accept-encoding", "identity"))
        if self._key is not None:
            kept.append(self._key)
        return kept

    async def aclose(self) -> None:
        """Closes the connections."""
        await self._session.close()


async def _read(response: aiohttp.ClientResponse, most: int) -> bytes:
    body = bytearray()
    async for chunk in response.content.iter_any():
        body += chunk
        if len(body) > most:
            # drops the rest of the body
            response.close()
            raise TooLargeError(f"the response has more than {most} bytes")
    return bytes(body)
