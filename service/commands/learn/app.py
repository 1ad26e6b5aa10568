"""`sqlassay learn`: the commands that learn from labels."""

from typing import Annotated, NoReturn

import typer

from service.commands.learn.rule_options import LearnRulesOptions
from service.commands.options import AsJson, Author, Labels, Tenant, with_options

learn = typer.Typer(
    help="Learn the judge's weights, a tenant's calibration, or rules from labels.", no_args_is_help=True
)


@learn.command("calibrate")
def learn_calibrate(
    labels: Labels,
    out: Annotated[str, typer.Option("--out", metavar="WEIGHTS.json", help="The weights file to write.")],
    version: Annotated[
        str, typer.Option("--version", metavar="NAME", help="The name of these weights in every score.")
    ] = "custom",
    group: Annotated[
        list[str] | None,
        typer.Option("--group", metavar="FIELD", help="Held out to measure and to calibrate; may be repeated."),
    ] = None,
    weight: Annotated[
        list[float] | None, typer.Option("--weight", metavar="W", help="Weight of a row, once for each file in order.")
    ] = None,
    strict: Annotated[
        list[str] | None, typer.Option("--strict", metavar="LABELS.jsonl", help="Labels that also punish form.")
    ] = None,
    strict_weight: Annotated[
        list[float] | None,
        typer.Option("--strict-weight", metavar="W", help="Weight of a row, once for each --strict in order."),
    ] = None,
) -> None:
    """Fit the local judge's weights to labelled answers, measured on groups held out. Needs the extra `learn`.

    Labels by execution also punish form, such as an extra column: give them with `--strict`.
    """
    try:
        from service.commands.learn.calibrate import calibrate
    except ImportError as error:
        _needs_the_extra(error)
    calibrate(
        labels,
        out=out,
        version=version,
        groups=group or ["question"],
        dataset_weights=weight or [],
        strict=strict or [],
        strict_weights=strict_weight or [],
    )


@learn.command("tenant")
def learn_tenant(
    tenant: Tenant,
    promote: Annotated[bool, typer.Option("--promote", help="Put the calibration in force at once.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the calibration and store nothing.")] = False,
    author: Author = "cli",
    as_json: AsJson = False,
) -> None:
    """Fit a tenant's own calibration of the judge to its stored labels. Exit code 1 if it is not better."""
    try:
        from service.commands.learn.tenant import learn_tenant as command
    except ImportError as error:
        _needs_the_extra(error)
    command(tenant, promote=promote, dry_run=dry_run, author=author, as_json=as_json)


@learn.command("rules")
@with_options(LearnRulesOptions)
def learn_rules(options: LearnRulesOptions) -> None:
    """Learn rules for the model judge from labels, with a model. Exit code 1 if they are no better than none."""
    try:
        from service.commands.learn.learn_rules import learn_rules as command
    except ImportError as error:
        _needs_the_extra(error)
    command(options)


@learn.command("calibrations")
def show_calibrations(tenant: Tenant, as_json: AsJson = False) -> None:
    """List a tenant's calibrations, newest first, and which one is in force. Exit code 1 if there is none."""
    from service.commands.learn.calibration_versions import show_calibrations as command

    command(tenant, as_json=as_json)


@learn.command("promote")
def promote_calibration(
    tenant: Tenant,
    version: Annotated[
        int | None, typer.Option("--version", metavar="N", help="The calibration; without it the newest.")
    ] = None,
    author: Author = "cli",
) -> None:
    """Put a tenant's calibration in force for all answers from now on. Exit code 1 if it cannot be."""
    from service.commands.learn.calibration_versions import promote

    promote(tenant, version=version, author=author)


@learn.command("rollback")
def roll_back_calibration(tenant: Tenant, author: Author = "cli") -> None:
    """Put in force what was before the tenant's calibration. Exit code 1 if none is in force."""
    from service.commands.learn.calibration_versions import rollback

    rollback(tenant, author=author)


def _needs_the_extra(error: ImportError) -> NoReturn:
    from service.commands.exits import refuse

    refuse(f"learning needs the extra `learn` ({error.name} is missing): pip install 'sqlassay[learn]'")
