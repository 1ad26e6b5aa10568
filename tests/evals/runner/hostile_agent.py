"""An agent that misbehaves: what it does with a case stands in the case's metadata."""

from __future__ import annotations

import asyncio
import itertools
import os
import sys
import time
from collections.abc import Iterator, Mapping

from evals.runner.cases import BenchmarkCase, GenerationResult, TraceStep


class NotAnExceptionError(BaseException):
    """What `except Exception` does not catch."""


class UnspeakableError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("it cannot even be named")


class EndlessMetadata(Mapping[str, object]):
    """Never runs out of keys."""

    def __iter__(self) -> Iterator[str]:
        for number in itertools.count():
            time.sleep(0.001)
            yield str(number)

    def __getitem__(self, key: str) -> object:
        return 1

    def __len__(self) -> int:
        return 1


async def answer(case: BenchmarkCase) -> object:
    print("an agent may print")
    match case.metadata["do"]:
        case "raise":
            raise RuntimeError("no idea\n" * 100 + "\ud800")
        case "wait":
            return await asyncio.sleep(3_600)
        case "block":
            return time.sleep(3_600)  # noqa: ASYNC251 it hangs on purpose
        case "flood":
            return "SELECT " + "1, " * 100_000
        case "flood beside":
            return GenerationResult("SELECT 1", {"notes": "x" * 100_000})
        case "die":
            os._exit(7)
        case "exit":
            sys.exit(3)
        case "number":
            return 7
        case "interrupt":
            raise KeyboardInterrupt
        case "cancel":
            raise asyncio.CancelledError
        case "generator exit":
            raise GeneratorExit
        case "own base":
            raise NotAnExceptionError("neither")
        case "unspeakable":
            raise UnspeakableError
        case "endless metadata":
            return GenerationResult("SELECT 1", EndlessMetadata())
        case "deep metadata":
            deep: dict[str, object] = {}
            for _ in range(100_000):
                deep = {"in": deep}
            return GenerationResult("SELECT 1", deep)
        case "time out by itself":
            raise TimeoutError("its own")
        case "trace":
            steps = [TraceStep(kind="tool", tool="look", content="``` <b>", seconds=0.25, ok=True)]
            return GenerationResult(case.gold_sql, {"model": "tiny", "prompt_version": "p7"}, steps)
        case _:
            return case.gold_sql


def plain(case: BenchmarkCase) -> str:
    return case.gold_sql
