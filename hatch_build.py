"""Builds the wheel: every room goes into the package `sqlassay`, and its imports with it.

In the repository the rooms are top-level packages. Installed so, `scoring` or `service` would collide with modules of
the application beside them.
"""

from __future__ import annotations

import ast
import re
import shutil
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PACKAGE = "sqlassay"
ROOMS = ("scoring", "references", "learning", "consumers", "evals", "service", "migrations")
_LEFT_OUT = shutil.ignore_patterns("__pycache__", "*.pyc")


class UnmovableImportError(Exception):
    """The import binds a name that moving the room would change."""


def moved(source: str, name: str) -> str:
    """The source of a module with each import of a room changed to one from `sqlassay`.

    >>> moved("from scoring.rules import Rules; import migrations", "x.py")
    'from sqlassay.scoring.rules import Rules; from sqlassay import migrations'
    """
    lines = source.splitlines(keepends=True)
    # from the last to the first, so that columns stay what they are
    for node in sorted(_imports(ast.parse(source)), key=lambda each: (each.lineno, each.col_offset), reverse=True):
        line = lines[node.lineno - 1]
        before, statement = line[: node.col_offset], line[node.col_offset :]
        if not line.isascii():
            encoded = line.encode()
            before, statement = encoded[: node.col_offset].decode(), encoded[node.col_offset :].decode()
        lines[node.lineno - 1] = before + _moved_statement(node, statement, name)
    return "".join(lines)


def _imports(tree: ast.Module) -> list[ast.Import | ast.ImportFrom]:
    return [
        node
        for node in ast.walk(tree)
        if (isinstance(node, ast.ImportFrom) and node.level == 0 and _in_room(node.module or ""))
        or (isinstance(node, ast.Import) and any(_in_room(alias.name) for alias in node.names))
    ]


def _in_room(module: str) -> bool:
    return module.partition(".")[0] in ROOMS


def _moved_statement(node: ast.Import | ast.ImportFrom, statement: str, name: str) -> str:
    if isinstance(node, ast.ImportFrom):
        return re.sub(r"^from\s+", f"from {PACKAGE}.", statement)
    [alias, *others] = node.names
    if others or ("." in alias.name and alias.asname is None):
        raise UnmovableImportError(f"{name}:{node.lineno}: write `from … import …` for {alias.name}")
    parent, _, last = alias.name.rpartition(".")
    bound = last if alias.asname is None else f"{last} as {alias.asname}"
    source = f"{PACKAGE}.{parent}" if parent else PACKAGE
    return re.sub(r"^import\s+\S+( as \w+)?", f"from {source} import {bound}", statement)


def build_package(root: Path, target: Path) -> None:
    """Writes the package `sqlassay` with all rooms into a folder, which is emptied first."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(root / PACKAGE, target, ignore=_LEFT_OUT)
    for room in ROOMS:
        shutil.copytree(root / room, target / room, ignore=_LEFT_OUT)
    for path in target.rglob("*.py"):
        path.write_text(moved(path.read_text(encoding="utf-8"), str(path.relative_to(target))), encoding="utf-8")


class PackageHook(BuildHookInterface[Any]):
    """Gives hatchling the package; an editable install uses the repository as it is."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Builds the package for a wheel."""
        if version == "editable":
            return
        target = Path(self.root, "build", "package", PACKAGE)
        build_package(Path(self.root), target)
        build_data["force_include"][str(target)] = PACKAGE

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Removes the built package."""
        shutil.rmtree(Path(self.root, "build", "package"), ignore_errors=True)
