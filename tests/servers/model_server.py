"""The model server that misbehaves on script, as a process that a test starts, scripts and kills."""

from __future__ import annotations

import json
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.servers import model_process
from tests.servers.processes import Server
from tests.servers.sessions import own_server

VERDICT = model_process.VERDICT


class ModelServer(Server):
    """A model behind the OpenAI protocol."""

    @property
    def url(self) -> str:
        """The base URL of the protocol."""
        return f"http://127.0.0.1:{self.port}/v1"

    def prepare(self) -> None:
        """Needs nothing but the folder."""

    def command(self) -> list[str]:
        program = str(Path(model_process.__file__).resolve())
        return [sys.executable, program, "--port", str(self.port), "--home", str(self.home)]

    def answers(self, said: str) -> bool:
        return "the model answers" in said

    def script(self, then: dict[str, Any] = VERDICT, first: tuple[dict[str, Any], ...] = ()) -> None:
        """What it does from now on: each of `first` once, `then` for ever; what it saw is forgotten."""
        self._control("_script", {"then": then, "first": list(first)})

    def seen(self) -> list[dict[str, Any]]:
        """Every request since the script: `path`, `headers` and `body` as it came."""
        return self._control("_seen")["seen"]

    def most_at_once(self) -> int:
        """Most requests that it had at the same time since the script."""
        return self._control("_seen")["most"]

    def _control(self, what: str, body: object = None) -> Any:
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/{what}", json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=30) as response:
            return json.load(response)


@pytest.fixture(scope="session")
def model_process_server() -> Iterator[ModelServer]:
    """One process for all tests of a worker."""
    with own_server(ModelServer) as server:
        yield server


@pytest.fixture
def model_server(model_process_server: ModelServer) -> ModelServer:
    """The model server, well-behaved until it is scripted."""
    model_process_server.script()
    return model_process_server
