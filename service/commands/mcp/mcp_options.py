"""The options of `sqlassay mcp`. Only typer is imported here, so that `--help` stays quick."""

from dataclasses import dataclass
from typing import Annotated

import typer

from service.commands.options import Budget


@dataclass(frozen=True, kw_only=True)
class McpOptions:
    rules_file: Annotated[
        str | None, typer.Option("--rules", metavar="FILE", help="One tenant's rules as JSON, used for every answer.")
    ] = None
    schema_file: Annotated[
        str | None, typer.Option("--schema", metavar="FILE", help="The database's tables: DDL, or a catalogue as JSON.")
    ] = None
    dialect: Annotated[
        str | None, typer.Option("--dialect", metavar="NAME", help="The SQL dialect of answers that name none.")
    ] = None
    budget: Budget = 10.0
