"""How far `p_correct` moves, by rewrite: the table of docs/trust.md."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from statistics import median, quantiles

from tests.marked_pages import write_between
from tests.scoring.invariance.pairs import Rewritten, moved

PAGE = Path(__file__).parents[3] / "docs/trust.md"
WITHIN = 0.05
"""How far `p_correct` may move."""
_BEGIN, _END = "<!-- invariance: written by `make invariance` -->", "<!-- end of invariance -->"
_HEAD = "| rewrite | pairs | within 0.05 | median | 95th percentile |\n|---|---|---|---|---|"


def moves(pairs: Iterable[Rewritten]) -> dict[str, list[float]]:
    """|Δp| by row of the table."""
    found: dict[str, list[float]] = defaultdict(list)
    for pair in pairs:
        move = moved(pair)
        if move is not None:
            found[pair.group].append(move)
    return dict(found)


def share_within(found: list[float]) -> float:
    """The share of pairs that move by at most `WITHIN`."""
    return sum(each <= WITHIN for each in found) / len(found)


def table(sets: dict[str, dict[str, list[float]]]) -> str:
    """A Markdown table: each rewrite that moves a pair, over all sets, then each set and all of them together."""
    groups: dict[str, list[float]] = defaultdict(list)
    for found in sets.values():
        for group, some in found.items():
            groups[group] += some
    rows = [_row(group, some) for group, some in groups.items() if not some or share_within(some) < 1]
    rows += [_row(f"**{name}**", [each for some in found.values() for each in some]) for name, found in sets.items()]
    rows.append(_row("**all**", [each for some in groups.values() for each in some]))
    return "\n".join([_HEAD, *rows])


def _row(name: str, found: list[float]) -> str:
    if not found:
        return f"| {name} | 0 | | | |"
    high = quantiles(found, n=20, method="inclusive")[-1] if len(found) > 1 else found[0]
    return f"| {name} | {len(found)} | {share_within(found):.3f} | {median(found):.3f} | {high:.3f} |"


def write(text: str) -> None:
    """Puts the table on the page, between its marks."""
    write_between(PAGE, _BEGIN, _END, text)
