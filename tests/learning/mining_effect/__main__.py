"""What rules that are mined change on other labels: `python -m tests.learning.mining_effect [--write]`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from service.judges.weights import local_judge
from tests.development import labels_path
from tests.learning.mining_effect.measuring import (
    Effect,
    by_database,
    by_question,
    effect,
    foreign_judge,
    read_set,
    with_habits,
)
from tests.marked_pages import write_between

PAGE = Path(__file__).parents[3] / "docs/learning.md"
SETS = ("dev_bugs", "dev_agents", "dev_spider_ex")
ELSEWHERE = {name: "train_spider_ex" if "spider" not in name else "train_bird_ex" for name in SETS}
"""The set on which a judge from elsewhere is fitted."""
_BEGIN, _END = "<!-- mined rules: written by `make mining` -->", "<!-- end of mined rules -->"
_HEAD = (
    "| labels | mined on | judge | proposals | answers changed | AUC | false alarms | wrong ones caught |\n"
    "|---|---|---|---|---|---|---|---|"
)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--write", action="store_true", help="write the table into docs/learning.md")
    arguments.add_argument("--every", type=int, default=1, help="use one question in so many")
    arguments.add_argument("--sets", nargs="+", choices=SETS, default=SETS)
    given = arguments.parse_args()
    if not labels_path(SETS[0]).exists():
        sys.exit(f"make mining needs {labels_path(SETS[0])}: set SQLASSAY_DEVELOPMENT_DATA to its folder")
    rows = [_HEAD]
    print(_HEAD)
    for row, changes in _rows(given.sets, given.every):
        rows += [row] * changes
        print(row, flush=True)
    if given.write:
        write_between(PAGE, _BEGIN, _END, "\n".join(rows))


def _rows(sets: list[str], every: int) -> Iterator[tuple[str, bool]]:
    """Each row, and whether an answer changes: the page leaves the others out."""
    packaged = local_judge()
    for name in sets:
        answers = read_set(name, every)
        yield _row(f"`{name}`", "other databases", "packaged", effect(answers, by_database, packaged))
        yield _row(f"`{name}`", "half of each database's questions", "packaged", effect(answers, by_question, packaged))
        habits = [with_habits(each) for each in answers]
        yield _row(f"`{name}` with habits", "other databases", "packaged", effect(habits, by_database, packaged))
        judge = foreign_judge(read_set(ELSEWHERE[name], every))
        yield _row(f"`{name}`", "other databases", "fitted elsewhere", effect(answers, by_database, judge))


def _row(name: str, mined: str, judge: str, found: Effect) -> tuple[str, bool]:
    kinds = ", ".join(f"{count} {kind}" for kind, count in sorted(found.proposals.items())) or "none"
    figures = " | ".join(
        f"{before:.4f} → {after:.4f}" for before, after in (found.auc, found.false_alarms, found.caught)
    )
    row = f"| {name} | {mined} | {judge} | {kinds} | {found.changed} of {len(found.right)} | {figures} |"
    return row, found.changed > 0


if __name__ == "__main__":
    main()
