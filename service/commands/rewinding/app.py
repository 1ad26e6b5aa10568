"""The command `sqlassay rewind`."""

from service.commands.options import with_options
from service.commands.rewinding.rewind_options import RewindOptions


@with_options(RewindOptions)
def rewind(options: RewindOptions) -> None:
    """Let workers read records again since a time; stored events become duplicates. Needs all workers stopped."""
    from service.commands.rewinding.rewind import rewind as command

    command(options)
