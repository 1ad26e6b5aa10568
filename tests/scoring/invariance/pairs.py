"""Pairs of answers that mean the same, and how far `p_correct` moves between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from references.equivalence.pair import EquivalenceVerdict, Pair
from references.equivalence.verify import verify
from scoring.evaluation import examine
from scoring.query import Query, Unscored
from scoring.rules import Rules
from service.judges.weights import local_judge
from tests.scoring.invariance.rewrites import REWRITES, Rewrite
from tests.scoring.invariance.samples import Sample

BOUND = 2
"""Rows a table up to which pairs are proved equal."""
BUDGET = 2.0
"""CPU seconds for the proof of one pair; a pair without a proof does not count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewritten:
    """An answer and the same answer rewritten."""

    group: str
    """The row of the table that it counts for."""
    way: str
    """The name of the rewrite."""
    sample: Sample
    sql: str


def rewritten(samples: Iterable[Sample]) -> Iterator[Rewritten]:
    """Every rewrite of every sample that changes something; not yet proved."""
    for sample in samples:
        tree = _tree(sample.sql)
        before = tree.sql("sqlite") if tree is not None else None
        for group, ways in REWRITES.items():
            for way in ways if tree is not None else ():
                after = _applied(way, tree.copy())
                if after not in (None, before):
                    yield Rewritten(group=group, way=way.__name__, sample=sample, sql=after)


def _tree(sql: str) -> exp.Query | None:
    try:
        tree = parse_one(sql, dialect="sqlite")
    except SqlglotError:
        return None
    return tree if isinstance(tree, exp.Query) else None


def _applied(way: Rewrite, tree: exp.Query) -> str | None:
    """The rewritten query, or `None` where the rewrite finds nothing."""
    # Queries that the rewrites were not made for may lack the parts they look at.
    try:
        return tree.sql("sqlite") if way(tree) else None
    except (AttributeError, IndexError, StopIteration, KeyError):
        return None


def is_proved(pair: Rewritten) -> bool:
    """Whether both queries give the same rows on every database up to the bound."""
    found = verify(Pair(sql_a=pair.sample.sql, sql_b=pair.sql, schema=pair.sample.schema), bound=BOUND, budget=BUDGET)
    return found.verdict is EquivalenceVerdict.EQUIVALENT_UP_TO_BOUND


@lru_cache(maxsize=4096)
def p_correct(question: str, enriched: str | None, sql: str) -> float | None:
    """What the local judge gives an answer, or `None` where it is not scored."""
    case = examine(Query(question=question, enriched_question=enriched, sql=sql, dialect="sqlite"), Rules())
    return None if isinstance(case, Unscored) else local_judge().judge(case).p_correct


def moved(pair: Rewritten) -> float | None:
    """|Δp| of a pair, or `None` where neither side is scored; 1 where only one is."""
    sample = pair.sample
    a, b = (p_correct(sample.question, sample.enriched, sql) for sql in (sample.sql, pair.sql))
    if a is None or b is None:
        return None if a is b else 1.0
    return abs(a - b)
