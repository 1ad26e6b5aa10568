"""`sqlassay mcp`: serves the tools over stdin and stdout until stdin is closed."""

from __future__ import annotations

import asyncio
from importlib.metadata import version

from mcp.server import MCPServer

from consumers.wire.rules_document import RulesDocument
from service.commands.mcp.answers import House, open_scorer
from service.commands.mcp.mcp_options import McpOptions
from service.commands.mcp.tools import McpTools
from service.commands.rules.rules_file import load_rules, load_schema_document
from service.commands.score import known_dialect
from service.processes.forking import start_server
from service.processes.limited_pool import ProcessLimits, limited_pool

_LIMITS = ProcessLimits(workers=2, megabytes=4096)
_INSTRUCTIONS = (
    "Before you answer a question with SQL, read house_conventions. Then call score_sql with the question and your SQL;"
    " if reasons of the kind fault are given, correct the SQL and score it again."
)


def serve_tools(options: McpOptions) -> None:
    """Runs until stdin is closed. Rules, a schema or a dialect that cannot be used end the command."""
    house = House(
        rules=RulesDocument() if options.rules_file is None else load_rules(options.rules_file),
        schema=None if options.schema_file is None else load_schema_document(options.schema_file),
        dialect=None if options.dialect is None else known_dialect(options.dialect),
    )
    start_server()
    asyncio.run(_serve(house, options.budget))


async def _serve(house: House, budget: float) -> None:
    async with limited_pool(_LIMITS, open_scorer, house) as pool:
        server = MCPServer(
            "sqlassay",
            version=version("sqlassay"),
            instructions=_INSTRUCTIONS,
            log_level="WARNING",
            subscriptions=False,
        )
        for tool in McpTools(house, pool, budget).all():
            server.add_tool(tool)
        await server.run_stdio_async()
