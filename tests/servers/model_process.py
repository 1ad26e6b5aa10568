"""A server that speaks the OpenAI protocol and misbehaves on script: `python model_process.py --port PORT`.

`POST /_script` sets what it does: {"then": STEP, "first": [STEP, …]}, where each of `first` is done once. `GET /_seen`
is every request it got. It is a process of its own and imports the standard library only.

The step `learner` plays the models of rule learning; each reply is a function of its request alone. It writes a rule
where enough samples are about one table and agree, so it needs clusters; one rule at a time, so it needs refinement;
and one for each odd label too, so it needs consolidation, since as a judge it reads some rules of a long list only.
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
            case "learner" if "input" in asked:
                return await reply(writer, embeddings(asked["input"]))
            case "learner":
                return await reply(writer, completion(learned_reply(asked)))
            case "credulous":
                return await reply(writer, completion(obey(asked)))
            case "status":
                return await reply(
                    writer, step.get("body", {"error": {"message": "no"}}), step["status"], step["headers"]
                )
            case "strict":
                return await strict(step, asked, writer)
            case "one_message" if asked["messages"][0]["role"] == "system":
                return await reply(writer, {"message": "System role not supported", "code": 400}, 400)
            case "one_message":
                return await reply(writer, completion(opinion(step)))
            case "responses":
                return await reply(writer, response(opinion(step)))
            case "thinking":
                return await reply(writer, thinking(step, asked))
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


async def strict(step: dict[str, Any], asked: dict[str, Any], writer: asyncio.StreamWriter) -> bool:
    """Refuses the first parameter that it does not know, in the words of the server that it plays."""
    for name, refusal in step["refuses"].items():
        if name in asked:
            return await reply(writer, refusal, step.get("status", 400))
    said = step.get("before", "") + opinion(step)
    return await reply(writer, response(said) if "input" in asked else completion(said))


def response(text: str) -> dict[str, Any]:
    """A body of the protocol of responses, with the reasoning before the reply."""
    return {
        "id": "r",
        "object": "response",
        "status": "completed",
        "output": [
            {"type": "reasoning", "summary": []},
            {"type": "message", "content": [{"type": "output_text", "text": text, "annotations": []}]},
        ],
        "usage": {"input_tokens": 900, "output_tokens": 100, "output_tokens_details": {"reasoning_tokens": 40}},
    }


def thinking(step: dict[str, Any], asked: dict[str, Any]) -> dict[str, Any]:
    """A model that reasons first: a reply with fewer tokens than it needs holds nothing."""
    limit = asked.get("max_tokens") or asked.get("max_completion_tokens") or 0
    said = completion(f"<think>Is it?</think>{opinion(step)}")
    if limit < step["needs"]:
        said = completion("")
        said["choices"][0]["finish_reason"] = "length"
        said["usage"]["completion_tokens"] = limit
    return said


HABITS = {
    "DISTINCT": "leaves out repeats",
    "UPPER": "writes capitals",
    "IS NOT NULL": "leaves out rows without a name",
    "ORDER BY": "sorts the names",
}
"""Constructs of SQL, and how a rule speaks about them."""
ANYTHING = "anything"
STANDS_OUT = 0.4
"""Least share of the samples that must be about one thing for the writer to see it."""
RULES_READ = 8
"""So many rules the judge reads; of a longer list it reads as many, spread evenly over it."""


def learned_reply(asked: dict[str, Any]) -> str:
    system, user = (asked["messages"][place]["content"] for place in (0, -1))
    data = json.loads(user.split("BEGIN DATA\n")[1].split("\nEND DATA")[0])
    if system.startswith("You write"):
        return rule_list(extracted(data["samples"]))
    if system.startswith("You improve"):
        return rule_list(refined(data["rules"], data["samples"]))
    if system.startswith("You join"):
        return rule_list(consolidated(data["rules"]))
    said = ruled_opinion(system, data)
    return pair_score(json.loads(said)) if system.startswith("You say how far") else said


def pair_score(said: dict[str, Any]) -> str:
    score = 0.9 if said["verdict"] == "Correct" else 0.2
    return json.dumps({"rationale": "It reads well.", "score": score, "rules_applied": said["rules_applied"]})


def rule_list(rules: list[dict[str, Any]]) -> str:
    return json.dumps({"reasoning": "", "rules": rules})


def a_rule(table: str, habit: str, right: bool, numbers: list[int]) -> dict[str, Any]:
    accepted = "is accepted" if right else "is refused"
    text = f"Asked about {table}, SQL that {HABITS[habit]} {accepted}, as in sample {len(numbers)} of its group."
    return {"side": "supports_right" if right else "supports_wrong", "text": text, "from": numbers}


def fact(sql: str) -> tuple[str, str]:
    """The table that is read, and the construct that people look at."""
    return sql.split("FROM ")[1].split(maxsplit=1)[0], next(habit for habit in HABITS if habit in sql)


def meant_by(rule: dict[str, Any]) -> tuple[str, str]:
    habit = next(habit for habit, phrase in HABITS.items() if phrase in rule["text"])
    return rule["text"].removeprefix("Asked about ").split(",")[0], habit


def sides(samples: list[dict[str, Any]]) -> dict[tuple[str, str], dict[bool, list[int]]]:
    found: dict[tuple[str, str], dict[bool, list[int]]] = {}
    for each in samples:
        found.setdefault(fact(each["sql"]), {True: [], False: []})[each["label"] == "right"].append(each["number"])
    return found


def extracted(samples: list[dict[str, Any]]) -> list[dict[str, Any]]:
    rules: list[dict[str, Any]] = []
    found = sides(samples)
    shown = [
        (key, each)
        for key, each in found.items()
        if abs(len(each[True]) - len(each[False])) >= 3 and share_of(each, samples) >= STANDS_OUT
    ]
    for key, each in sorted(shown, key=lambda pair: -sum(map(len, pair[1].values())))[:1]:
        right = len(each[True]) > len(each[False])
        rules.append(a_rule(*key, right, each[right]))
        # and one for each label that does not fit
        rules += [a_rule(*key, not right, [number]) for number in each[not right]]
    if not shown:
        habit = max(HABITS, key=lambda habit: sum(key[1] == habit for key in found))
        of_habit = [each for key, each in found.items() if key[1] == habit]
        right = sum(len(each[True]) for each in of_habit) >= sum(len(each[False]) for each in of_habit)
        rules.append(a_rule(ANYTHING, habit, right, [number for each in of_habit for number in each[right]]))
    return rules


def refined(rules: list[dict[str, Any]], samples: list[dict[str, Any]]) -> list[dict[str, Any]]:
    kept = [{**each, "from": []} for each in rules]
    known = {meant_by(each) for each in rules}
    missed = [each for each in samples if each["judged"] != each["label"]]
    for key, each in sides(missed).items():
        alike = {sample.get("question", sample["number"]) for sample in missed if fact(sample["sql"]) == key}
        stands_out = len(alike) >= 3 and share_of(each, missed) >= STANDS_OUT
        if key not in known and stands_out and len(each[True]) != len(each[False]):
            right = len(each[True]) > len(each[False])
            kept.append(a_rule(*key, right, each[right]))
            kept += [a_rule(*key, not right, [number]) for number in each[not right]]
    return kept


def share_of(numbers: dict[bool, list[int]], samples: list[dict[str, Any]]) -> float:
    return (len(numbers[True]) + len(numbers[False])) / len(samples)


def consolidated(rules: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for each in rules:
        found.setdefault(meant_by(each), []).append(each)
    merged: list[dict[str, Any]] = []
    for key, same in found.items():
        votes = {
            side: sum(each["labels"] for each in same if (each["side"] == "supports_right") is side)
            for side in (True, False)
        }
        if max(votes.values()) >= 2 and votes[True] != votes[False]:
            merged.append(a_rule(*key, votes[True] > votes[False], [each["number"] for each in same]))
    return merged


def read(rules: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if len(rules) <= RULES_READ:
        return rules
    return [rules[place * len(rules) // RULES_READ] for place in range(RULES_READ)]


def ruled_opinion(system: str, data: dict[str, Any]) -> str:
    table, habit = fact(data["sql"])
    given = system.split("BEGIN RULES\n")[1].split("\nEND RULES", maxsplit=1)[0] if "BEGIN RULES\n" in system else "[]"
    rules = [each for each in read(json.loads(given)) if meant_by(each)[1] == habit]
    fitting = [each for each in rules if meant_by(each)[0] == table] or [
        each for each in rules if meant_by(each)[0] == ANYTHING
    ]
    # without a rule it believes the answer, and rules that contradict each other make it doubt
    right = all(each["side"] == "supports_right" for each in fitting)
    said = json.loads(opinion({"verdict": "Correct" if right else "Incorrect"}))
    return json.dumps({**said, "rules_applied": [each["number"] for each in fitting]})


def embeddings(texts: list[str]) -> dict[str, Any]:
    """A vector for each text: how often each of some words stands in it."""
    words = ("loaves", "lamps", "rides", "visits")
    vectors = [[0.01 + text.count(word) for word in words] for text in texts]
    return {"data": [{"index": place, "embedding": each} for place, each in enumerate(vectors)]}


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
