"""Closes connections on which a request's head does not arrive: uvicorn itself waits for it for ever."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState


class ImpatientProtocol(H11Protocol):
    """HTTP/1.1 that waits a bounded time for the head of a request."""

    head_seconds: ClassVar[float]

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._head_due: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # pyright: ignore[reportIncompatibleMethodOverride] as uvicorn declares it
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget()
        super().connection_lost(exc)

    def _watch(self) -> None:
        served = self.cycle is not None and not self.cycle.response_complete  # pyright: ignore[reportUnnecessaryComparison] None before the first request
        if served:
            self._forget()
        elif self._head_due is None:
            self._head_due = self.loop.call_later(self.head_seconds, self._give_up)

    def _give_up(self) -> None:
        self._head_due = None
        if self.cycle is None or self.cycle.response_complete:  # pyright: ignore[reportUnnecessaryComparison] as above
            self.transport.close()

    def _forget(self) -> None:
        if self._head_due is not None:
            self._head_due.cancel()
            self._head_due = None


def impatient_protocol(seconds: float) -> type[H11Protocol]:
    """The protocol with its time."""
    return type("Http", (ImpatientProtocol,), {"head_seconds": seconds})
