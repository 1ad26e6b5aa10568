"""An agent behind HTTP, on a thread of the test."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Reply = tuple[int, str, bytes]
"""Status, content type and body."""


@dataclass
class AgentServer:
    """What the agent was asked, and where it is."""

    url: str
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    """The `Authorization` of each request."""


@contextmanager
def agent_server(reply: Callable[[str, dict[str, Any], int], Reply]) -> Generator[AgentServer]:
    """Serves `reply(path, question, how often it was asked before)`."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            before = len(agent.asked)
            agent.asked.append(body)
            agent.keys.append(self.headers["Authorization"])
            status, kind, content = reply(self.path, body, before)
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.send_header("Retry-After", "0")
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    agent = AgentServer(f"http://127.0.0.1:{server.server_address[1]}")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield agent
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def as_json(value: object) -> Reply:
    return 200, "application/json", json.dumps(value).encode()
