"""Measures how rewrites that keep the meaning move `p_correct`: `python -m tests.scoring.invariance [--write]`."""

from __future__ import annotations

import argparse

from tests.scoring.invariance.pairs import Rewritten, is_proved, moved, rewritten
from tests.scoring.invariance.samples import development, invented
from tests.scoring.invariance.table import WITHIN, moves, table, write
from tests.scoring.invariance.unproved import remember

SHARE = 160
"""One in so many answers of the development sets is rewritten."""


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--write", action="store_true", help="write the table into docs/trust.md")
    arguments.add_argument("--worst", type=int, default=0, help="print so many pairs that move most")
    given = arguments.parse_args()
    own = list(rewritten(invented()))
    unproved = dict.fromkeys(pair for pair in own if not is_proved(pair))
    own = [pair for pair in own if pair not in unproved]
    others = [pair for pair in rewritten(development(SHARE)) if is_proved(pair)]
    sets = {"invented answers": moves(own), "answers of the development sets": moves(others)}
    text = table({name: found for name, found in sets.items() if found})
    print(text)
    show([*own, *others], given.worst)
    if given.write:
        remember(unproved)
        write(text)


def show(pairs: list[Rewritten], most: int) -> None:
    """Prints the pairs that move most."""
    ranked = sorted(pairs, key=lambda pair: -(moved(pair) or 0))[:most]
    for pair in ranked:
        move = moved(pair) or 0
        if move > WITHIN:
            print(f"\n{move:.3f} {pair.way}: {pair.sample.question}\n  {pair.sample.sql}\n  {pair.sql}")


if __name__ == "__main__":
    main()
