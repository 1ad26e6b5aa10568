"""The options of `sqlassay eval estimate`."""

from dataclasses import dataclass
from typing import Annotated

import typer

from service.commands.options import AsJson


@dataclass(frozen=True, kw_only=True)
class EstimateOptions:
    scored: Annotated[str, typer.Argument(metavar="SCORED.jsonl", help="Lines out of `sqlassay score`; - is stdin.")]
    labels: Annotated[
        str, typer.Option("--labels", metavar="LABELS.jsonl", help="Labels of some of the answers; - is stdin.")
    ]
    verdicts: Annotated[
        str | None,
        typer.Option(
            "--verdicts", metavar="VERDICTS.jsonl", help="A model's verdicts on a random part of the answers."
        ),
    ] = None
    by: Annotated[
        str | None,
        typer.Option("--by", metavar="agent|tenant", help="A line for each; default: one line."),
    ] = None
    level: Annotated[
        float, typer.Option("--level", metavar="SHARE", help="How often the interval holds the true share.")
    ] = 0.9
    random: Annotated[
        bool, typer.Option("--random", help="The labelled answers were drawn at random, whatever their scores say.")
    ] = False
    as_json: AsJson = False
