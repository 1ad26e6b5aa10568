"""Rewrites of invented answers that change the meaning there, or that no proof covers: they are left out.

Proofs take minutes, so their outcome is kept in `unproved.json`; a slow test proves a part again.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.scoring.invariance.pairs import Rewritten, rewritten
from tests.scoring.invariance.samples import Sample, invented

_FILE = Path(__file__).parent / "unproved.json"


def remember(pairs: Iterable[Rewritten]) -> None:
    """Keeps the questions of these pairs, by rewrite."""
    found: dict[str, list[str]] = defaultdict(list)
    for pair in pairs:
        found[pair.way].append(pair.sample.question)
    kept = {way: sorted(questions) for way, questions in sorted(found.items())}
    _FILE.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def proved(samples: Iterable[Sample] | None = None) -> Iterator[Rewritten]:
    """The pairs of invented answers that were proved."""
    left_out = json.loads(_FILE.read_text(encoding="utf-8"))
    for pair in rewritten(invented() if samples is None else samples):
        if pair.sample.question not in left_out.get(pair.way, ()):
            yield pair
