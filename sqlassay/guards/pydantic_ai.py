"""A guard for agents of Pydantic AI: an output validator."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, TypeVar

from sqlassay.guards.conversation import Conversation, MessageKind, MessagePart, read_conversation, sql_of, text_of
from sqlassay.guards.guard import MOST_RETRIES, PREFIX, Guard
from sqlassay.guards.packages import framework
from sqlassay.scorer import Scorer

Output = TypeVar("Output")


def sql_guard(
    *,
    below: float = 50.0,
    retries: int = MOST_RETRIES,
    scorer: Scorer | None = None,
    dialect: str | None = None,
    sql: Callable[[Any], str | None] = sql_of,
) -> Callable[[Any, Any], Awaitable[Any]]:
    """An output validator: `agent.output_validator(sql_guard())`.

    `sql` reads the SQL of an output; by default that is a field `sql` or `query`, the fenced block of a text, or the
    text. The agent's own limit on retries of outputs holds too, and an answer at that limit passes.
    """
    package = framework("pydantic_ai", package="pydantic-ai-slim", least="2.0", names=("ModelRetry", "FunctionToolset"))
    guard = Guard(below=below, retries=retries, scorer=scorer or Scorer(), dialect=dialect)

    async def guard_output(context: Any, output: Output) -> Output:
        def read() -> tuple[Conversation, str | None]:
            spent = context.retry >= context.max_retries
            return read_conversation(_parts(context.messages, sql)), None if spent else sql(output)

        objection = None
        if not getattr(context, "partial_output", False):
            objection = await asyncio.to_thread(guard.objection, read)
        if objection is not None:
            raise package.ModelRetry(objection)
        return output

    return guard_output


def _parts(messages: list[Any], sql: Callable[[Any], str | None]) -> Iterator[MessagePart]:
    for message in messages:
        for part in message.parts:
            match part.part_kind:
                case "user-prompt" | "retry-prompt" | "retry-feedback" if PREFIX in str(part.content):
                    yield MessagePart(MessageKind.OBJECTION, "")
                case "user-prompt":
                    yield MessagePart(MessageKind.QUESTION, text_of(part.content))
                case "text":
                    yield MessagePart(MessageKind.SQL, sql_of(part.content) or "")
                case "tool-call" if (found := sql(part.args_as_dict())) is not None:
                    yield MessagePart(MessageKind.SQL, found)
                case _:
                    pass
