"""`sqlassay bench equivalence`: how many labelled pairs are told apart, wrongly so, or proved; at what cost."""

from __future__ import annotations

import json
import re
import statistics
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec

import orjson

from references.equivalence.checks import ProofAnswer, ask_proof, runs_again
from references.equivalence.pair import EquivalenceVerdict, Finding, Pair, Rung
from references.equivalence.verify import verify
from service.commands.exits import refuse
from service.commands.jsonl import Line, open_input, read_lines, size_of
from service.commands.progress import progress
from service.commands.verify import read_pair

DIFFERENT, EQUAL = "NEQ", "EQU"
"""Labels: the queries are known to differ, or known to mean the same."""
_IDLE = (EquivalenceVerdict.ERROR, EquivalenceVerdict.UNSUPPORTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """A pair, what is known of it, and what was found."""

    id: str
    label: str
    source: str
    finding: Finding
    again: bool | None
    """Its witness differs anew on the schema as given, also with the rows in reverse; `None` without one of them."""
    proof: ProofAnswer | None
    """What the proof alone says, where both queries execute."""

    @property
    def origin(self) -> str:
        """The first word of its source."""
        return re.split(r"\W", self.source, maxsplit=1)[0]

    @property
    def ran(self) -> bool:
        """Both queries execute."""
        return self.finding.verdict not in _IDLE


def bench_equivalence(source: str, *, bound: int, budget: float, schema: bool, as_json: bool) -> None:
    """Prints the figures: lines on a terminal, JSON elsewhere."""
    if find_spec("z3") is None:
        refuse("the bench asks the proof of every pair: pip install 'sqlassay[references]' (z3-solver)")
    found: list[Labelled] = []
    with open_input(source) as lines, progress("verifying", size_of(source)) as advance:
        for line in read_lines(lines):
            labelled = _labelled(line, bound=bound, budget=budget, schema=schema)
            if labelled is not None:
                found.append(labelled)
            advance(len(line.raw or b"") + 1)
    if not found:
        refuse(f"{source} holds no pair with a `verdict` of {DIFFERENT} or {EQUAL}")
    figures = figures_of(found)
    if as_json or not sys.stdout.isatty():
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name:34} {value}")


def _labelled(line: Line, *, bound: int, budget: float, schema: bool) -> Labelled | None:
    named = read_pair(line, None)
    if isinstance(named.pair, str) or line.raw is None:
        return None
    row = orjson.loads(line.raw)
    label = row.get("verdict")
    if not isinstance(label, str):
        return None
    pair: Pair = named.pair if schema else replace(named.pair, schema=None, constraints=None)
    finding = verify(pair, bound=bound, budget=budget)
    witness = finding.witness
    return Labelled(
        id=named.id or str(named.line),
        label=label,
        source=str(row.get("source", "")),
        finding=finding,
        again=runs_again(named.pair, witness) if witness is not None and named.pair.schema else None,
        proof=None if finding.verdict in _IDLE else ask_proof(pair, bound=bound, budget=budget),
    )


def figures_of(found: Sequence[Labelled]) -> dict[str, object]:
    """The figures of a run."""
    apart = [each for each in found if each.label == DIFFERENT and each.ran]
    equal = [each for each in found if each.label == EQUAL and each.ran]
    refuted = [each for each in apart if _is_different(each)]
    wrong = [each for each in equal if each.finding.rung is Rung.S0]
    left = [each for each in found if each.ran and not _is_different(each)]
    proved = [each for each in left if each.finding.verdict is EquivalenceVerdict.EQUIVALENT_UP_TO_BOUND]
    return {
        "pairs": len(found),
        "do_not_execute_or_unsupported": sum(not each.ran for each in found),
        "different_and_execute": len(apart),
        "refuted": len(refuted),
        "refuted_share": _share(refuted, apart),
        "refuted_by_level": dict(sorted(Counter(str(each.finding.rung) for each in refuted).items())),
        "refuted_cpu_median_ms": _milliseconds(refuted, 0.5),
        "refuted_cpu_p95_ms": _milliseconds(refuted, 0.95),
        "equal_and_execute": len(equal),
        "equal_refuted_at_s0": len(wrong),
        "equal_refuted_at_s0_share": _share(wrong, equal),
        "equal_refuted_at_s0_ids": [each.id for each in wrong],
        "not_refuted": len(left),
        "proved": len(proved),
        "proved_share": _share(proved, left),
        "proved_cpu_median_ms": _milliseconds(proved, 0.5),
        "proved_although_different": [each.id for each in proved if each.label == DIFFERENT],
        "witnesses": sum(each.again is not None for each in found),
        "witnesses_that_differ_anew": sum(each.again is True for each in found),
        "witnesses_that_do_not_ids": [each.id for each in found if each.again is False],
        "contradictions": [each.id for each in found if _contradicts(each)],
        "by_source": {name: _of_source([each for each in found if each.origin == name]) for name in _origins(found)},
    }


def _of_source(found: Sequence[Labelled]) -> dict[str, object]:
    """How far the proof goes on pairs of one origin."""
    ran = [each for each in found if each.ran]
    covered = [each for each in ran if each.proof is not None and each.proof.covered]
    left = [each for each in ran if not _is_different(each)]
    proved = [each for each in left if each.finding.verdict is EquivalenceVerdict.EQUIVALENT_UP_TO_BOUND]
    return {
        "execute": len(ran),
        "proof_covers": len(covered),
        "proof_covers_share": _share(covered, ran),
        "not_refuted": len(left),
        "proved": len(proved),
        "proved_share": _share(proved, left),
        "proved_cpu_median_ms": _milliseconds(proved, 0.5),
    }


def _origins(found: Sequence[Labelled]) -> list[str]:
    return list(dict.fromkeys(each.origin for each in found))


def _contradicts(each: Labelled) -> bool:
    """A witness of so few rows that the proof speaks of it, and calls the queries equal."""
    witness, proof = each.finding.witness, each.proof
    if witness is None or proof is None or (proof.folded and each.finding.rung is Rung.S7):
        return False
    return 0 < witness.largest <= proof.equal_up_to


def _is_different(each: Labelled) -> bool:
    return each.finding.verdict is EquivalenceVerdict.DIFFERENT


def _share(part: Sequence[Labelled], whole: Sequence[Labelled]) -> float | None:
    return round(len(part) / len(whole), 4) if whole else None


def _milliseconds(found: Sequence[Labelled], share: float) -> float | None:
    if not found:
        return None
    times = sorted(each.finding.cpu_seconds * 1000 for each in found)
    return round(statistics.median(times) if share == 0.5 else times[int(share * (len(times) - 1))], 2)
