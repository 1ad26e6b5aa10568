"""Signals about what an answer knows of the company: its conventions, and how its database stores things.

What a tenant's rules state (conventions of a table, the codes of a column) is held against an answer only there.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from scoring.alignment.conventions import conventions
from scoring.display import show_filter
from scoring.linking import content_words, operand_words
from scoring.rules import Convention
from scoring.signals.finding import Finding
from scoring.specification import Op, SqlFilter
from scoring.values import Choices, Number, Text
from scoring.verdict import Case
from scoring.words import identifier_words, letters

_CODED = frozenset("status state type kind code cd category class tier level segment channel reason role stage".split())
_CODE = re.compile(r"[A-Z]{1,4}[0-9]{0,2}|[0-9]{1,3}")
_QUOTED = re.compile(r"'([A-Za-z0-9]{1,6})'")


def convention_followed(case: Case) -> Finding | None:
    """The SQL leaves out rows that companies seldom count: deleted, of tests, void, or of other tenants.

    Nobody says so in a question. An agent that does it knows the house.

    >>> convention_followed(case("How many shops are there?", "SELECT COUNT(*) FROM shops WHERE NOT is_test")).detail
    'is_test = false'
    """
    found = conventions(case.sql.filters, case.question.stems)
    if not found:
        return None
    shown = list(dict.fromkeys(show_filter(each) for each in found))
    return Finding(min(1.0, 0.5 + len(shown) / 4), "; ".join(shown[:3]))


def convention_missing(case: Case) -> Finding | None:
    """The SQL reads a table and lacks the condition that comes with it in this house.

    Rows are counted that nobody counts here. The tenant's rules state the convention. A condition of any kind on the
    column counts as having it, and so does a question that speaks of it.

    >>> rules = rules_with(conventions={"shops": "closed_on IS NULL"})
    >>> convention_missing(case("How many shops are there?", "SELECT COUNT(*) FROM shops", rules=rules)).detail
    'shops without closed_on is null'
    """
    if not case.rules.conventions:
        return None
    tables = {letters(table) for block in case.sql.blocks for table in block.tables}
    read = {column.name for each in case.sql.filters if each.lhs is not None for column in each.lhs.columns}
    lacking = [
        f"{each.table} without {each.text.lower()}"
        for each in case.rules.conventions
        if each.required and letters(each.table) in tables and not _columns(each) & read and not _spoken(each, case)
    ]
    return Finding(1.0, "; ".join(list(dict.fromkeys(lacking))[:5])) if lacking else None


def _columns(convention: Convention) -> set[str]:
    return {column.name for term in convention.terms if term.lhs is not None for column in term.lhs.columns}


def _spoken(convention: Convention, case: Case) -> bool:
    """Whether the question itself speaks of what the convention leaves out: `how many test shops`."""
    words = {word for name in _columns(convention) for word in identifier_words(name)} - _FRAME
    return not words.isdisjoint(case.question.stems)


_FRAME = frozenset("is at on date flag code status state has".split())


def code_unknown(case: Case) -> Finding | None:
    """The SQL compares a column with a value that is not stored in it.

    No row has the value, so the condition keeps none. The tenant's rules list the stored codes.

    >>> rules = rules_with(codes={"state": {"op": "open", "cl": "closed"}})
    >>> code_unknown(case("Open shops?", "SELECT COUNT(*) FROM shops WHERE state = 'open'", rules=rules)).detail
    "state never holds 'open'"
    """
    for each, codes, value in _compared_codes(case):
        if value not in codes:
            return Finding(1.0, f"{each} never holds '{value}'")
    return None


def code_of_another(case: Case) -> Finding | None:
    """The SQL compares with the code of another word than the question's.

    The tenant's rules say what each code means, and the question uses the word of another one.

    >>> rules = rules_with(codes={"state": {"op": "open", "cl": "closed"}})
    >>> code_of_another(case("Open shops?", "SELECT COUNT(*) FROM shops WHERE state = 'cl'", rules=rules)).detail
    "'open' is stored as op, the SQL takes cl"
    """
    said = case.question.stems
    compared = _compared_codes(case)
    for name, codes, value in compared:
        asked = [code for code, meaning in codes.items() if _means(meaning, said)]
        taken = {given for column, _, given in compared if column == name}
        if asked and value in codes and not taken & set(asked):
            return Finding(1.0, f"'{codes[asked[0]]}' is stored as {asked[0]}, the SQL takes {value}")
    return None


def _means(meaning: str, said: frozenset[str]) -> bool:
    words = content_words(meaning)
    return bool(words) and set(words) <= said


def _compared_codes(case: Case) -> list[tuple[str, Mapping[str, str], str]]:
    """Each column with known codes, its codes, and each text or number that the SQL compares it with."""
    if not case.rules.codes:
        return []
    found: list[tuple[str, Mapping[str, str], str]] = []
    for each in case.sql.filters:
        if each.lhs is None or len(each.lhs.columns) != 1 or each.op not in _EXACT:
            continue
        column = each.lhs.columns[0]
        codes = case.rules.codes.get(f"{column.table}.{column.name}") or case.rules.codes.get(column.name)
        values = each.rhs.members if isinstance(each.rhs, Choices) else (each.rhs,)
        if codes:
            known = [value for value in values if isinstance(value, Text | Number)]
            found += [(column.name, codes, one.folded if isinstance(one, Text) else str(one)) for one in known]
    return found


_EXACT = frozenset({Op.EQ, Op.IN, Op.NE, Op.NOT_IN})


def word_for_code(case: Case) -> Finding | None:
    """The SQL compares a column of codes with a whole word.

    A column that is called a code holds short codes, so a word is a guess and finds nothing. A word in capitals, one
    with an underscore, or one that the enriched question quotes, is none.

    >>> word_for_code(case("Cancelled orders?", "SELECT id FROM orders WHERE status_code = 'cancelled'")).detail
    "status_code = 'cancelled'"
    """
    quoted = (case.query.enriched_question or "").casefold()
    for each in case.sql.filters:
        if each.lhs is None or len(each.lhs.columns) != 1 or each.op not in _EXACT:
            continue
        name = each.lhs.columns[0].name
        if _CODE_WORDS.isdisjoint(identifier_words(name)) or letters(name) in case.defined:
            continue
        values = each.rhs.members if isinstance(each.rhs, Choices) else (each.rhs,)
        words = [one.folded for one in values if isinstance(one, Text) and _is_word(one.folded)]
        if any(f"'{word}'" not in quoted and f"'{word.upper()}'" not in case.query.sql for word in words):
            return Finding(1.0, show_filter(each))
    return None


_CODE_WORDS = frozenset({"code", "cd"})
_SHORTEST_WORD = 5


def _is_word(text: str) -> bool:
    return len(text) >= _SHORTEST_WORD and text.isalpha()


def stored_code_used(case: Case) -> Finding | None:
    """The SQL compares a status, type or the like with a short code, or with several states, that no question names.

    A guess would be one word of the question. Codes, and lists of states, come from the data dictionary.

    >>> stored_code_used(case("How many open orders?", "SELECT COUNT(*) FROM orders WHERE status_code = 'NW'")).detail
    "status_code = 'nw'"
    """
    codes = {match.casefold() for match in _QUOTED.findall(case.query.sql) if _CODE.fullmatch(match)}
    found = [each for each in case.sql.filters if _is_coded(each, codes, case.question.stems)]
    if not found:
        return None
    return Finding(1.0, "; ".join(list(dict.fromkeys(map(show_filter, found)))[:3]))


def _is_coded(each: SqlFilter, codes: set[str], spoken: frozenset[str]) -> bool:
    if each.lhs is None or len(each.lhs.columns) != 1 or _CODED.isdisjoint(operand_words(each.lhs)):
        return False
    values = each.rhs.members if isinstance(each.rhs, Choices) else (each.rhs,)
    unsaid = [value for value in values if isinstance(value, Text) and value.folded not in spoken]
    if len(unsaid) > 1:
        return True
    return any(
        (isinstance(value, Text) and value.folded in codes and value.folded not in spoken)
        or (isinstance(value, Number) and value.value > 1)
        for value in values
    )
