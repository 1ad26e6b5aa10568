"""`sqlassay canary`: ask a live agent questions with known answers."""

import typer

from service.commands.canary.canary_options import CanaryRunOptions
from service.commands.options import with_options

canary = typer.Typer(help="Ask a live agent questions with known answers, on a schedule.", no_args_is_help=True)


@canary.command("run")
@with_options(CanaryRunOptions)
def canary_run(options: CanaryRunOptions) -> None:
    """Ask an agent each canary every so often until stopped, and send its answers apart from its users' answers."""
    from service.commands.canary.run import run_canaries

    run_canaries(options)


@canary.callback()
def root() -> None:
    """Ask a live agent questions with known answers, on a schedule."""
