"""Checks several answers to one question: a witness against one is tried on all (SpotIt, Algorithm 2)."""

from __future__ import annotations

from collections.abc import Sequence

from references.equivalence.pair import EquivalenceVerdict, Pair, PairFinding
from references.equivalence.verify import recheck


def crossed(pairs: Sequence[Pair], findings: Sequence[PairFinding]) -> list[PairFinding]:
    """Runs the witnesses of separate findings on the pairs without one."""
    witnesses = sorted(
        (
            (each.level, each.witness)
            for each in findings
            if each.witness and each.witness.rows and each.level is not None
        ),
        key=lambda each: each[0],
    )
    known = [witness for _, witness in witnesses]
    return [
        finding if finding.verdict not in _OPEN else (recheck(pair, finding, known) or finding)
        for pair, finding in zip(pairs, findings, strict=True)
    ]


_OPEN = {EquivalenceVerdict.NOT_REFUTED, EquivalenceVerdict.EQUIVALENT_UP_TO_BOUND}
