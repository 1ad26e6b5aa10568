"""The options of the commands about learned rules."""

from dataclasses import dataclass
from typing import Annotated

import typer

from service.commands.options import AsJson, Author, BackgroundFile

Group = Annotated[
    str, typer.Option("--group", metavar="FIELD", help="Answers with the same value of this field stay in one part.")
]
MaxCalls = Annotated[int | None, typer.Option("--max-calls", min=1, metavar="N", help="Most calls of models.")]
MaxTokens = Annotated[
    int | None, typer.Option("--max-tokens", min=1, metavar="N", help="Most tokens, sent and received.")
]
Journal = Annotated[
    str | None,
    typer.Option(
        "--journal", metavar="FILE", help="Keep the models' replies, so that a resumed run does not ask again."
    ),
]
RulesFile = Annotated[
    str | None, typer.Option("--rules", metavar="FILE", help="One tenant's rules as JSON, used for every line.")
]


@dataclass(frozen=True, kw_only=True)
class LearnRulesOptions:
    labels: Annotated[
        list[str] | None, typer.Argument(metavar="LABELS.jsonl", help="Answers with `label`: 1 right, 0 wrong.")
    ] = None
    out: Annotated[str, typer.Option("--out", metavar="RULES.json", help="The document to write.")]
    tenant: Annotated[
        str | None, typer.Option("--tenant", metavar="NAME", help="Learn from this tenant's stored labels.")
    ] = None
    rules_file: RulesFile = None
    group: Group = "question"
    learn_from: Annotated[
        int | None,
        typer.Option(
            "--learn-from", min=4, metavar="N", help="How many labels to learn from; the others are held out."
        ),
    ] = None
    curve: Annotated[
        str | None,
        typer.Option("--curve", metavar="N,N,…", help="Learn from so many labels first: how the gain grows with them."),
    ] = None
    cluster_by: Annotated[
        str | None, typer.Option("--cluster-by", metavar="FIELD", help="Cluster by this field, not by questions.")
    ] = None
    cluster_size: Annotated[
        int, typer.Option("--cluster-size", min=4, max=60, metavar="N", help="About how many labels form a cluster.")
    ] = 15
    threshold: Annotated[
        float,
        typer.Option("--threshold", min=0, max=1, metavar="A", help="θ: a cluster is done at this accuracy."),
    ] = 0.9
    rounds: Annotated[
        int,
        typer.Option("--rounds", min=0, max=20, metavar="T", help="How often a cluster's rules are refined at most."),
    ] = 3
    least_support: Annotated[
        int, typer.Option("--least-support", min=1, metavar="N", help="Fewest labels that a kept rule applies to.")
    ] = 3
    without: Annotated[
        list[str] | None,
        typer.Option("--without", metavar="clusters|refinement|consolidation", help="Leave out a step; repeatable."),
    ] = None
    references: Annotated[
        bool, typer.Option("--references", help="Show the writer `reference_sql`, `rows` and `reference_rows` too.")
    ] = False
    pairs: Annotated[
        bool, typer.Option("--pairs", help="Lines are pairs without a question: `sql_a`, `sql_b`, `label`, `schema`.")
    ] = False
    background: BackgroundFile = None
    seed: Annotated[int, typer.Option("--seed", min=0, metavar="N", help="Decides the split and the clusters.")] = 0
    max_calls: MaxCalls = 10_000
    max_tokens: MaxTokens = None
    journal: Journal = None
    as_json: AsJson = False


@dataclass(frozen=True, kw_only=True)
class PromoteRulesOptions:
    tenant: Annotated[str, typer.Argument(metavar="TENANT", help="The tenant's name.")]
    source: Annotated[
        str | None, typer.Argument(metavar="RULES.json", help="The document, or - for stdin, or else a --version.")
    ] = None
    version: Annotated[
        int | None, typer.Option("--version", min=1, metavar="N", help="A stored set instead of a document.")
    ] = None
    labels: Annotated[
        list[str] | None,
        typer.Option("--labels", metavar="FILE.jsonl", help="Measure on these, not on the tenant's stored labels."),
    ] = None
    group: Annotated[
        str | None,
        typer.Option("--group", metavar="FIELD", help="The field that `seen` lists; default as in `learn rules`."),
    ] = None
    force: Annotated[bool, typer.Option("--force", help="Put it in force even if it is worse or not measured.")] = False
    author: Author = "cli"
    max_calls: MaxCalls = 10_000
    max_tokens: MaxTokens = None
    journal: Journal = None
    as_json: AsJson = False
