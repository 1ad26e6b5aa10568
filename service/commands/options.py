"""The options of the commands: shared ones as named types, long lists of them as one dataclass for each command.

Only typer is imported here, so that `--help` stays quick.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Annotated, TypeVar, get_type_hints

import typer

Options = TypeVar("Options")


def with_options(options: type[Options]) -> Callable[[Callable[[Options], None]], Callable[..., None]]:
    """Gives a command one option for each field of a dataclass, and calls it with the dataclass."""

    def decorate(command: Callable[[Options], None]) -> Callable[..., None]:
        @wraps(command)
        def run(**given: object) -> None:
            command(options(**given))

        run.__annotations__ = get_type_hints(options, include_extras=True)
        run.__signature__ = inspect.signature(options)  # pyright: ignore[reportAttributeAccessIssue] typer reads it
        return run

    return decorate


AsJson = Annotated[bool, typer.Option("--json", help="Print JSON on a terminal too.")]
Tenant = Annotated[str, typer.Argument(metavar="TENANT", help="The tenant's name.")]
Author = Annotated[str, typer.Option("--author", metavar="NAME", help="Who made the change.")]
Labels = Annotated[list[str], typer.Argument(metavar="LABELS.jsonl", help="Answers with `label`: 1 right, 0 wrong.")]
Events = Annotated[str, typer.Argument(metavar="FILE.jsonl", help="Events, one JSON object a line; - is stdin.")]
Pairs = Annotated[str, typer.Argument(metavar="PAIRS.jsonl", help="Pairs of queries, one a line; - is stdin.")]
OutputLines = Annotated[str, typer.Option("--out", metavar="OUT.jsonl", help="One line for each line in; - is stdout.")]
Judge = Annotated[str, typer.Option("--judge", metavar="local|llm|cascade", help="The judge that gives the verdict.")]
GoldJudgeName = Annotated[
    str,
    typer.Option(
        "--judge",
        metavar="NAME",
        help="local, llm or cascade; or miniature_mull, explain_compare, flex or g_eval, which see gold SQL.",
    ),
]
BackgroundFile = Annotated[
    str | None,
    typer.Option("--background", metavar="FILE", help="What a model is told of each data set: JSON by db_id, or text."),
]
WeightsFile = Annotated[
    str | None, typer.Option("--weights", metavar="FILE", help="Weights of the local judge, from `learn calibrate`.")
]
RowSemantics = Annotated[
    str | None, typer.Option("--semantics", metavar="bag|set|list", help="When two results count as the same.")
]
ResultRule = Annotated[
    str | None,
    typer.Option("--semantics", metavar="bag|set|list|defog", help="When two results count as the same."),
]
Bound = Annotated[
    int, typer.Option("--bound", min=0, max=7, metavar="K", help="Prove equality for tables of up to K rows.")
]
Budget = Annotated[float, typer.Option("--budget", min=0.1, metavar="SECONDS", help="CPU seconds for one pair.")]
OwnFunctions = Annotated[
    list[str] | None,
    typer.Option("--allow-function", metavar="NAME", help="A function of your database that queries may call."),
]
AnyRole = Annotated[
    bool, typer.Option("--any-role", help="Accept a PostgreSQL role that may do more than read tables.")
]
OnlyTenant = Annotated[str | None, typer.Option("--tenant", metavar="NAME", help="Only this tenant.")]
Since = Annotated[
    str | None, typer.Option("--since", metavar="TIME", help="Only answers at or after this ISO 8601 time.")
]
Until = Annotated[str | None, typer.Option("--until", metavar="TIME", help="Only answers before this ISO 8601 time.")]
InvalidReason = Annotated[
    str | None, typer.Option("--reason", metavar="CODE", help="Only dead letters with this reason.")
]
MaxCount = Annotated[int | None, typer.Option("--max", min=1, metavar="N", help="At most N dead letters.")]
MinedFile = Annotated[
    str | None,
    typer.Option("--file", metavar="EVENTS.jsonl", help="Read these events, with or without `label`; - is stdin."),
]
MostMined = Annotated[
    int, typer.Option("--max", min=1, metavar="N", help="At most N stored answers with a label, and N without.")
]
GroupField = Annotated[
    str, typer.Option("--group", metavar="FIELD", help="Rows with the same value in this field stay together.")
]


Learned = Annotated[
    str | None,
    typer.Option("--learned", metavar="FILE", help="Learned rules for the model; with --judge llm or cascade."),
]


@dataclass(frozen=True, kw_only=True)
class ScoreOptions:
    source: Annotated[
        str | None, typer.Argument(metavar="IN", help="Answers: a file .jsonl, .csv or .parquet; - is JSONL on stdin.")
    ] = None
    out: Annotated[
        str,
        typer.Option("--out", metavar="OUT", help="One row for each answer: .jsonl, .csv or .parquet; - is stdout."),
    ] = "-"
    judge: Judge = "local"
    rules_file: Annotated[
        str | None, typer.Option("--rules", metavar="FILE", help="One tenant's rules as JSON, used for every line.")
    ] = None
    learned: Learned = None
    schema_file: Annotated[
        str | None, typer.Option("--schema", metavar="FILE", help="The database's tables: DDL, or a catalogue as JSON.")
    ] = None
    with_reference: Annotated[
        bool,
        typer.Option(
            "--with-reference/--without-reference",
            help="Compare answers with their `reference_sql`, which never changes the score.",
        ),
    ] = True
    databases: Annotated[
        str | None,
        typer.Option("--databases", metavar="DIR|URL", help="Run both there, by the `db_id` of each line."),
    ] = None
    dialect: Annotated[
        str | None, typer.Option("--dialect", metavar="NAME", help="The SQL dialect of events that name none.")
    ] = None
    weights: WeightsFile = None
    cpu_seconds: Annotated[
        float,
        typer.Option("--cpu-seconds", metavar="S", min=0.01, max=60, help="CPU that a line may take, --judge local."),
    ] = 1.0
    memory: Annotated[
        bool, typer.Option("--memory", help="Judge each line with what earlier lines of its tenant taught.")
    ] = False
    question: Annotated[
        str | None, typer.Option("--question", "-q", metavar="TEXT", help="One question; explains its answer.")
    ] = None
    sql: Annotated[str | None, typer.Option("--sql", "-s", metavar="TEXT", help="The SQL that answers it.")] = None
    enriched: Annotated[
        str | None, typer.Option("--enriched", "-e", metavar="TEXT", help="The agent's enriched question.")
    ] = None
    history: Annotated[
        str | None,
        typer.Option("--history", metavar="FILE", help="The turns before that question: JSON with question and sql."),
    ] = None
    as_json: AsJson = False
    question_column: Annotated[
        str | None, typer.Option("--question-column", metavar="NAME", help="The column or key of the question.")
    ] = None
    sql_column: Annotated[
        str | None, typer.Option("--sql-column", metavar="NAME", help="The column or key of the SQL.")
    ] = None
    enriched_column: Annotated[
        str | None, typer.Option("--enriched-column", metavar="NAME", help="That of the enriched question.")
    ] = None
    id_column: Annotated[str | None, typer.Option("--id-column", metavar="NAME", help="That of the event's id.")] = None
    dialect_column: Annotated[
        str | None, typer.Option("--dialect-column", metavar="NAME", help="That of the SQL's dialect.")
    ] = None
    fail_under: Annotated[
        list[str] | None,
        typer.Option("--fail-under", metavar="NAME=N", help="Exit 1 if mean, p_correct or cover is less than N."),
    ] = None
    jobs: Annotated[
        int, typer.Option("--jobs", min=1, max=256, metavar="N", help="Processes that score, with --judge local.")
    ] = 1


@dataclass(frozen=True, kw_only=True)
class CompareOptions:
    source: Annotated[str, typer.Argument(metavar="PAIRS.jsonl", help="Answers with their references, one a line.")]
    databases: Annotated[
        str,
        typer.Option("--databases", metavar="DIR|URL", help="A folder of <db_id>.sqlite files, or a URL with {db_id}."),
    ]
    out: OutputLines = "-"
    semantics: ResultRule = None
    seconds: Annotated[float, typer.Option("--seconds", min=0.1, metavar="S", help="Time limit of one query.")] = 10.0
    functions: OwnFunctions = None
    any_role: AnyRole = False
    explain: Annotated[bool, typer.Option("--explain", help="Add flags and the difference to each line.")] = False


@dataclass(frozen=True, kw_only=True)
class VerifyOptions:
    source: Pairs
    out: OutputLines = "-"
    bound: Bound = 3
    budget: Budget = 10.0
    semantics: RowSemantics = None
    database: Annotated[
        str | None,
        typer.Option(
            "--database", metavar="FILE|URL", help="Run both queries on this database first, read-only: SQLite or URL."
        ),
    ] = None
    functions: OwnFunctions = None
    any_role: AnyRole = False
    explain: Annotated[
        bool, typer.Option("--explain", help="Print each finding as tables; as Markdown into a pipe.")
    ] = False
    cross_check: Annotated[
        bool, typer.Option("--cross-check", help="Try each counterexample on all answers to the same question.")
    ] = False


@dataclass(frozen=True, kw_only=True)
class ReportOptions:
    tenant: OnlyTenant = None
    by: Annotated[str, typer.Option("--by", metavar="agent|agent_version", help="What each row is about.")] = "agent"
    every: Annotated[
        str | None,
        typer.Option("--every", metavar="day|week", help="A row for each day, or week from Monday (UTC), too."),
    ] = None
    since: Since = None
    until: Until = None
    as_json: AsJson = False


@dataclass(frozen=True, kw_only=True)
class SlicesOptions:
    tenant: OnlyTenant = None
    agent: Annotated[str | None, typer.Option("--agent", metavar="NAME", help="Only this agent.")] = None
    changes: Annotated[
        bool,
        typer.Option("--changes", help="What got worse since the time before of the same length (default 7 days)."),
    ] = False
    kind: Annotated[
        str | None, typer.Option("--kind", metavar="KIND", help="Only slices of this kind, such as table or version.")
    ] = None
    since: Since = None
    until: Until = None
    most: Annotated[int, typer.Option("--most", min=1, max=1000, metavar="N", help="Most slices.")] = 20
    as_json: AsJson = False


@dataclass(frozen=True, kw_only=True)
class MineOptions:
    tenant: OnlyTenant = None
    file: MinedFile = None
    rules_file: Annotated[
        str | None, typer.Option("--rules", metavar="FILE", help="The rules in force as JSON, with --file.")
    ] = None
    since: Since = None
    until: Until = None
    most: MostMined = 5000
    as_json: AsJson = False


@dataclass(frozen=True, kw_only=True)
class AcceptOptions:
    ids: Annotated[list[str], typer.Argument(metavar="ID", help="Proposals, by the ids that `rules mine` prints.")]
    tenant: Annotated[str, typer.Option("--tenant", metavar="NAME", help="The tenant whose rules change.")]
    file: MinedFile = None
    since: Since = None
    until: Until = None
    most: MostMined = 5000
    author: Annotated[str, typer.Option("--author", metavar="NAME", help="Who made the change.")] = "cli"


@dataclass(frozen=True, kw_only=True)
class ForgetOptions:
    tenant: Annotated[str, typer.Option("--tenant", metavar="NAME", help="The tenant whose texts are removed.")]
    event_id: Annotated[
        str | None, typer.Option("--event", metavar="ID", help="Only events with this id, from any source.")
    ] = None
    rules: Annotated[
        bool, typer.Option("--rules", help="Remove all versions of the tenant's rules too; it then has the defaults.")
    ] = False
    reviewer: Annotated[
        str | None, typer.Option("--reviewer", metavar="NAME", help="Replace only this reviewer's name.")
    ] = None
    everything: Annotated[
        bool, typer.Option("--everything", help="Remove the rows themselves, with scores and names, and the rules.")
    ] = False
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only print what would be removed.")] = False


@dataclass(frozen=True, kw_only=True)
class BackfillOptions:
    tenant: OnlyTenant = None
    agent: Annotated[str | None, typer.Option("--agent", metavar="NAME", help="Only this agent.")] = None
    since: Annotated[
        str | None,
        typer.Option("--since", metavar="TIME", help="Only answers of this time (their own, ISO 8601) or later."),
    ] = None
    until: Until = None
    judge: Annotated[
        str | None,
        typer.Option("--judge", metavar="local|llm|cascade", help="The judge to use instead of the rules' judge."),
    ] = None
    rules_version: Annotated[
        int | None, typer.Option("--rules-version", metavar="N", help="Use this version of the tenant's rules.")
    ] = None
    make_current: Annotated[bool, typer.Option("--make-current", help="Show the new scores in lists and reports.")] = (
        False
    )
    memory: Annotated[
        bool, typer.Option("--memory", help="Judge the local judge's rows again with what memory knows now.")
    ] = False
    confirmed: Annotated[bool, typer.Option("--yes", help="Score after printing the estimate.")] = False


@dataclass(frozen=True, kw_only=True)
class SkipOptions:
    topic: Annotated[str, typer.Option("--topic", metavar="NAME", help="The topic, as the log names it.")]
    partition: Annotated[int, typer.Option("--partition", min=0, metavar="N", help="The partition that is stuck.")]
    offsets: Annotated[
        str | None, typer.Option("--offsets", metavar="FIRST-LAST", help="The offsets to give up, both included.")
    ] = None
    confirmed: Annotated[
        bool, typer.Option("--yes", help="Skip them; without it the offsets that cannot be read are printed.")
    ] = False


@dataclass(frozen=True, kw_only=True)
class AuditOptions:
    tenant: OnlyTenant = None
    action: Annotated[str | None, typer.Option("--action", metavar="NAME", help="Only this kind of change.")] = None
    since: Annotated[
        str | None, typer.Option("--since", metavar="TIME", help="Only changes at or after this ISO 8601 time.")
    ] = None
    until: Annotated[
        str | None, typer.Option("--until", metavar="TIME", help="Only changes before this ISO 8601 time.")
    ] = None
    most: Annotated[int, typer.Option("--max", min=1, max=100_000, metavar="N", help="At most N changes.")] = 100
    as_json: AsJson = False


@dataclass(frozen=True, kw_only=True)
class TokenOptions:
    scopes: Annotated[
        list[str],
        typer.Option("--scope", metavar="publish|read|review|admin", help="What it may be used for; repeat for more."),
    ]
    tenant: Annotated[
        str | None, typer.Option("--tenant", metavar="NAME", help="The tenant that it gives access to.")
    ] = None
    all_tenants: Annotated[bool, typer.Option("--all-tenants", help="Give access to every tenant.")] = False
    name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="How lists and logs call it; default from the tenant.")
    ] = None
    days: Annotated[
        int | None, typer.Option("--expires", min=1, max=36_500, metavar="DAYS", help="Days for which it is valid.")
    ] = None
