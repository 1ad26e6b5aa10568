"""The options of `sqlassay eval run`."""

from dataclasses import dataclass
from typing import Annotated

import typer

from service.commands.options import AnyRole, AsJson, Judge, OwnFunctions, WeightsFile


@dataclass(frozen=True, kw_only=True)
class EvalRunOptions:
    benchmark: Annotated[str, typer.Option("--benchmark", metavar="B.jsonl", help="The cases, one JSON object a line.")]
    backend: Annotated[
        str,
        typer.Option("--backend", metavar="recorded|http|openai|module:function", help="What gives the SQL."),
    ]
    out: Annotated[str, typer.Option("--out", metavar="DIR", help="The run's folder; the same again resumes it.")]
    predictions: Annotated[
        str | None, typer.Option("--predictions", metavar="P.jsonl", help="The SQL that --backend recorded gives.")
    ] = None
    databases: Annotated[
        str | None,
        typer.Option("--databases", metavar="DIR|URL", help="A folder of <db_id>.sqlite files, or a URL with {db_id}."),
    ] = None
    schemas: Annotated[
        str | None,
        typer.Option("--schemas", metavar="FILE|DIR", help="DDL or a catalogue as JSON; or a folder with <db_id>.sql."),
    ] = None
    grounding: Annotated[
        bool, typer.Option("--grounding/--no-grounding", help="Look for invented tables and columns.")
    ] = True
    judge: Judge = "local"
    weights: WeightsFile = None
    dialect: Annotated[
        str | None, typer.Option("--dialect", metavar="NAME", help="The SQL dialect of cases that name none.")
    ] = None
    schema: Annotated[str | None, typer.Option("--schema", metavar="NAME", help="Only cases of this schema.")] = None
    complexity: Annotated[
        str | None, typer.Option("--complexity", metavar="NAME", help="Only cases of this complexity.")
    ] = None
    category: Annotated[str | None, typer.Option("--category", metavar="NAME", help="Only cases of this category.")] = (
        None
    )
    limit: Annotated[int | None, typer.Option("--limit", min=1, metavar="N", help="Only the first N cases.")] = None
    samples: Annotated[
        int, typer.Option("--samples", min=1, max=100, metavar="K", help="Ask each case K times, for self-agreement.")
    ] = 1
    concurrency: Annotated[
        int, typer.Option("--concurrency", min=1, max=256, metavar="N", help="Cases that are asked at the same time.")
    ] = 4
    rate: Annotated[
        float | None, typer.Option("--rate", min=0.01, metavar="N", help="At most N calls of the backend a minute.")
    ] = None
    timeout: Annotated[
        float, typer.Option("--timeout", min=0.1, metavar="S", help="Seconds for one answer of the backend.")
    ] = 120.0
    seconds: Annotated[float, typer.Option("--seconds", min=0.1, metavar="S", help="Time limit of one query.")] = 10.0
    functions: OwnFunctions = None
    any_role: AnyRole = False
    as_json: AsJson = False
