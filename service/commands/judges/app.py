"""`sqlassay judges`: the commands about the model that judges."""

import typer

judges = typer.Typer(help="The model that judges.", no_args_is_help=True)


@judges.command("check")
def judges_check() -> None:
    """Ask the configured model about one sample: what works, what it costs and what is wrong."""
    from service.commands.judges.check import check_judges

    check_judges()


@judges.callback()
def root() -> None:
    """The model that judges."""
