"""The command `sqlassay top`."""

from service.commands.options import with_options
from service.commands.top.top_options import TopOptions


@with_options(TopOptions)
def top(options: TopOptions) -> None:
    """Watch what the installation does now: rates, lag, what waits, silent agents, alarms and the judge's cost."""
    from service.commands.top.watch import watch

    watch(options)
