"""Follows a tutorial to the letter, in a copy of the repository: edits its files, runs its commands, compares output.

A page is followed by its code blocks. A `diff` block starts with `--- path`; each of its hunks replaces lines that must
occur exactly once. A block after "Create `path`:" is a new file, one after "Append to `path`:" goes to a file's end. A
`console` block holds commands after `$` and the output of each, in which `…` stands for anything.
"""

from __future__ import annotations

import os
import pty
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "tutorials"
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", ".hypothesis", "images")
BLOCK = re.compile(r"(?P<before>[^\n]*)\n+```(?P<language>\w+)\n(?P<text>.*?)^```$", re.DOTALL | re.MULTILINE)
PLACE = re.compile(r"^(Create|Append to) `([^`]+)`:$")


@dataclass(frozen=True, slots=True)
class Block:
    """A code block, with the line of text before it."""

    before: str
    language: str
    text: str


def blocks(page: str) -> Iterator[Block]:
    for found in BLOCK.finditer(page):
        yield Block(found["before"], found["language"], found["text"])


def follow(name: str, folder: Path) -> None:
    """Does everything that a page says; fails where the page and the repository differ."""
    copy = folder / "sqlassay"
    shutil.copytree(ROOT, copy, ignore=LEFT_OUT)
    (copy / ".venv").symlink_to(ROOT / ".venv")
    for block in blocks((PAGES / name).read_text(encoding="utf-8")):
        if block.language == "diff":
            apply(block.text, copy)
        elif block.language == "console":
            run(block.text, copy)
        else:
            place = PLACE.search(block.before)
            assert place, f"no file is named before:\n{block.text}"
            write(copy / place[2], block.text, append=place[1] == "Append to")


def apply(diff: str, copy: Path) -> None:
    head, *lines = diff.splitlines()
    path = copy / head.removeprefix("--- ")
    text = path.read_text(encoding="utf-8")
    for hunk in "\n".join(lines).split("\n@@\n"):
        rows = hunk.removeprefix("@@\n").splitlines()
        old = "".join(f"{row[1:]}\n" for row in rows if row[:1] != "+")
        new = "".join(f"{row[1:]}\n" for row in rows if row[:1] != "-")
        assert text.count(old) == 1, f"{path.name} has {text.count(old)} times:\n{old}"
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")


def write(path: Path, text: str, *, append: bool) -> None:
    assert path.exists() == append, path
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a" if append else "x", encoding="utf-8") as file:
        file.write(text)


def run(text: str, copy: Path) -> None:
    """Runs each command of a console block and compares what a terminal shows."""
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        lines = [line.rstrip() for line in part.splitlines()]
        length = next(number for number, line in enumerate(lines, 1) if not line.endswith("\\"))
        command, expected = "\n".join(lines[:length]), lines[length:]
        shown = terminal(command, copy)
        pattern = "\n".join(".*" if line == "…" else re.escape(line).replace("…", "[^\n]*") for line in expected)
        assert re.fullmatch(pattern, "\n".join(shown), re.DOTALL), "\n".join([f"$ {command}", *shown])


def terminal(command: str, copy: Path) -> list[str]:
    """What a command writes to a plain terminal."""
    others = {
        name: value for name, value in os.environ.items() if not name.startswith(("SQLASSAY_", "PYTEST_", "COV_"))
    }
    environment = others | {"PYTHONPATH": str(copy), "TERM": "dumb"}
    ours, theirs = pty.openpty()
    with subprocess.Popen(["bash", "-c", command], cwd=copy, env=environment, stdout=theirs, stderr=theirs):
        os.close(theirs)
        shown = b""
        while piece := _read(ours):
            shown += piece
    os.close(ours)
    return [line.rstrip() for line in shown.decode().strip().splitlines()]


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65_536)
    except OSError:  # Linux says so when the other end is closed
        return b""
