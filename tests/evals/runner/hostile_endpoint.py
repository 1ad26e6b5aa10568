"""Endpoints that misbehave on the wire: what one does with a case is the name of the case."""

from __future__ import annotations

import gzip
import json
import threading
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
BLOCK = b"x" * 65_536
Send = Callable[[bytes], object]


def endless(start: bytes) -> Callable[[Send], None]:
    def flood(send: Send) -> None:
        send(CHUNKED)
        for block in (start, *[BLOCK] * 10_000):
            send(b"%x\r\n%s\r\n" % (len(block), block))

    return flood


def whole(body: bytes, head: bytes = HEAD) -> Callable[[Send], object]:
    return lambda send: send(head + b"Content-Length: %d\r\n\r\n%s" % (len(body), body))


def silent(send: Send) -> None:
    time.sleep(3)


def dripping(send: Send) -> None:
    send(CHUNKED)
    for _ in range(60):
        send(b"1\r\n \r\n")
        time.sleep(0.05)


def _reply(**fields: object) -> bytes:
    return json.dumps({"sql": "SELECT 1", **fields}).encode()


DEEDS: Mapping[str, tuple[Callable[[Send], object], str]] = MappingProxyType(
    {
        "endless sql": (endless(b'{"sql": "'), "too_large"),
        "endless metadata": (endless(b'{"sql": "SELECT 1", "metadata": {"note": "'), "too_large"),
        "endless header": (lambda send: send(b"HTTP/1.1 200 OK\r\nX-Note: " + BLOCK), "unreachable"),
        "much metadata": (whole(_reply(metadata={"note": "x" * 100_000})), "too_large"),
        "much trace": (whole(_reply(trace=[{"content": "x" * 600_000}] * 2)), "too_large"),
        "deep": (whole(b"[" * 200_000), "invalid"),
        "packed": (whole(gzip.compress(_reply()), HEAD + b"Content-Encoding: gzip\r\n"), "invalid"),
        "cut short": (lambda send: send(HEAD + b"Content-Length: 100\r\n\r\n{"), "unreachable"),
        "no http": (lambda send: send(b"220 mail ready\r\n\r\n"), "unreachable"),
        "redirect": (whole(b"", b"HTTP/1.1 307 Go\r\nLocation: /\r\n"), "raised"),
        "silent": (silent, "timeout"),
        "dripping": (dripping, "timeout"),
    }
)
"""What is sent, and the error that the case is recorded with."""


@contextmanager
def hostile_endpoint() -> Generator[str]:
    """The address of the endpoint."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with suppress(OSError):  # the runner hangs up on most of this
                DEEDS.get(asked["case_id"], (whole(_reply()), ""))[0](self.wfile.write)
            self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
