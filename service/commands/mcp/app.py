"""The command `sqlassay mcp`."""

from service.commands.exits import refuse
from service.commands.mcp.mcp_options import McpOptions
from service.commands.options import with_options


@with_options(McpOptions)
def mcp(options: McpOptions) -> None:
    """Offer scoring to an agent as tools of the Model Context Protocol, over stdin and stdout. Needs no database."""
    try:
        from service.commands.mcp.serve import serve_tools
    except ImportError as error:
        refuse(f"this command needs mcp 2.3 or later ({error}): pip install --upgrade 'sqlassay[mcp]'")
    serve_tools(options)
