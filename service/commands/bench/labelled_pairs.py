"""`sqlassay bench equivalence`: how many labelled pairs `verify` refutes or proves equal, and at what cost."""

from __future__ import annotations

import json
import re
import statistics
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec

import orjson

from references.equivalence.checks import ProofAnswer, ask_proof, runs_again
from references.equivalence.pair import EquivalenceVerdict, Level, Pair, PairFinding
from references.equivalence.verify import verify
from service.commands.exits import refuse
from service.commands.jsonl import InputLine, open_input, read_lines, size_of
from service.commands.progress import progress
from service.commands.verify import read_pair

DIFFERENT, EQUAL = "NEQ", "EQU"
"""Labels of pairs that are known to differ, or known to mean the same."""
_DO_NOT_RUN = (EquivalenceVerdict.ERROR, EquivalenceVerdict.UNSUPPORTED)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledPair:
    """A pair, its label, and what `verify` found."""

    id: str
    label: str
    source: str
    finding: PairFinding
    again: bool | None
    """Whether its witness differs again on the schema as given, with the rows in reverse too. None without either."""
    proof: ProofAnswer | None
    """What the proof alone says, when both queries run."""

    @property
    def origin(self) -> str:
        """The first word of `source`."""
        return re.split(r"\W", self.source, maxsplit=1)[0]

    @property
    def runs(self) -> bool:
        """Whether both queries run."""
        return self.finding.verdict not in _DO_NOT_RUN

    @property
    def refuted(self) -> bool:
        return self.finding.verdict is EquivalenceVerdict.DIFFERENT

    @property
    def proved(self) -> bool:
        return self.finding.verdict is EquivalenceVerdict.EQUIVALENT_UP_TO_BOUND

    @property
    def contradicts(self) -> bool:
        """Whether its witness is small enough for the proof to cover, and the proof calls the queries equal."""
        witness, proof = self.finding.witness, self.proof
        if witness is None or proof is None or (proof.folded and self.finding.level is Level.S7):
            return False
        return 0 < witness.largest <= proof.equal_up_to


Pairs = Sequence[LabelledPair]


def bench_equivalence(source: str, *, bound: int, budget: float, schema: bool, as_json: bool) -> None:
    """Prints the figures: lines on a terminal, JSON elsewhere."""
    if find_spec("z3") is None:
        refuse("the bench asks the proof of every pair: pip install 'sqlassay[verify]' (z3-solver)")
    with open_input(source) as lines, progress("verifying", size_of(source)) as advance:
        pairs = list(_verified(read_lines(lines), advance, bound=bound, budget=budget, schema=schema))
    if not pairs:
        refuse(f"{source} holds no pair with a `verdict` of {DIFFERENT} or {EQUAL}")
    figures = figures_of(pairs)
    if as_json or not sys.stdout.isatty():
        print(json.dumps(figures))
    else:
        for name, value in figures.items():
            print(f"{name:34} {value}")


def _verified(
    lines: Iterable[InputLine], advance: Callable[[int], None], *, bound: int, budget: float, schema: bool
) -> Iterator[LabelledPair]:
    """Verifies every line that has a pair and a label; skips the others."""
    for line in lines:
        labelled = _labelled(line, bound=bound, budget=budget, schema=schema)
        if labelled is not None:
            yield labelled
        advance(len(line.raw or b"") + 1)


def _labelled(line: InputLine, *, bound: int, budget: float, schema: bool) -> LabelledPair | None:
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
    return LabelledPair(
        id=named.id or str(named.line),
        label=label,
        source=str(row.get("source", "")),
        finding=finding,
        again=runs_again(named.pair, witness) if witness is not None and named.pair.schema else None,
        proof=None if finding.verdict in _DO_NOT_RUN else ask_proof(pair, bound=bound, budget=budget),
    )


def figures_of(pairs: Pairs) -> dict[str, object]:
    """All figures of a run, overall and by origin."""
    running = [each for each in pairs if each.runs]
    open_pairs = [each for each in running if not each.refuted]
    return {
        "pairs": len(pairs),
        "do_not_execute_or_unsupported": len(pairs) - len(running),
        **_refutations(running),
        **_wrong_refutations(running),
        **_proofs(open_pairs),
        "proved_although_different": _ids(each for each in open_pairs if each.proved and each.label == DIFFERENT),
        **_witnesses(pairs),
        "contradictions": _ids(each for each in pairs if each.contradicts),
        "by_source": {origin: _of_origin(pairs, origin) for origin in dict.fromkeys(each.origin for each in pairs)},
    }


def _refutations(running: Pairs) -> dict[str, object]:
    """How many of the pairs known to differ are refuted."""
    different = [each for each in running if each.label == DIFFERENT]
    refuted = [each for each in different if each.refuted]
    return {
        "different_and_execute": len(different),
        "refuted": len(refuted),
        "refuted_share": _share(refuted, different),
        "refuted_by_level": dict(sorted(Counter(str(each.finding.level) for each in refuted).items())),
        "refuted_cpu_median_ms": _milliseconds(refuted, 0.5),
        "refuted_cpu_p95_ms": _milliseconds(refuted, 0.95),
    }


def _wrong_refutations(running: Pairs) -> dict[str, object]:
    """How many of the pairs known to be equal are refuted without any assumption."""
    equal = [each for each in running if each.label == EQUAL]
    wrong = [each for each in equal if each.finding.level is Level.S0]
    return {
        "equal_and_execute": len(equal),
        "equal_refuted_at_s0": len(wrong),
        "equal_refuted_at_s0_share": _share(wrong, equal),
        "equal_refuted_at_s0_ids": _ids(wrong),
    }


def _proofs(open_pairs: Pairs) -> dict[str, object]:
    """How many of the pairs that are not refuted are proved equal."""
    proved = [each for each in open_pairs if each.proved]
    return {
        "not_refuted": len(open_pairs),
        "proved": len(proved),
        "proved_share": _share(proved, open_pairs),
        "proved_cpu_median_ms": _milliseconds(proved, 0.5),
    }


def _witnesses(pairs: Pairs) -> dict[str, object]:
    """Whether the witnesses differ again when they are run once more."""
    again = [each.again for each in pairs]
    return {
        "witnesses": len(again) - again.count(None),
        "witnesses_that_differ_anew": again.count(True),
        "witnesses_that_do_not_ids": _ids(each for each in pairs if each.again is False),
    }


def _of_origin(pairs: Pairs, origin: str) -> dict[str, object]:
    """How many pairs of one origin the proof covers, and how many it proves."""
    running = [each for each in pairs if each.origin == origin and each.runs]
    covered = [each for each in running if each.proof is not None and each.proof.covered]
    return {
        "execute": len(running),
        "proof_covers": len(covered),
        "proof_covers_share": _share(covered, running),
        **_proofs([each for each in running if not each.refuted]),
    }


def _ids(pairs: Iterable[LabelledPair]) -> list[str]:
    return [each.id for each in pairs]


def _share(part: Pairs, whole: Pairs) -> float | None:
    return round(len(part) / len(whole), 4) if whole else None


def _milliseconds(pairs: Pairs, share: float) -> float | None:
    if not pairs:
        return None
    times = sorted(each.finding.cpu_seconds * 1000 for each in pairs)
    return round(statistics.median(times) if share == 0.5 else times[int(share * (len(times) - 1))], 2)
