"""The printed table of the fault matrix."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from tests.delivery.matrix import CELLS
from tests.delivery.playing import Played

PAGE = Path(__file__).parents[2] / "docs" / "delivery.md"
_TABLE = re.compile(r"(<!-- fault matrix -->\n).*?(<!-- end of the fault matrix -->)", flags=re.DOTALL)

TABLE = "SQLASSAY_TEST_FAULT_TABLE"
"""A file to which each cell's row is added as a JSON line."""
HEAD = ("cell", "what was done", "published", "lost", "doubled", "invented", "s to recover", "what on-call saw")
ROWS: list[Played] = []
"""Of this run."""
FAILED: set[str] = set()


def record(played: Played, *, failed: bool) -> None:
    """Notes a row; `failed` where something is wrong that no number shows."""
    ROWS.append(played)
    if failed:
        FAILED.add(played.name)
    path = os.environ.get(TABLE)
    if path:
        with Path(path).open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(played.row()) + "\n")


def cells(played: Played) -> list[str]:
    """A row as text."""
    numbers = (f"{played.published:,}", played.lost, played.doubled, played.invented, f"{played.recovered:.1f}")
    return [played.name, played.done, *map(str, numbers), played.seen]


def printed() -> list[str]:
    """The table in lines: names, numbers, and on a line below what was done and seen."""
    if not ROWS:
        return []
    lines = [f"{'cell':<26} {'published':>9} {'lost':>5} {'doubled':>8} {'invented':>9} {'recovered':>10}"]
    for each in ROWS:
        failed = "  FAILED" if each.name in FAILED else ""
        numbers = f"{each.published:>9} {each.lost:>5} {each.doubled:>8} {each.invented:>9} {each.recovered:>8.1f} s"
        lines += [f"{each.name:<26} {numbers}{failed}", f"    done: {each.done}", f"    seen: {each.seen}"]
    return lines


def machine() -> str:
    """Cores and memory: what the figures depend on most."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    model = re.search(r"^model name\s*: (.+)$", Path("/proc/cpuinfo").read_text(), flags=re.MULTILINE)
    return f"{os.cpu_count()} cores ({model[1] if model else 'unknown'}), {memory:.0f} GiB"


def write_page(rows: Sequence[Played]) -> None:
    """Replaces the table of docs/delivery.md; a cell that was played twice keeps its last row."""
    last = {each.name: each for each in rows}
    lines = [HEAD, ("---",) * len(HEAD), *(cells(each) for each in last.values())]
    table = "\n".join(f"| {' | '.join(text.replace('|', '/') for text in line)} |" for line in lines)
    events = sum(each.published for each in last.values())
    about = f"{len(last)} of {len(CELLS)} cells and {events:,} events on {machine()}, {datetime.now(UTC):%Y-%m-%d}:"
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(_TABLE.sub(lambda found: f"{found[1]}{about}\n\n{table}\n{found[2]}", page), encoding="utf-8")


def read_rows(path: Path) -> list[Played]:
    """The rows of a file that `record` wrote."""
    return [Played(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    write_page(read_rows(Path(sys.argv[1])))
