"""Judges an answer by its reference without their database: from its DDL, or knowing nothing of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import thread_time

from references.comparison.alternatives import MalformedReferenceError, expand
from references.equivalence.pair import EquivalenceVerdict, Level, Pair, PairFinding
from references.equivalence.reading.side import Refusal, read_side
from references.equivalence.verify import verify
from references.lint import Doubt, ReferenceDoubt, lint
from references.reference_verdict import AnswerPair, ReferenceFinding, ReferenceVerdict
from references.semantics import Semantics
from scoring.sql.dialects import canonical_dialect, guess

MOST_ALTERNATIVES = 8
"""The most queries of one reference that are tried."""
_LEAST = 0.1
"""The least CPU seconds that each alternative gets."""


def judge_answer(
    pair: AnswerPair, *, bound: int = 2, budget: float = 5.0, semantics: Semantics | None = None
) -> ReferenceFinding:
    """Judges an answer within about `budget` CPU seconds. Never raises because of what the queries contain.

    The alternative that is most favourable to the answer counts. Without `semantics`, results are compared as bags, or
    as lists when the alternative has an ORDER BY.

    >>> pair = AnswerPair(reference="SELECT {id, name} FROM shelf", answer="SELECT name FROM shelf")
    >>> found = judge_answer(pair)
    >>> found.verdict.value, found.alternative
    ('equivalent_up_to_bound', 'SELECT name FROM shelf')
    """
    guessed = pair.dialect is None
    dialect = guess(pair.answer) if pair.dialect is None else canonical_dialect(pair.dialect)
    if dialect is None:
        return _unsupported(f"the dialect {str(pair.dialect)[:40]!r} is not known")
    try:
        expansion = expand(pair.reference, MOST_ALTERNATIVES, written_out=True)
    except MalformedReferenceError as error:
        return _unfit(str(error))
    queries = list(dict.fromkeys(each.sql for each in expansion.alternatives))
    if not queries:
        return _unfit("it contains no query")
    asked = Pair(sql_a="", sql_b=pair.answer, schema=pair.schema, dialect=dialect, guessed=guessed)
    query, finding, compared = _best(asked, queries, bound, budget, semantics)
    verdict = _verdict(finding)
    return ReferenceFinding(
        verdict=verdict,
        finding=replace(finding, reason=_reason(finding)),
        semantics=compared,
        alternative=query if len(queries) > 1 else None,
        left_out=expansion.capped,
        doubts=() if finding.fault == "sql_a" else _doubts(query, dialect),
    )


def _doubts(query: str, dialect: str) -> tuple[ReferenceDoubt, ...]:
    """Returns the doubts about a query that could be run."""
    try:
        return lint(query, dialect)
    except RecursionError:
        return ()


def _unsupported(reason: str) -> ReferenceFinding:
    finding = PairFinding(verdict=EquivalenceVerdict.UNSUPPORTED, reason=reason)
    return ReferenceFinding(verdict=ReferenceVerdict.UNSUPPORTED, finding=finding)


def _unfit(reason: str) -> ReferenceFinding:
    finding = PairFinding(verdict=EquivalenceVerdict.ERROR, reason=f"reference: {reason}")
    doubts = (ReferenceDoubt(Doubt.MALFORMED, reason),)
    return ReferenceFinding(verdict=ReferenceVerdict.UNFIT_REFERENCE, finding=finding, doubts=doubts)


def _best(
    pair: Pair, queries: Sequence[str], bound: int, budget: float, semantics: Semantics | None
) -> tuple[str, PairFinding, Semantics]:
    """Returns the alternative that is most favourable to the answer. One proved equal ends the search."""
    ends = thread_time() + budget
    found: list[tuple[str, PairFinding, Semantics]] = []
    for place, query in enumerate(queries):
        share = max((ends - thread_time()) / (len(queries) - place), _LEAST)
        asked = replace(pair, sql_a=query, semantics=semantics or Semantics.BAG)
        finding = verify(asked, bound=bound, budget=share)
        ordered = _other_order(asked, finding, share) if semantics is None else None
        found.append((query, ordered or finding, asked.semantics if ordered is None else Semantics.LIST))
        if found[-1][1].verdict is EquivalenceVerdict.EQUIVALENT_UP_TO_BOUND and not found[-1][1].unseen:
            break
    query, best, compared = min(found, key=lambda each: _against(each[1]))
    return query, replace(best, cpu_seconds=round(sum(each.cpu_seconds for _, each, _ in found), 6)), compared


def _other_order(asked: Pair, finding: PairFinding, budget: float) -> PairFinding | None:
    """Returns a finding when the answer has the same rows in another order than the reference requires."""
    side = read_side(asked.sql_a, asked.dialect)
    if isinstance(side, Refusal) or side.tree.args.get("order") is None or finding.verdict not in _ORDER[:2]:
        return None
    # Without a proof, which does not cover the order of rows.
    listed = verify(replace(asked, semantics=Semantics.LIST), bound=0, budget=budget)
    if listed.verdict is not EquivalenceVerdict.DIFFERENT:
        return None
    spent = round(finding.cpu_seconds + listed.cpu_seconds, 6)
    return replace(listed, reason="the same rows, in another order than the reference requires", cpu_seconds=spent)


_ORDER = (
    EquivalenceVerdict.EQUIVALENT_UP_TO_BOUND,
    EquivalenceVerdict.NOT_REFUTED,
    # The answer may equal this alternative, so a difference from the others decides nothing.
    EquivalenceVerdict.UNSUPPORTED,
    EquivalenceVerdict.DIFFERENT,
    EquivalenceVerdict.ERROR,
)


def _against(finding: PairFinding) -> tuple[int, bool, int]:
    """Ranks findings by how much they count against the answer; of differences, one on ordinary data counts most."""
    level = 0 if finding.level is None else -list(Level).index(finding.level)
    return _ORDER.index(finding.verdict), finding.unseen, level


def _verdict(finding: PairFinding) -> ReferenceVerdict:
    if finding.verdict is EquivalenceVerdict.ERROR and finding.fault == "sql_a":
        return ReferenceVerdict.UNFIT_REFERENCE
    return ReferenceVerdict(finding.verdict.value)


_SIDES = {"sql_a": "reference", "sql_b": "answer"}


def _reason(finding: PairFinding) -> str | None:
    """The reason with `reference` and `answer` for the sides."""
    if finding.reason is None or finding.fault is None:
        return finding.reason
    return finding.reason.replace(finding.fault, _SIDES[finding.fault], 1)
