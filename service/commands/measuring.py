"""The commands that measure: this machine, a judge, and the weights that labels give it."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

bench = typer.Typer(help="Measure this machine.", no_args_is_help=True)
learn = typer.Typer(help="Turn labels into weights of the local judge.", no_args_is_help=True)
evaluation = typer.Typer(help="Measure agents and judges offline.", no_args_is_help=True)

AsJson = Annotated[bool, typer.Option("--json", help="JSON also on a terminal.")]


@bench.command("scoring")
def bench_scoring(
    source: Annotated[
        Optional[str], typer.Argument(metavar="FILE.jsonl", help="Events to score; the samples when left out.")
    ] = None,
    rounds: Annotated[int, typer.Option("--rounds", min=1, metavar="N", help="Runs; the median counts.")] = 5,
    as_json: AsJson = False,
) -> None:
    """Events per second on one core, microseconds per event by stage, and the ratio to a bare parse of the same SQL."""
    from service.commands.bench.scoring import bench_scoring as command

    command(source, rounds=rounds, as_json=as_json)


@bench.command("stream")
def bench_stream(
    seconds: Annotated[
        int, typer.Option("--seconds", min=5, metavar="N", help="How long each measurement lasts.")
    ] = 60,
    as_json: AsJson = False,
) -> None:
    """Kafka to committed row: rates as shares of what this machine does in process, waits, fairness. Needs Kafka."""
    from service.commands.bench.stream import bench_stream as command

    command(seconds=seconds, as_json=as_json)


@bench.command("judge")
def bench_judge(
    in_flight: Annotated[int, typer.Option("--in-flight", min=1, max=5000, metavar="N", help="Calls at once.")] = 200,
    model_seconds: Annotated[
        float, typer.Option("--model-seconds", min=0.01, metavar="S", help="How long the model takes for a reply.")
    ] = 1.0,
    seconds: Annotated[float, typer.Option("--seconds", min=1.0, metavar="S", help="How long to measure.")] = 20.0,
    as_json: AsJson = False,
) -> None:
    """Replies per second of the model judge against a slow model server of its own, as a share of the ideal."""
    from service.commands.bench.judge import bench_judge as command

    command(in_flight=in_flight, model_seconds=model_seconds, seconds=seconds, as_json=as_json)


@bench.command("equivalence")
def bench_equivalence(
    source: Annotated[
        str, typer.Argument(metavar="PAIRS.jsonl", help="Pairs whose `verdict` is NEQ, EQU or another label.")
    ],
    bound: Annotated[int, typer.Option("--bound", min=0, max=5, metavar="K", help="As of verify.")] = 2,
    budget: Annotated[float, typer.Option("--budget", min=0.1, metavar="SECONDS", help="As of verify.")] = 10.0,
    schema: Annotated[bool, typer.Option("--schema/--no-schema", help="Use the pairs' schemas, or infer them.")] = True,
    as_json: AsJson = False,
) -> None:
    """How many labelled pairs are told apart, wrongly told apart, and proved equal; at what cost."""
    from service.commands.bench.equivalence import bench_equivalence as command

    command(source, bound=bound, budget=budget, schema=schema, as_json=as_json)


@learn.command("calibrate")
def learn_calibrate(
    labels: Annotated[
        list[str], typer.Argument(metavar="LABELS.jsonl", help="Answers with `label`: 1 right, 0 wrong.")
    ],
    out: Annotated[str, typer.Option("--out", metavar="WEIGHTS.json", help="The weights file to write.")],
    version: Annotated[
        str, typer.Option("--version", metavar="NAME", help="Names the weights in every score they give.")
    ] = "custom",
    group: Annotated[
        str, typer.Option("--group", metavar="FIELD", help="Rows equal in this field are held out together.")
    ] = "question",
    weight: Annotated[
        Optional[list[float]], typer.Option("--weight", metavar="W", help="Of a row of each file, in their order.")
    ] = None,
) -> None:
    """Fit the local judge's weights to labelled answers, measured on groups held out. Needs the extra `learn`."""
    from service.commands.exits import refuse

    try:
        from service.commands.learn import calibrate
    except ImportError as error:
        refuse(f"calibration needs the extra `learn` ({error.name} is missing): pip install 'sqlassay[learn]'")
    calibrate(labels, out=out, version=version, group=group, dataset_weights=weight or [])


@evaluation.command("judge")
def eval_judge(
    labels: Annotated[
        list[str], typer.Argument(metavar="LABELS.jsonl", help="Answers with `label`: 1 right, 0 wrong.")
    ],
    judge: Annotated[
        str, typer.Option("--judge", metavar="local|llm|cascade", help="Who gives the verdict.")
    ] = "local",
    replies: Annotated[
        Optional[str], typer.Option("--replies", metavar="SCORES.jsonl", help="Verdicts stored by `sqlassay score`.")
    ] = None,
    against: Annotated[
        Optional[str], typer.Option("--against", metavar="SCORES.jsonl", help="A second judge's, for a paired test.")
    ] = None,
    bar: Annotated[
        float, typer.Option("--bar", metavar="γ", help="Confidence from which a cascade's local judge answers alone.")
    ] = 0.75,
    model_accuracy: Annotated[
        Optional[float], typer.Option("--model-accuracy", metavar="SHARE", help="Tell what a cascade over it brings.")
    ] = None,
    held_out: Annotated[
        Optional[str], typer.Option("--held-out", metavar="FIELD", help="Fit on answers that differ in this field.")
    ] = None,
    train: Annotated[
        Optional[list[str]], typer.Option("--train", metavar="LABELS.jsonl", help="More answers to fit on.")
    ] = None,
    train_weight: Annotated[
        Optional[list[float]], typer.Option("--train-weight", metavar="W", help="Of a row of each --train, in order.")
    ] = None,
    weights: Annotated[
        Optional[str], typer.Option("--weights", metavar="FILE", help="Weights of `learn calibrate` for the judge.")
    ] = None,
    question_only: Annotated[
        bool, typer.Option("--question-only", help="Hide the enriched question from the judge.")
    ] = False,
    by: Annotated[
        Optional[list[str]], typer.Option("--by", metavar="FIELD", help="Slice by a field of the rows; repeat it.")
    ] = None,
    group: Annotated[
        str, typer.Option("--group", metavar="FIELD", help="Rows equal in this field are drawn together.")
    ] = "question",
    out: Annotated[
        Optional[str], typer.Option("--out", metavar="DIR", help="Write report.md, report.json and two plots there.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Measure a judge against labels: agreement, calibration, confidence, slices. Needs the extra `learn`."""
    from service.commands.exits import refuse

    try:
        from service.commands.eval.report import Asked, run
    except ImportError as error:
        refuse(f"measuring needs the extra `learn` ({error.name} is missing): pip install 'sqlassay[learn]'")
    asked = Asked(
        judge=judge,
        replies=replies,
        against=against,
        bar=bar,
        model_accuracy=model_accuracy,
        held_out=held_out,
        training=train or [],
        training_weights=train_weight or [],
        weights=weights,
        question_only=question_only,
        by=by or [],
        group=group,
        out=out,
        as_json=as_json,
    )
    run(labels, asked)
