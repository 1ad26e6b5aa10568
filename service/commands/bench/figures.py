"""Runs a bench that needs Kafka, and prints its figures.

Change this here when such figures are printed another way.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Coroutine
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from consumers.errors import Unavailable
from service.commands.command_context import settings as read_settings
from service.commands.exits import give_up, refuse
from service.settings import Settings
from service.settings.loading import SettingsError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def print_figures(measured: Callable[[Settings], Coroutine[Any, Any, DataclassInstance]], *, as_json: bool) -> None:
    """Prints what is measured with the settings: a table on a terminal, JSON elsewhere."""
    configured = read_settings()
    if configured.kafka.bootstrap_servers is None:
        refuse("this bench needs Kafka: set SQLASSAY_KAFKA__BOOTSTRAP_SERVERS")
    try:
        figures = asyncio.run(measured(configured))
    except SettingsError as error:
        refuse(str(error))
    except (Unavailable, OSError) as error:
        give_up(str(error))
    if as_json or not sys.stdout.isatty():
        print(json.dumps(asdict(figures)))
    else:
        for name, value in asdict(figures).items():
            print(f"{name:24} {value}")
