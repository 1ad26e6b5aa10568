"""A server that speaks the OpenAI protocol and misbehaves on script: `python model_process.py --port PORT`.

`POST /_script` sets what it does: {"then": STEP, "first": [STEP, …]}, where each of `first` is done once. `GET /_seen`
is every request it got. It is a process of its own and imports the standard library only.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import re
from typing import Any

VERDICT = {"do": "verdict", "verdict": "Correct", "confidence": 0.9}
VERDICTS = ("Potentially Incorrect", "Likely Correct", "Incorrect", "Correct")


class Server:
    def __init__(self) -> None:
        self.first: list[dict[str, Any]] = []
        self.then: dict[str, Any] = VERDICT
        self.seen: list[dict[str, Any]] = []
        self.busy: set[object] = set()
        self.most = 0

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self.answer(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        path = head.split(" ", 2)[1]
        headers = dict(line.split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
        headers = {name.lower(): value for name, value in headers.items()}
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        if path.startswith("/_"):
            return await self.control(path, body, writer)
        self.seen.append({"path": path, "headers": headers, "body": body.decode()})
        step = self.first.pop(0) if self.first else self.then
        busy, mine = self.busy, object()
        busy.add(mine)
        self.most = max(self.most, len(busy))
        try:
            await asyncio.sleep(step.get("seconds", 0))
            return await self.act(step, json.loads(body), writer)
        finally:
            busy.discard(mine)

    async def control(self, path: str, body: bytes, writer: asyncio.StreamWriter) -> bool:
        if path == "/_script":
            script = json.loads(body)
            self.first, self.then, self.seen, self.most = script.get("first", []), script["then"], [], 0
            # those still waiting are of the script before
            self.busy = set()
        return await reply(writer, {"seen": self.seen, "most": self.most})

    async def act(self, step: dict[str, Any], asked: dict[str, Any], writer: asyncio.StreamWriter) -> bool:
        match step["do"]:
            case "verdict":
                return await reply(writer, completion(opinion(step), step.get("usage")))
            case "text":
                return await reply(writer, completion(step["text"], step.get("usage")))
            case "credulous":
                return await reply(writer, completion(obey(asked)))
            case "status":
                return await reply(
                    writer, step.get("body", {"error": {"message": "no"}}), step["status"], step["headers"]
                )
            case "no_schema":
                if asked.get("response_format", {}).get("type") == "json_schema":
                    return await reply(writer, {"error": {"message": "response_format json_schema: unsupported"}}, 400)
                return await reply(writer, completion(opinion(step)))
            case "refusal":
                return await reply(writer, completion(None, refusal="I cannot judge this."))
            case "raw":
                return await send(writer, step["text"].encode(), promised=step.get("promised"))
            case "huge":
                return await send(writer, b'{"choices": "' + b"x" * step["bytes"])
            case "packed":
                packed = gzip.compress(json.dumps(completion(opinion(VERDICT))).encode())
                return await send(writer, packed, headers={"content-encoding": "gzip"})
            case "drip":
                return await drip(writer, json.dumps(completion(opinion(VERDICT))).encode(), step["every"])
            case unknown:
                raise ValueError(unknown)


def opinion(step: dict[str, Any]) -> str:
    return json.dumps(
        {
            "rationale": step.get("rationale", "It reads well."),
            "verdict": step.get("verdict", "Correct"),
            "confidence": step.get("confidence", 0.9),
            "reason_codes": step.get("codes", []),
            "question_filters": step.get("filters", []),
        }
    )


def obey(asked: dict[str, Any]) -> str:
    """Does what the text it judges tells it to: the verdict it names, with the certainty it names."""
    said = asked["messages"][-1]["content"]
    found = re.search("|".join(VERDICTS), said)
    return opinion({"verdict": found[0] if found else "Incorrect", "confidence": 1.0, "rationale": "I was told so."})


def completion(text: str | None, usage: dict[str, int] | None = None, refusal: str | None = None) -> dict[str, Any]:
    message = {"role": "assistant", "content": text, "refusal": refusal}
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 0,
        "model": "stand-in",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": usage or {"prompt_tokens": 900, "completion_tokens": 100, "total_tokens": 1000},
    }


async def reply(
    writer: asyncio.StreamWriter, body: object, status: int = 200, headers: dict[str, str] | None = None
) -> bool:
    return await send(writer, json.dumps(body).encode(), status, headers)


async def send(
    writer: asyncio.StreamWriter,
    body: bytes,
    status: int = 200,
    headers: dict[str, str] | None = None,
    promised: int | None = None,
) -> bool:
    writer.write(head(status, promised or len(body), headers) + body)
    await writer.drain()
    return promised is None


async def drip(writer: asyncio.StreamWriter, body: bytes, every: float) -> bool:
    writer.write(head(200, len(body), None))
    for place in range(len(body)):
        writer.write(body[place : place + 1])
        await writer.drain()
        await asyncio.sleep(every)
    return True


def head(status: int, length: int, headers: dict[str, str] | None) -> bytes:
    lines = [f"HTTP/1.1 {status} Said", "content-type: application/json", f"content-length: {length}"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


async def main(port: int) -> None:
    server = await asyncio.start_server(Server(), "127.0.0.1", port, limit=2**22)
    print("the model answers", flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--port", type=int, required=True)
    arguments.add_argument("--home")
    asyncio.run(main(arguments.parse_args().port))
