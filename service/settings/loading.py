"""Reads the settings from the environment, and explains what is wrong with them or misspelt."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Mapping

from pydantic import BaseModel, ValidationError

from service.settings import Settings
from service.settings.service_links import is_service_link
from service.settings.variables import PREFIX, TEST_PREFIX, TOKENS_PREFIX, variable_name


class SettingsError(Exception):
    """A setting is wrong. The message names it and the fix, never a secret."""


def load_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """The settings of this process; raises `SettingsError` for a wrong value or a misspelt variable.

    `environment` replaces the process's environment in the search for misspelt names only.
    """
    unknown = _unknown_variables(os.environ if environment is None else environment)
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


def setting_paths(group: type[BaseModel] = Settings) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every setting's path and description."""
    for name, each in group.model_fields.items():
        kind = each.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from (((name, *path), text) for path, text in setting_paths(kind))
        else:
            yield (name,), each.description or ""


def _unknown_variables(environment: Mapping[str, str]) -> list[str]:
    """A line for each `SQLASSAY_…` variable that is not a setting, with the closest one that is.

    Those that Kubernetes writes for its Services are left out.
    """
    known = {variable_name(*path) for path, _ in setting_paths()}
    groups = {variable_name(path[0]) for path, _ in setting_paths() if len(path) > 1}
    lines: list[str] = []
    for name, value in sorted(environment.items()):
        upper = name.upper()
        if not upper.startswith(PREFIX) or upper.startswith((TEST_PREFIX, TOKENS_PREFIX)) or upper in known | groups:
            continue
        if is_service_link(name, value):
            continue
        closest = difflib.get_close_matches(upper, known, n=1, cutoff=0.0)
        lines.append(f"{name} is not a setting: did you mean {closest[0]}?")
    return lines
