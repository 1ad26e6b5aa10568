"""Several answers to one question against its reference: what tells one apart is tried on all (SpotIt, Algorithm 2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from references.equivalence.pair import EquivalenceVerdict, Finding, Pair
from references.equivalence.search.witnesses import WitnessPool
from references.equivalence.verify import recheck, verify

Verify = Callable[[Pair], Finding]


def cross_check(pairs: Sequence[Pair], verify_pair: Verify | None = None) -> list[Finding]:
    """The finding of each pair, after every witness of one was run on those that had none.

    All pairs have one reference (`sql_a`) and one schema. What told one apart is tried on the next before any search.
    """
    run = verify_pair or partial(verify, pool=WitnessPool())
    return crossed(pairs, [run(pair) for pair in pairs])


def crossed(pairs: Sequence[Pair], findings: Sequence[Finding]) -> list[Finding]:
    """Findings that were made apart, each witness now run on the pairs that had none."""
    witnesses = sorted(
        (
            (each.rung, each.witness)
            for each in findings
            if each.witness and each.witness.rows and each.rung is not None
        ),
        key=lambda each: each[0],
    )
    known = [witness for _, witness in witnesses]
    return [
        finding if finding.verdict not in _OPEN else (recheck(pair, finding, known) or finding)
        for pair, finding in zip(pairs, findings, strict=True)
    ]


_OPEN = {EquivalenceVerdict.NOT_REFUTED, EquivalenceVerdict.EQUIVALENT_UP_TO_BOUND}
