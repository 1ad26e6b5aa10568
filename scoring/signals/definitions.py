"""Signals about what the enriched question defines."""

from __future__ import annotations

import re

from scoring.patterns import lazy
from scoring.signals.finding import Finding, counted
from scoring.specification import Column, Definition
from scoring.verdict import Case
from scoring.words import letters

_ARITHMETIC = frozenset({"DIVIDE", "SUBTRACT", "MULTIPLY"})


def _unread(definition: Definition, names: frozenset[str]) -> list[str]:
    return [column for column in definition.columns if letters(column) not in names]


def definition_ignored(case: Case) -> Finding | None:
    """The enriched question defines a term by a column that the SQL never reads.

    The agent was told which column holds the answer and used another. Strength is the share of defined columns that
    are not read.

    >>> definition_ignored(case("How tall is Ann?", "SELECT width FROM people",
    ...     "How tall is Ann? (tall refers to height_cm)")).detail
    'never read: height_cm'
    """
    if case.defined <= case.read or any(each.star for each in case.sql.projections):
        return None
    unread = [column for definition in case.enriched.definitions for column in _unread(definition, case.read)]
    lost = list(dict.fromkeys(unread))
    return Finding(len(lost) / len(case.defined), f"never read: {'; '.join(lost[:5])}") if lost else None


def definition_followed(case: Case) -> Finding | None:
    """The SQL reads every column that the enriched question names.

    The more columns are named and read, the stronger.

    >>> definition_followed(case("How tall is Ann?", "SELECT height_cm FROM people",
    ...     "How tall is Ann? (tall refers to height_cm)")).detail
    'read: height_cm'
    """
    if not case.defined or not case.defined <= case.read:
        return None
    named = list(dict.fromkeys(column for each in case.enriched.definitions for column in each.columns))
    return Finding(min(1.0, 0.5 + len(named) / 6), f"read: {'; '.join(named[:5])}")


def definition_formula_missing(case: Case) -> Finding | None:
    """The enriched question's formula uses a function that the SQL does not compute.

    Equivalents count: ORDER BY for MAX and MIN, a division for AVG, SUM of a condition for COUNT.

    >>> definition_formula_missing(case("What is the load?", "SELECT trips FROM vans",
    ...     "What is the load? (load = DIVIDE(SUM(kg), COUNT(trips)))")).detail
    'not computed: COUNT; DIVIDE; SUM'
    """
    asked = {func for definition in case.enriched.definitions for func in definition.functions}
    lacking = sorted(func for func in asked if not _computes(case, func))
    return counted(lacking, "not computed", most=2)


def _computes(case: Case, func: str) -> bool:
    computed = {each.func for each in case.sql.aggregations}
    if func in computed:
        return True
    if func in {"MAX", "MIN"}:
        return bool(case.sql.order_by) or bool({"MAX", "MIN"} & computed)
    if func == "DIVIDE":
        return bool(case.sql.divisions) or "AVG" in computed
    if func in _ARITHMETIC:
        return func == "MULTIPLY" or _subtracts(case)
    if func == "AVG":
        return bool(case.sql.divisions)
    if func == "COUNT":
        return "SUM" in computed or "AVG" in computed
    return func == "SUM" and bool(computed & {"COUNT", "AVG"})


def _subtracts(case: Case) -> bool:
    operands = [each.operand.name for each in case.sql.projections]
    operands += [each.lhs.name for each in case.sql.filters if each.lhs is not None]
    return any("-" in name for name in operands) or any("DIFF" in name or "AGE" in name for name in case.sql.functions)


def is_defined(column: Column, case: Case) -> bool:
    """Whether a definition of the enriched question names this column."""
    return letters(column.name) in case.defined


_FORMULA = lazy(
    r"\b(sum|avg|average|count|max|min) ?\( ?(?:distinct )?(?:\w{1,60}\.)?[`\"]?(\w[\w ]{0,40})[`\"]? ?\)",
    re.IGNORECASE,
)

_BOUNDED = lazy(r"\b(?:count|avg|sum) ?\([\w ,.`]{1,60}\) ?(?:[<>]=?|=) ?\d{1,12}", re.IGNORECASE)


def formula_changed(case: Case) -> Finding | None:
    """A definition aggregates a column that the SQL aggregates in another way, or not at all.

    The number that comes back is another measure than the one defined. A bound inside the formula, as `COUNT(x) > 3`,
    must be compared somewhere too.

    >>> formula_changed(case("What is the load?", "SELECT MAX(kg) FROM vans",
    ...     "What is the load? (load = SUM(kg))")).detail
    'not computed as defined: SUM(kg)'
    """
    asked = _formulas(case)
    if not asked:
        return None
    lost = sorted(f"{func}({column})" for func, column in asked if not _is_taken(func, column, case))
    lost = lost or _lost_bound(case)
    return Finding(len(lost) / len(asked), f"not computed as defined: {'; '.join(lost[:5])}") if lost else None


def _formulas(case: Case) -> set[tuple[str, str]]:
    """The aggregates that the definitions take, each with its column's letters."""
    return {
        (match[1].upper().replace("AVERAGE", "AVG"), letters(match[2]))
        for definition in case.enriched.definitions
        if definition.functions
        for match in _FORMULA.finditer(definition.text[:2000])
    }


def _lost_bound(case: Case) -> list[str]:
    """An aggregate that a definition compares, where the SQL compares none."""
    if case.sql.subqueries or any(each.lhs is not None and each.lhs.func for each in case.sql.filters):
        return []
    found = (_BOUNDED.search(each.text[:2000]) for each in case.enriched.definitions)
    return [bound.group() for bound in found if bound is not None][:1]


def _is_taken(func: str, column: str, case: Case) -> bool:
    """Whether the SQL aggregates the column in this way, or in one that gives the same."""
    taken = {(each.func, letters(name.name)) for each in case.sql.aggregations for name in each.columns}
    if (func, column) in taken:
        return True
    if func in {"MAX", "MIN"}:
        return _orders_by(column, case)
    if func == "AVG":
        return bool(case.sql.divisions) and ("SUM", column) in taken
    if any(each.func == "COUNT" or each.conditional for each in case.sql.aggregations):
        return True
    return func == "SUM" and column not in case.read and any(each.func == "SUM" for each in case.sql.aggregations)


def _orders_by(column: str, case: Case) -> bool:
    operands = (each.operand for each in case.sql.order_by if each.operand.func is None)
    return any(letters(each.name) == column for operand in operands for each in operand.columns)


_LITERAL = lazy(r"'([^'\n]{1,60})'")


def definition_value_unused(case: Case) -> Finding | None:
    """A value that a definition quotes is not in the SQL.

    The definition says how the value is stored, and the SQL uses another spelling. With more than two such values the
    definition is a list of codes, and nothing is found.

    >>> definition_value_unused(case("Late parcels", "SELECT id FROM parcels WHERE state = 'L'",
    ...     "Late parcels (late refers to state = 'LATE')")).detail
    "not in the SQL: 'late'"
    """
    quoted = [each for definition in case.enriched.definitions for each in _LITERAL.findall(definition.text[:2000])]
    given = case.written.casefold() if quoted else ""
    values = list(dict.fromkeys(each.casefold().strip(" %") for each in quoted[:50]))
    lost = [f"'{each}'" for each in values if each not in given][len(case.sql.parameters) :]
    if len(lost) > 2 or case.question.yes_no:  # a list of what codes mean, or a value that is asked for
        return None
    return Finding(len(lost) / len(values), f"not in the SQL: {'; '.join(lost[:5])}") if lost else None


_COMPARED_NUMBER = lazy(r"[=<>] ?'?(\d{1,10}(?:\.\d{1,6})?)\b")
_NUMBER = lazy(r"\d{1,15}(?:\.\d{1,6})?")
_SMALL = 1000
"""Whole numbers below which `more than 2` is likely written `>= 3`."""


def definition_number_unused(case: Case) -> Finding | None:
    """A number that a definition compares with is not in the SQL.

    The bound was changed or forgotten. A neighbour counts as used, because `more than 2` may be written `>= 3`.

    >>> definition_number_unused(case("Heavy parcels", "SELECT id FROM parcels WHERE kg > 30",
    ...     "Heavy parcels (heavy refers to kg > 20)")).detail
    'not in the SQL: 20'
    """
    asked = [
        each
        for definition in case.enriched.definitions
        for each in _COMPARED_NUMBER.findall(_EXAMPLE_OF_UNIT.sub(" ", definition.text[:2000]))
    ]
    if not asked:
        return None
    given = {float(each) for each in _NUMBER.findall(case.written)}
    lost = [each for each in dict.fromkeys(asked[:50]) if not is_held(float(each), given)][len(case.sql.parameters) :]
    return Finding(len(lost) / len(set(asked)), f"not in the SQL: {'; '.join(lost[:5])}") if lost else None


_EXAMPLE_OF_UNIT = lazy(r"\b\d[\d.,]*\s*(?:%|\w{1,10})?\s*=\s*\d[\d.,]*")
"""`0.045 = 4.5 percent`, `1 kg = 1000`: what a column's numbers mean, and no bound."""


def is_held(number: float, given: set[float]) -> bool:
    """Whether SQL has a number, in its unit or a smaller one; a neighbour of a small one counts."""
    if any(number * factor in given for factor in IN_SMALLER_UNITS):
        return True
    return number in given or (number < _SMALL and (number + 1 in given or number - 1 in given))


IN_SMALLER_UNITS = (10.0, 60.0, 100.0, 1000.0, 3600.0, 10000.0, 60000.0, 86400.0)
"""How many of a smaller unit one of a larger has: 15 euros are 1500 cents, and 30 seconds 30,000 milliseconds."""


def formula_copied(case: Case) -> Finding | None:
    """The SQL calls DIVIDE, SUBTRACT or MULTIPLY, words that definitions use and few databases know.

    The query fails when it runs.

    >>> formula_copied(case("What is the load?", "SELECT DIVIDE(SUM(kg), COUNT(id)) FROM vans",
    ...     "What is the load? (load = DIVIDE(SUM(kg), COUNT(id)))")).detail
    'DIVIDE'
    """
    called = sorted(_ARITHMETIC & case.sql.functions)
    return Finding(1.0, ", ".join(called)) if called and case.sql.dialect != "clickhouse" else None
