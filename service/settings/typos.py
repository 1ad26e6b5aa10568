"""Finds misspelt variables and suggests the settings closest to them."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping

from pydantic import BaseModel

from service.settings import Settings
from service.settings.variables import PREFIX, TEST_PREFIX, TOKENS_PREFIX, variable_name


def setting_paths(group: type[BaseModel] = Settings) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every setting's path and description."""
    for name, each in group.model_fields.items():
        kind = each.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from (((name, *path), text) for path, text in setting_paths(kind))
        else:
            yield (name,), each.description or ""


def unknown_variables(environment: Mapping[str, str]) -> list[str]:
    """A line for each `SQLASSAY_…` variable that is not a setting, with the closest one that is."""
    known = {variable_name(*path) for path, _ in setting_paths()}
    groups = {variable_name(path[0]) for path, _ in setting_paths() if len(path) > 1}
    lines: list[str] = []
    for name in sorted(environment):
        upper = name.upper()
        if not upper.startswith(PREFIX) or upper.startswith((TEST_PREFIX, TOKENS_PREFIX)) or upper in known | groups:
            continue
        closest = difflib.get_close_matches(upper, known, n=1, cutoff=0.0)
        lines.append(f"{name} is not a setting: did you mean {closest[0]}?")
    return lines
