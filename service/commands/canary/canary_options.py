"""The options of `sqlassay canary run`."""

from dataclasses import dataclass
from typing import Annotated

import typer


@dataclass(frozen=True, kw_only=True)
class CanaryRunOptions:
    benchmark: Annotated[str, typer.Argument(metavar="B.jsonl", help="The canaries, one case of a benchmark a line.")]
    endpoint: Annotated[str, typer.Option("--endpoint", metavar="URL", help="Where the live agent answers questions.")]
    agent: Annotated[str, typer.Option("--agent", metavar="NAME", help="The agent's name.")]
    agent_version: Annotated[
        str | None, typer.Option("--agent-version", metavar="V", help="The agent's release, if it is known.")
    ] = None
    tenant: Annotated[str, typer.Option("--tenant", metavar="NAME", help="The agent's tenant.")] = "default"
    service: Annotated[
        str, typer.Option("--service", metavar="URL", help="The SQLAssay that the answers are sent to.")
    ] = "http://127.0.0.1:8321"
    token_file: Annotated[
        str | None, typer.Option("--token-file", metavar="FILE", help="Holds a token with the scopes publish and read.")
    ] = None
    every: Annotated[str, typer.Option("--every", metavar="15m", help="How often each canary is asked: 1m to 24h.")] = (
        "15m"
    )
    once: Annotated[bool, typer.Option("--once", help="Ask those that are due, each once, and exit.")] = False
    dialect: Annotated[
        str | None, typer.Option("--dialect", metavar="NAME", help="The SQL dialect of cases that name none.")
    ] = None
    concurrency: Annotated[
        int, typer.Option("--concurrency", min=1, max=16, metavar="N", help="Canaries asked at the same time.")
    ] = 1
    timeout: Annotated[
        float, typer.Option("--timeout", min=0.1, max=600, metavar="S", help="Seconds for one answer of the agent.")
    ] = 60.0
