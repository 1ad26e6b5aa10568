"""Finds parts of the SQL that let in more rows than the questions ask for: arms of an OR or a UNION."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set

from scoring.alignment.conventions import conventions
from scoring.alignment.matching import NEGATIVE
from scoring.patterns import lazy
from scoring.specification import FilterOrigin, Op, SqlFilter, Void, VoidKind
from scoring.values import RelativeTime, TimeRange
from scoring.verdict import Case, Finding


def widened(case: Case) -> Finding | None:
    """An arm of an OR or a UNION that lets in rows for which no word asks."""
    found = None
    if case.sql.voids:
        found = _nearly_all(case) or _let_in(case) or _either(case) or _completed(case)
    return found or (_one_of_each(case) if case.sql.set_operations else None)


def texts(case: Case) -> str:
    """The question and what the enriched question became, without regard to case."""
    return f"{case.question.text} {case.enriched.text}".casefold()


_FIGURE = lazy(r"\d{1,9}(?:,\d{3})*(?:\.\d{1,9})?", re.ASCII)
_MOST_FIGURES = 100


def figures(text: str) -> list[str]:
    """The first numbers of a text, as they are written: `1,200`."""
    return _FIGURE.findall(text)[:_MOST_FIGURES]


def _nearly_all(case: Case) -> Finding | None:
    """An arm of an OR that nearly every row satisfies: beside the condition asked for, or on a column never said."""
    wide = [void for void in case.sql.voids if void.kind is VoidKind.WIDENING and not _is_of_a_partner(void, case)]
    wide = [void for void in wide if _IS_DONE.search(void.text) is None]
    if not wide:
        return None
    said = _beginnings(texts(case))
    unsaid = next((each.text for each in wide if not said & _stems(each.values)), None)
    if unsaid is None and _is_met_in_or(case) and not _asks_twice(case):
        unsaid = wide[0].text
    return Finding(1.0, f"holds for nearly every row: or {unsaid}") if unsaid is not None else None


_IS_DONE = lazy(
    r"\b(?:done|closed|finished|completed|resolved|ended|returned|paid|shipped|delivered|cancell?ed|left|fixed|answered"
    r"|settled|cleared|redeemed|processed|collected|arrived|departed|accepted|signed|approved|rejected)"
    r"_(?:at|on|date|dt|ts|time|utc) is not null\Z"
)
"""What is not over yet has no such time, so many rows lack one."""


def _is_of_a_partner(void: Void, case: Case) -> bool:
    """Whether the arm tests a time of a row that an outer join may find, where either is asked.

    `driver_id IS NULL OR drivers.left_on IS NOT NULL`: no driver, or one who has left.
    """
    outer = {each.table for each in case.sql.joins if each.kind == "left"}
    own = [each for each in case.sql.filters if each.op is Op.NOT_NULL and each.text == void.text]
    columns = [column for each in own if each.lhs is not None for column in each.lhs.columns]
    return " or " in case.asked and bool(columns) and all(column.table in outer for column in columns)


def _let_in(case: Case) -> Finding | None:
    """An arm of an OR beside the condition asked for, of whose columns, tables and values no word is said."""
    apart = [v for v in case.sql.voids if v.kind is VoidKind.APART and not _is_other_moment(v, case)]
    if not apart or _is_choice(case) or not _is_met_in_or(case) or _lacks_partner(apart, case):
        return None
    text = texts(case)
    said = _beginnings(text)
    unsaid = next(
        (void.text for void in apart if not said & _stems(void.values) and not _named(void.values, text)), None
    )
    return Finding(1.0, f"lets in rows that nothing asks for: or {unsaid}") if unsaid is not None else None


_IS_NULL = lazy(r"(?:\w+\.)?\w*(?:id|key|sk|no)\w* is null", re.IGNORECASE)
"""A row without a partner, beside a condition on the partner."""


def _lacks_partner(apart: Iterable[Void], case: Case) -> bool:
    """Whether rows without a partner are kept beside a flag of the house: `person_id IS NULL OR is_internal = 0`."""
    if any(_IS_NULL.fullmatch(void.text) for void in apart):
        return True
    keyed = [each for each in case.sql.filters if each.op is Op.IS_NULL and _IS_NULL.fullmatch(each.text)]
    flags = conventions(case.sql.filters, case.question.stems)
    return any(one.alternative is not None and one.alternative == each.alternative for one in keyed for each in flags)


def _is_other_moment(void: Void, case: Case) -> bool:
    """Whether an arm keeps the time asked for by another moment: `ready_at` or `failed_at` in June."""
    timed = [each for each in case.sql.filters if isinstance(each.rhs, TimeRange | RelativeTime)]
    own = [each for each in timed if each.lhs is not None and {c.name for c in each.lhs.columns} & {*void.values}]
    return any(other.rhs == each.rhs and other is not each for each in own for other in timed)


def _either(case: Case) -> Finding | None:
    """Conditions that are all asked for stand in different arms of one OR, and no word asks for either."""
    apart = [(void.block, frozenset(void.values)) for void in case.sql.voids if void.kind is VoidKind.APART]
    if len(apart) < 2 or _asks_twice(case):
        return None
    ored = [[each for each in found if each.alternative is not None] for found in _asked(case)]
    return _split([{place for place, found in enumerate(ored) if _reads(found, *arm)} for arm in apart], ored)


def _reads(found: Iterable[SqlFilter], block: str, names: Set[str]) -> bool:
    """Whether a condition is on columns of an arm."""
    columns = [{column.name for column in each.lhs.columns} for each in found if each.lhs and each.block == block]
    return any(own and own <= names for own in columns)


def _one_of_each(case: Case) -> Finding | None:
    """Conditions that are all asked for stand in different arms of one UNION, and no word asks for either."""
    unions = [each for each in case.sql.set_operations if each.kind.startswith("union")][:_FEW]
    if not unions or _asks_twice(case) or _BOTH.search(texts(case)):
        return None
    asked = _asked(case)
    arms: dict[str, list[str]] = {}
    for each in unions:
        arms.setdefault(each.left, []).append(each.right)
    return next((found for left, right in arms.items() if (found := _split(_met(asked, left, right), asked))), None)


def _met(asked: Sequence[Sequence[SqlFilter]], left: str, right: Sequence[str]) -> list[set[int]]:
    """Which conditions stand in each arm of a UNION; the arms on the right may lie in the path of the first one."""
    inside = [{place for place, found in enumerate(asked) if _is_inside(found, arm)} for arm in (*right, left)]
    return [*inside[:-1], inside[-1].difference(*inside[:-1])]


def _is_inside(found: Iterable[SqlFilter], path: str) -> bool:
    return any(each.block == path or each.block.startswith(f"{path}/") for each in found)


_TEXT = lazy(r"'%?([^'%]*)%?'")


def _split(met: list[set[int]], asked: Sequence[Sequence[SqlFilter]]) -> Finding | None:
    """The conditions of some arms, unless one arm has all of them.

    Two values of one column are alternatives, and so are one value of two columns (`code = 'AUTO' OR name LIKE
    '%auto%'`) and conditions that all exclude: "not both" means either.
    """
    whole = set[int]().union(*met)
    if len(whole) < 2 or whole in met:
        return None
    found = [asked[place][0] for place in sorted(whole)]
    if len({each.lhs for each in found}) < len(found) or all(each.op in _EXCLUDING for each in found):
        return None
    values = {"".join(_TEXT.findall(each.text)).casefold() for each in found}
    if len(values) == 1 and "" not in values:
        return None
    return Finding(1.0, f"one is enough where all are asked for: {' or '.join([e.text for e in found[:_SHOWN]])}")


def _asked(case: Case) -> list[tuple[SqlFilter, ...]]:
    """The conditions of the SQL by what the user asks for."""
    asked = [match.present for match in case.filters.matched if match.required.source is FilterOrigin.QUESTION]
    return [found for found in asked if found]


def _is_choice(case: Case) -> bool:
    """Whether the user's own words join what is asked for; an agent could add such words to its enriched question."""
    return _CHOICE.search(case.question.text.casefold()) is not None


def _asks_twice(case: Case) -> bool:
    """Whether the user's own words ask for either of two things, or for two lists one after the other."""
    return _is_choice(case) or _TWICE.search(case.question.text.casefold()) is not None


def _completed(case: Case) -> Finding | None:
    """A UNION of the rows asked for and of all others, where no word asks for both."""
    found = next((void.text for void in case.sql.voids if void.kind is VoidKind.COMPLEMENT), None)
    return None if found is None or _BOTH.search(texts(case)) else Finding(1.0, f"keeps every row: {found}")


def _named(values: Iterable[str], text: str) -> bool:
    """Whether a column, table or literal stands in the questions as it is written."""
    return any(len(name) > _STEM and name in text for name in values)


def _is_met_in_or(case: Case) -> bool:
    """Whether a condition that is asked for stands in an OR."""
    return any(each.alternative is not None for match in case.filters.matched for each in match.present)


def _beginnings(text: str) -> set[str]:
    return {word[:_STEM] for word in _WORD.findall(text)}


def _stems(names: Iterable[str]) -> set[str]:
    """The beginnings of the words of columns; only `id` of a key."""
    found: set[str] = set()
    for name in names:
        words = _WORD.findall(name.casefold().replace("_", " "))
        found.update(
            ["id"] if name.casefold().endswith("id") and name not in _WHOLE_WORDS else [w[:_STEM] for w in words]
        )
    return found


_EXCLUDING = NEGATIVE | {Op.IS_NULL}
_FEW = 24
_SHOWN = 3
_STEM = 4
_WHOLE_WORDS = frozenset({"paid", "valid", "bid", "unpaid", "prepaid", "invalid"})
"""Names of columns that end like a key's."""
_CHOICE = lazy(r"\b(?:or|either|both|also|plus|besides|includ\w*|along|as well)\b|[;/]")
"""Words that join what is asked for."""
_TWICE = lazy(
    r"\band (?:(?:also|then|for) )?(?:which|those|the ones|ones|who|whose|what|how|where|list|show|give|find)\b"
)
"""`Which goats are from Peru, and which have twins?`"""
_BOTH = lazy(
    r"\b(?:or|either|both|also|other\w*|else\w*|rest|remaining|versus|vs|compar\w*|differ\w*|each|respective\w*|every|all|"
    r"non|not|whether|by|per|first|top)\b|n't\b"
)
"""Words that ask for the rows of each arm of a UNION, or for the order of its arms."""
_WORD = lazy(r"[^\W_]+")
