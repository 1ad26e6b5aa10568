"""Reads the settings from the environment, and explains what is wrong with them or misspelt."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, TypeVar

from pydantic import BaseModel, ValidationError

from service.settings.model_settings import ModelSettings
from service.settings.service_links import is_service_link
from service.settings.variables import PREFIX, TEST_PREFIX, TOKENS_PREFIX, variable_name

if TYPE_CHECKING:
    from service.settings import Settings

Read = TypeVar("Read", bound=ModelSettings)


class SettingsError(Exception):
    """A setting is wrong. The message names it and the fix, never a secret."""


def load_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """The settings of this process; raises `SettingsError` for a wrong value or a misspelt variable.

    `environment` replaces the process's environment in the search for misspelt names only.
    """
    unknown = _unknown_variables(os.environ if environment is None else environment)
    if unknown:
        raise SettingsError("; ".join(unknown))
    return _read(_all_settings())


def load_model_settings() -> ModelSettings:
    """What `load_settings` returns or raises, for commands that need no more than the judges.

    The other groups are loaded only where a variable may be one of theirs.
    """
    known = {variable_name(*path) for path, _ in setting_paths(ModelSettings)}
    given = {name.upper() for name in os.environ if name.upper().startswith(PREFIX)}
    alone = all(name in known or name.startswith(TEST_PREFIX) for name in given)
    return _read(ModelSettings) if alone else load_settings()


def _all_settings() -> type[Settings]:
    # most commands that ask a model leave the other groups at their defaults
    from service.settings import Settings  # noqa: PLC0415 for the reason above

    return Settings


def _read(kind: type[Read]) -> Read:
    try:
        return kind()
    except ValidationError as error:
        raise SettingsError("; ".join(_explained(fault["loc"], fault["msg"]) for fault in error.errors())) from None
    except ValueError as error:
        raise SettingsError(f"{error}: is a value that must be JSON not JSON?") from None


def _explained(loc: tuple[int | str, ...], message: str) -> str:
    return f"{variable_name(*map(str, loc))}: {message}" if loc else message.removeprefix("Value error, ")


def setting_paths(group: type[BaseModel] | None = None) -> Iterator[tuple[tuple[str, ...], str]]:
    """The path and description of every setting, or of those in a group."""
    for name, each in (group or _all_settings()).model_fields.items():
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
