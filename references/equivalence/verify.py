"""Verifies a pair of queries: equal as written, different on a database, or proved equal on all small ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from time import thread_time
from zlib import crc32

from references.equivalence.data.planning import populate
from references.equivalence.data.population import Population
from references.equivalence.data.relevant import relevant
from references.equivalence.facts.gathering import gathered
from references.equivalence.pair import ASSUMPTIONS, Certificate, EquivalenceVerdict, Found, Pair, PairFinding, Witness
from references.equivalence.pair_reading import PairRefusal, read_pair
from references.equivalence.reading.canonical import same_query
from references.equivalence.reading.side import RefusalKind, Side, as_written
from references.equivalence.search.bench import PairBench
from references.equivalence.search.exercised import unseen
from references.equivalence.search.minimal import smallest
from references.equivalence.search.trials import Clock, SearchResult, search
from references.equivalence.search.witnesses import WitnessPool, lowest, refit, without_zeros
from references.sandbox import Failure, FailureKind, Limits
from references.schema import Schema
from references.semantics import Semantics

_RECHECK = 2.0
"""CPU seconds for running known witnesses on a pair."""
_UNSEEN = 1.0
"""CPU seconds for finding out what the search did not see."""


class Deadline(Clock):
    """A clock of this thread's CPU seconds."""

    __slots__ = ("_end",)

    def __init__(self, seconds: float) -> None:
        self._end = thread_time() + seconds

    def up(self) -> bool:
        return thread_time() > self._end

    def left(self) -> float:
        """Seconds until time is up."""
        return self._end - thread_time()


def verify(pair: Pair, *, bound: int = 3, budget: float = 10.0, pool: WitnessPool | None = None) -> PairFinding:
    """Verifies a pair within `budget` CPU seconds. Never raises because of what the pair contains.

    Witnesses against other answers to the same question, in `pool`, are tried first.
    """
    began = thread_time()
    try:
        finding = _verified(pair, bound, Deadline(budget), pool)
    except RecursionError:
        finding = _unsupported("nested too deeply")
    except (AttributeError, KeyError, TypeError, IndexError, ValueError) as error:
        # The parser accepts some broken calls and leaves their arguments out. No list of them would be complete.
        finding = _unsupported(f"an expression that the parser left incomplete ({type(error).__name__})")
    if finding.verdict is EquivalenceVerdict.UNSUPPORTED and _same_as_written(pair):
        finding = _same(bound)
    return replace(finding, cpu_seconds=round(thread_time() - began, 6))


def _same_as_written(pair: Pair) -> bool:
    """Whether both sides are the same query, in a dialect that cannot be run here."""
    a = as_written(pair.sql_a, pair.dialect)
    return a is not None and a == as_written(pair.sql_b, pair.dialect)


def recheck(pair: Pair, finding: PairFinding, witnesses: Sequence[Witness]) -> PairFinding | None:
    """Runs witnesses on a pair that was not refuted. Returns a finding when one shows a difference, else `None`.

    The reason says so when this contradicts a proof.
    """
    case = _case(pair, finding.bound or 0, Deadline(_RECHECK), None)
    if isinstance(case, PairFinding):
        return None
    found = case.refuted_by(witnesses)
    if found is None:
        return None
    broken = finding.verdict is EquivalenceVerdict.EQUIVALENT_UP_TO_BOUND and found.witness is not None
    if broken and found.witness is not None and found.witness.largest <= (finding.bound or 0):
        return replace(found, reason=f"contradicts a proof up to {finding.bound} rows ({finding.assumption})")
    return found


def _verified(pair: Pair, bound: int, deadline: Deadline, pool: WitnessPool | None) -> PairFinding:
    case = _case(pair, bound, deadline, pool)
    if isinstance(case, PairFinding):
        return case
    return replace(case.judge(), notes=tuple(case.schema.guesses()))


def _case(pair: Pair, bound: int, deadline: Deadline, pool: WitnessPool | None) -> _Case | PairFinding:
    read = read_pair(pair)
    if isinstance(read, PairRefusal):
        unsupported = read.kind is RefusalKind.UNSUPPORTED
        return _unsupported(read.detail, read.fault) if unsupported else _error(read.detail, read.fault)
    return _Case(pair, read.a, read.b, read.schema, bound, deadline, pool)


@dataclass(frozen=True, slots=True)
class _Case:
    """A pair that could be read, with its limits."""

    pair: Pair
    a: Side
    b: Side
    schema: Schema
    bound: int
    deadline: Deadline
    pool: WitnessPool | None

    def refuted_by(self, witnesses: Sequence[Witness]) -> PairFinding | None:
        """Returns a finding for the first of these witnesses on which the results differ."""
        population = self._population()
        bench = self._bench(population)
        try:
            for witness in witnesses:
                contents = refit(witness, population)
                level, data = lowest(bench, contents)
                if level is not None:
                    return self._witnessed(bench, population, Found(level=level, data=data, contents=contents), 1)
        finally:
            bench.close()
        return None

    def _population(self) -> Population:
        sides = (self.a, self.b)
        tables = relevant(self.schema, sides)
        return populate(self.schema, gathered(self.schema, sides), tables, typed=self.a.translated)

    def _bench(self, population: Population) -> PairBench:
        limits = Limits(seconds=max(min(Limits().seconds, self.deadline.left() / 10), 0.01))
        return PairBench(self.a, self.b, population, self.pair.semantics, limits, typeless=self.schema.inferred)

    def judge(self) -> PairFinding:
        """Returns the finding."""
        population = self._population()
        bench = self._bench(population)
        try:
            for name, side, failure in zip(("sql_a", "sql_b"), (self.a, self.b), bench.failures(), strict=True):
                if failure is not None:
                    return _failed(name, side, failure, guessed=self.pair.guessed)
            if same_query(self.a.tree, self.b.tree):
                return _same(self.bound)
            return self._searched(bench, population)
        finally:
            bench.close()

    def _searched(self, bench: PairBench, population: Population) -> PairFinding:
        known = self.pool.try_on(bench, population) if self.pool is not None else None
        if known is not None:
            finding = self._witnessed(bench, population, known, 1)
            if finding is not None:
                return finding
        sought = search(bench, population, crc32(f"{self.pair.sql_a}\0{self.pair.sql_b}".encode()), self.deadline)
        if sought.found is not None:
            finding = self._witnessed(bench, population, sought.found, sought.trials)
            if finding is not None:
                return finding
        return self._with_unseen(bench, population, self._proved(bench, population, sought), sought)

    def _proved(self, bench: PairBench, population: Population, sought: SearchResult) -> PairFinding:
        if sought.exhausted or self.bound < 1:
            return _not_refuted("time ran out" if sought.exhausted else "no witness was found", sought.trials)
        return self._certified(bench, population, sought.trials)

    def _with_unseen(
        self, bench: PairBench, population: Population, finding: PairFinding, sought: SearchResult
    ) -> PairFinding:
        """The finding with what the search did not see, where it found no difference."""
        if finding.verdict is EquivalenceVerdict.DIFFERENT or self.bound < 1:
            return finding
        why = unseen(bench, (self.a, self.b), population, sought.tried, finding.bound or 0, Deadline(_UNSEEN))
        if why is None:
            return finding
        return replace(finding, reason="; ".join(each for each in (finding.reason, why) if each), unseen=True)

    def _certified(self, bench: PairBench, population: Population, trials: int) -> PairFinding:
        certificate = certifier(self.a, self.b, population, self.pair.semantics, bench, self.deadline.left)(self.bound)
        if certificate.found is not None:
            finding = self._witnessed(bench, population, certificate.found, trials + 1)
            if finding is not None:
                return finding
        if not certificate.bound:
            return _not_refuted(certificate.reason or "nothing was proved", trials)
        return PairFinding(
            verdict=EquivalenceVerdict.EQUIVALENT_UP_TO_BOUND,
            assumption=certificate.assumption,
            reason=certificate.reason or _beyond(population, certificate.bound),
            bound=certificate.bound,
            trials=trials,
        )

    def _witnessed(self, bench: PairBench, population: Population, found: Found, trials: int) -> PairFinding | None:
        """Returns the finding with its smallest witness, run once more; `None` if the difference did not last."""
        found = without_zeros(bench, population, found)
        least, minimal = smallest(bench, population, found, self.deadline)
        witness = bench.witness(least.contents)
        if witness is None:
            return None
        witness = replace(witness, minimal=minimal)
        if self.pool is not None:
            self.pool.add(witness, least.level)
        return PairFinding(
            verdict=EquivalenceVerdict.DIFFERENT,
            level=least.level,
            assumption=ASSUMPTIONS[least.level],
            reason=None if minimal else "time ran out before every row and value of the counterexample was tried",
            trials=trials,
            witness=witness,
        )


def certifier(
    a: Side, b: Side, population: Population, semantics: Semantics, bench: PairBench, remaining: Callable[[], float]
) -> Callable[[int], Certificate]:
    """Returns the prover. Without the solver's package, it proves nothing and says why."""
    try:
        from references.equivalence.certify import Certifier  # noqa: PLC0415 - the solver is an extra
    except ImportError:
        return lambda _: Certificate(bound=0, assumption="", reason="proofs need the extra `verify` (z3-solver)")
    return Certifier(a=a, b=b, population=population, semantics=semantics, bench=bench, remaining=remaining)


def _beyond(population: Population, bound: int) -> str | None:
    """Warns when the queries count more rows than the proof covers."""
    most = max(population.sizes, default=0)
    return f"the queries count up to {most} rows: larger tables may show a difference" if most > bound else None


def _same(bound: int) -> PairFinding:
    return PairFinding(
        verdict=EquivalenceVerdict.EQUIVALENT_UP_TO_BOUND,
        bound=bound,
        assumption="none",
        reason="both sides are the same query",
    )


def _not_refuted(reason: str, trials: int) -> PairFinding:
    return PairFinding(verdict=EquivalenceVerdict.NOT_REFUTED, reason=reason, trials=trials)


def _unsupported(reason: str, fault: str | None = None) -> PairFinding:
    return PairFinding(verdict=EquivalenceVerdict.UNSUPPORTED, reason=reason, fault=fault)


def _error(reason: str, fault: str | None = None) -> PairFinding:
    return PairFinding(verdict=EquivalenceVerdict.ERROR, reason=reason, fault=fault)


def _failed(name: str, side: Side, failure: Failure, *, guessed: bool) -> PairFinding:
    """SQL of another dialect that SQLite cannot run is unsupported; SQL written for SQLite is an error."""
    missing = not side.reshaped and failure.detail.startswith(("no such column", "no such table", "ambiguous column"))
    if failure.kind is not FailureKind.ERROR or ((side.translated or guessed) and not missing):
        return _unsupported(f"{name}: {failure.detail}", name)
    return _error(f"{name} does not execute: {failure.detail}", name)
