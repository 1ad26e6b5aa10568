"""A real MCP server whose tools describe the weaving mill: `python catalog_server.py FILE`."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

SERVER = MCPServer("catalog", log_level="WARNING", subscriptions=False)


def seen(tool: str, db_id: str) -> None:
    ours = sorted(name for name in os.environ if name.startswith("SQLASSAY_"))
    with Path(sys.argv[1]).open("a", encoding="utf-8") as file:
        file.write(f"{tool} {db_id} {ours}\n")


@SERVER.tool()
def as_ddl(db_id: str) -> str:
    """The tables as DDL."""
    seen("as_ddl", db_id)
    return "CREATE TABLE looms (id INTEGER, name TEXT, mill INTEGER, width REAL)"


@SERVER.tool()
def as_catalogue(db_id: str) -> dict[str, Any]:
    """The tables as a catalogue."""
    seen("as_catalogue", db_id)
    return {"tables": [{"name": "looms", "columns": [{"name": "id"}, {"name": "name"}]}]}


@SERVER.tool()
def broken(db_id: str) -> str:
    """Fails."""
    raise ToolError(f"no catalogue of {db_id} today")


@SERVER.tool()
def nonsense(db_id: str) -> str:
    """Returns no schema."""
    return "{not a catalogue"


if __name__ == "__main__":
    SERVER.run("stdio")
