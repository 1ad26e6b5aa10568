"""`sqlassay serve`: the service, until it is stopped."""

from __future__ import annotations

from consumers.errors import Unavailable
from service.commands.exits import give_up, refuse
from service.commands.stored import settings
from service.pipeline.running import ProcessRole
from service.serving import run
from service.settings.loading import SettingsError


def serve(role: str) -> None:
    """Serves in the foreground; a role without its settings, or a dependency that is down, ends the command."""
    if role not in set(ProcessRole):
        refuse(f"unknown role {role!r}: one of {', '.join(ProcessRole)}")
    configured = settings()
    try:
        run(configured, ProcessRole(role))
    except SettingsError as error:
        refuse(str(error))
    except Unavailable as error:
        give_up(str(error))
