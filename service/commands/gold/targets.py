"""Imports what an option names as `module:function`."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from consumers.wire.texts import shorten


class UnusableTargetError(ValueError):
    """`module:function` cannot be called; the message says why."""


def load_target(name: str) -> Callable[..., Any]:
    """Imports `module:function`. Raises `UnusableTargetError`."""
    module, _, path = name.partition(":")
    if not module or not path:
        raise UnusableTargetError(f"{name!r} is not of the form module:function")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        found: Any = importlib.import_module(module)
        for part in path.split("."):
            found = getattr(found, part)
    except BaseException as error:  # An import runs anybody's code, which may even exit.
        raise UnusableTargetError(shorten(f"{name}: {type(error).__name__}: {error}", 300)) from None
    if not callable(found):
        raise UnusableTargetError(f"{name} is a value of the type {type(found).__name__}: name a callable")
    return found


def source_hash(name: str) -> str | None:
    """The hash of the file that defines a callable. Call it in a fork. Raises `UnusableTargetError`."""
    # what an import prints is no result of the command
    os.dup2(2, 1)
    target = load_target(name)
    try:
        file = inspect.getsourcefile(inspect.unwrap(target))
    except TypeError:
        file = None
    return hashlib.sha256(Path(file).read_bytes()).hexdigest() if file else None


def is_target(name: str) -> bool:
    """Whether an option's value is of the form `module:function`, and no file or URL.

    >>> is_target("my.names:tables"), is_target("schema.sql"), is_target("postgresql://host/{db_id}")
    (True, False, False)
    """
    module, colon, path = name.partition(":")
    parts = [*module.split("."), *path.split(".")]
    return bool(colon) and all(part.isidentifier() for part in parts) and not Path(name).exists()
