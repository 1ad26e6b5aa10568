"""What each command takes, on `docs/commands.md`, written from the commands: `python -m tests.command_usage`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.main import get_command

from service.commands.cli import app

PAGE = Path(__file__).parents[1] / "docs" / "commands.md"
_USAGE = re.compile(r"(?<=^## `)(sqlassay[^`]*)`\n\n(?:`[^`\n]*`\n\n)?", re.MULTILINE)
Parameter: TypeAlias = TyperArgument | TyperOption


def command_parameters() -> dict[str, list[Parameter]]:
    """The arguments and options of each command, by its full name; a group counts where it has options of its own."""
    return dict(_below("sqlassay", get_command(app)))


def commands_page(page: str) -> str:
    """The page with what each command takes, below its heading, written anew."""
    declared = command_parameters()
    return _USAGE.sub(lambda found: f"{found[1]}`\n\n{_usage(declared.get(found[1], []))}", page)


def _below(name: str, command: object) -> Iterator[tuple[str, list[Parameter]]]:
    if not isinstance(command, TyperGroup | TyperCommand):
        return
    given = [each for each in command.params if isinstance(each, TyperArgument | TyperOption)]
    shown = [each for each in given if "--help" not in each.opts]
    children = command.commands.items() if isinstance(command, TyperGroup) else ()
    if shown or not children:
        yield name, shown
    for child, each in children:
        yield from _below(f"{name} {child}", each)


def _usage(parameters: list[Parameter]) -> str:
    return f"`{' '.join(map(_parameter, parameters))}`\n\n" if parameters else ""


def _parameter(parameter: Parameter) -> str:
    metavar = parameter.metavar or ""
    if isinstance(parameter, TyperArgument):
        text = metavar
    else:
        text = "|".join([*parameter.opts, *parameter.secondary_opts])
        text += f"={metavar}" if metavar and not parameter.is_flag else ""
    return text if parameter.required else f"[{text}]"


if __name__ == "__main__":
    PAGE.write_text(commands_page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
