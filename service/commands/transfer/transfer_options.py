"""The options of `sqlassay export` and `sqlassay import`."""

from dataclasses import dataclass
from typing import Annotated

import typer

from service.commands.options import OnlyTenant, Since, Until


@dataclass(frozen=True, kw_only=True)
class ExportOptions:
    out: Annotated[
        str, typer.Option("--out", metavar="FILE", help="JSONL, CSV or Parquet, as its suffix says; - is stdout.")
    ] = "-"
    tenant: OnlyTenant = None
    agent: Annotated[str | None, typer.Option("--agent", metavar="NAME", help="Only this agent.")] = None
    since: Since = None
    until: Until = None
    evaluator_version: Annotated[
        str | None,
        typer.Option("--evaluator-version", metavar="V", help="All scores of this version, not the current ones."),
    ] = None


@dataclass(frozen=True, kw_only=True)
class ImportOptions:
    source: Annotated[
        str, typer.Argument(metavar="SCORES", help="Lines out of `sqlassay score`: JSONL or Parquet; - is stdin.")
    ]
    tenant: OnlyTenant = None
    evaluator_version: Annotated[
        str | None,
        typer.Option("--evaluator-version", metavar="V", help="The version to store, not the one that a line names."),
    ] = None
    make_current: Annotated[
        bool, typer.Option("--make-current", help="Show the imported scores in lists and reports.")
    ] = False
