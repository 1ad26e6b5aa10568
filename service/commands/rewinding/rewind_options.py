"""The options of `sqlassay rewind`."""

from dataclasses import dataclass
from typing import Annotated

import typer


@dataclass(frozen=True, kw_only=True)
class RewindOptions:
    to: Annotated[str, typer.Argument(metavar="TIME", help="Read again what was published since this ISO 8601 time.")]
    topics: Annotated[
        list[str] | None,
        typer.Option(
            "--topic", metavar="NAME", help="A topic; repeat it for more. Default: those of events and spans."
        ),
    ] = None
    confirmed: Annotated[bool, typer.Option("--yes", help="Do it; without it the offsets are only printed.")] = False
