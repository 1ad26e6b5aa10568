"""A tool of an MCP server as the source of schemas: `mcp:TOOL@COMMAND` starts a server, `mcp:TOOL@URL` calls one."""

from __future__ import annotations

import asyncio
import os
import shlex
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar, cast

import orjson

from consumers.wire.texts import shorten
from service.commands.gold.targets import UnusableTargetError

if TYPE_CHECKING:
    from mcp import Client
    from mcp_types import CallToolResult

Answer = TypeVar("Answer")
_PREFIX = "mcp:"
_SECONDS = 30.0
"""Clock time for starting the server and one call."""
_OWN = "SQLASSAY_"
"""Variables with this prefix hold our keys: a server that is started gets none of them."""


@dataclass(frozen=True, slots=True)
class SchemaTool:
    """A tool that is called with `db_id`, and where its server is."""

    tool: str
    server: str
    """A URL, or the command that starts it."""

    @property
    def is_remote(self) -> bool:
        """Whether the server runs already."""
        return self.server.startswith(("http://", "https://"))


def is_tool(place: str) -> bool:
    """Whether an option's value names a tool of an MCP server.

    >>> is_tool("mcp:describe@python server.py"), is_tool("schema.sql"), is_tool("my.names:tables")
    (True, False, False)
    """
    return place.startswith(_PREFIX)


def schema_tool(place: str) -> SchemaTool:
    """Reads `mcp:TOOL@COMMAND` or `mcp:TOOL@URL`. Raises `UnusableTargetError`.

    >>> schema_tool("mcp:describe@https://catalog.example/mcp").is_remote
    True
    """
    tool, _, server = place.removeprefix(_PREFIX).partition("@")
    if not tool.strip() or not server.strip():
        raise UnusableTargetError(f"{place!r} is not of the form mcp:TOOL@COMMAND or mcp:TOOL@URL")
    found = SchemaTool(tool.strip(), server.strip())
    try:
        shlex.split(found.server)
    except ValueError as error:
        raise UnusableTargetError(f"the command of {place!r} cannot be read: {error}") from None
    return found


def check_tool(place: str) -> None:
    """Raises `UnusableTargetError` where the server cannot be reached or offers no such tool."""
    tool = schema_tool(place)

    async def names(client: Client) -> list[str]:
        return [each.name for each in (await client.list_tools()).tools]

    offered = _with_client(tool, names, f"the server of {place!r} cannot be used")
    if tool.tool not in offered:
        raise UnusableTargetError(f"the server has no tool {tool.tool!r}: it offers {', '.join(offered) or 'none'}")


def schema_from_tool(place: str, db_id: str | None) -> bytes:
    """What the tool says of a database: DDL or a catalogue. Raises `UnusableTargetError`."""
    tool = schema_tool(place)
    asked = f"the tool {tool.tool} gave no schema of {str(db_id)[:80]!r}"
    result = _with_client(tool, lambda client: client.call_tool(tool.tool, {"db_id": db_id}), asked)
    if result.is_error:
        raise UnusableTargetError(f"{asked}: {shorten(_texts(result), 200)}")
    return _content(result)


def _with_client(tool: SchemaTool, work: Callable[[Client], Awaitable[Answer]], failed: str) -> Answer:
    """Calls the server; raises `UnusableTargetError`, which begins with `failed`."""
    try:
        return asyncio.run(_called(tool, work))
    except ImportError:
        raise UnusableTargetError("a tool of MCP needs the extra `mcp`: pip install 'sqlassay[mcp]'") from None
    except Exception as error:  # A server is anybody's program, and its client groups its errors.
        found = _innermost(error)
        raise UnusableTargetError(f"{failed}: {shorten(f'{type(found).__name__}: {found}', 200)}") from None


async def _called(tool: SchemaTool, work: Callable[[Client], Awaitable[Answer]]) -> Answer:
    # the client loads slowly, and most runs name no tool
    from mcp import Client, StdioServerParameters  # noqa: PLC0415 for the reason above

    words = shlex.split(tool.server)
    environment = {name: value for name, value in os.environ.items() if not name.startswith(_OWN)}
    started = StdioServerParameters(command=words[0], args=words[1:], env=environment)
    async with asyncio.timeout(_SECONDS), Client(tool.server if tool.is_remote else started) as client:
        return await work(client)


def _content(result: CallToolResult) -> bytes:
    """The structured content, without the object that servers put around a value that is no object; else the text."""
    held: Any = result.structured_content
    if isinstance(held, dict):
        fields = cast("dict[str, Any]", held)
        held = fields["result"] if set(fields) == {"result"} else fields
    if held is None:
        held = _texts(result)
    return held.encode() if isinstance(held, str) else orjson.dumps(held)


def _texts(result: CallToolResult) -> str:
    return "\n".join(str(getattr(each, "text", "")) for each in result.content)


def _innermost(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return error
