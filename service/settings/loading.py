"""Reads the settings from the environment and explains what is wrong with them."""

from __future__ import annotations

import os
from collections.abc import Mapping

from pydantic import ValidationError

from service.settings import Settings
from service.settings.typos import unknown_variables
from service.settings.variables import variable_name


class SettingsError(Exception):
    """A setting is wrong. The message names it and the fix, never a secret."""


def load_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """The settings of this process; raises `SettingsError` for a wrong value or a misspelt variable.

    `environment` replaces the process's environment in the search for misspelt names only.
    """
    unknown = unknown_variables(os.environ if environment is None else environment)
    if unknown:
        raise SettingsError("; ".join(unknown))
    try:
        return Settings()
    except ValidationError as error:
        raise SettingsError("; ".join(_explained(fault["loc"], fault["msg"]) for fault in error.errors())) from None
    except ValueError as error:
        raise SettingsError(f"{error}: is a value that must be JSON not JSON?") from None


def _explained(loc: tuple[int | str, ...], message: str) -> str:
    return f"{variable_name(*map(str, loc))}: {message}" if loc else message.removeprefix("Value error, ")
