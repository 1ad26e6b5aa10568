"""Proves pairs that no search refuted: for one row per table, then two, up to the bound."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from references.equivalence.data.population import Population
from references.equivalence.pair import Certificate, Contents, Found, Level
from references.equivalence.proof.certificate import ANY, ORDINARY, Proof, prove
from references.equivalence.proof.logic import Unprovable, forget, z3
from references.equivalence.reading.side import Side
from references.equivalence.search.bench import PairBench
from references.equivalence.search.witnesses import lowest
from references.sandbox import Folding
from references.semantics import Semantics

TYPED = "values have their columns' types, and columns that are compared have one type"
FREE = "where SQLite may pick any row, it picks the first"
FOLDED = "texts that differ only in letter case are equal"
CALENDAR = "dates that the queries compute lie in the years of the calendar"
PLAIN = "ordinary data: keys and references hold, no NULLs, no ties, no empty table"


@dataclass(frozen=True, slots=True, kw_only=True)
class Certifier:
    """Proves one pair for growing databases."""

    a: Side
    b: Side
    population: Population
    semantics: Semantics
    bench: PairBench
    remaining: Callable[[], float]
    """Returns the CPU seconds left."""

    def __call__(self, bound: int) -> Certificate:
        """Returns the certificate, with the solver's database if the queries differ on it."""
        forget()
        proved, assumed, notes = 0, ANY, list[str]()
        reason: str | None = None
        computes = False
        while proved < bound and reason is None:
            try:
                proof = self._prove(proved + 1, assumed is ANY)
            except Unprovable as error:
                reason = f"the proof does not cover it: {error}"
                break
            except (RecursionError, z3.Z3Exception) as error:
                reason = f"the proof does not cover it: {type(error).__name__}"
                break
            notes, computes = [*proof.assumptions], proof.computes_dates
            if proof.equal:
                proved += 1
            elif proof.equal is None:
                reason = "the solver ran out of time"
            else:
                found = self._confirmed(proof)
                if found is not None:
                    found = self._more_ordinary(found, proved + 1)
                    return Certificate(bound=proved, assumption="", reason=None, found=found)
                if assumed is ORDINARY:
                    reason = "the queries agree when run on the solver's database"
                assumed = ORDINARY
        words = [TYPED, *([CALENDAR] if computes else []), *([FOLDED] if self.a.folding is Folding.ALWAYS else [])]
        words += [PLAIN, *notes] if assumed is ORDINARY else [FREE] if notes else []
        return Certificate(bound=proved, assumption="; ".join(words), reason=reason)

    def _more_ordinary(self, found: Found, rows: int) -> Found:
        """A counterexample of as many rows on ordinary data, where the solver finds one: its level is lower."""
        if found.level is Level.S0:
            return found
        with suppress(Unprovable, RecursionError, z3.Z3Exception):
            proof = self._prove(rows, False)
            other = self._confirmed(proof) if proof.equal is False else None
            return other if other is not None and other.level < found.level else found
        return found

    def _prove(self, rows: int, anything: bool) -> Proof:
        milliseconds = int(1000 * max(self.remaining(), 0))
        assumed = ANY if anything else ORDINARY
        return prove(self.a, self.b, self.population, self.semantics, rows, assumed, milliseconds)

    def _confirmed(self, proof: Proof) -> Found | None:
        """Returns the solver's database with its lowest level, if the queries differ on it when run."""
        contents = _fitted(self.population, proof.contents or {})
        if self.a.translated and not _days_only(self.population, contents):
            return None
        level, data = lowest(self.bench, contents)
        return Found(level=level, data=data, contents=contents) if level is not None else None


def _fitted(population: Population, contents: Contents) -> Contents:
    """The database with days and moments as the columns hold them."""
    plans = {plan.name: plan for plan in population.plans}
    return {
        name: tuple(tuple(slot.fit(value) for slot, value in zip(plans[name].slots, row, strict=True)) for row in rows)
        for name, rows in contents.items()
    }


def _days_only(population: Population, contents: Contents) -> bool:
    """Whether no DATE contains a time of day."""
    return all(
        len(str(row[place])) == len("2020-01-01") or row[place] is None
        for plan in population.plans
        for place, slot in enumerate(plan.slots)
        if slot.column.declared.upper() == "DATE" and not slot.column.timed
        for row in contents[plan.name]
    )
