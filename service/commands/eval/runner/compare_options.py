"""The options of `sqlassay eval compare`, `sqlassay eval leaderboard` and `sqlassay eval collect`."""

from dataclasses import dataclass
from typing import Annotated

import typer

from service.commands.options import AsJson, OutputLines


@dataclass(frozen=True, kw_only=True)
class CompareRunsOptions:
    first: Annotated[str, typer.Argument(metavar="RUN_A", help="The folder of a run.")]
    second: Annotated[str, typer.Argument(metavar="RUN_B", help="The folder of the run to compare with it.")]
    as_json: AsJson = False


@dataclass(frozen=True, kw_only=True)
class LeaderboardOptions:
    runs: Annotated[list[str], typer.Argument(metavar="RUN", help="The folders of runs.")]
    out: Annotated[str, typer.Option("--out", metavar="DIR", help="Write leaderboard.html and leaderboard.md there.")]


@dataclass(frozen=True, kw_only=True)
class CollectOptions:
    reviewed: Annotated[
        str, typer.Argument(metavar="REVIEWED.jsonl", help="Answers with label and correction; - is stdin.")
    ]
    out: OutputLines = "-"
