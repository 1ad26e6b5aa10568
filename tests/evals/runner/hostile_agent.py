"""An agent that misbehaves: what it does with a case stands in the case's metadata."""

from __future__ import annotations

import asyncio
import os
import sys
import time

from evals.runner.cases import BenchmarkCase, GenerationResult, TraceStep


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
        case "time out by itself":
            raise TimeoutError("its own")
        case "trace":
            steps = [TraceStep(kind="tool", tool="look", content="``` <b>", seconds=0.25, ok=True)]
            return GenerationResult(case.gold_sql, {"model": "tiny", "prompt_version": "p7"}, steps)
        case _:
            return case.gold_sql


def plain(case: BenchmarkCase) -> str:
    return case.gold_sql
