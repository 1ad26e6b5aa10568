"""The command line: every command with its options. What a command does is in the module it imports when it runs.

The commands that measure stand in `measuring`.
"""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from service.commands.measuring import AsJson, bench, evaluation, learn

app = typer.Typer(
    name="sqlassay",
    help="Scores live text-to-SQL answers 0-100, with reasons, without a schema or a reference query.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    epilog="Exit codes: 0 done, 1 the answer is no, 2 bad usage or input, 3 a dependency is down.",
)
rules = typer.Typer(help="A tenant's rules: versioned documents; each change is a new version.", no_args_is_help=True)
app.add_typer(rules, name="rules")
dead_letters = typer.Typer(help="Records that could never become an evaluation.", no_args_is_help=True)
app.add_typer(dead_letters, name="dead-letters")
app.add_typer(bench, name="bench")
app.add_typer(learn, name="learn")
app.add_typer(evaluation, name="eval")

Tenant = Annotated[str, typer.Argument(metavar="TENANT", help="The tenant's name.")]


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        from scoring import EVALUATOR_VERSION

        typer.echo(f"sqlassay {version('sqlassay')} (evaluator {EVALUATOR_VERSION})")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the versions and exit.")
    ] = False,
) -> None:
    """Scores live text-to-SQL answers 0-100, with reasons, without a schema or a reference query."""


@app.command()
def score(
    source: Annotated[
        Optional[str], typer.Argument(metavar="IN.jsonl", help="Events, one JSON object a line; - is stdin.")
    ] = None,
    out: Annotated[str, typer.Option("--out", metavar="OUT.jsonl", help="Scores, a line for each; - is stdout.")] = "-",
    judge: Annotated[
        str, typer.Option("--judge", metavar="local|llm|cascade", help="Who gives the verdict.")
    ] = "local",
    rules_file: Annotated[
        Optional[str], typer.Option("--rules", metavar="FILE", help="One tenant's rules as JSON, for all lines.")
    ] = None,
    dialect: Annotated[
        Optional[str], typer.Option("--dialect", metavar="NAME", help="Dialect of SQL that names none.")
    ] = None,
    weights: Annotated[
        Optional[str], typer.Option("--weights", metavar="FILE", help="Weights of `learn calibrate` for the judge.")
    ] = None,
    question: Annotated[
        Optional[str], typer.Option("--question", "-q", metavar="TEXT", help="One question: explain its answer.")
    ] = None,
    sql: Annotated[Optional[str], typer.Option("--sql", "-s", metavar="TEXT", help="The SQL that answers it.")] = None,
    enriched: Annotated[
        Optional[str], typer.Option("--enriched", "-e", metavar="TEXT", help="The agent's enriched question.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Score a file of answers, or explain one (-q and --sql). Needs no database."""
    from service.commands import score as command
    from service.commands.exits import refuse

    one = question is not None or sql is not None or enriched is not None
    if one and (source is not None or question is None or sql is None):
        refuse("one answer needs both -q and --sql, and no input file")
    if one and out != "-":
        refuse("--out is for a file of answers; one answer is printed: redirect it with >")
    if not one and source is None:
        refuse("name a file of events (- is stdin), or one answer with -q and --sql")
    policy = command.known_policy(judge)
    scorer = command.Scorer(command.read_rules(rules_file, dialect), command.read_judge(weights))
    if policy.value != "local":
        from service.commands.score_models import with_models

        scorer = with_models(scorer, policy)
    if source is not None:
        command.summarise(scorer.score_file(source, out), out)
    elif question is not None and sql is not None:
        query = command.Query(question=question, sql=sql, enriched_question=enriched)
        command.explain(query, scorer(query), scorer.rules, as_json=as_json)


@app.command()
def compare(
    source: Annotated[str, typer.Argument(metavar="PAIRS.jsonl", help="Answers with references, one a line.")],
    databases: Annotated[
        str, typer.Option("--databases", metavar="DIR|URL", help="Folder of <db_id>.sqlite, or a URL with {db_id}.")
    ],
    out: Annotated[str, typer.Option("--out", metavar="OUT.jsonl", help="A line for each; - is stdout.")] = "-",
    semantics: Annotated[
        Optional[str],
        typer.Option("--semantics", metavar="bag|set|list", help="When rows are the same; unset: as the reference."),
    ] = None,
    seconds: Annotated[float, typer.Option("--seconds", min=0.1, metavar="S", help="Deadline of one query.")] = 10.0,
    explain: Annotated[bool, typer.Option("--explain", help="Add flags and the difference to each line.")] = False,
) -> None:
    """Compare answers with references by running both, read-only, on databases that you name."""
    from service.commands import compare as command

    command.summarise(
        command.compare_lines(source, out, databases, semantics=semantics, seconds=seconds, explain=explain), out
    )


@app.command()
def verify(
    source: Annotated[str, typer.Argument(metavar="PAIRS.jsonl", help="Pairs of queries, one a line; - is stdin.")],
    out: Annotated[str, typer.Option("--out", metavar="OUT.jsonl", help="A line for each; - is stdout.")] = "-",
    bound: Annotated[
        int, typer.Option("--bound", min=0, max=5, metavar="K", help="Rows a table up to which equality is proved.")
    ] = 3,
    budget: Annotated[
        float, typer.Option("--budget", min=0.1, metavar="SECONDS", help="CPU seconds that one pair may cost.")
    ] = 10.0,
    semantics: Annotated[
        Optional[str], typer.Option("--semantics", metavar="bag|set|list", help="For lines that name none.")
    ] = None,
    database: Annotated[
        Optional[str],
        typer.Option("--database", metavar="FILE|URL", help="Run both on it first, read-only: SQLite, or a URL."),
    ] = None,
    explain: Annotated[
        bool, typer.Option("--explain", help="Print each finding as tables; Markdown where piped.")
    ] = False,
    cross_check: Annotated[
        bool, typer.Option("--cross-check", help="Run each witness on all answers to the same question.")
    ] = False,
) -> None:
    """Say whether two queries mean the same: a small database on which they differ, or a proof that none is."""
    from service.commands import verify as command

    options = command.Options(
        bound=bound, budget=budget, semantics=command.read_semantics(semantics), database=database
    )
    command.summarise(command.verify_lines(source, out, options, explain=explain, cross_check=cross_check), out)


@app.command()
def serve(
    role: Annotated[
        str, typer.Option("--role", metavar="api|worker|all", help="What this process does; all needs no Kafka.")
    ] = "all",
) -> None:
    """Take events over HTTP, score and store them, and serve results, reports and metrics until stopped."""
    from service.commands.serve import serve as command

    command(role)


@app.command()
def demo(
    once: Annotated[bool, typer.Option("--once", help="Exit after the report.")] = False,
) -> None:
    """Score the samples in a throw-away store, print the report and the worst answers, and serve until Ctrl-C."""
    from service.commands.demo import demo as command

    command(once=once)


@app.command()
def report(
    tenant: Annotated[Optional[str], typer.Option("--tenant", metavar="NAME", help="One tenant only.")] = None,
    by: Annotated[
        str, typer.Option("--by", metavar="agent|agent_version", help="What a row of the report stands for.")
    ] = "agent",
    since: Annotated[
        Optional[str], typer.Option("--since", metavar="TIME", help="Answers from this ISO 8601 time on.")
    ] = None,
    until: Annotated[
        Optional[str], typer.Option("--until", metavar="TIME", help="Answers before this ISO 8601 time.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Mean score, P90 and coverage per agent (the paper's Table 4), with mean p_correct and the share judged wrong."""
    from service.commands.report import report as command

    command(tenant=tenant, by=by, since=since, until=until, as_json=as_json)


@app.command()
def publish(
    source: Annotated[
        str, typer.Argument(metavar="FILE.jsonl", help="Events, one JSON object a line; - is stdin.")
    ] = "-",
) -> None:
    """Publish events to Kafka. Exit code 1 when some lines are no events; those are told on stderr."""
    from service.commands.publish import publish as command

    command(source)


Reason = Annotated[Optional[str], typer.Option("--reason", metavar="CODE", help="Only those with this reason.")]
Most = Annotated[Optional[int], typer.Option("--max", min=1, metavar="N", help="At most so many.")]


@dead_letters.command("list")
def dead_letters_list(reason: Reason = None, most: Most = None, as_json: AsJson = False) -> None:
    """Print dead letters, oldest first: JSON lines with the original bytes, a line each on a terminal."""
    from service.commands.dead_letters import list_letters

    list_letters(reason=reason, most=most, as_json=as_json)


@dead_letters.command("replay")
def dead_letters_replay(reason: Reason = None, most: Most = None) -> None:
    """Send dead letters back to the topic they came from, each once. Exit code 1 when there was none to send."""
    from service.commands.dead_letters import replay_letters

    replay_letters(reason=reason, most=most)


@rules.command("show")
def rules_show(
    tenant: Tenant,
    version: Annotated[
        Optional[int], typer.Option("--version", metavar="N", help="This version, not the newest.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print a tenant's rules. Exit code 1 when it has none of its own."""
    from service.commands.rules import show

    show(tenant, version=version, as_json=as_json)


@rules.command("set")
def rules_set(
    tenant: Tenant,
    source: Annotated[str, typer.Argument(metavar="FILE", help="The rules as JSON; - is stdin.")] = "-",
    author: Annotated[str, typer.Option("--author", metavar="NAME", help="Who made the change.")] = "cli",
) -> None:
    """Store a tenant's rules as a new version and print its number."""
    from service.commands.rules import put

    put(tenant, source, author=author)


@app.command()
def migrate() -> None:
    """Bring the database's tables to this version. Safe to run twice, or twice at once."""
    from service.commands.migrate import migrate as command

    command()


@app.command()
def backfill(
    tenant: Annotated[
        Optional[str], typer.Option("--tenant", metavar="NAME", help="This tenant's events only.")
    ] = None,
    agent: Annotated[Optional[str], typer.Option("--agent", metavar="NAME", help="This agent's answers only.")] = None,
    since: Annotated[
        Optional[str], typer.Option("--since", metavar="TIME", help="Answers from this ISO 8601 time on.")
    ] = None,
    until: Annotated[
        Optional[str], typer.Option("--until", metavar="TIME", help="Answers before this ISO 8601 time.")
    ] = None,
    judge: Annotated[
        Optional[str],
        typer.Option("--judge", metavar="local|llm|cascade", help="Who judges, in place of the rules' judge."),
    ] = None,
    rules_version: Annotated[
        Optional[int], typer.Option("--rules-version", metavar="N", help="This version of the tenant's rules.")
    ] = None,
    make_current: Annotated[
        bool, typer.Option("--make-current", help="Lists and reports then read the new scores.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Go on after the estimate.")] = False,
) -> None:
    """Score stored events again, by this evaluator, other rules or another judge. Tells its cost first."""
    from service.commands.backfill import Scope
    from service.commands.backfill import backfill as command

    scope = Scope(tenant=tenant, agent=agent, since=since, until=until)
    command(scope, judge=judge, rules_version=rules_version, make_current=make_current, go_on=yes)


@app.command()
def forget(
    tenant: Annotated[str, typer.Option("--tenant", metavar="NAME", help="Whose texts.")],
    event_id: Annotated[
        Optional[str], typer.Option("--event", metavar="ID", help="Of this event alone, by whatever source.")
    ] = None,
) -> None:
    """Remove a tenant's texts, or one event's, from the database, Redis and the dead letters; scores and codes stay."""
    from service.commands.forget import forget as command

    command(tenant, event_id)
