"""A guard for tools of the OpenAI Agents SDK: a guardrail on the input of a tool that runs SQL."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from weakref import finalize

from sqlassay.guards.conversation import Conversation, MessageKind, MessagePart, read_conversation, text_of
from sqlassay.guards.guard import MOST_RETRIES, Guard
from sqlassay.guards.packages import framework
from sqlassay.scorer import Scorer


def sql_guard(
    *,
    argument: str = "sql",
    below: float = 50.0,
    retries: int = MOST_RETRIES,
    scorer: Scorer | None = None,
    dialect: str | None = None,
) -> Any:
    """A guardrail for `@function_tool(tool_input_guardrails=[sql_guard()])`.

    `argument` is the tool's argument that holds the SQL. SQL that does not pass is not run: the model gets the reasons
    as the tool's result.
    """
    agents = framework(
        "agents", package="openai-agents", least="0.20", names=("ToolGuardrailFunctionOutput", "tool_input_guardrail")
    )
    guard = Guard(below=below, retries=retries, scorer=scorer or Scorer(), dialect=dialect)
    asked = RunCounts()

    async def guard_sql(data: Any) -> Any:
        def read() -> tuple[Conversation, str | None]:
            context = data.context
            earlier = read_conversation(_parts(context.turn_input, argument))
            sql = json.loads(context.tool_arguments).get(argument)
            return replace(earlier, objections=asked.count(context.usage)), sql

        text = await asyncio.to_thread(guard.objection, read)
        if text is None:
            return agents.ToolGuardrailFunctionOutput.allow()
        asked.add(data.context.usage)
        return agents.ToolGuardrailFunctionOutput.reject_content(text)

    return agents.tool_input_guardrail(name="sqlassay")(guard_sql)


class RunCounts:
    """How often the model was asked again in each run. A run is known by an object that lives as long as it."""

    def __init__(self) -> None:
        self._counts: dict[int, int] = {}

    def count(self, run: object) -> int:
        """How often it was asked again in this run."""
        return self._counts.get(id(run), 0)

    def add(self, run: object) -> None:
        """Counts once more; forgets the run when it ends."""
        if id(run) not in self._counts:
            finalize(run, self._counts.pop, id(run), None)
        self._counts[id(run)] = self.count(run) + 1


def _parts(items: list[Any], argument: str) -> Iterator[MessagePart]:
    for item in items:
        if item.get("role") == "user":
            yield MessagePart(MessageKind.QUESTION, text_of(item.get("content")))
        elif item.get("type") == "function_call":
            found = json.loads(item.get("arguments") or "{}").get(argument)
            if isinstance(found, str):
                yield MessagePart(MessageKind.SQL, found)
