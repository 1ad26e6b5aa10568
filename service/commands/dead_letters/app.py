"""`sqlassay dead-letters` and `sqlassay skip`: records that could not be scored, or not be read."""

import typer

from service.commands.options import AsJson, InvalidReason, MaxCount, SkipOptions, with_options

dead_letters = typer.Typer(help="List or replay the records that could not be scored.", no_args_is_help=True)


@dead_letters.command("list")
def dead_letters_list(reason: InvalidReason = None, limit: MaxCount = None, as_json: AsJson = False) -> None:
    """Print dead letters, oldest first: JSON lines with the original bytes, or one short line each on a terminal."""
    from service.commands.dead_letters.records import list_dead_letters

    list_dead_letters(reason=reason, limit=limit, as_json=as_json)


@dead_letters.command("replay")
def dead_letters_replay(reason: InvalidReason = None, limit: MaxCount = None) -> None:
    """Send dead letters back to the topic they came from, each once. Exit code 1 if there was nothing to send."""
    from service.commands.dead_letters.records import replay_dead_letters

    replay_dead_letters(reason=reason, limit=limit)


@with_options(SkipOptions)
def skip(options: SkipOptions) -> None:
    """Pass a Kafka batch that cannot be read: its offsets become dead letters. Needs all workers stopped, and --yes."""
    from service.commands.dead_letters.skip import skip as command

    command(options)
