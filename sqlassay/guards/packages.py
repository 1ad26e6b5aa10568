"""The frameworks that guards are for: none of them is a dependency of the library."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any


def framework(module: str, *, package: str, least: str, names: tuple[str, ...]) -> Any:
    """Imports a framework's module, which has these names from a version of its package on.

    Raises `ImportError`, which says what to install, where it is missing or too old.
    """
    advice = f"a guard for it needs {package} {least} or later: pip install '{package}>={least}'"
    try:
        found: Any = import_module(module)
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f"{_state(package)}; {advice}", name=error.name) from error
    if any(not hasattr(found, name) for name in names):
        raise ImportError(f"{_state(package)}; {advice}", name=module)
    return found


def _state(package: str) -> str:
    try:
        return f"{package} {version(package)} is too old"
    except PackageNotFoundError:
        return f"{package} is not installed"
