"""`sqlassay bench`: the commands that measure this machine."""

from typing import Annotated

import typer

from service.commands.bench.cascade_options import CascadeOptions
from service.commands.options import AsJson, Bound, Budget, with_options

bench = typer.Typer(help="Measure the speed of this machine.", no_args_is_help=True)


@bench.command("scoring")
def bench_scoring(
    source: Annotated[
        str | None, typer.Argument(metavar="FILE.jsonl", help="Events to score; the samples by default.")
    ] = None,
    rounds: Annotated[int, typer.Option("--rounds", min=1, metavar="N", help="Rounds to take the median of.")] = 5,
    as_json: AsJson = False,
) -> None:
    """Events per second on one core, microseconds per event by stage, and the ratio to a bare parse of the same SQL."""
    from service.commands.bench.scoring_speed import bench_scoring as command

    command(source, rounds=rounds, as_json=as_json)


@bench.command("stream")
def bench_stream(
    seconds: Annotated[int, typer.Option("--seconds", min=5, metavar="N", help="Length of each measurement.")] = 60,
    as_json: AsJson = False,
) -> None:
    """Kafka to committed row: throughput as a share of the in-process rate, waiting times, fairness. Needs Kafka."""
    from service.commands.bench.stream_speed import bench_stream as command

    command(seconds=seconds, as_json=as_json)


@bench.command("capacity")
def bench_capacity(
    answers: Annotated[int, typer.Option("--answers", min=1000, metavar="N", help="Answers to store.")] = 10_000,
    as_json: AsJson = False,
) -> None:
    """CPU time and bytes of one stored answer, from Kafka to its rows and indexes. Needs Kafka."""
    from service.commands.bench.capacity import bench_capacity as command

    command(answers=answers, as_json=as_json)


@bench.command("judge")
def bench_judge(
    in_flight: Annotated[int, typer.Option("--in-flight", min=1, max=5000, metavar="N", help="Calls at once.")] = 200,
    model_seconds: Annotated[
        float, typer.Option("--model-seconds", min=0.01, metavar="S", help="Seconds the model takes for one reply.")
    ] = 1.0,
    seconds: Annotated[float, typer.Option("--seconds", min=1.0, metavar="S", help="Length of the measurement.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Replies per second of the model judge, as a share of what a slow model server of its own allows."""
    from service.commands.bench.judge_speed import bench_judge as command

    command(in_flight=in_flight, model_seconds=model_seconds, seconds=seconds, as_json=as_json)


@bench.command("reports")
def bench_reports(
    answers: Annotated[
        int, typer.Option("--answers", min=1000, metavar="N", help="Stored answers; a tenth of them is measured too.")
    ] = 10_000_000,
    as_json: AsJson = False,
) -> None:
    """Milliseconds of a report over 30 days of 20 agents, and how they grow with the stored answers."""
    from service.commands.bench.report_speed import bench_reports as command

    command(answers=answers, as_json=as_json)


@bench.command("console")
def bench_console(
    answers: Annotated[int, typer.Option("--answers", min=1000, metavar="N", help="Stored answers.")] = 1_000_000,
    plans: Annotated[
        bool, typer.Option("--plans", help="Print PostgreSQL's plan of each statement that took over 200 ms.")
    ] = False,
    reads: Annotated[int, typer.Option("--reads", min=1, metavar="N", help="Reads of each page after the first.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Milliseconds of the console's pages, searches and lists, with full rows: the scored samples, copied."""
    from service.commands.bench.console_speed import bench_console as command

    command(answers=answers, plans=plans, reads=reads, as_json=as_json)


@bench.command("equivalence")
def bench_equivalence(
    source: Annotated[
        str, typer.Argument(metavar="PAIRS.jsonl", help="Pairs whose `verdict` is NEQ, EQU or another label.")
    ],
    bound: Bound = 2,
    budget: Budget = 10.0,
    schema: Annotated[bool, typer.Option("--schema/--no-schema", help="Use the pairs' schemas, or infer them.")] = True,
    as_json: AsJson = False,
) -> None:
    """How many labelled pairs `verify` refutes, refutes wrongly and proves equal, and the CPU time it takes."""
    from service.commands.bench.labelled_pairs import bench_equivalence as command

    command(source, bound=bound, budget=budget, schema=schema, as_json=as_json)


@bench.command("alarms")
def bench_alarms(
    right: Annotated[
        float, typer.Option("--right", max=1.0, metavar="SHARE", help="Share of right answers before the fall.")
    ] = 0.8,
    past: Annotated[
        list[int] | None,
        typer.Option("--past", min=0, metavar="N", help="Answers of each agent before the fall. Repeatable."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, metavar="N", help="Seed of the random numbers.")] = 1,
    as_json: AsJson = False,
) -> None:
    """False alarms per agent-year and delays of the agents' alarms, beside theory."""
    from service.commands.exits import refuse

    try:
        from service.commands.bench.alarm_delays import bench_alarms as command
    except ImportError as error:
        refuse(f"simulating needs the extra `learn` ({error.name} is missing): pip install 'sqlassay[learn]'")
    command(right=right, pasts=past or (1_000, 20_000), seed=seed, as_json=as_json)


@bench.command("year")
def bench_year(
    seed: Annotated[int, typer.Option("--seed", min=0, metavar="N", help="Seed of the random numbers.")] = 1,
    scale: Annotated[
        float, typer.Option("--scale", min=0.001, max=1.0, metavar="SHARE", help="Share of the agents to simulate.")
    ] = 1.0,
    as_json: AsJson = False,
) -> None:
    """Pages and tickets in a year of healthy agents, and answers until bad agents are found."""
    from service.commands.exits import refuse

    try:
        from service.commands.bench.alarm_year import bench_year as command
    except ImportError as error:
        refuse(f"simulating needs the extra `learn` ({error.name} is missing): pip install 'sqlassay[learn]'")
    command(seed=seed, scale=scale, as_json=as_json)


@bench.command("cascade")
@with_options(CascadeOptions)
def bench_cascade(options: CascadeOptions) -> None:
    """What a share of a model's calls brings: agreement with labels, and the width of agents' estimates."""
    from service.commands.exits import refuse

    try:
        from service.commands.bench.cascade_calls import bench_cascade as command
    except ImportError as error:
        refuse(f"measuring needs the extra `learn` ({error.name} is missing): pip install 'sqlassay[learn]'")
    command(options)
