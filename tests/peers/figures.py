"""The tables of `docs/peers.md`, from the verdicts of every method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "peers.md"
START = "<!-- peers: written by `make peers` -->"
END = "<!-- end of peers -->"
OURS = "`sqlassay eval run`"
HEAD = (
    "| evaluator | version | calls right | agrees with the labels | wrong answers called right "
    "| right answers called wrong | right where ours is not | CPU ms per case |"
)
SMELLS_HEAD = "| smell of the gold SQL | code here | attestql, cases | ours, cases | both |"


@dataclass(frozen=True, kw_only=True)
class Judged:
    """What one method says of every answer."""

    name: str
    version: str
    right: Mapping[str, bool]
    """By the answer's id; an answer that it does not judge is missing."""
    cpu_seconds: float = 0.0
    failed: str = ""
    """Why there are no verdicts."""


def agreement_table(judged: Sequence[Judged], labels: Mapping[str, bool]) -> str:
    """A row for each method, ours first."""
    ours = next((each for each in judged if each.name == OURS), None)
    hit = {each for each, label in labels.items() if ours is not None and ours.right.get(each) is label}
    rows = [_row(each, labels, hit) for each in judged]
    return "\n".join([HEAD, "|---|---|---|---|---|---|---|---|", *rows])


def _row(each: Judged, labels: Mapping[str, bool], hit: set[str]) -> str:
    if each.failed:
        return f"| {each.name} | {each.version} | {each.failed} |  |  |  |  |  |"
    agreed = {name for name, label in labels.items() if each.right.get(name) is label}
    lenient = sum(each.right.get(name, False) and not label for name, label in labels.items())
    strict = sum(not each.right.get(name, False) and label for name, label in labels.items())
    beyond = "–" if each.name == OURS else str(len(agreed - hit))
    milliseconds = 1000 * each.cpu_seconds / max(len(labels), 1)
    share = 100 * len(agreed) / max(len(labels), 1)
    return (
        f"| {each.name} | {each.version} | {sum(each.right.values())} | {share:.1f} % | {lenient} | {strict} "
        f"| {beyond} | {milliseconds:.0f} |"
    )


SMELLS = {
    "arbitrary-cut": ("limit_cuts_tie", "limit_without_order", "null_sorts_first"),
    "ordering-over-numeric-text": ("numbers_sort_as_text",),
    "not-a-function-of-the-data": ("row_order",),
    "duplicate-full-row": ("repeated_rows",),
}
"""The smells of attestql, and our codes of the same."""


def smells_table(theirs: Mapping[str, set[str]], ours: Mapping[str, set[str]]) -> str:
    """How many cases have each smell; `theirs` and `ours` are codes by the answer's id."""
    rows: list[str] = []
    for smell, codes in SMELLS.items():
        there = {name for name, found in theirs.items() if smell in found}
        here = {name for name, found in ours.items() if found & set(codes)}
        shown = ", ".join(f"`{code}`" for code in codes)
        rows.append(f"| {smell} | {shown} | {len(there)} | {len(here)} | {len(there & here)} |")
    shared = {code for codes in SMELLS.values() for code in codes}
    alone = sorted({code for found in ours.values() for code in found} - shared)
    rows += [f"| – | `{code}` | – | {sum(code in found for found in ours.values())} | – |" for code in alone]
    return "\n".join([SMELLS_HEAD, "|---|---|---|---|---|", *rows])


def write(text: str, page: Path = PAGE) -> None:
    """Replaces what the page holds between its marks."""
    before, found, rest = page.read_text(encoding="utf-8").partition(START)
    _, ended, after = rest.partition(END)
    if not found or not ended:
        raise ValueError(f"{page} lacks the marks {START} and {END}")
    page.write_text(f"{before}{START}\n\n{text}\n\n{END}{after}", encoding="utf-8")
