"""Signals about which rows are compared, kept or dropped."""

from __future__ import annotations

import re

from scoring.alignment.left_out import excluded_blocks
from scoring.patterns import lazy
from scoring.signals.finding import Finding
from scoring.signals.mistakes.unmet.both import taken_from_the_other
from scoring.signals.mistakes.unmet.kept import assigned_alone, attribute_counted, kept_otherwise, truth_counted
from scoring.signals.mistakes.unmet.nevers import never_by_other_rows, never_otherwise
from scoring.signals.mistakes.unmet.other_rows import others_with_itself
from scoring.signals.mistakes.unmet.quiet import quiet_misread
from scoring.signals.mistakes.unmet.ratios.wholes import parts_dropped
from scoring.signals.mistakes.unmet.totals import compared_otherwise, values_of_all_groups
from scoring.signals.mistakes.wording import asked, cue, first, said, shapes
from scoring.specification import Clause, Op, SqlFilter, SubqueryRole
from scoring.specification.shapes import ShapeKind
from scoring.sql.shapes.naming import table_words
from scoring.verdict import Case
from scoring.words import identifier_words, stem

_OWN_GROUP = lazy(
    r"\b(?:than|above|below|over|under|exceeds?|exceeding|beats?|to|of|with"
    r"|equals?)\b[^?.]{0,80}\b(?:average|avg|mean|median|max\w*|min\w*|highest"
    r"|lowest|latest|most recent)\b[^?.]{0,80}\b(?:their|its|his|her|own|same|respective)\b"
    r"|\b(?:than|above|below|over|under)\b[^?.]{0,40}\b(?:its|their|his|her) (?:own )?\w+(?:'s|’s)? "
    r"(?:average|avg|mean|median)\b"
)
_EACH_LATEST = lazy(
    r"\b(?:latest|most recent|newest|last|current|first|earliest|highest|lowest|oldest|youngest|best"
    r"|most expensive|cheapest)\b[^?.]{0,80}"
    r"\b(?:of|for|in|by|from|per|within) (?:each|every)\b|\beach (?!other)\w+(?:'s| ?’s) (?:latest"
    r"|most recent|newest|last|first|highest|lowest)"
    r"|\b(?:for|of) each\b[^?.]{0,80}\b(?:latest|most recent|newest|last|first|highest|lowest)\b"
)
_OWN_ROLE = lazy(r"\bthan (?:their|its|his|her) (?:own )?\w+")


def compared_with_all(case: Case) -> Finding | None:
    """Each row is to be compared with its own group, or with the others, and the SQL compares it with all rows.

    >>> compared_with_all(case("Which pilots earn more than the average of their base?",
    ...     "SELECT name FROM pilots WHERE pay > (SELECT AVG(pay) FROM pilots)")).strength
    1.0
    """
    found, others = first(case, ShapeKind.OVERALL), others_with_itself(case) or compared_otherwise(case)
    text = asked(case)
    if others is not None:
        return Finding(1.0, others)
    if found is None or not (_OWN_GROUP.search(text) or _EACH_LATEST.search(text) or _OWN_ROLE.search(text)):
        return None
    if any(each.correlated for each in case.sql.subqueries) or any(each.partition_by for each in case.sql.windows):
        return None
    if case.sql.group_by and not _is_filtered(case):
        return None
    return Finding(1.0, found.text)


def _is_filtered(case: Case) -> bool:
    """Whether the comparison stands in WHERE, where no group is made yet."""
    return any(each.clause is Clause.WHERE for each in case.sql.filters)


def subquery_uncorrelated(case: Case) -> Finding | None:
    """A subquery is tested for each row, and reads nothing of the row.

    `NOT EXISTS (SELECT 1 FROM flights)` keeps every pilot or none. The key that links both is missing.

    >>> subquery_uncorrelated(case("Which pilots have no flights?",
    ...     "SELECT name FROM pilots WHERE 0 = (SELECT COUNT(*) FROM flights)")).detail
    '0 = (SELECT COUNT(*) FROM flights) is the same for every row'
    """
    found = first(case, ShapeKind.UNCORRELATED)
    plain = found.text if found is not None else values_of_all_groups(case)
    if plain is not None:
        return Finding(1.0, plain)
    scalar = _SCALAR.search(case.written) if _OF_OWN.search(asked(case)) is not None else None
    return Finding(1.0, f"{scalar.group()}…) is the same for every row") if scalar is not None else None


_SCALAR = lazy(r"\bwith\s*\(\s*select\s+(?:avg|max|min|median)\s*\(", re.IGNORECASE)
"""A value for all rows, as ClickHouse names one."""
_OF_OWN = lazy(r"\b(?:its|their|his|her) own\b|\bthan (?:its|their)\b")


_NULLS = lazy(
    r"\b(?:fly|run|go|sail|drive|come) with no [\w-]+ at all\b|\bnulls?\b|\bnullable\b|\bunset\b|\bempty\b|\bblank\b"
    r"|\bmay be missing\b|\b(?:without"
    r"|with no) an? \w+ id\b"
    r"|\b(?:most|few|only some|only a few|some|many|not all|not every"
    r"|hardly any) (?:of the )?(?:\w+ ){1,3}(?:have|has|carry"
    r"|carries) (?:no|an?|any)\b"
)


def exclusion_with_null(case: Case) -> Finding | None:
    """NOT IN is tested over a column that holds NULL, so no row passes.

    One NULL in the list makes NOT IN unknown for every row. Only where a text says that there are NULLs, and for a
    table that refers to itself: who has no manager has a NULL there.

    >>> exclusion_with_null(case("Which pilots have no flights? flights.pilot_id is NULL for guests",
    ...     "SELECT name FROM pilots WHERE id NOT IN (SELECT pilot_id FROM flights)")).detail
    'NOT id IN (SELECT pilot_id FROM flights)'
    """
    found = first(case, ShapeKind.NULLABLE_EXCLUSION)
    if found is None or not ("hierarchy" in found.words or _NULLS.search(said(case))):
        return None
    return Finding(1.0, found.text)


_NULL_COUNTS = cue(
    "null unset missing unknown empty blank w/o without ones",
    r"\b(?:unknown|empty|blank|missing|null)(?: \w+)? (?:counts?|count(?:ed|ing)?|treated) (?:as |for )?not\b"
    r"|\b(?:have|has|having|with) (?:\w+ )?(?:null|empty|blank)\b(?! (?:and|or) )|\bnulls? (?:counts?|is|are"
    r"|means?|treated|taken|included)\b[^.]{0,80}\b(?:as|not|too|included|zero"
    r"|0)\b|\b(?:or|including|incl\.|even) (?:null|unset|missing)\b"
    r"|\bwhose \w+ is (?:null|unset|missing) (?:count|are included|too)\b"
    r"|\b(?:also|incl\w*\.?|including|plus|and) (?:the )?(?:ones|those) (?:w/o|without|with no|missing) "
    r"|\b(?:count|include|with|keep|plus)(?:ing)? (?:the )?(?:blank|empty|null|missing|unset)s?(?: ones)?"
    r" (?:too|as well|also)\b"
    r"|\b(?:is|are) (?:null|empty|blank|unset) (?:when|where|if|for) [^.;]{0,60}\b(?:not|no|never|none"
    r"|without|outside)\b",
)


_FILLED_IN_WHERE = lazy(r"\bwhere\b[\s\S]*\b(?:coalesce|ifnull|nvl|isnull)\s*\(", re.IGNORECASE)


def null_left_out(case: Case) -> Finding | None:
    """Rows without a value are to be kept, and `<>`, NOT IN or COUNT of a value that some lack drops them.

    NULL differs from nothing: `status <> 'lost'` is not true for it.

    >>> null_left_out(case("Parcels whose status is not 'lost', including NULL",
    ...     "SELECT id FROM parcels WHERE status <> 'lost'")).detail
    "status != 'lost'"
    """
    counted = attribute_counted(case) or truth_counted(case) or assigned_alone(case)
    if counted is not None:
        return Finding(1.0, counted)
    found = next(
        (each for each in case.sql.filters if each.op in (Op.NE, Op.NOT_IN) and each.clause is Clause.WHERE), None
    )
    if found is None or not _NULL_COUNTS.search(said(case)):
        return None
    if _FILLED_IN_WHERE.search(case.written) is not None:
        return None
    if any(each.op is Op.IS_NULL for each in case.sql.filters) or re.search(
        r"is distinct from|is not true|<=>", case.written.casefold()
    ):
        return None
    return Finding(1.0, found.text)


_KEPT = cue(
    "incl also even keep kept zero 0 nil nothing show list appear stay",
    r"\b(?:should|must) (?:still )?(?:show|appear|count|be listed|be shown|come)\b(?: (?:as|with|a))*(?: 0| zero)?\b"
    r"|\beven if (?:nothing|none|no \w+)\b|\bincluded\b ?\((?:those|they|these|which) have no\b"
    r"|\bincluding [^.;\n]{0,30}\b(?:is|are|with|whose \w+ is) (?:null|empty)\b"
    r"|\b(?:ones|those|\w+s) (?:w/|with) (?:zero|0|none|nothing)\b[^.;?]{0,20}\b(?:too|as well|also|on the list)\b"
    r"|\b(?:also|incl\.?|including|even) (?:the )?(?:those|ones|ppl|people|\w+s) (?:nobody|no one|w/o|w/ no|w/ zero"
    r"|(?:who|that|which) (?:didn'?t|did not|never|don'?t|haven'?t|paid nothing|bought nothing|have none))\b"
    r"|\b(?:who|that|which) (?:never|didn'?t|haven'?t) [^.;?]{0,30}\bcount(?:s|ed|ing)? (?:as|for) (?:0|zero)\b"
    r"|\b(?:also|and) (?:show|list|keep|include) (?:the )?\w+ (?:who|that|which) (?:did|have|has|had|do"
    r"|does)(?:n't| not| no)\b"
    r"|\b(?:zero|0|nil) (?:if|when|where) there (?:were|was|are|is) none\b|"
    r"\b(?:including|incl\.?|also|even|keep(?:ing)?) (?:those |the ones |all |the |any "
    r"|\w+s? )?(?:with(?:out| no| zero| none)|who (?:have|has|had) no(?:ne|t)?|that (?:have|has|had) no(?:ne|t)?)\b"
    r"|\beven (?:if|when|those|where) (?:there (?:are|is) )?(?:they |it |he |she )?(?:ha(?:s|ve"
    r"|d) )?(?:none|no|zero|never|not|without)\b"
    r"|\b(?:zero|0) (?:if|when|where|for those) (?:they |it |there )?(?:ha(?:s|ve)|is|are)? ?(?:none|no)\b"
    r"|\bshow(?:ing)? (?:zero|0)\b|\bincluding zeros?\b|\bwith (?:zeros\b|zero (?:for|if|where|when)\b)"
    r"|\bzero(?:e?s)? (?:too|as well|also|included)\b|\bincl\.? (?:zero|empty"
    r"|unassigned|unsold|inactive|self-\w+|none|missing|unknown)\w*"
    r"|\b(?:all|every|each) \w+(?: \w+)?,? (?:including|even) (?:those|the ones)\b"
    r"(?! (?:now |already |since |that (?:are|were|have) (?:now |since )?)?"
    r"(?:closed|ended|cancell?ed|deleted|inactive|archived|retired|left|gone|discontinued))"
    r"|\b(?:also|and) (?:show|list|keep|include) (?:the |those |all )?(?:\w+ )?(?:with(?:out)?|who have|that have)\b"
    r"(?: none| no| zero|(?<=without))|\b(?:zero|0|nil|nothing) (?:for|if|when|where) (?:the |an? |those |any "
    r"|all )?(?:\w+ )?(?:(?:who|that|which) )?(?:ha(?:s|ve|d|ving)|with) (?:none|no|nothing|zero)\b"
    r"|\bincl(?:\.|ud\w+)? (?:\w+ ){1,3}(?:who|that|which|with) (?:\w+ )?(?:zero|none|nothing)\b"
    r"|\bkeep (?:the )?(?:ones|those|\w+s) (?:without|with no)\b"
    r"|\b(?:without|with no)\b[^.;]{0,30}\b(?:must|should|have to|need to) (?:also )?(?:appear|show|stay"
    r"|be (?:listed|shown|included|kept))\b",
)


_LACKING = lazy(
    r"\b(?:including|incl\.?|even) (?:the |all |any )?(\w+s) "
    r"(?:without|with (?:no|none|zero)|(?:who|that) (?:have|had) no)\b"
)


def kept_rows_dropped(case: Case) -> Finding | None:
    """Things without a partner are to be kept, and an inner join or a condition in WHERE drops them, or the reverse.

    `including pilots without flights` needs an outer join whose conditions stand in ON.

    >>> kept_rows_dropped(case("Flights per pilot, including those without flights", "SELECT p.name, COUNT(*) FROM "
    ...     "pilots p JOIN flights f ON f.pilot_id = p.id GROUP BY p.name")).detail
    'including those without: inner join of flights'
    """
    found = _KEPT.search(said(case))
    alone = kept_otherwise(case)
    if alone is not None:
        return Finding(1.0, alone)
    if found is None:
        return parts_dropped(case) or quiet_misread(case)
    lacking = _LACKING.search(said(case))
    heads = {table_words(each.words[0])[-1:]: each.text for each in shapes(case, ShapeKind.OPTIONAL)}
    wrong_side = heads.get((stem(lacking[1]),)) if lacking is not None else None
    undone = first(case, ShapeKind.OUTER_CONDITION)
    if wrong_side is not None:
        return Finding(1.0, f"{found.group()}: {wrong_side}")
    if undone is not None:
        return Finding(1.0, f"{found.group()}: {undone.text}")
    lost = _null_difference(case)
    if lost is not None:
        return Finding(1.0, f"{found.group()}: {lost}")
    joined = next((each.table for each in case.sql.joins if each.kind == "inner"), None)
    return None if joined is None or _keeps(case) else Finding(1.0, f"{found.group()}: inner join of {joined}")


def _null_difference(case: Case) -> str | None:
    """A bound of a difference with what an outer join may leave NULL, and no value stands in for it."""
    if _OUTER.search(case.written) is None or {"COALESCE", "IFNULL", "NVL", "ISNULL"} & case.sql.functions:
        return None
    bounds = (each for each in case.sql.filters if each.clause is Clause.WHERE and each.lhs is not None)
    return next(
        (each.text for each in bounds if each.lhs and " - " in each.lhs.name and len(each.lhs.columns) > 1), None
    )


def _keeps(case: Case) -> bool:
    """Whether an outer join, a set operation or a subquery of a row may keep things without a partner."""
    outer = _OUTER.search(case.written) is not None or bool(case.sql.set_operations or excluded_blocks(case.sql))
    outer = outer or any(each.conditional for each in case.sql.aggregations)
    return outer or any(each.role is SubqueryRole.SCALAR for each in case.sql.subqueries)


_OUTER = lazy(r"\b(?:left|right|full) (?:outer )?join\b", re.IGNORECASE)
_LACKS = lazy(
    r"\b(?:without|haven't|hasn't|hadn't|didn't|don't|doesn't|never|not yet|have not|has not|did not|no \w+"
    r"|lacking|missing)\b"
)
_ABSENT = frozenset({Op.IS_NULL, Op.NE, Op.NOT_IN, Op.NOT_EXISTS})


def absence_flipped(case: Case) -> Finding | None:
    """What has no partner is asked for, and the SQL keeps what has one.

    After an outer join, `IS NOT NULL` of the other table keeps the rows with a partner.

    >>> absence_flipped(case("Which pilots haven't flown?", "SELECT p.name FROM pilots p LEFT JOIN flights f ON "
    ...     "f.pilot_id = p.id WHERE f.id IS NOT NULL")).detail
    'id is not null'
    """
    plainly = _over_for_still(case) or taken_from_the_other(case) or _by_others(case)
    if plainly is not None:
        return plainly
    optional = {each.words[0] for each in shapes(case, ShapeKind.OPTIONAL)}
    if not optional or not _LACKS.search(asked(case)) or case.sql.set_operations:
        return None
    if any(each.op in _ABSENT for each in case.sql.filters):
        return None
    found = next((each for each in case.sql.filters if _keeps_partner(each, optional)), None)
    return Finding(1.0, found.text) if found is not None else None


def _by_others(case: Case) -> Finding | None:
    other = never_by_other_rows(case) or never_otherwise(case)
    return _absent_or_other(case) if other is None else Finding(1.0, other)


def _absent_or_other(case: Case) -> Finding | None:
    """What has no partner is asked for, and one partner that differs is enough: `kind <> 'gift' OR kind IS NULL`."""
    if _LACKS.search(asked(case)) is None or case.sql.having or case.sql.group_by:
        return None
    outer = _optional(case)
    ored = [each for each in case.sql.filters if each.alternative is not None and _table_of(each) in outer]
    absent = {(each.alternative, _table_of(each)) for each in ored if each.op is Op.IS_NULL}
    odd = next((each for each in ored if _is_one_of(each, absent)), None)
    return Finding(1.0, f"{odd.text} is enough of one row") if odd is not None else None


def _optional(case: Case) -> set[str]:
    return {join.table for join in case.sql.joins if join.kind == "left"}


def _is_one_of(each: SqlFilter, absent: set[tuple[int | None, str | None]]) -> bool:
    """Whether WHERE takes a row that meets a condition beside one that is not there."""
    if each.op is Op.IS_NULL or each.clause is not Clause.WHERE:
        return False
    return (each.alternative, _table_of(each)) in absent


def _table_of(each: SqlFilter) -> str | None:
    columns = each.lhs.columns if each.lhs is not None else ()
    return columns[0].table if len(columns) == 1 else None


_STILL = cue(
    "still not yet",
    r"\bstill (?:have|out|open|unpaid|pending|missing|outstanding|active|running|waiting|on loan|rented|here|owed"
    r"|unresolved)\b"
    r"|\bnot (?:been )?(?:yet )?(?:returned|closed|resolved|paid|delivered|finished|completed)\b",
)
_OVER = frozenset(
    map(stem, "returned closed resolved paid delivered finished completed ended released left collected sold".split())
)


def _over_for_still(case: Case) -> Finding | None:
    """What is still going on is asked for, and the SQL keeps what has its end: `returned_at IS NOT NULL`."""
    if _STILL.search(asked(case)) is None or any(each.op in _ABSENT for each in case.sql.filters):
        return None
    for each in case.sql.filters:
        columns = each.lhs.columns if each.lhs is not None and each.clause is Clause.WHERE else ()
        ended = any(not _OVER.isdisjoint(identifier_words(column.name)) for column in columns)
        if each.op is Op.NOT_NULL and each.alternative is None and ended:
            return Finding(1.0, f"{each.text} for what is still going on")
    return None


def _keeps_partner(each: SqlFilter, optional: set[str]) -> bool:
    """Whether WHERE keeps the rows that an outer join finds a partner for."""
    columns = each.lhs.columns if each.lhs is not None else ()
    partner = len(columns) == 1 and columns[0].table in optional
    return each.op is Op.NOT_NULL and each.clause is Clause.WHERE and partner


_EACH_KEPT = lazy(r"\b(?:for each|for every|each|every|all)\b")


def outer_join_undone(case: Case) -> Finding | None:
    """WHERE tests a column that an outer join leaves NULL, which makes it an inner join.

    A value for each thing is asked for, and things without a partner fall out: the condition belongs in ON.

    >>> outer_join_undone(case("How many flights in 2020 has each pilot?", "SELECT p.name, COUNT(f.id) FROM pilots p "
    ...     "LEFT JOIN flights f ON f.pilot_id = p.id WHERE f.year = 2020 GROUP BY p.name")).detail
    'f.year = 2020'
    """
    found = first(case, ShapeKind.OUTER_CONDITION)
    if found is None or not _EACH_KEPT.search(asked(case)) or not case.sql.aggregations:
        return None
    return Finding(0.5, found.text)
