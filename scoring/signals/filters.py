"""Signals about conditions: missing, changed, flipped, negated or unasked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from scoring.alignment.matching import CERTAIN, NEGATIVE
from scoring.alignment.same_values import as_number, plain
from scoring.linking import is_named
from scoring.show import show_filter, show_match, span_of
from scoring.signals.finding import EXPECTED_ACTUAL, Finding, counted, differing
from scoring.specification import Clause, Op, QuestionFilter, Source, SqlFilter, SubqueryRole
from scoring.values import Choices, Expression, Number, Pattern, Text, Value
from scoring.verdict import Case
from scoring.words import identifier_words, letters, squeezed

_UP = frozenset({Op.GT, Op.GE})
_DOWN = frozenset({Op.LT, Op.LE})


def filter_missing(case: Case) -> Finding | None:
    """The question asks for a condition that the SQL does not apply.

    Rows come back that the question leaves out. A condition counts as met, too, when the answer shows its column,
    when a LIMIT takes its number, or when the SQL reads a column that a definition gives for it.

    >>> filter_missing(case("How many orders were shipped in 2023?", "SELECT COUNT(*) FROM orders")).detail
    'missing: 2023'
    """
    return counted(
        [span_of(each) for each in case.filters.missing[:50] if not _otherwise_met(each, case)], "missing", most=2
    )


def _otherwise_met(each: QuestionFilter, case: Case) -> bool:
    """Whether the answer shows the column itself, a limit takes the number, or a column that is read is defined so."""
    if each.lhs is not None and each.lhs.columns:
        shown = {column.name for projection in case.answer for column in projection.operand.columns}
        return each.source is not Source.QUESTION and all(column.name in shown for column in each.lhs.columns)
    if isinstance(each.rhs, Number) and any(limit.count == each.rhs.value for limit in case.sql.limits):
        return True
    span = each.span.casefold()
    return any(
        span in f"{definition.phrase} {definition.text}".casefold()
        and any(letters(column) in case.read for column in (*definition.columns, *definition.phrase.split()[:1]))
        for definition in case.enriched.definitions
        if not definition.filters
    )


def filter_mismatched(case: Case) -> Finding | None:
    """The SQL filters the right column with another operator or value.

    Other rows come back than those asked for. The column is recognised by its name, by a definition or by a mapping
    of the tenant.

    >>> filter_mismatched(case("Orders with a total over 50", "SELECT id FROM orders WHERE total < 50")).strength > 0
    True
    """
    return counted([show_match(each) for each in case.filters.mismatched], EXPECTED_ACTUAL, most=2)


def filter_extra(case: Case) -> Finding | None:
    """The SQL applies a condition that nothing in the question asks for.

    Rows that belong to the answer are lost. A condition is stranger, and counts more, when neither its column nor its
    value is in the question. `IS NOT NULL` and the tenant's benign and ignored filters do not count.

    >>> filter_extra(case("How many orders are there?", "SELECT COUNT(*) FROM orders WHERE region = 'west'")).detail
    "not asked for: region = 'west'"
    """
    unasked = [each for each in case.filters.extra if _restricts(each)]
    if not unasked:
        return None
    text = f"{case.question.text} {case.enriched.text}".casefold()
    numbers = {number.value for spec in (case.question, case.enriched) for number in spec.numbers}
    extra = [(_strangeness(each, case, text, numbers), show_filter(each)) for each in unasked[:50]]
    extra.sort(key=lambda each: -each[0])
    return Finding(
        min(1.0, sum(strangeness for strangeness, _ in extra) / 2),
        f"not asked for: {'; '.join(shown for _, shown in extra[:5])}",
    )


def _strangeness(each: SqlFilter, case: Case, text: str, numbers: set[float]) -> float:
    """1 for a condition of which neither the column nor the value is spoken of, less for one that is half said."""
    said = any(
        (isinstance(value, Text) and value.folded in text) or (isinstance(value, Number) and value.value in numbers)
        for value in _literals(each.rhs)
    )
    columns = each.lhs.columns if each.lhs is not None else ()
    named = any(is_named(word, case.spoken) for column in columns for word in identifier_words(column.name))
    return _STRANGE[said, named]


_STRANGE = {(False, False): 1.0, (False, True): 0.6, (True, False): 0.4, (True, True): 0.2}
"""By whether the value and the column are spoken of."""


def _restricts(each: SqlFilter) -> bool:
    return each.op is not Op.NOT_NULL and not (isinstance(each.rhs, Expression) and each.clause is Clause.ON)


def filter_uncertain(case: Case) -> Finding | None:
    """A phrase of the question may be a condition, and nothing in the SQL filters by it.

    The phrase reads like a value but may mean something else, so it counts little.

    >>> filter_uncertain(case("How many flights were there in 2019/2020?", "SELECT COUNT(*) FROM flights")).detail
    'possible condition: 2019/2020'
    """
    doubtful = [each for each in case.question.filters if each.certain < CERTAIN]
    met = [match.required for match in case.filters.matched] if doubtful else []
    doubtful = [each.span for each in doubtful if each not in met]
    return counted(doubtful, "possible condition")


def filters_matched(case: Case) -> Finding | None:
    """The SQL applies every condition that the question asks for, and there is at least one.

    Right answers almost always filter as asked. Conditions are compared after normalisation: `YEAR(d) = 2023` equals
    a range of dates.

    >>> filters_matched(case("Orders placed in 2023", "SELECT id FROM orders WHERE YEAR(placed) = 2023")).strength > 0
    True
    """
    filters = case.filters
    if filters.missing or filters.mismatched or not filters.matched:
        return None
    return counted([show_filter(each.required) for each in filters.matched], "applied")


def value_altered(case: Case) -> Finding | None:
    """A text of the SQL is spelled a little differently than in the question or its definition.

    The database finds nothing under another spelling. Texts are near when they differ only in spaces or marks, or in
    two neighbouring letters.

    >>> value_altered(case("Who lives in 'New Haven'?", "SELECT name FROM people WHERE city = 'NewHaven'")).detail
    "expected → actual: 'new haven' → 'newhaven'"
    """
    unmet = [*case.filters.extra, *(each for match in case.filters.mismatched for each in match.present)]
    if not unmet:
        return None
    said = [each for each in _said_texts(case) if len(each.folded) > 2]
    for each in unmet:
        for value in _texts(each.rhs):
            near = next((other for other in said if plain(other) != plain(value) and _near(other, value)), None)
            if near is not None:
                return differing(str(near), str(value))
    return None


def applied(case: Case) -> Sequence[SqlFilter]:
    """The SQL's conditions that are neither benign nor ignored."""
    filters = case.filters
    if not filters.benign and not filters.ignored:
        return case.sql.filters
    left_out = (*filters.benign, *filters.ignored)
    return [each for each in case.sql.filters if each not in left_out]


def _said_texts(case: Case) -> list[Text]:
    filters = [*case.required, *case.enriched.filters]
    filters += [each for definition in case.enriched.definitions for each in definition.filters]
    return [value for each in filters for value in _texts(each.rhs)]


def _texts(value: Value | None) -> list[Text]:
    if isinstance(value, Text):
        return [value]
    if isinstance(value, Choices):
        return [each for each in value.members if isinstance(each, Text)]
    return []


def _near(one: Text, other: Text) -> bool:
    left, right = squeezed(one.folded), squeezed(other.folded)
    if not left or not right:
        return False
    if left == right:
        return True
    return len(left) > 5 and abs(len(left) - len(right)) <= 2 and _one_edit(left, right)


def _one_edit(left: str, right: str) -> bool:
    """Whether one run of at most two letters differs."""
    start = next(
        (place for place, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right))
    )
    tail = 0
    while tail < min(len(left), len(right)) - start and left[-1 - tail] == right[-1 - tail]:
        tail += 1
    return max(len(left), len(right)) - start - tail <= 2


_WITHIN = re.compile(r"contain|includ|like|substring|start|begin|end|prefix|suffix|letter|word|phrase|having|mention")


def wildcard_unasked(case: Case) -> Finding | None:
    """The SQL searches within a text where the question gives the whole value.

    `LIKE '%York%'` finds New York too. It is no fault where the question says contains, starts with, or the like.

    >>> wildcard_unasked(case("Who lives in 'York'?", "SELECT name FROM people WHERE city LIKE '%York%'")).detail
    "city contains 'york'"
    """
    found = next((each for each in applied(case) if each.op in _SEARCHES), None)
    if found is None or "%" in case.enriched.text or _WITHIN.search(case.enriched.text.lower()):
        return None
    return Finding(1.0, show_filter(found))


_SEARCHES = frozenset({Op.CONTAINS, Op.STARTS_WITH, Op.ENDS_WITH, Op.LIKE})


def literal_unasked(case: Case) -> Finding | None:
    """The SQL compares with a text or number that is not in the question.

    The agent made up or guessed a value. Only conditions that nothing asks for are looked at; 0 and 1 are flags and
    do not count.

    >>> literal_unasked(case("How many open orders?", "SELECT COUNT(*) FROM orders WHERE city = 'Lima'")).detail
    "not in the question: 'lima'"
    """
    if not case.filters.extra:
        return None
    text = f"{case.question.text} {case.enriched.text}".casefold()
    said = squeezed(text)
    numbers = {number.value for spec in (case.question, case.enriched) for number in spec.numbers}
    unasked: list[str] = []
    for each in case.filters.extra:
        for value in _literals(each.rhs):
            if isinstance(value, Number) and value.value not in numbers and value.value not in (0, 1):
                unasked.append(str(value))
            if isinstance(value, Text) and len(value.folded) > 1 and squeezed(value.folded) not in said:
                unasked.append(str(value))
    return counted(unasked, "not in the question", most=2)


def _literals(value: Value | None) -> list[Value]:
    if isinstance(value, Choices):
        return sorted(value.members, key=str)
    return [value] if isinstance(value, Text | Number | Pattern) else []


def negation_lost(case: Case) -> Finding | None:
    """The question excludes something and the SQL excludes nothing.

    The answer gives the opposite rows, or all. Every way to exclude counts: `<>`, NOT, NOT IN, EXCEPT, IS NULL, a
    zero or a stored `no`.

    >>> negation_lost(case("Which suppliers are not in Peru?", "SELECT name FROM suppliers WHERE c = 'Peru'")).detail
    "no negation for 'are not'"
    """
    if not case.question.negations or excludes(case):
        return None
    word = case.question.negations[0]
    met = [match.required.span.casefold() for match in case.filters.matched]
    met += [each.phrase.casefold() for each in case.enriched.definitions]
    if any(re.search(rf"\b{re.escape(word.casefold())}\b", span) for span in met):
        return None
    return Finding(1.0, f"no negation for '{word}'")


def excludes(case: Case) -> bool:
    """Whether the SQL leaves anything out: a negative operator, NOT IN, EXCEPT, IS NULL or a zero."""
    if any(each.op in NEGATIVE | {Op.IS_NULL} or _is_zero(each) for each in case.sql.filters):
        return True
    if any(each.role in (SubqueryRole.NOT_IN, SubqueryRole.NOT_EXISTS) for each in case.sql.subqueries):
        return True
    return any(each.kind.startswith(("except", "minus")) for each in case.sql.set_operations)


def _is_zero(each: SqlFilter) -> bool:
    if isinstance(each.rhs, Text):
        return each.rhs.folded in {"-", "n", "no", "0", "false", "f"}
    return each.rhs is not None and as_number(each.rhs) == 0


def negation_unasked(case: Case) -> Finding | None:
    """The SQL excludes something though neither question negates anything.

    Rows that belong to the answer are lost. `IS NOT NULL` does not count.

    >>> negation_unasked(case("Suppliers in Peru", "SELECT name FROM suppliers WHERE country <> 'Peru'")).strength
    1.0
    """
    if case.question.negations or case.enriched.negations:
        return None
    matched = [each for match in case.filters.matched for each in match.present]
    found = next((each for each in applied(case) if each.op in _REJECTING and each not in matched), None)
    return Finding(1.0, show_filter(found)) if found is not None else None


_REJECTING = NEGATIVE - {Op.NOT_NULL}


def comparison_flipped(case: Case) -> Finding | None:
    """The SQL compares in the opposite direction.

    `over 50` became `< 50`: the answer gives the other rows.

    >>> comparison_flipped(case("Orders with a total over 50", "SELECT id FROM orders WHERE total < 50")).strength
    1.0
    """
    for match in case.filters.mismatched:
        if any(_opposite(match.required.op, each.op) for each in match.present):
            return Finding(1.0, f"{EXPECTED_ACTUAL}: {show_match(match)}")
    return None


def _opposite(one: Op, other: Op) -> bool:
    return (one in _UP and other in _DOWN) or (one in _DOWN and other in _UP)


def bound_shifted(case: Case) -> Finding | None:
    """The SQL includes a bound that the question excludes, or the other way round.

    `more than 5` became `>= 5`, so the rows at exactly 5 are wrong.

    >>> bound_shifted(case("Orders with more than 5 items", "SELECT id FROM orders WHERE items >= 5")).strength
    1.0
    """
    for match in case.filters.mismatched:
        if any(_shifted(match.required, each) for each in match.present):
            return Finding(1.0, f"{EXPECTED_ACTUAL}: {show_match(match)}")
    return None


def _shifted(required: QuestionFilter, present: SqlFilter) -> bool:
    same_side = {required.op, present.op} in ({Op.GT, Op.GE}, {Op.LT, Op.LE})
    return same_side and required.rhs is not None and present.rhs is not None and required.rhs == present.rhs


def conditions_exclude(case: Case) -> Finding | None:
    """Two ANDed conditions can never hold together.

    One row has one value, so the answer is empty. A block that reads a table twice may compare two different rows and
    does not count.

    >>> conditions_exclude(case("Who plays both chess and go?",
    ...     "SELECT name FROM players WHERE game = 'chess' AND game = 'go'")).detail
    "game = 'chess' and 'go'"
    """
    if len(case.sql.filters) < 2:
        return None
    seen: dict[tuple[str, str], SqlFilter] = {}
    for each in case.sql.filters:
        if each.op is not Op.EQ or each.lhs is None or each.alternative is not None or each.clause is not Clause.WHERE:
            continue
        if not isinstance(each.rhs, Text | Number):
            continue
        if _read_twice(each, case):
            continue
        other = seen.setdefault((each.block, each.lhs.name), each)
        if other.rhs != each.rhs and other.lhs is not None and other.lhs.columns == each.lhs.columns:
            return Finding(1.0, f"{show_filter(other)} and {each.rhs}")
    return None


_OR = re.compile(r"\bor\b")
_AND = re.compile(r"\band\b")


def connective_changed(case: Case) -> Finding | None:
    """Two conditions that the question joins by `or` are ANDed, or those it joins by `and` are ORed.

    Too few or too many rows come back. Only conditions on different columns count: `Lisbon and Porto` means either.

    >>> connective_changed(case("Parcels from 'Faro' or with a weight over 20",
    ...     "SELECT id FROM parcels WHERE origin = 'Faro' AND weight > 20")).detail
    "expected → actual: OR → AND: origin = 'faro'; weight > 20"
    """
    met = [match for match in case.filters.matched if match.present and match.required.source is Source.QUESTION]
    met.sort(key=lambda match: match.required.start)
    for one, other in pairwise(met):
        between = case.question.text[one.required.start + len(one.required.span) : other.required.start].lower()
        left, right = one.present[0], other.present[0]
        if left.block != right.block or left == right or len(between) > _NEAR_BY or _alike(left, right):
            continue
        ored = left.alternative is not None and left.alternative == right.alternative
        asked_or = _OR.search(between) is not None
        if asked_or is not ored and (asked_or or _AND.search(between)):
            words = ("OR", "AND") if asked_or else ("AND", "OR")
            return differing(words[0], f"{words[1]}: {show_filter(left)}; {show_filter(right)}")
    return None


_NEAR_BY = 40
"""Most characters between two conditions that one connective joins."""


def _alike(left: SqlFilter, right: SqlFilter) -> bool:
    """Two values of one column: `Lisbon and Porto` means either."""
    return left.lhs is None or right.lhs is None or left.lhs.name == right.lhs.name


def _read_twice(each: SqlFilter, case: Case) -> bool:
    """Its block reads some table twice, so two conditions may be on two different rows."""
    tables = next((block.tables for block in case.sql.blocks if block.path == each.block), ())
    return len(tables) != len(set(tables))


def _is_bare(each: SqlFilter) -> bool:
    """Whether a filter compares with a number, or asks for a year alone."""
    if isinstance(each.rhs, Number):
        return True
    return each.op is Op.EQ and isinstance(each.rhs, Text) and len(each.rhs.folded) == 4 and each.rhs.folded.isdecimal()


_DATED = frozenset({"date", "birthday", "timestamp", "datetime"})


def date_as_number(case: Case) -> Finding | None:
    """A date column is compared with a number, or with a year alone.

    A full date never equals `1990`; the year must be taken out of it first.

    >>> date_as_number(case("Who was hired in 1990?", "SELECT name FROM staff WHERE hire_date = 1990")).detail
    'hire_date = 1990'
    """
    for each in case.sql.filters:
        if not _is_bare(each) or each.lhs is None or len(each.lhs.columns) != 1:
            continue
        if each.lhs.name == each.lhs.columns[0].name and not _DATED.isdisjoint(identifier_words(each.lhs.name)):
            return Finding(1.0, show_filter(each))
    return None
