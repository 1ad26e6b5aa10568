"""Which attributes each instrumentation writes, one table for each. `SpanTable` reads all of them."""

from __future__ import annotations

from dataclasses import dataclass

Names = tuple[str, ...]
STATUS, STATUS_TEXT = "otel.status_code", "otel.status_description"
"""OpenTelemetry's names of a span's status where it is an attribute; `ERROR` is a failure."""
SPAN_NAME = "span.name"
"""The name of a span, read as an attribute."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preset:
    """The attributes of one instrumentation, by what is read from them. Each list is in order of preference."""

    name: str
    sql: Names = ()
    """SQL that a database ran."""
    dialect: Names = ()
    error: Names = ()
    """Why the database did not run the SQL."""
    rows: Names = ()
    kind: Names = ()
    """What a span is: the call of a tool, of a model or of an agent."""
    tool: Names = ()
    """Only the span of a tool call has it."""
    tool_sql: Names = ()
    """Arguments of a tool call."""
    tool_output: Names = ()
    """What a tool gave back, which may be an error of the database."""
    question: Names = ()
    """The messages of a model call, or the question by name."""
    input: Names = ()
    """What a step was called with."""
    output: Names = ()
    """What a model or step gave back, which may hold SQL."""
    agent: Names = ()
    attributes: Names = ()
    """Copied to the event's attributes."""


SQLASSAY = Preset(
    name="SQLAssay's own",
    sql=("sqlassay.sql",),
    dialect=("sqlassay.dialect",),
    error=("sqlassay.result.error",),
    rows=("sqlassay.result.rows",),
    question=("sqlassay.question",),
    agent=("sqlassay.agent",),
)
OPENTELEMETRY = Preset(
    name="OpenTelemetry: database and GenAI conventions, Microsoft Agent Framework, AutoGen, Strands",
    sql=("db.query.text", "db.statement"),
    dialect=("db.system.name", "db.system"),
    error=("exception.message", STATUS_TEXT, "db.response.status_code", "exception.type", "error.type"),
    rows=("db.response.returned_rows",),
    kind=("gen_ai.operation.name",),
    tool=("gen_ai.tool.name",),
    tool_sql=("gen_ai.tool.call.arguments", "gen_ai.tool.message"),
    tool_output=("gen_ai.tool.call.result", "gen_ai.choice"),
    question=("gen_ai.input.messages", "gen_ai.prompt", "gen_ai.user.message"),
    output=("gen_ai.output.messages", "gen_ai.completion", "gen_ai.choice"),
    agent=("gen_ai.agent.name", "gen_ai.agent.id"),
    attributes=("gen_ai.conversation.id", "gen_ai.request.model", "db.namespace"),
)
OPENINFERENCE = Preset(
    name="OpenInference: LangChain, LlamaIndex, smolagents, OpenAI Agents, CrewAI, DSPy, Vanna",
    kind=("openinference.span.kind",),
    tool=("tool.name",),
    tool_sql=("tool.parameters", "input.value"),
    tool_output=("output.value",),
    question=("llm.input_messages",),
    input=("input.value",),
    output=("llm.output_messages", "output.value"),
    agent=("agent.name", "graph.node.id", "metadata"),
    attributes=("llm.model_name", "session.id"),
)
TRACELOOP = Preset(
    name="Traceloop (OpenLLMetry)",
    kind=("traceloop.span.kind",),
    tool_sql=("traceloop.entity.input",),
    tool_output=("traceloop.entity.output",),
    input=("traceloop.entity.input",),
    output=("traceloop.entity.output",),
    agent=("traceloop.entity.name", "traceloop.association.properties.lc_agent_name"),
)
PYDANTIC_AI = Preset(
    name="pydantic-ai and Logfire",
    tool_sql=("tool_arguments",),
    tool_output=("tool_response",),
    question=("pydantic_ai.all_messages",),
    output=("pydantic_ai.all_messages", "final_result"),
    agent=("agent_name",),
)
LANGFUSE = Preset(
    name="Langfuse",
    kind=("langfuse.observation.type",),
    tool_sql=("langfuse.observation.input",),
    tool_output=("langfuse.observation.output",),
    error=("langfuse.observation.status_message",),
    input=("langfuse.observation.input", "langfuse.trace.input"),
    output=("langfuse.observation.output",),
    agent=("langfuse.observation.metadata.lc_agent_name", "langfuse.trace.name"),
    attributes=("langfuse.observation.model.name",),
)
MLFLOW = Preset(
    name="MLflow",
    kind=("mlflow.spanType",),
    tool_sql=("mlflow.spanInputs",),
    tool_output=("mlflow.spanOutputs",),
    input=("mlflow.spanInputs",),
    output=("mlflow.spanOutputs",),
)
VERCEL = Preset(
    name="Vercel AI SDK",
    kind=("ai.operationId",),
    tool=("ai.toolCall.name",),
    tool_sql=("ai.toolCall.args",),
    tool_output=("ai.toolCall.result",),
    question=("ai.prompt.messages",),
    input=("ai.prompt",),
    output=("ai.response.object", "ai.response.text", "ai.response.toolCalls"),
    agent=("ai.telemetry.functionId",),
)
GOOGLE_ADK = Preset(
    name="Google ADK",
    tool_sql=("gcp.vertex.agent.tool_call_args",),
    tool_output=("gcp.vertex.agent.tool_response",),
    question=("gcp.vertex.agent.llm_request",),
    output=("gcp.vertex.agent.llm_response",),
    attributes=("gcp.vertex.agent.session_id",),
)
PRESETS = (SQLASSAY, OPENTELEMETRY, OPENINFERENCE, TRACELOOP, PYDANTIC_AI, LANGFUSE, MLFLOW, VERCEL, GOOGLE_ADK)
"""The instrumentations whose attributes are read; the first one counts where a span has attributes of several."""


def names_of(field: str) -> Names:
    """The attributes of all presets that may hold a field, each once."""
    return tuple(dict.fromkeys(name for each in PRESETS for name in getattr(each, field)))
