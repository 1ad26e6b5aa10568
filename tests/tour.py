"""The README's tour, which is what the commands print: compared, or written anew where that is asked for."""

import os
from collections.abc import Sequence
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"
WRITE = "SQLASSAY_TEST_WRITE_README"


def block(after: str) -> list[str]:
    """The lines of the first code block after some words of the README."""
    return _split(after)[1].splitlines()


def _split(after: str) -> tuple[str, str, str]:
    text = README.read_text(encoding="utf-8")
    start = text.index("\n", text.index("```", text.index(after))) + 1
    end = text.index("```", start)
    return text[:start], text[start:end], text[end:]


def check(after: str, lines: Sequence[str]) -> None:
    """The block holds these lines; with the variable set, it does from now on."""
    before, held, rest = _split(after)
    wanted = "".join(f"{line}\n" for line in lines)
    if held != wanted and os.environ.get(WRITE):
        README.write_text(before + wanted + rest, encoding="utf-8")
        return
    assert held == wanted, f"README.md is stale: {WRITE}=1 make test ARGS='-k readme' writes it anew"


def sections(lines: Sequence[str]) -> list[list[str]]:
    """Parts between empty lines, without trailing spaces."""
    parts: list[list[str]] = [[]]
    for line in lines:
        if line.strip():
            parts[-1].append(line.rstrip())
        elif parts[-1]:
            parts.append([])
    return [part for part in parts if part]
