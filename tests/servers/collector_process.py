"""An OTLP/HTTP receiver that keeps what it is sent: `python collector_process.py --port PORT --home FOLDER`.

Each request is a file of FOLDER, named by its path and number. It is a process of its own and imports the standard
library only.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


def handler(home: Path) -> type[BaseHTTPRequestHandler]:
    numbers = itertools.count()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            kept = home / f"{self.path.rpartition('/')[2]}-{next(numbers)}.{self.headers['Content-Type'][-8:]}"
            # whole or not at all: a test reads it while it is written
            kept.with_suffix(".part").write_bytes(body)
            kept.with_suffix(".part").rename(kept)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *_: object) -> None:
            pass

    return Handler


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int)
    parser.add_argument("--home", type=Path)
    given = parser.parse_args()
    server = ThreadingHTTPServer(("127.0.0.1", given.port), handler(given.home))
    print("the collector listens", flush=True)
    server.serve_forever()
