"""A guard for agents of LangChain: middleware around the tools that run SQL."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from sqlassay.guards.conversation import Conversation, MessageKind, MessagePart, read_conversation, text_of
from sqlassay.guards.guard import MOST_RETRIES, PREFIX, Guard
from sqlassay.guards.packages import framework
from sqlassay.scorer import Scorer


def sql_guard(
    tools: Mapping[str, str],
    *,
    below: float = 50.0,
    retries: int = MOST_RETRIES,
    scorer: Scorer | None = None,
    dialect: str | None = None,
) -> Any:
    """Middleware for `create_agent(…, middleware=[sql_guard({"run_sql": "query"})])`.

    `tools` names the tools that run SQL, each with the argument that holds it. SQL that does not pass is not run: the
    model gets the reasons as the tool's result.
    """
    middleware = framework(
        "langchain.agents.middleware", package="langchain", least="1.0", names=("AgentMiddleware", "wrap_tool_call")
    )
    ask = _ToolCalls(tools, Guard(below=below, retries=retries, scorer=scorer or Scorer(), dialect=dialect)).objection

    class SqlGuard(middleware.AgentMiddleware):
        """Asks the model again instead of running SQL that scores below the bound."""

        def wrap_tool_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
            """Runs the tool, or answers with the reasons."""
            return ask(request) or handler(request)

        async def awrap_tool_call(self, request: Any, handler: Callable[[Any], Awaitable[Any]]) -> Any:
            """Runs the tool, or answers with the reasons."""
            return await asyncio.to_thread(ask, request) or await handler(request)

    return SqlGuard()


@dataclass(frozen=True, slots=True)
class _ToolCalls:
    tools: Mapping[str, str]
    guard: Guard

    def objection(self, request: Any) -> Any:
        """The message to the model, or None if the call passes."""
        call = request.tool_call
        text = self.guard.objection(lambda: self._read(request)) if call["name"] in self.tools else None
        if text is None:
            return None
        message = import_module("langchain_core.messages").ToolMessage
        return message(content=text, tool_call_id=call["id"], name=call["name"], status="error")

    def _read(self, request: Any) -> tuple[Conversation, str | None]:
        call = request.tool_call
        earlier = read_conversation(_parts(request.state["messages"], self.tools))
        return earlier, call["args"].get(self.tools[call["name"]])


def _parts(messages: list[Any], tools: Mapping[str, str]) -> Iterator[MessagePart]:
    for message in messages:
        match message.type:
            case "human":
                yield MessagePart(MessageKind.QUESTION, text_of(message.content))
            case "ai":
                for call in message.tool_calls:
                    if call["name"] in tools:
                        yield MessagePart(MessageKind.SQL, str(call["args"].get(tools[call["name"]], "")))
            case "tool" if str(message.content).startswith(PREFIX):
                yield MessagePart(MessageKind.OBJECTION, "")
            case _:
                pass
