"""Signals about what an answer knows of the company: its conventions, and how its database stores things.

What a tenant's rules state (conventions of a table, the codes of a column) is held against an answer only there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from scoring.alignment.conventions import conventions
from scoring.display import show_filter
from scoring.linking import content_words, operand_words
from scoring.patterns import lazy
from scoring.rules import Convention
from scoring.signals.finding import Finding
from scoring.signals.house_rules.conditions import followed, lacking, means, said_plainly
from scoring.signals.house_rules.look_alikes import meant_columns
from scoring.signals.keys import one_sides, referring_tables
from scoring.specification import Column, Op, Operand, SqlFilter
from scoring.values import Choices, Number, Text, Value
from scoring.verdict import Case
from scoring.words import identifier_words, letters

_CODED = frozenset("status state type kind code cd category class tier level segment channel reason role stage".split())
_CODE = lazy(r"[A-Z]{1,4}[0-9]{0,2}|[0-9]{1,3}")
_QUOTED = lazy(r"'([A-Za-z0-9]{1,6})'")


def convention_followed(case: Case) -> Finding | None:
    """The SQL leaves out rows that companies seldom count: deleted, of tests, void, or of other tenants.

    Nobody says so in a question. An agent that does it knows the house.

    >>> convention_followed(case("How many shops are there?", "SELECT COUNT(*) FROM shops WHERE NOT is_test")).detail
    'is_test = false'
    """
    found = [show_filter(each) for each in conventions(case.sql.filters, case.question.stems)]
    found += [each.text.lower() for each in followed(case)] if case.rules.conventions else []
    found += meant_columns(case) if case.rules.look_alikes else []
    if not found:
        return None
    shown = list(dict.fromkeys(found))
    part = _OF_PART if case.rules.conventions and lacking(case) else 1.0
    return Finding(part * min(1.0, 0.5 + len(shown) / 4), "; ".join(shown[:3]))


_OF_PART = 0.4
"""Strength where another condition of the house is missing: the agent knows some of it."""


def convention_missing(case: Case) -> Finding | None:
    """The SQL reads a table and lacks the condition that comes with it in this house.

    Rows are counted that nobody counts here. The tenant's rules state the convention. A condition of any kind on the
    column counts as having it, and so does a question that speaks of it. A convention for certain words, such as
    revenue, wants the same codes of the column.

    >>> rules = rules_with(conventions={"shops": "closed_on IS NULL"})
    >>> convention_missing(case("How many shops are there?", "SELECT COUNT(*) FROM shops", rules=rules)).detail
    'shops without closed_on is null'

    It weighs little where only the first rows are shown, or a largest value: seldom is it a row that does not count.
    It weighs a tenth where rows of the table are only looked up for others, or are counted through another table.
    """
    found = lacking(case) if case.rules.conventions else []
    shown = [f"{each.table} without {each.text.lower()}" for each in found]
    strength = 0.15 if _shows_first_rows(case) else 1.0
    if found and all(_is_looked_up(each, case) for each in found):
        strength = 0.1
    elif len({each.text for each in found}) == 1 and _is_of_codes(found[0]):
        strength *= _OF_CODES
    return Finding(strength, "; ".join(list(dict.fromkeys(shown))[:5])) if found else None


def _is_looked_up(convention: Convention, case: Case) -> bool:
    """Whether a condition is of rows that the answer only names, or counts by a key that another table holds.

    What hangs off them still counts, unless the rules say so of the other table too.
    """
    if any(letters(table) != letters(convention.table) for table in _named_tables(convention)):
        return bool(convention.when) and all(phrase.startswith("#") for phrase in convention.when)
    return letters(convention.table) in map(letters, one_sides(case)) or _is_passed(convention, case)


def _is_passed(convention: Convention, case: Case) -> bool:
    """Whether a table only leads from rows that refer to it to further tables: `items -> lots -> products`.

    Lines of its rows, such as `order_items` of `orders`, and tables to which the rules carry the condition, are what
    it restricts.
    """
    own = letters(convention.table)
    if convention.when or own in _counted_apart(case):
        return False
    referring = {
        letters(other) for table, others in referring_tables(case).items() if letters(table) == own for other in others
    }
    carried = {letters(each.table) for each in case.rules.conventions if _is_carried(each, own)}
    return bool(referring) and not any(each in carried or each.startswith(own.rstrip("s")) for each in referring)


def _is_carried(convention: Convention, table: str) -> bool:
    """Whether it is a condition on the rows of another table that these rows hang off."""
    return letters(convention.table) != table and table in map(letters, _named_tables(convention))


def _named_tables(convention: Convention) -> list[str]:
    """The tables that stand before its columns."""
    columns = (column for term in convention.terms if term.lhs is not None for column in term.lhs.columns)
    return [column.table for column in columns if column.table]


def _counted_apart(case: Case) -> set[str]:
    """The tables whose own rows are counted behind a join: `COUNT(DISTINCT lots.lot_id)`."""
    counted = [each for each in case.sql.projections if each.operand.func == "COUNT" and each.operand.distinct]
    return {letters(column.table) for each in counted for column in each.operand.columns if column.table}


_OF_CODES = 0.3
"""Strength where one list of codes is missing: what never counts in one figure may count in another."""


def _is_of_codes(convention: Convention) -> bool:
    """Whether a condition that is stated for every question names codes, and is no flag."""
    values = [one for term in convention.terms for one in _values(term)]
    coded = [str(one).strip("'") for one in values if isinstance(one, Text | Number)]
    return not convention.when and len(coded) == len(values) and not _FLAGS.issuperset(coded)


_FLAGS = frozenset({"0", "1", "y", "n", "t", "f", "true", "false"})
_FEW = 5


def _shows_first_rows(case: Case) -> bool:
    """Whether the answer is the first few rows, or a largest or smallest value, and adds no amounts up."""
    funcs = {each.func for each in case.sql.aggregations}
    if funcs & {"SUM", "AVG"}:
        return False
    extreme = bool(funcs) and funcs <= {"MIN", "MAX"}
    return extreme or any(each.block == "main" and (each.count or _FEW + 1) <= _FEW for each in case.sql.limits)


def code_unknown(case: Case) -> Finding | None:
    """The SQL compares a column with a value that is not stored in it.

    No row has the value, so the condition keeps none. The tenant's rules list the stored codes.

    >>> rules = rules_with(codes={"state": {"op": "open", "cl": "closed"}})
    >>> code_unknown(case("Open shops?", "SELECT COUNT(*) FROM shops WHERE state = 'open'", rules=rules)).detail
    "state never holds 'open'"
    """
    for each in _compared_codes(case):
        if not (each.values & each.codes.keys() or _is_flag(each)):
            shown = "' or '".join(sorted(each.values)[:3])
            strength = (1.0 if each.keeps else 0.5) * (_UNLISTED if _may_be_unlisted(each) else 1.0)
            return Finding(strength, f"{each.column} never holds '{shown}'")
    return None


def _is_flag(each: ComparedCodes) -> bool:
    """Whether only one value of a flag has a meaning in the list: `1 test account`."""
    return _FLAGS.issuperset(each.codes) and _FLAGS.issuperset(each.values)


_UNLISTED = 0.35


def _may_be_unlisted(each: ComparedCodes) -> bool:
    """Whether a list of codes may have left the values out: they look like its codes, or few have a meaning."""
    labelled = sum(map(bool, each.codes.values()))
    forms = {_form(code) for code in each.codes}
    return 2 * labelled < len(each.codes) or (
        labelled <= _FEW_CODES and {_form(value) for value in each.values} <= forms
    )


_FEW_CODES = 2


def _form(code: str) -> str:
    """What a code looks like: digits, or letters of such a length."""
    return "digits" if code.lstrip("-").isdigit() else "short" if len(code) <= _SHORT else "word"


_SHORT = 3


def code_of_another(case: Case) -> Finding | None:
    """The SQL compares with the code of another word than the question's.

    The tenant's rules say what each code means, and the question uses the word of another one.

    >>> rules = rules_with(codes={"state": {"op": "open", "cl": "closed"}})
    >>> code_of_another(case("Open shops?", "SELECT COUNT(*) FROM shops WHERE state = 'cl'", rules=rules)).detail
    "'open' is stored as op, the SQL takes cl"
    """
    compared = [each for each in _compared_codes(case) if each.keeps]
    said = said_plainly(case) if compared else frozenset[str]()
    for each in compared:
        asked = _asked_codes(each.codes, said, case)
        taken = {value for other in compared if other.column == each.column for value in other.values}
        known = sorted(each.values & each.codes.keys())
        if asked and known and not taken & set(asked):
            return Finding(1.0, f"'{each.codes[asked[0]]}' is stored as {asked[0]}, the SQL takes {known[0]}")
    return None


def _asked_codes(codes: Mapping[str, str], said: frozenset[str], case: Case) -> list[str]:
    """The codes whose meaning the question asks for."""
    asked = [code for code, meaning in codes.items() if means(meaning, said) and not _is_noun(meaning, case)]
    return [code for code in asked if not _is_read(codes[code], case)]


def _is_read(meaning: str, case: Case) -> bool:
    """Whether a column that is read is called so: `the planned ship` is in `plan_vsl`, whatever the state."""
    said = content_words(meaning)
    read = {word for column in case.sql.columns for word in identifier_words(column.name)[:-1]}
    return len(said) == 1 and any(len(word) > _INITIALS and said[0].startswith(word) for word in read)


_INITIALS = 3


def _is_noun(meaning: str, case: Case) -> bool:
    """Whether the question has the word of a state as the name of things: `how many firings` beside `1 firing`."""
    return meaning.isalpha() and meaning.endswith("ing") and f"{meaning}s" in case.asked


class ComparedCodes(NamedTuple):
    """A condition on a column whose codes are known."""

    column: str
    codes: Mapping[str, str]
    values: frozenset[str]
    """The texts and numbers that it compares with."""
    keeps: bool
    """Whether it keeps the rows with these values."""


def _compared_codes(case: Case) -> list[ComparedCodes]:
    """The conditions on columns with known codes."""
    if not case.rules.codes:
        return []
    found: list[ComparedCodes] = []
    for each in case.sql.filters:
        if each.lhs is None or len(each.lhs.columns) != 1 or each.op not in _EXACT or _is_computed(each.lhs):
            continue
        codes = _codes_of(each.lhs.columns[0], case)
        known = [value for value in _values(each) if isinstance(value, Text | Number)]
        if codes and known:
            given = frozenset([one.folded if isinstance(one, Text) else str(one) for one in known])
            found.append(ComparedCodes(each.lhs.columns[0].name, codes, given, each.op in (Op.EQ, Op.IN)))
    return found


def _is_computed(operand: Operand) -> bool:
    """Whether a figure is compared, or the word that a CASE gives a code: neither is stored in the column."""
    return operand.func in ("COUNT", "SUM", "AVG") or operand.name.startswith("case ")


def _codes_of(column: Column, case: Case) -> Mapping[str, str] | None:
    """The codes of a column; of one without a table, those of the only table that the SQL reads and that has some."""
    codes = case.rules.codes
    if column.table is not None:
        return codes.get(f"{column.table}.{column.name}") or codes.get(column.name)
    tables = {table for block in case.sql.blocks for table in block.tables}
    held = [own for table in tables if (own := codes.get(f"{table}.{column.name}")) is not None]
    return held[0] if len(held) == 1 else codes.get(column.name)


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
        if not set(_words(each)).isdisjoint(_codes_of(each.lhs.columns[0], case) or ()):
            continue  # the house stores words there
        if any(f"'{word}'" not in quoted and f"'{word.upper()}'" not in case.written for word in _words(each)):
            return Finding(1.0, show_filter(each))
    return None


_CODE_WORDS = frozenset({"code", "cd"})
_SHORTEST_WORD = 5


def _words(each: SqlFilter) -> list[str]:
    """The whole words that a condition compares with."""
    return [one.folded for one in _values(each) if isinstance(one, Text) and _is_word(one.folded)]


def _values(each: SqlFilter) -> Iterable[Value | None]:
    return each.rhs.members if isinstance(each.rhs, Choices) else (each.rhs,)


def _is_word(text: str) -> bool:
    return len(text) >= _SHORTEST_WORD and text.isalpha()


def stored_code_used(case: Case) -> Finding | None:
    """The SQL compares a status, type or the like with a short code, or with several states, that no question names.

    A guess would be one word of the question. Codes, and lists of states, come from the data dictionary.

    >>> stored_code_used(case("How many open orders?", "SELECT COUNT(*) FROM orders WHERE status_code = 'NW'")).detail
    "status_code = 'nw'"
    """
    kinds = [each for each in case.sql.filters if _is_on_kind(each)]
    if not kinds:
        return None
    codes = {match.casefold() for match in _QUOTED.findall(case.written) if _CODE.fullmatch(match)}
    found = [each for each in kinds if _is_coded(each, codes, case.question.stems)]
    if not found:
        return None
    return Finding(1.0, "; ".join(list(dict.fromkeys(map(show_filter, found)))[:3]))


def _is_on_kind(each: SqlFilter) -> bool:
    """Whether a condition is on a status, a type or the like."""
    return each.lhs is not None and len(each.lhs.columns) == 1 and not _CODED.isdisjoint(operand_words(each.lhs))


def _is_coded(each: SqlFilter, codes: set[str], spoken: frozenset[str]) -> bool:
    values = _values(each)
    unsaid = [value.folded for value in values if isinstance(value, Text) and value.folded not in spoken]
    if len(unsaid) > 1 or not codes.isdisjoint(unsaid):
        return True
    return any(isinstance(value, Number) and value.value > 1 for value in values)
