"""Signals about a share of those who did one thing: both counts must be of the same people, or of one group."""

from __future__ import annotations

from collections.abc import Sequence

from scoring.signals.mistakes.wording import cue
from scoring.specification import Aggregation, SubqueryRole
from scoring.sql.shapes.naming import is_own_key, key_stems
from scoring.verdict import Case
from scoring.words import stem

_SHARE = r"(?:%|\b(?:pct|percent\w*|share|proportion|fraction))"
_OF_THOSE = cue(
    "of",
    rf"\b(?:of|among|out of) (?:all |the |our |those )*(?P<who>[a-z]+)(?: [a-z]+)? (?:who|that|which)\b[^.;?]{{3,80}}?"
    rf"{_SHARE}"
    rf"|{_SHARE}(?: of)? (?:the |our |all |those )*(?P<of>[a-z]+) (?:who|that|which) [^.;?]{{3,80}}?"
    r"\b(?:were|was|had|did|came|bought|ordered|made|logged|returned|then|later|also|used|went|placed|booked)\b",
)
_LINKS = frozenset(
    {SubqueryRole.IN, SubqueryRole.NOT_IN, SubqueryRole.EXISTS, SubqueryRole.NOT_EXISTS, SubqueryRole.QUANTIFIED}
)


def counts_unlinked(case: Case) -> str | None:
    """Of those who did one thing, the share who did another is asked for, and nothing says that they are the same.

    >>> counts_unlinked(case("Of pilots who joined in May what % flew in June: how many were active", "SELECT (SELECT "
    ...     "COUNT(DISTINCT pilot_id) FROM flights WHERE month = 6) * 1.0 / (SELECT COUNT(*) FROM pilots WHERE "
    ...     "month = 5)"))
    'flights and pilots: nothing links what is counted'
    """
    found = _OF_THOSE.search(case.asked) if case.sql.divisions else None
    if found is None or _links(case):
        return None
    who = stem(found["who"] or found["of"])
    counts = [each for each in case.sql.aggregations if each.func == "COUNT" and not each.conditional]
    read = _tables_of(counts, case)
    keyed = len(counts) == len(read) == 2 and any(_counts_people(each, who) for each in counts)
    return f"{read[0]} and {read[1]}: nothing links what is counted" if keyed else None


def _tables_of(counts: Sequence[Aggregation], case: Case) -> list[str]:
    """The different tables that the blocks of counts read, where each reads one."""
    tables = {block.path: block.tables for block in case.sql.blocks}
    read = [tables.get(each.block, ()) for each in counts]
    return list(dict.fromkeys(each[0] for each in read)) if all(len(each) == 1 for each in read) else []


def _links(case: Case) -> bool:
    """Whether a join, a subquery, a set operation or groups may say which people both counts are of."""
    sql = case.sql
    if sql.set_operations or sql.windows or sql.group_by or any(each.pairs for each in sql.joins):
        return True
    return any(each.role in _LINKS or each.correlated for each in sql.subqueries)


def _counts_people(each: Aggregation, who: str) -> bool:
    """Whether different people are counted in a table of what they did."""
    columns = each.columns
    stems = key_stems(columns[0].name) if each.distinct and len(columns) == 1 else None
    return bool(stems) and not is_own_key(columns[0]) and (stems or ("",))[-1][:4] == who[:4]


_EACH_GOT = cue(
    "each every",
    r"\bof (?:all )?(?:the |those )?(?P<things>[a-z]+) (?:that )?(?:each|every) (?P<group>[a-z]+)\b[^.;?%]{0,50}?"
    r"(?:%|\b(?:what|which|how) (?:%|pct|percent\w*|share|proportion|many percent)|\b(?:pct|percent\w*|share) )",
)


def asks_of_each(case: Case) -> bool:
    """Whether a share of what each group has is asked for: `of the calls each agent took, what % were missed`."""
    return _EACH_GOT.search(case.asked) is not None
