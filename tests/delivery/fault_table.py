"""The printed table of the fault matrix."""

from __future__ import annotations

import csv
import json
import os
import re
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from tests.delivery.matrix import CELLS
from tests.delivery.playing import Played

PAGE = Path(__file__).parents[2] / "docs" / "delivery.md"
CELLS_FILE = PAGE.with_name("faults.csv")
"""Every cell of the last run."""
_TABLE = re.compile(r"(<!-- fault matrix -->\n).*?(<!-- end of the fault matrix -->)", flags=re.DOTALL)
_LOGGED = re.compile(r"(?:; )?log: .*", flags=re.DOTALL)
"""Of what was seen, the lines of the log: anybody's words, and cut short."""

TABLE = "SQLASSAY_TEST_FAULT_TABLE"
"""A file to which each cell's row is added as a JSON line."""
HEAD = ("cell", "what was done", "published", "wrong", "s to recover", "what on-call saw")
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
    """A row as text. What is lost, doubled or invented stands in one column, and warnings in the log are left out.

    >>> numbers = {"published": 1500, "lost": 0, "doubled": 2, "invented": 0, "recovered": 19.34}
    >>> cells(Played(name="redis-kill", done="killed", seen="readyz 503; log: redis_unavailable", **numbers))
    ['redis-kill', 'killed', '1,500', '2 doubled', '19.3', 'readyz 503']
    """
    counts = {"lost": played.lost, "doubled": played.doubled, "invented": played.invented}
    wrong = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count) or "0"
    seen = _LOGGED.sub("", played.seen) or "nothing"
    return [played.name, played.done, f"{played.published:,}", wrong, f"{played.recovered:.1f}", seen]


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
    """Writes every cell to docs/faults.csv, and a row for each part to docs/delivery.md; a cell's last row counts."""
    last = {each.name: each for each in rows}
    with CELLS_FILE.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([HEAD, *(cells(each) for each in last.values())])
    events = sum(each.published for each in last.values())
    about = f"{len(last)} of {len(CELLS)} cells and {events:,} events on {machine()}, {datetime.now(UTC):%Y-%m-%d}:"
    page = PAGE.read_text(encoding="utf-8")
    table = by_part(last.values())
    PAGE.write_text(_TABLE.sub(lambda found: f"{found[1]}{about}\n\n{table}\n{found[2]}", page), encoding="utf-8")


def by_part(rows: Iterable[Played]) -> str:
    """A Markdown table with a row for each part: its faults, what is wrong, and the slowest recovery."""
    parts: dict[str, list[Played]] = {}
    for each in rows:
        parts.setdefault(each.name.partition("-")[0], []).append(each)
    lines = ["| part | faults | events | wrong | slowest recovery, s |", "|---|---|---|---|---|"]
    for part, some in parts.items():
        faults = ", ".join(each.name.removeprefix(f"{part}-") for each in some)
        events, wrong = (
            sum(each.published for each in some),
            sum(each.lost + each.doubled + each.invented for each in some),
        )
        lines.append(f"| {part} | {faults} | {events:,} | {wrong} | {max(each.recovered for each in some):.1f} |")
    return "\n".join(lines)


def read_rows(path: Path) -> list[Played]:
    """The rows of a file that `record` wrote."""
    return [Played(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    write_page(read_rows(Path(sys.argv[1])))
