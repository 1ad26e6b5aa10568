"""The options of `sqlassay eval judge`."""

from dataclasses import dataclass
from typing import Annotated

import typer

from service.commands.options import AsJson, BackgroundFile, GoldJudgeName, GroupField, Labels, Learned, WeightsFile


@dataclass(frozen=True, kw_only=True)
class JudgeOptions:
    labels: Labels
    judge: GoldJudgeName = "local"
    with_reference: Annotated[
        bool, typer.Option("--with-reference", help="Show --judge llm the `reference_sql` of each answer too.")
    ] = False
    databases: Annotated[
        str | None,
        typer.Option("--databases", metavar="DIR|URL", help="Run both queries there, for judges that see a reference."),
    ] = None
    schemas: Annotated[
        str | None,
        typer.Option("--schemas", metavar="FILE|DIR|module:function", help="Their tables."),
    ] = None
    background: BackgroundFile = None
    rules: Annotated[
        str | None,
        typer.Option(
            "--rules", metavar="FILE|DIR", help="A tenant's rules; in a folder, those of each `company` by its name."
        ),
    ] = None
    learned: Learned = None
    replies: Annotated[
        str | None,
        typer.Option("--replies", metavar="SCORES.jsonl", help="Scores of `sqlassay score`, or model replies."),
    ] = None
    alone: Annotated[
        bool, typer.Option("--alone", help="With --replies: the model's own verdicts, without the record.")
    ] = False
    prompts: Annotated[
        str | None,
        typer.Option("--prompts", metavar="PROMPTS.jsonl", help="Write the prompts for a model there, and stop."),
    ] = None
    against: Annotated[
        str | None,
        typer.Option("--against", metavar="SCORES.jsonl", help="Verdicts of a second judge, for a paired test."),
    ] = None
    bar: Annotated[
        float, typer.Option("--bar", metavar="γ", help="Confidence at which the local judge of a cascade decides.")
    ] = 0.75
    model_accuracy: Annotated[
        float | None,
        typer.Option("--model-accuracy", metavar="SHARE", help="Predict a cascade with a model this accurate."),
    ] = None
    held_out: Annotated[
        list[str] | None,
        typer.Option("--held-out", metavar="FIELD", help="Fit on answers that differ in this field; may be repeated."),
    ] = None
    train: Annotated[
        list[str] | None, typer.Option("--train", metavar="LABELS.jsonl", help="More answers to fit on.")
    ] = None
    train_weight: Annotated[
        list[float] | None,
        typer.Option("--train-weight", metavar="W", help="Weight of a row, once for each --train in order."),
    ] = None
    weights: WeightsFile = None
    question_only: Annotated[
        bool, typer.Option("--question-only", help="Hide the enriched question from the judge.")
    ] = False
    by: Annotated[
        list[str] | None, typer.Option("--by", metavar="FIELD", help="Report by this field too; may be repeated.")
    ] = None
    group: GroupField = "question"
    out: Annotated[
        str | None, typer.Option("--out", metavar="DIR", help="Write report.md, report.json and two plots there.")
    ] = None
    as_json: AsJson = False
