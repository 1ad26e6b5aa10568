"""`sqlassay serve`: runs the service until it is stopped."""

from __future__ import annotations

from consumers.errors import Unavailable
from service.commands.command_context import settings
from service.commands.exits import give_up, refuse
from service.pipeline.running import ProcessRole
from service.serving import run
from service.settings.loading import SettingsError


def serve(role: str) -> None:
    """Runs in the foreground. Ends when the role lacks a setting or a dependency is down."""
    if role not in set(ProcessRole):
        refuse(f"unknown role {role!r}: one of {', '.join(ProcessRole)}")
    configured = settings()
    try:
        run(configured, ProcessRole(role))
    except SettingsError as error:
        refuse(str(error))
    except Unavailable as error:
        give_up(str(error))
