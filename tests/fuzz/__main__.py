"""`python -m tests.fuzz`: fuzzes every target, in parallel, and prints what each gave."""

from __future__ import annotations

import argparse
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec

from tests.fuzz.campaign import Campaign, fuzz
from tests.fuzz.running import Length

NAMES = ("events", "sql", "question", "enrichment", "rules", "schema", "spans", "masking", "verify", "compare")
FLAT = 64.0
"""Megabytes by which memory may grow after the first executions: caches fill."""


def main() -> None:
    """Exit code 1 if an input raised, hung, crashed or leaked."""
    options = _options()
    if options.engine == "atheris" and find_spec("atheris") is None:
        sys.exit("atheris is not here: it needs Python 3.12 to 3.14 on Linux (x86-64); use --engine random elsewhere")
    guided = options.engine == "atheris" or (options.engine == "auto" and find_spec("atheris") is not None)
    names = [options.target] if options.target else list(NAMES)
    places = min(len(names), os.cpu_count() or 1)
    length = Length(seconds=options.minutes * 60 * places / len(names))
    if options.executions:
        length = Length(executions=options.executions)
    print(f"{len(names)} targets, {length} each, {'atheris' if guided else 'random'}, seed {options.seed}")
    with ThreadPoolExecutor(places) as pool:
        campaigns = list(pool.map(lambda name: fuzz(name, length, seed=options.seed, guided=guided), names))
    print(f"{'target':12}{'executions':>12}{'findings':>10}{'worst CPU s':>13}{'MB grown':>10}")
    for each in campaigns:
        print(f"{each.target:12}{each.executions:12}{len(each.findings):10}{each.worst:13.2f}{each.grown:10.0f}")
    print(
        f"{'all':12}{sum(each.executions for each in campaigns):12}{sum(len(each.findings) for each in campaigns):10}"
    )
    sys.exit(any(_failed(each) for each in campaigns))


def _failed(campaign: Campaign) -> bool:
    return bool(campaign.findings) or campaign.grown > FLAT or not campaign.executions


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=main.__doc__)
    parser.add_argument("--minutes", type=float, default=2.0, help="minutes by the clock, of all targets together")
    parser.add_argument("--executions", type=int, help="inputs of each target, whatever time they take")
    parser.add_argument("--target", choices=NAMES, help="one target alone")
    parser.add_argument("--engine", choices=("auto", "atheris", "random"), default="auto", help="who chooses the bytes")
    parser.add_argument("--seed", type=int, default=int.from_bytes(os.urandom(4)) >> 1)
    return parser.parse_args()


if __name__ == "__main__":
    main()
