"""Prints where to change what, from the docstrings of the rooms: `make where WORDS="dead letter"`.

Each room's `__init__.py` says "Change this here when …": one sentence, or a list of what a change may concern.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
ROOMS = "sqlassay service evals consumers learning references scoring migrations benchmarks".split()
HEAD = "Change this here when "
LIST = f"{HEAD}it concerns:"
MOST_NEAR = 5
"""Most changes that are printed where none holds all words."""


class Change(NamedTuple):
    """One kind of change."""

    room: str
    """The folder whose docstring names it."""
    what: str
    """What changes, and in which files, in one line."""


def docstring(room: str) -> str:
    """The docstring of a room, empty where it has none."""
    return ast.get_docstring(ast.parse((ROOT / room / "__init__.py").read_text(encoding="utf-8"))) or ""


def rooms() -> list[str]:
    """Every folder of production code that is a package, outer ones first."""
    found = (path.parent for room in ROOMS for path in (ROOT / room).rglob("__init__.py"))
    return sorted(path.relative_to(ROOT).as_posix() for path in found)


def changes_of(room: str) -> list[Change]:
    """What one room's docstring says."""
    _, head, said = docstring(room).partition(HEAD)
    if not head:
        return []
    paragraphs = said.split("\n\n")
    if not said.startswith(LIST.removeprefix(HEAD)):
        return [Change(room, _one_line(paragraphs[0]))]
    return [Change(room, _one_line(each)) for each in re.split(r"^- ", paragraphs[1], flags=re.MULTILINE)[1:]]


def changes() -> Iterator[Change]:
    """All that the rooms say, room by room."""
    for room in rooms():
        yield from changes_of(room)


def matching(words: Sequence[str]) -> list[Change]:
    """The changes that hold all of these words, in any case; all of them without words."""
    wanted = [word.lower() for word in words]
    return [each for each in changes() if all(word in f"{each.room} {each.what}".lower() for word in wanted)]


def nearest(words: Sequence[str]) -> list[Change]:
    """The few changes that hold most of these words, rare ones first, where none holds all of them."""
    weights = dict[Change, float]()
    for word in words:
        holding = matching([word])
        for each in holding:
            weights[each] = weights.get(each, 0) + 1 / len(holding)
    return sorted(weights, key=lambda each: -weights[each])[:MOST_NEAR]


def _one_line(text: str) -> str:
    return " ".join(text.split())


if __name__ == "__main__":
    asked = " ".join(sys.argv[1:]).split()
    found = matching(asked)
    if not found:
        found = nearest(asked)
        sys.stdout.write("no room names all of these words; the nearest:\n" if found else "")
    for each in found:
        sys.stdout.write(f"{each.room}/\n    {each.what}\n")
    if not found:
        sys.exit(f"no room names {' '.join(asked)!r}: try other words, or read docs/architecture.md")
