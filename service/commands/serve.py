"""`sqlassay serve`: the service, until it is stopped."""

from __future__ import annotations

from consumers.ports import Unavailable
from service.commands.exits import give_up, refuse
from service.commands.stored import settings
from service.serving import run
from service.settings import SettingsError

ALONE = "all"
"""The role that needs no other process."""
WITH_KAFKA = ("api", "worker")


def serve(role: str) -> None:
    """Serves in the foreground; a role that needs Kafka, or a dependency that is down, ends the command."""
    if role in WITH_KAFKA:
        refuse(f"--role {role} hands events over through Kafka, which this version does not speak: use --role {ALONE}")
    if role != ALONE:
        refuse(f"unknown role {role!r}: one of {', '.join((*WITH_KAFKA, ALONE))}")
    configured = settings()
    try:
        run(configured)
    except SettingsError as error:
        refuse(str(error))
    except Unavailable as error:
        give_up(str(error))
