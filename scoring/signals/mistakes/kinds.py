"""Signals about all, only and both: conditions that some rows meet, where all must, or two kinds must occur."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.signals.finding import Finding
from scoring.signals.mistakes.unmet.both import (
    either_lacked,
    either_year,
    kinds_by_other_key,
    months_as_one_time,
    one_end_read,
    rows_for_every_period,
)
from scoring.signals.mistakes.unmet.counts import repeats_reach_all
from scoring.signals.mistakes.unmet.grain import are_alike
from scoring.signals.mistakes.unmet.links import lone_column
from scoring.signals.mistakes.unmet.nevers import only_by_some
from scoring.signals.mistakes.unmet.other_rows import both_for_one
from scoring.signals.mistakes.wording import asked, cue, stems_of
from scoring.specification import Clause, Op, SqlFilter, SqlSpec, SubqueryRole
from scoring.sql.shapes.naming import key_stems, table_words
from scoring.values import Choices, Number, Text
from scoring.verdict import Case
from scoring.words import stem

_ONLY = cue(
    "only exclusively nothing always",
    r"\b(?:who|that|which|whose|have|has|had|ever) (?:\w+ )?only (?:ever )?(?:\w+(?:e[dn]|wn)|buy|bought|sold"
    r"|ordered|used|paid|had|made|flew|took|seen?|ate|went)\b"
    r"|\b(?:exclusively|nothing but|always (?:\w+ed|paid|bought|used))\b",
)
_ALL_OF = cue(
    "all every",
    r"\b(?:holds?|carry|carries|stocks?|offers?|sells?|teach|speaks?|plays?|supports?|covers?|knows?|delivers?"
    r"|supplies) "
    r"(?:every|all(?: of)?(?: the| our)?) (?!kinds|sorts|types|over|day|year)\w+\b"
    r"|\b(?:bought|ordered|used|visited|completed|passed|attended|covered|have|has|had|sold|took|taken"
    r"|rated|reviewed|flew) (?:all(?: of)?|every(?: single)?)(?: the| our| \d+| available"
    r"| of the)* (?!time|other|orders|customers)[a-z]+\b"
    r"|\b(?:who|that|which|have|has|had|but) (?:have |has )?(?:paid|settled|returned|finished|cancell?ed|closed|missed"
    r"|answered|submitted) (?:every|all)(?: single)?(?: one)?(?: of)? (?:the |their |its |his |her |them|bill|invoice)"
    r"|\b(?:where|whose|of which|so|ie|i\.e\.|meaning)(?: that)? (?:every single|every|all(?: of)?)"
    r"(?: the| its| their)? \w+ "
    r"(?:is|are|was|were|has|have|got) ",
)
_UNIVERSAL = frozenset({"BOOL_AND", "LOGICAL_AND", "EVERY", "LOGICALAND"})


def all_read_as_some(case: Case) -> Finding | None:
    """All of a thing's rows must meet a condition, and the SQL keeps things of which one does.

    Who only flew gliders must have no other flight: NOT EXISTS, EXCEPT, or a condition on the group.

    >>> all_read_as_some(case("Which pilots have only flown gliders?",
    ...     "SELECT pilot FROM flights WHERE plane = 'glider'")).detail
    'have only flown: no row is looked for that fails'
    """
    done = _parts_done(case)
    if done is not None:
        return Finding(1.0, done)
    text = asked(case)
    found = _ONLY.search(text) or _ALL_OF.search(text) or (_EVERY_PART.search(text) if _bounds_some(case) else None)
    odd = _some_for_all(case) or only_by_some(case)
    if odd is not None:
        return Finding(1.0, odd)
    if found is None or not (case.sql.filters or case.sql.joins) or _NO_ONLY.search(text) or _looks_for_others(case):
        return repeats_reach_all(case)
    return Finding(1.0, f"{found.group()}: no row is looked for that fails")


_EACH_DONE = cue(
    "every all each",
    r"\b(?:where|whose|of which|if|when) (?:every single|every|each|all(?: of)?)(?: of)?(?: the| its| their)? (\w+) "
    r"(?:is|are|was|were|has been|have been|got|has|have) (?:already |now |fully )?(\w+)"
    r"|\bwhose (\w+) (?:are|were|have) all (?:been |already )?(\w+)",
)


def _parts_done(case: Case) -> str | None:
    """Things of which each part is done are asked for, and one part that is done is enough.

    >>> _parts_done(case("Flights where every bag is loaded", "SELECT DISTINCT f.id FROM flights f JOIN bags b ON "
    ...     "b.flight_id = f.id WHERE b.loaded_at IS NOT NULL AND f.void_at IS NULL"))
    'loaded_at is not null: one row is enough'
    """
    found, sql = _EACH_DONE.search(asked(case)), case.sql
    if found is None or _weighs_groups(sql) or len(sql.blocks) + len(sql.joins) < 2:
        return None
    part, done = filter(None, found.groups())
    kept = [each for each in sql.filters if each.alternative is None and _is_of_part(each, stem(part))]
    odd = next((each for each in kept if not stems_of(done).isdisjoint(_state(each))), None)
    if odd is None or [_column(each) for each in sql.filters].count(_column(odd)) > 1:
        return None
    return f"{odd.text}: one row is enough"


def _weighs_groups(sql: SqlSpec) -> bool:
    """Whether rows are counted, compared or excluded, as all of them have to be looked at."""
    if sql.having or sql.windows or sql.set_operations or _excludes(sql) or _UNIVERSAL & sql.functions:
        return True
    counted = any(each.conditional or each.func == "COUNT" for each in sql.aggregations)
    return counted or any(each.kind not in ("inner", "comma") for each in sql.joins)


def _is_of_part(each: SqlFilter, part: str) -> bool:
    """Whether a condition is on the table of the parts."""
    table = column.table if (column := lone_column(each)) is not None else None
    rows = table_words(table)[-1] if table else ""
    return (
        rows == part
        or are_alike(part, rows)
        or (len(rows) == _CUT and re.match(rf"{rows[0]}.*{rows[1]}", part) is not None)
    )


_CUT = 2
"""Letters of what a name of rows is cut to: `ln` for lines."""


def _state(each: SqlFilter) -> set[str]:
    """The words of the state that a condition keeps: of a value, or of the time at which it came."""
    if each.op is Op.NOT_NULL:
        return stems_of(_column(each).replace("_", " "))
    return stems_of(each.rhs.folded) if each.op is Op.EQ and isinstance(each.rhs, Text) else set()


_OTHERS = cue("other every all", r"\b(?:every|all|any) (?:the )?others?\b|\bthan (?:all|every)\b")
_ANY = lazy(r"[<>]=?\s*(?:any|some)\s*\(", re.IGNORECASE)
_NONE = cue(
    "no none never not without exclud",
    r"\b(?:no|none|never|without|excluding|excluded)\b|\b(?:do|does|did|is|are) not count\b|\b(?:don't"
    r"|doesn't) count\b",
)
_NOT_ALL = lazy(r"^min\(.*\) = (?:0|false)$")


def _some_for_all(case: Case) -> str | None:
    """A condition that one row, or one other row, is enough to meet, where none or all must."""
    some = _ANY.search(case.written) if _OTHERS.search(asked(case)) else None
    if some is not None:
        return f"{some.group()} …) for all others"
    having = [each for each in case.sql.having if _NOT_ALL.match(each.text)]
    if having and _NONE.search(asked(case)):
        return f"{having[0].text}: one row is enough"
    loose = next((each for each in case.sql.having if _LOOSE.match(each.text)), None)
    if loose is not None and isinstance(loose.rhs, Number) and _EVERY_ONE.search(asked(case)):
        return f"{loose.text}: one row is enough"
    return _only_itself(case) if _EXCLUSIVE.search(asked(case)) else None


_LOOSE = lazy(r"min\(.*\) <=? |max\(.*\) >=? ")
_EVERY_ONE = cue(
    "every all each",
    r"\b(?:for whom|where|whose|of whom) (?:every|each|all)\b|\bevery (?:single )?one of (?:their|its|his|her)\b"
    r"|\ball (?:of )?(?:their|its) \w+ (?:were|was|are|is|have|went|came|had)\b",
)
_EXCLUSIVE = cue(
    "only exclusively nothing other",
    r"\bexclusively\b|\bnothing else\b|\bno other\b|\bnothing but\b|\b(?:who|that|which|'ve|have|has"
    r"|had) (?:\w+ )?only\b",
)


def _only_itself(case: Case) -> str | None:
    """A test that nothing else occurs among rows of which WHERE keeps nothing else, or of one other value alone."""
    pinned = [each for each in case.sql.filters if _pins(each)]
    names = {_column(each) for each in pinned}
    single = next((each for each in case.sql.having if _counts_kinds(each) and _column(each) in names), None)
    return f"{single.text} where WHERE keeps one value" if single is not None else _one_excluded(pinned, case)


def _one_excluded(pinned: list[SqlFilter], case: Case) -> str | None:
    """One other value is excluded, where all others are to be."""
    excluded = {each.block for each in case.sql.subqueries if each.role in _EXCLUDING_ROLES}
    outer = {_column(each) for each in pinned if each.block not in excluded}
    alone = next((each for each in pinned if each.block in excluded and _column(each) in outer), None)
    return f"only {alone.text} is excluded" if alone is not None else None


def _column(each: SqlFilter) -> str:
    """The name of the column that a condition tests."""
    return each.lhs.columns[0].name if each.lhs is not None and each.lhs.columns else ""


def _counts_kinds(each: SqlFilter) -> bool:
    """Whether a condition bounds the number of different values of a column."""
    return each.lhs is not None and each.lhs.func == "COUNT" and each.lhs.distinct


def _pins(each: SqlFilter) -> bool:
    """Whether WHERE keeps one value of a column."""
    return each.op is Op.EQ and each.clause is Clause.WHERE and each.alternative is None and each.rhs is not None


_NO_ONLY = lazy(r"\bonly (?:the|one|once|\d|include|count|show|consider|for|in|if|when|a)\b")
_EXCLUDING = frozenset({Op.NOT_EXISTS, Op.NOT_IN, Op.NE, Op.IS_NULL})
_EXCLUDING_ROLES = frozenset({SubqueryRole.NOT_IN, SubqueryRole.NOT_EXISTS, SubqueryRole.QUANTIFIED})


_EVERY_PART = lazy(
    r"\ball-(?!time|in|day|year|round|purpose|star)\w+ \w+"
    r"|\b(?:where|whose|with|that have|who have|of which|when) (?:all|every|each)(?: of)?(?: the| its| their"
    r"| his| her)? [a-z]+"
    r"|\b(?:every|each|all)(?: of)? (?:its|their|the|his|her) [a-z]+ (?:is|are|was|were|has|have|had|been|got)\b"
)
_SOME = lazy(
    r"(?:logical_or|bool_or|max|any)\(.*\)(?: = (?:1|true))?$|(?:sum|count|count_if|countif)\(.*\) (?:> 0|>= 1)$"
)
"""A condition on a group that one of its rows meets."""


def _bounds_some(case: Case) -> bool:
    """Whether each condition on a group is met by one of its rows."""
    having = [each.text for each in case.sql.having]
    return bool(having) and all(_SOME.match(text) and "count(*)" not in text for text in having)


def _looks_for_others(case: Case) -> bool:
    """Whether the SQL excludes rows, counts different ones, or bounds a group, as a condition on all rows needs."""
    sql = case.sql
    bounded = any(not _SOME.match(each.text) for each in sql.having)
    if sql.set_operations or sql.windows or bounded or _UNIVERSAL & sql.functions:
        return True
    if any(each.op in _EXCLUDING and each.clause is not Clause.CASE for each in sql.filters):
        return True
    counted = any(each.distinct and each.func == "COUNT" for each in sql.aggregations)
    return counted or _excludes(sql) or _counts_both(case)


def _excludes(sql: SqlSpec) -> bool:
    return any(each.role in _EXCLUDING_ROLES for each in sql.subqueries)


def _counts_both(case: Case) -> bool:
    """Whether a group counts its rows and those with a value, to be compared: `COUNT(*) = COUNT(shipped_at)`."""
    counts = [each for each in case.sql.aggregations if each.func == "COUNT" and not each.windowed]
    whole = {each.block for each in counts if each.column == "*"}
    return any(each.block in whole for each in counts if each.column != "*")


_BOTH = cue(
    "both well",
    r"\b(?:who|that|which|whose|with|for|'ve|have|has|had|did|done|bought|ordered|used|treated|certified|know"
    r"|speak|own|rode|took|tried|made|watched|visited|played)\b"
    r"[^.?;]{0,25}\bboth (?:an? |the |in )?['\"]?(\w+)['\"]? (?:and|as well as) (?:an? |the |in )?['\"]?(\w+)"
    r"|\b(?:in )?(\w+) as well as (?:in )?(\w+)|\bwho (?:know|speak|own|use|play|have)s? (\w+) and (\w+)$",
)
_OR_OF_QUERIES = lazy(
    r"\bin\s*\(\s*select\b[^()]*(?:\([^()]*\)[^()]*)*\)\s*or\b|\bexists\s*\([^()]*\)\s*or\s+exists\b", re.IGNORECASE
)


def either_for_both(case: Case) -> Finding | None:
    """Who has both of two kinds is asked for, and the SQL keeps who has either.

    `IN ('Kite', 'Swan')` beside GROUP BY also keeps who has one of them: HAVING COUNT(DISTINCT …) = 2 is missing.

    >>> either_for_both(case("Pilots who flew both kites and swans",
    ...     "SELECT pilot_id FROM flights WHERE plane IN ('kites', 'swans') GROUP BY pilot_id")).detail
    "plane in ('kites', 'swans')"
    """
    other = kinds_by_other_key(case) or months_as_one_time(case) or either_lacked(case) or either_year(case)
    other = other or one_end_read(case) or rows_for_every_period(case) or both_for_one(case)
    return _united_for_both(case) or _listed_for_both(case) or (Finding(1.0, other) if other is not None else None)


def _listed_for_both(case: Case) -> Finding | None:
    """A list of both kinds, of which each row has one."""
    found = _BOTH.search(asked(case).rstrip("? ."))
    if found is None or case.sql.set_operations or not _gives_things(case):
        return None
    ored = _OR_OF_QUERIES.search(case.written)
    if ored is not None:
        return Finding(1.0, f"{found.group()}: OR")
    words = [word for word in found.groups() if word]
    lists = [each for each in case.sql.filters if _lists_both(each, words)]
    return Finding(1.0, lists[0].text) if lists and not _takes_both(case, lists) else None


_UNITED = lazy(r"\bboth [a-z]+ and [a-z]+\b")


def _united_for_both(case: Case) -> Finding | None:
    """The rows of either query, where nothing counts that both had them."""
    united = [each for each in case.sql.set_operations if each.kind.startswith("union")]
    if len(united) != 1 or case.sql.having or case.sql.aggregations:
        return None
    found = _UNITED.search(asked(case))
    return Finding(1.0, f"{found.group()}: UNION") if found is not None else None


def _gives_things(case: Case) -> bool:
    """Whether the answer has keys of things or counts them, and no totals of their rows."""
    funcs = {each.operand.func for each in case.answer}
    counts = [each for each in case.answer if each.operand.func == "COUNT"]
    keyed = any(key_stems(column.name) is not None for each in case.answer for column in each.operand.columns)
    return (
        keyed
        and funcs.isdisjoint({"SUM", "AVG"})
        and (len(case.answer) > 1 or all(each.operand.distinct for each in counts))
    )


def _lists_both(each: SqlFilter, words: list[str]) -> bool:
    """Whether a condition lists two values that contain the words."""
    if each.op is not Op.IN or not isinstance(each.rhs, Choices) or len(each.rhs.members) != 2:
        return False
    members = [str(member).casefold() for member in each.rhs.members]
    if len(words) == len(members) and all(len(member.strip("'")) < _WORD for member in members):
        return True  # codes
    return all(any(word[:5] in member for member in members) for word in words)


_WORD = 3
"""Letters from which a stored value is a word."""


def _takes_both(case: Case, lists: list[SqlFilter]) -> bool:
    """Whether a count of kinds is bounded, two rows are told apart, or another condition takes one of the values."""
    columns = {each.lhs.columns for each in lists if each.lhs is not None}
    bounded = any("count(*)" in each.text or "distinct" in each.text for each in case.sql.having)
    apart = re.search(r"<>|!=|\bexists\b|\bmin\s*\(|\bcount_?if\b", case.written.casefold()) is not None
    others = [each for each in case.sql.filters if each not in lists and each.lhs and each.lhs.columns in columns]
    return bounded or apart or any(each.clause is not Clause.HAVING for each in others)
