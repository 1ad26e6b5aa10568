"""A slow model server for measurements: waits, replies with the same verdict to every call, and counts the calls.

`python -m service.commands.bench.slow_model PORT SECONDS` implements the part of the OpenAI protocol that a judge uses.
`GET /calls` returns how many calls were answered and how many wait.
"""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import dataclass

import uvloop

_OPINION: dict[str, object] = {
    "rationale": "It reads as asked.",
    "verdict": "Likely Correct",
    "confidence": 0.7,
    "reason_codes": [],
    "question_filters": [],
}


@dataclass(slots=True)
class Calls:
    """Counts the calls."""

    seconds: float
    answered: int = 0
    waiting: int = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serves one connection, which stays open between calls."""
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                lines = head.decode("latin-1").lower().split("\r\n")
                sizes = [int(line.partition(":")[2]) for line in lines if line.startswith("content-length:")]
                await reader.readexactly(sum(sizes))
                body = json.dumps(self.counts() if lines[0].startswith("get ") else await self.reply()).encode()
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n")
                writer.write(f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    def counts(self) -> dict[str, int]:
        return {"answered": self.answered, "waiting": self.waiting}

    async def reply(self) -> dict[str, object]:
        """Returns a chat completion after the delay."""
        self.waiting += 1
        try:
            await asyncio.sleep(self.seconds)
        finally:
            self.waiting -= 1
        self.answered += 1
        return {
            "id": f"call-{self.answered}",
            "object": "chat.completion",
            "created": 0,
            "model": "slow",
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "stop",
                    "message": {"role": "assistant", "content": json.dumps(_OPINION)},
                }
            ],
            "usage": {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120},
        }


async def main(port: int, seconds: float) -> None:
    """Serves until the process is killed."""
    server = await asyncio.start_server(Calls(seconds).serve, "127.0.0.1", port, backlog=1024)
    print("serving", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    # a fast event loop, so that this server's own work does not slow down its callers
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main(int(sys.argv[1]), float(sys.argv[2])))
