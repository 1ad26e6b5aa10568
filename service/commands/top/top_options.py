"""The options of `sqlassay top`."""

from dataclasses import dataclass
from typing import Annotated

import typer


@dataclass(frozen=True, kw_only=True)
class TopOptions:
    services: Annotated[
        list[str] | None,
        typer.Option("--service", metavar="URL", help="A process to ask; repeat it for more. Default: this machine's."),
    ] = None
    token_file: Annotated[
        str | None,
        typer.Option(
            "--token-file", metavar="FILE", help="Holds a token for all tenants. Default: that of the settings."
        ),
    ] = None
    every: Annotated[
        float, typer.Option("--every", min=0.5, max=3600, metavar="S", help="Seconds between two refreshes.")
    ] = 2.0
    once: Annotated[bool, typer.Option("--once", help="Look twice, print once, and exit.")] = False
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON line for each refresh, on a terminal too.")] = (
        False
    )
