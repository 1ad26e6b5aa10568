"""Compares the README's tour with what the commands print, or updates it if the environment asks for that."""

import os
from collections.abc import Sequence
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"
WRITE = "SQLASSAY_TEST_WRITE_README"


def block(after: str) -> list[str]:
    """Returns the lines of the README's first code block after the given words."""
    return _split(after)[1].splitlines()


def _split(after: str) -> tuple[str, str, str]:
    text = README.read_text(encoding="utf-8")
    start = text.index("\n", text.index("```", text.index(after))) + 1
    end = text.index("```", start)
    return text[:start], text[start:end], text[end:]


def check(after: str, lines: Sequence[str]) -> None:
    """Fails if the block has other lines; with the variable set, writes them instead."""
    before, held, rest = _split(after)
    wanted = "".join(f"{line}\n" for line in lines)
    if held != wanted and os.environ.get(WRITE):
        README.write_text(before + wanted + rest, encoding="utf-8")
        return
    assert held == wanted, f"README.md is out of date: {WRITE}=1 make test slow ARGS='-k readme' updates it"


def sections(lines: Sequence[str]) -> list[list[str]]:
    """Splits lines at empty lines and strips trailing spaces."""
    parts: list[list[str]] = [[]]
    for line in lines:
        if line.strip():
            parts[-1].append(line.rstrip())
        elif parts[-1]:
            parts.append([])
    return [part for part in parts if part]
