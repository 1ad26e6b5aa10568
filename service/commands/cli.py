"""The command line. Each command imports its module only when it runs, so that `--help` stays quick."""

from typing import Annotated

import typer

from service.commands.bench.app import bench
from service.commands.canary.app import canary
from service.commands.dead_letters.app import dead_letters, skip
from service.commands.eval.app import evaluation
from service.commands.judges.app import judges
from service.commands.learn.app import learn
from service.commands.learn.rule_options import PromoteRulesOptions
from service.commands.mcp.app import mcp
from service.commands.options import (
    AcceptOptions,
    AsJson,
    AuditOptions,
    Author,
    BackfillOptions,
    CompareOptions,
    Events,
    ForgetOptions,
    MineOptions,
    ReportOptions,
    ScoreOptions,
    SlicesOptions,
    Tenant,
    TokenOptions,
    VerifyOptions,
    with_options,
)
from service.commands.rewinding.app import rewind
from service.commands.rules.dictionary_options import DictionaryOptions
from service.commands.spans.app import spans
from service.commands.top.app import top
from service.commands.transfer.app import export, import_

app = typer.Typer(
    name="sqlassay",
    help="Scores live text-to-SQL answers 0-100, with reasons, without a schema or a reference query.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    epilog="Exit codes: 0 done, 1 the answer is no, 2 bad usage or input, 3 a dependency is down.",
)
rules = typer.Typer(help="Show or change a tenant's rules; each change is a new version.", no_args_is_help=True)
schema = typer.Typer(help="Show or change the schema of a tenant's database.", no_args_is_help=True)
tokens = typer.Typer(help="Create, list or revoke access tokens.", no_args_is_help=True)
app.add_typer(rules, name="rules")
app.add_typer(schema, name="schema")
app.add_typer(tokens, name="tokens")
app.add_typer(dead_letters, name="dead-letters")
for command in (mcp, rewind, skip, top, export):
    app.command()(command)
app.command("import")(import_)
for name, group in (
    ("bench", bench),
    ("learn", learn),
    ("eval", evaluation),
    ("canary", canary),
    ("spans", spans),
    ("judges", judges),
):
    app.add_typer(group, name=name)


def _print_version(requested: bool) -> None:
    if requested:
        from importlib.metadata import version

        from scoring import EVALUATOR_VERSION

        typer.echo(f"sqlassay {version('sqlassay')} (evaluator {EVALUATOR_VERSION})")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the versions and exit.")
    ] = False,
) -> None:
    """Scores live text-to-SQL answers 0-100, with reasons, without a schema or a reference query."""


@app.command()
@with_options(ScoreOptions)
def score(options: ScoreOptions) -> None:
    """Score a file of answers, or explain one (-q and --sql). Needs no database."""
    from service.commands.score import score as command

    command(options)


@app.command()
@with_options(CompareOptions)
def compare(options: CompareOptions) -> None:
    """Compare answers with references by running both, read-only, on databases that you name."""
    from service.commands.compare import compare_answers as command

    command(options)


@app.command()
@with_options(VerifyOptions)
def verify(options: VerifyOptions) -> None:
    """Check whether two queries mean the same: find a small database on which they differ, or prove there is none."""
    from service.commands.verify import verify_pairs as command

    command(options)


@app.command()
def serve(
    role: Annotated[
        str, typer.Option("--role", metavar="api|worker|all", help="What this process does; all needs no Kafka.")
    ] = "all",
) -> None:
    """Accept events over HTTP, score and store them, and serve results, reports and metrics until stopped."""
    from service.commands.serve import serve as command

    command(role)


@app.command()
def demo(once: Annotated[bool, typer.Option("--once", help="Exit after the report.")] = False) -> None:
    """Score the samples in a temporary store, print the report and the worst answers, and serve until Ctrl-C."""
    from service.commands.demo import demo as command

    command(once=once)


@app.command()
@with_options(ReportOptions)
def report(options: ReportOptions) -> None:
    """Mean score, P90 and coverage per agent (the paper's Table 4), with mean p_correct and the share judged wrong."""
    from service.commands.report import report as command

    command(options)


@app.command()
@with_options(SlicesOptions)
def slices(options: SlicesOptions) -> None:
    """Where agents lose most right answers: by table, column, condition, question, version and reason."""
    from service.commands.slices import slices as command

    command(options)


@app.command()
def publish(source: Events = "-") -> None:
    """Publish events to Kafka. Invalid lines are reported on stderr, and the exit code is then 1."""
    from service.commands.publish import publish as command

    command(source)


@app.command()
def doctor(as_json: AsJson = False) -> None:
    """Examine settings, servers, topics, tables, permissions, clocks and certificates; each fault names its fix."""
    from service.commands.doctor.examine import examine

    examine(as_json=as_json)


@rules.command("show")
def rules_show(
    tenant: Tenant,
    version: Annotated[
        int | None, typer.Option("--version", metavar="N", help="This version instead of the newest.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print a tenant's rules. Exit code 1 if the tenant uses the defaults."""
    from service.commands.rules.rule_versions import show_rules

    show_rules(tenant, version=version, as_json=as_json)


@rules.command("set")
def rules_set(
    tenant: Tenant,
    source: Annotated[str, typer.Argument(metavar="FILE", help="The rules as JSON; - is stdin.")] = "-",
    author: Author = "cli",
) -> None:
    """Store a tenant's rules as a new version and print its number."""
    from service.commands.rules.rule_versions import set_rules

    set_rules(tenant, source, author=author)


@schema.command("show")
def schema_show(
    tenant: Tenant,
    version: Annotated[
        int | None, typer.Option("--version", metavar="N", help="This version instead of the one in force.")
    ] = None,
) -> None:
    """Print the schema of a tenant's database as JSON. Exit code 1 if the tenant has none."""
    from service.commands.rules.schema_versions import show_schema

    show_schema(tenant, version=version)


@schema.command("set")
def schema_set(
    tenant: Tenant,
    source: Annotated[str, typer.Argument(metavar="FILE", help="DDL, or a catalogue as JSON; - is stdin.")] = "-",
    author: Author = "cli",
) -> None:
    """Store the schema of a tenant's database, with which the next answer is scored, and print its version."""
    from service.commands.rules.schema_versions import set_schema

    set_schema(tenant, source, author=author)


@schema.command("remove")
def schema_remove(tenant: Tenant, author: Author = "cli") -> None:
    """Score the next answer without a schema. Exit code 1 if the tenant has none."""
    from service.commands.rules.schema_versions import remove_schema

    remove_schema(tenant, author=author)


@rules.command("read")
@with_options(DictionaryOptions)
def rules_read(options: DictionaryOptions) -> None:
    """Print the rules that a data dictionary proposes, to check and to store. Exit code 1 if it proposes none."""
    from service.commands.rules.dictionary_rules import read_rules_of_dictionary

    read_rules_of_dictionary(options)


@rules.command("mine")
@with_options(MineOptions)
def rules_mine(options: MineOptions) -> None:
    """Propose rules that a tenant's answers show, without a model. Exit code 1 if there are no answers."""
    from service.commands.mining.mine import mine

    mine(options)


@rules.command("accept")
@with_options(AcceptOptions)
def rules_accept(options: AcceptOptions) -> None:
    """Put mined proposals in force as a new version of a tenant's rules. Exit code 1 if one is not proposed."""
    from service.commands.mining.mine import accept

    accept(options)


@rules.command("promote")
@with_options(PromoteRulesOptions)
def rules_promote(options: PromoteRulesOptions) -> None:
    """Put learned rules in force, measured on held-out labels. Exit code 1 if they are worse than what is in force."""
    from service.commands.learn.promote_rules import promote_rules

    promote_rules(options)


@rules.command("rollback")
def rules_rollback(tenant: Tenant, author: Author = "cli") -> None:
    """Put in force what was before the tenant's learned rules. Exit code 1 if none are in force."""
    from service.commands.learn.learned_rule_versions import roll_back_rules

    roll_back_rules(tenant, author=author)


@rules.command("learned")
def rules_learned(
    tenant: Tenant,
    version: Annotated[
        int | None, typer.Option("--version", metavar="N", help="Print the document of this set, to be edited.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List a tenant's learned rules, newest first, and which are in force. Exit code 1 if there are none."""
    from service.commands.learn.learned_rule_versions import show_learned

    show_learned(tenant, version=version, as_json=as_json)


@tokens.command("create")
@with_options(TokenOptions)
def tokens_create(options: TokenOptions) -> None:
    """Create a token and print it, once: only its hash is stored."""
    from service.commands.tokens import create_token

    create_token(options)


@tokens.command("list")
def tokens_list(as_json: AsJson = False) -> None:
    """Print every token, newest first, without its secret: JSON lines, or one short line each on a terminal."""
    from service.commands.tokens import list_tokens

    list_tokens(as_json=as_json)


@tokens.command("revoke")
def tokens_revoke(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The token's name or id.")],
) -> None:
    """Revoke a token; running processes refuse it within seconds. Exit code 1 if none in force has the name."""
    from service.commands.tokens import revoke_token

    revoke_token(name)


@app.command()
@with_options(AuditOptions)
def audit(options: AuditOptions) -> None:
    """Print who changed labels, rules, schemas, calibrations and tokens, newest first. Exit code 1 if nobody did."""
    from service.commands.audit import list_changes

    list_changes(options)


@app.command()
def migrate() -> None:
    """Bring the database's tables to this version. Safe to run twice, or twice at once."""
    from service.commands.migrate import migrate as command

    command()


@app.command()
@with_options(BackfillOptions)
def backfill(options: BackfillOptions) -> None:
    """Score stored events again with this evaluator, other rules or another judge. Prints an estimate first."""
    from service.commands.backfill import backfill as command

    command(options)


@app.command()
@with_options(ForgetOptions)
def forget(options: ForgetOptions) -> None:
    """Remove a tenant's texts, or one event's, from the database, Redis and the dead letters; and names, if asked."""
    from service.commands.forget import forget as command

    command(options)
