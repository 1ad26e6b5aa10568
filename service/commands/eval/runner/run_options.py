"""The options of `sqlassay eval run`."""

from dataclasses import dataclass
from typing import Annotated

import typer

from service.commands.options import (
    AnyRole,
    AsJson,
    BackgroundFile,
    GoldJudgeName,
    OwnFunctions,
    ResultRule,
    WeightsFile,
)


@dataclass(frozen=True, kw_only=True)
class EvalRunOptions:
    """An option that decides the result belongs to `_identity` of the run too: another value makes another run."""

    backend: Annotated[
        str,
        typer.Option("--backend", metavar="recorded|http|openai|module:function", help="What gives the SQL."),
    ]
    out: Annotated[str, typer.Option("--out", metavar="DIR", help="The run's folder; the same command resumes it.")]
    benchmark: Annotated[
        str | None,
        typer.Option("--benchmark", metavar="B.jsonl", help="The cases, one a line; without it those that we ship."),
    ] = None
    predictions: Annotated[
        str | None, typer.Option("--predictions", metavar="P.jsonl", help="The SQL that --backend recorded gives.")
    ] = None
    endpoint: Annotated[
        str | None, typer.Option("--endpoint", metavar="URL", help="Where --backend http posts each case.")
    ] = None
    model: Annotated[
        str | None, typer.Option("--model", metavar="NAME", help="The model that --backend openai asks.")
    ] = None
    provider: Annotated[
        str | None,
        typer.Option(
            "--provider", metavar="NAME|URL", help="The model's server: NAME_BASE_URL and NAME_API_KEY, or a URL."
        ),
    ] = None
    prompt: Annotated[
        str | None,
        typer.Option("--prompt", metavar="FILE", help="The model's prompt, with {question}, {context} and {dialect}."),
    ] = None
    context: Annotated[
        str,
        typer.Option(
            "--context", metavar="full|names|none|module:function", help="What the backend learns about the database."
        ),
    ] = "full"
    databases: Annotated[
        str | None,
        typer.Option("--databases", metavar="DIR|URL", help="A folder of <db_id>.sqlite files, or a URL with {db_id}."),
    ] = None
    schemas: Annotated[
        str | None,
        typer.Option(
            "--schemas",
            metavar="FILE|DIR|module:function|mcp:TOOL@SERVER",
            help="DDL or a catalogue as JSON; a folder with <db_id>.sql; a callable; a tool.",
        ),
    ] = None
    grounding: Annotated[
        bool, typer.Option("--grounding/--no-grounding", help="Look for invented tables and columns.")
    ] = True
    verify: Annotated[
        bool | None,
        typer.Option(
            "--verify/--no-verify",
            help="Search and prove on every answer that passes EX-TEST; default with --databases and --schemas.",
        ),
    ] = None
    bound: Annotated[int, typer.Option("--bound", min=0, max=7, metavar="K", help="Verify up to K rows per table.")] = 3
    verify_seconds: Annotated[
        float, typer.Option("--verify-seconds", min=0.1, metavar="S", help="CPU seconds for verifying one answer.")
    ] = 20.0
    semantics: ResultRule = None
    dry_run: Annotated[
        str | None,
        typer.Option("--dry-run", metavar="bigquery:PROJECT[.DATASET]", help="Ask BigQuery whether it would run them."),
    ] = None
    judge: GoldJudgeName = "local"
    background: BackgroundFile = None
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
    cache: Annotated[
        str | None, typer.Option("--cache", metavar="DIR", help="Keep the backend's answers for later runs.")
    ] = None
    timeout: Annotated[
        float, typer.Option("--timeout", min=0.1, metavar="S", help="Seconds for one answer of the backend.")
    ] = 120.0
    seconds: Annotated[float, typer.Option("--seconds", min=0.1, metavar="S", help="Time limit of one query.")] = 10.0
    functions: OwnFunctions = None
    any_role: AnyRole = False
    fail_under: Annotated[
        list[str] | None,
        typer.Option("--fail-under", metavar="NAME=VALUE", help="Exit with 1 below pass=0.8; repeatable."),
    ] = None
    fail_on_regression: Annotated[
        str | None,
        typer.Option("--fail-on-regression", metavar="RUN", help="Exit with 1 when worse than RUN beyond chance."),
    ] = None
    allow_not_compared: Annotated[
        int | None,
        typer.Option(
            "--allow-not-compared",
            min=0,
            metavar="N",
            help="Exit with 1 when more than N answers were not compared; 0 where the gate has another condition.",
        ),
    ] = None
    junit: Annotated[str | None, typer.Option("--junit", metavar="FILE", help="Write a JUnit report.")] = None
    as_json: AsJson = False
