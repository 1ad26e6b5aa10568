"""A model behind an OpenAI-compatible server as a backend: a prompt, the context of a case, SQL from the reply."""

from __future__ import annotations

import asyncio
import hashlib
import re
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import cast

import orjson
from pydantic import SecretStr

from consumers.judging.ports import Completion, ModelFailed
from evals.runner.cases import BenchmarkCase, GenerationFailure, GenerationResult, TraceStep
from service.commands.eval.runner.generating import Generated
from service.judges.openai import OpenAIJudge, open_openai_judge

PROMPT = """You answer questions about a database with one SQL query.
Reply with JSON: {"sql": "..."}. The query only reads. Use the tables and columns below, and no others.

Dialect: {dialect}

{context}"""
"""The prompt where the options name none. `{question}`, `{context}` and `{dialect}` are replaced."""
TRIES = 4
"""Calls for one answer, while the server says that another may succeed."""
_MOST_TOKENS = 2_000
_REPLY = {
    "type": "object",
    "properties": {"sql": {"type": "string"}},
    "required": ["sql"],
    "additionalProperties": False,
}
_FENCE = re.compile(r"```[A-Za-z]*\s*\n?(.*?)```", re.DOTALL)
ContextProvider = Callable[[BenchmarkCase], Awaitable[str]]
"""What a model is told about the database of a case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelServer:
    """Which model is asked, and where."""

    base_url: str
    api_key: SecretStr | None
    model: str
    provider: str


@dataclass(slots=True)
class ModelBackend:
    """Asks a model once for each case; the system's message is the prompt, the user's is the question."""

    server: ModelServer
    prompt: str
    context: ContextProvider
    context_name: str
    dialect: str | None
    seconds: float
    concurrency: int
    models: list[OpenAIJudge] = field(default_factory=list[OpenAIJudge])

    @property
    def metadata(self) -> dict[str, object]:
        """What runs of models are compared by."""
        return {
            "model": self.server.model,
            "provider": self.server.provider,
            "prompt_version": hashlib.sha256(self.prompt.encode()).hexdigest()[:12],
            "context": self.context_name,
        }

    @asynccontextmanager
    async def opened(self) -> AsyncGenerator[None]:
        """Opens the connections."""
        opening = open_openai_judge(
            base_url=self.server.base_url,
            api_key=self.server.api_key,
            model=self.server.model,
            max_tokens=_MOST_TOKENS,
            connections=self.concurrency,
            seconds=self.seconds,
        )
        async with opening as model:
            self.models.append(model)
            yield
            self.models.clear()

    async def generate(self, case: BenchmarkCase, sample: int) -> Generated:
        """The model's SQL."""
        system, user = self._messages(case, await self.context(case))
        began = time.monotonic()
        reply = await self._asked(system, user)
        if isinstance(reply, GenerationFailure):
            return reply
        if reply.refused:
            return GenerationFailure("raised", "the model declined to answer")
        metadata = {**self.metadata, "tokens_in": reply.tokens_in, "tokens_out": reply.tokens_out}
        trace = (
            TraceStep(kind="system", content=system),
            TraceStep(kind="user", content=user),
            TraceStep(kind="assistant", content=reply.text, seconds=round(time.monotonic() - began, 3)),
        )
        return GenerationResult(sql_of(reply.text), metadata, trace)

    def _messages(self, case: BenchmarkCase, context: str) -> tuple[str, str]:
        named = case.metadata.get("dialect")
        dialect = self.dialect or (named if isinstance(named, str) else "SQLite")
        enriched = case.metadata.get("enriched_question")
        question = enriched if isinstance(enriched, str) else case.question
        # in one pass: a text that is put in may hold a mark of its own
        marks = {"{dialect}": dialect, "{context}": context, "{question}": question}
        system = re.sub(r"\{(?:dialect|context|question)\}", lambda found: marks[found.group()], self.prompt)
        return system, question

    async def _asked(self, system: str, user: str) -> Completion | GenerationFailure:
        wait = 0.5
        for place in range(TRIES):
            try:
                return await self.models[0].complete(system, user, _REPLY, seconds=self.seconds)
            except ModelFailed as error:
                if not error.retryable or place + 1 == TRIES:
                    return GenerationFailure("raised", str(error))
                await asyncio.sleep(error.retry_after if error.retry_after is not None else wait)
                wait *= 2
        raise AssertionError("unreachable: the last try returns")


def sql_of(text: str) -> str:
    """The field `sql` of a reply in the JSON that was asked for, also in a fence; else the whole text.

    >>> sql_of('{"sql": "SELECT 1"}'), sql_of("SELECT 3")
    ('SELECT 1', 'SELECT 3')
    """
    fenced = _FENCE.search(text)
    try:
        parsed: object = orjson.loads(fenced.group(1) if fenced else text)
    except orjson.JSONDecodeError:
        return text.strip()
    held = cast("dict[str, object]", parsed).get("sql") if isinstance(parsed, dict) else parsed
    return held if isinstance(held, str) else text
