"""What a span stands for, as instrumentations name it."""

from __future__ import annotations

from enum import StrEnum


class SpanKind(StrEnum):
    """What a span stands for."""

    TOOL = "tool"
    """The call of a tool."""
    MODEL = "model"
    """The call of a model."""
    AGENT = "agent"
    """The run of an agent."""
    RETRIEVAL = "retrieval"
    """A search: what it gives back is no answer."""


_KINDS = {
    SpanKind.TOOL: "tool execute_tool ai.toolcall mcp_tool",
    SpanKind.MODEL: (
        "llm chat text_completion generate_content generation chat_model completion ai.generatetext.dogenerate"
        " ai.streamtext.dostream ai.generateobject.dogenerate ai.streamobject.dostream"
    ),
    SpanKind.AGENT: "agent invoke_agent",
    SpanKind.RETRIEVAL: "retriever retrieval embedding embeddings reranker ai.embed ai.embedmany memory",
}
_KIND_OF = {word: kind for kind, words in _KINDS.items() for word in words.split()}


def kind_of(value: object) -> SpanKind | None:
    """The kind that an attribute names; MLflow writes it as JSON.

    >>> kind_of("execute_tool"), kind_of('"CHAT_MODEL"'), kind_of("CHAIN")
    (<SpanKind.TOOL: 'tool'>, <SpanKind.MODEL: 'model'>, None)
    """
    return _KIND_OF.get(value.strip('" ').lower()) if isinstance(value, str) else None
