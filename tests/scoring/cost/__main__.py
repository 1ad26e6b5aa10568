"""Prints what the largest event of each generator costs: `make costs`."""

from __future__ import annotations

import sys

from tests.scoring.cost.generators import GENERATORS
from tests.scoring.cost.measuring import measure


def main(parts: list[str]) -> None:
    """Measures the generators whose names hold one of `parts`, or all."""
    print("| generator | characters | n/4 (ms) | n/2 (ms) | n (ms) | growth | end |")
    print("|---|---|---|---|---|---|---|")
    for name, make in GENERATORS.items():
        if not parts or any(part in name for part in parts):
            cost = measure(make)
            times = " | ".join(f"{seconds * 1000:.1f}" for seconds in cost.seconds)
            print(f"| {name} | {cost.size} | {times} | {cost.growth:.2f} | {cost.end} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
