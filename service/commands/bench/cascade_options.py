"""The options of `sqlassay bench cascade`."""

from dataclasses import dataclass
from typing import Annotated

import typer

from service.commands.options import AsJson, Labels


@dataclass(frozen=True, kw_only=True)
class CascadeOptions:
    sources: Labels
    replies: Annotated[
        str | None,
        typer.Option("--replies", metavar="FILE.jsonl", help="A model's recorded replies, or its scores."),
    ] = None
    mistaken: Annotated[
        float,
        typer.Option("--mistaken", min=0.0, max=1.0, metavar="SHARE", help="Without replies: how often a model errs."),
    ] = 0.05
    labels: Annotated[int, typer.Option("--labels", min=2, metavar="N", help="Labels of each agent.")] = 30
    call_cost: Annotated[float, typer.Option("--call-cost", min=0.0, metavar="MONEY", help="Cost of a call.")] = 0.002
    rounds: Annotated[int, typer.Option("--rounds", min=1, metavar="N", help="Draws to take the mean of.")] = 10
    seed: Annotated[int, typer.Option("--seed", min=0, metavar="N", help="Seed of the random numbers.")] = 1
    as_json: AsJson = False
