"""Checks several answers to one question: a witness against one is tried on all (SpotIt, Algorithm 2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from references.equivalence.pair import EquivalenceVerdict, Pair, PairFinding
from references.equivalence.search.witnesses import WitnessPool
from references.equivalence.verify import recheck, verify

Verify = Callable[[Pair], PairFinding]


def cross_check(pairs: Sequence[Pair], verify_pair: Verify | None = None) -> list[PairFinding]:
    """Verifies every pair, and runs the witnesses found on the pairs without one.

    All pairs have one reference (`sql_a`) and one schema. Known witnesses are tried before any search.
    """
    run = verify_pair or partial(verify, pool=WitnessPool())
    return crossed(pairs, [run(pair) for pair in pairs])


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
