"""The signal about an enriched question that excuses what the SQL leaves out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from scoring.alignment.matching import CERTAIN
from scoring.alignment.named_values import compares, is_abbreviated
from scoring.alignment.same_values import TIMES
from scoring.display import span_of
from scoring.forgery.working_text import working_text
from scoring.linking import content_words
from scoring.patterns import lazy
from scoring.question.definitions.vacuous import (
    LONGEST,
    always_holds,
    holds_for_most,
    keeps_everything,
    may_excuse,
    plain_letters,
    tells_to_drop,
    words_of,
)
from scoring.question.english.weakening import QUANTIFIERS
from scoring.specification import Definition, FilterOrigin, Op, QuestionFilter
from scoring.values import Choices, Expression, Number, Text
from scoring.verdict import Case, Finding, Weakening
from scoring.words import identifier_words, stem

_CODE = lazy(r"[A-Z]{1,3}[0-9]{0,2}")
TRIED = 0.02
"""Strength where the SQL applies all the same what the enriched question takes away."""
_CLAUSES = lazy(r"[;\n()\[\]{}!?|]|[.,](?=\s|$)|\s[-–—]+\s")
_TELLING = 5
"""A number from which on it is hardly in the SQL by chance."""
_MOST = 50
"""Most conditions, definitions and remarks that are looked at."""


def definition_weakens(case: Case) -> Finding | None:
    """The enriched question takes a condition away, and the SQL does not apply it.

    The agent that is judged writes the enriched question. It may say which column and value a phrase means; it may
    not drop a condition of the question or contradict its values. Strength is 1 where the SQL lacks what is taken
    away, and small where it applies it all the same.

    >>> definition_weakens(case("How many shops are in Lisbon?", "SELECT COUNT(*) FROM shops",
    ...     "How many shops are in Lisbon? (Lisbon refers to any city)")).detail
    'taken away: Lisbon'
    """
    if case.query.enriched_question is None:
        return None
    weakened = [
        each for each in case.weakened if not (_says_what_is_measured(each, case) or _is_outside(each.asked, case))
    ]
    taken = [] if case.enriched.text == case.question.text else [*_excused(case)]
    taken += [each.asked for each in weakened if _is_gone(each, case)]
    if taken:
        named = {text.casefold(): text for text in reversed(taken)}
        return Finding(1.0, f"taken away: {'; '.join(list(reversed(named.values()))[:5])}")
    if weakened:
        return Finding(TRIED, f"the SQL applies it all the same: {'; '.join(each.asked for each in weakened[:5])}")
    return None


def _says_what_is_measured(each: Weakening, case: Case) -> bool:
    """Whether the phrase is what a column is named after, which the SQL compares: HCT for `hematocrit`."""
    if each.condition is None or not is_abbreviated(each.condition, case.sql):
        return False
    return not keeps_everything(plain_letters(each.given))


def _is_outside(name: str, case: Case) -> bool:
    """Whether the question asks for what lies outside of a place, and the SQL for a place of another name."""
    behind = rf"\boutside (?:of )?(?:the )?{re.escape(name.casefold())}\b"
    places = (one for one in case.sql.filters if one.op in (Op.EQ, Op.IN) and isinstance(one.rhs, Text | Choices))
    return re.search(behind, case.question.text.casefold()) is not None and next(places, None) is not None


def _lies_outside(each: QuestionFilter, case: Case) -> bool:
    return _is_outside(span_of(each), case)


def _excused(case: Case) -> Iterator[str]:
    """What Qu asks, the SQL does not apply and the enriched question excuses."""
    unmet = _unmet(case)
    if not plain_letters(case.enriched.text).startswith(plain_letters(case.question.text).rstrip("?.! ")):
        unmet = [each for each in unmet if not _is_restated(each, case)]
    if unmet or _may_begin_alike(case.question.text, case.enriched.text):
        yield from _excused_by(case, unmet)


def _may_begin_alike(asked: str, enriched: str) -> bool:
    """Whether the enriched question may begin with the question: quick to find where both have plain letters."""
    if not (asked.isascii() and enriched.isascii() and asked[:1].isalnum() and enriched[:1].isalnum()):
        return True
    return asked[0].lower() == enriched[0].lower()


def _excused_by(case: Case, unmet: list[QuestionFilter]) -> Iterator[str]:
    asked, enriched = plain_letters(case.question.text), plain_letters(case.enriched.text)
    if enriched == asked:
        return
    repeats = enriched.startswith(asked.rstrip("?.! "))
    if not (unmet or (repeats and may_excuse(_added(asked, enriched), asked))):
        return
    said = words_of(asked)
    remarks = list(_remarks(case, asked, enriched))
    excuses = [each for each in remarks if tells_to_drop(each) or _says_all(each, said)]
    yield from map(span_of, unmet if excuses else _spoken_of(unmet, remarks if repeats else [], case))
    if repeats and excuses:
        taken = asked if any(map(tells_to_drop, excuses)) else " ".join(remarks)
        yield from islice(_words_lost(taken, case), 1)


def _spoken_of(unmet: list[QuestionFilter], remarks: list[str], case: Case) -> Iterator[QuestionFilter]:
    """The conditions that the enriched question changes, or speaks of without stating them.

    `remarks` are those beside a repeated question: in words of its own, the enriched question names every condition.
    """
    for each in unmet:
        if _is_coded(each, case):
            continue
        if each in case.dropped or _is_named(each, case) or any(_mentions(remark, each) for remark in remarks):
            yield each


def _is_coded(each: QuestionFilter, case: Case) -> bool:
    """Whether the enriched question gives a code for the text asked for, and the SQL applies it: `DE` for Germany.

    Nothing says that the code is right, so the condition stays missing.
    """
    return isinstance(each.rhs, Text) and any(
        given.op is each.op
        and _CODE.fullmatch(given.span.strip("'\""))
        and any(given.op is there.op and given.rhs == there.rhs for there in case.sql.filters[:_MOST])
        for given in case.enriched.filters[:_MOST]
    )


def _is_restated(each: QuestionFilter, case: Case) -> bool:
    """Whether the enriched question states a condition in other figures: a date of the year that the SQL names too, the
    same number, or none for zero."""
    enriched = case.query.enriched_question or ""
    if isinstance(each.rhs, Text):
        return _is_spelled_out(each.rhs.folded, enriched)
    if isinstance(each.rhs, Number) and _states_number(each.rhs.value, enriched, case.query.sql):
        return True
    timed = isinstance(each.rhs, TIMES) or (isinstance(each.rhs, Number) and bool(each.alternatives))
    return timed and _states_time(each.span.lower(), enriched.lower(), case.query.sql)


def _states_time(span: str, enriched: str, sql: str) -> bool:
    """Whether a time is stated: as dates of a year that the SQL names too, by its number, or as another word's year."""
    if any(year in sql for year in _YEAR.findall(enriched)):
        return True
    days = {found[0] or found[1] for found in _DAY.findall(enriched)}
    if len(days) > 1 and all(re.search(rf"(?<!\d)0?{day}(?!\d)", sql) for day in days):
        return True
    numbers = re.findall(r"\d+", span)
    if numbers:
        return all(re.search(rf"\b(?:{number}|{int(number) - 1})\b", enriched) for number in numbers)
    same = _THIS.fullmatch(span)
    return (
        same is not None
        and re.search(rf"\b(?:current|this|running|fiscal|financial) [a-z ]*{same[1]}\b", enriched) is not None
    )


def _is_spelled_out(name: str, enriched: str) -> bool:
    """Whether a short name with digits is said in other words: `bo3` as a best of 3, `wk1` as days 7 to 13."""
    digits = re.findall(r"\d+", name)
    if digits and len(name) <= _SHORT_NAME and all(re.search(rf"\b{one}\b", enriched) for one in digits):
        return True
    return _PERIOD_NAME.fullmatch(name) is not None and _SPAN_SAID.search(enriched) is not None


def _states_number(number: float, enriched: str, sql: str) -> bool:
    """Whether a number is stated: as itself, as none for zero, or as the year of dates that the SQL names too."""
    if number in _YEARS and f"{number:g}" in _YEAR.findall(enriched):
        return f"{number:g}" in sql
    if not number:
        return _NONE.search(enriched) is not None
    return re.search(rf"(?<![\w.]){number:g}(?![\d.])", enriched) is not None


_SHORT_NAME = 5
"""Letters of a name with digits that other words may spell out: `bo3`, a best of 3."""
_THIS = lazy(r"this (year|quarter|month|week)")
_YEARS = range(1900, 2100)
_PERIOD_NAME = lazy(r"(?:wk|week|w|d|day|m|mo|month)[- ]?\d{1,3}")
"""`wk1` and `d30`: the first week, and the thirtieth day, after something."""
_SPAN_SAID = lazy(r"\b\d+ ?(?:-|to|and) ?\d+ days\b|\b\d+ (?:day|week|month)s?\b", re.IGNORECASE)
_YEAR = lazy(r"(?<!\d)(?:19|20)\d\d")
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_DAY = lazy(rf"\b(\d{{1,2}})(?:st|nd|rd|th)? (?:of )?{_MONTH}\b|\b{_MONTH} (\d{{1,2}})\b")
"""A day of a month, in lower case."""
_NONE = lazy(r"\b(?:no|none|not|never|without|zero)\b", re.IGNORECASE)


def _is_other_time(each: QuestionFilter, case: Case) -> bool:
    """Whether a time is asked for and the SQL keeps to one: a mismatch, which nothing takes away."""
    return isinstance(each.rhs, TIMES) and any(isinstance(there.rhs, TIMES) for there in case.sql.filters[:_MOST])


def _unmet(case: Case) -> list[QuestionFilter]:
    """The conditions that were surely read from Qu and of which the SQL applies no form."""
    filters = case.filters
    if not filters.missing and not filters.mismatched:
        return []
    unmet = [*filters.missing, *(match.required for match in filters.mismatched)]
    sure = [each for each in unmet[:_MOST] if each.source is FilterOrigin.QUESTION and each.certain >= CERTAIN]
    return [
        each
        for each in sure
        if not (compares(each, case.sql) or _is_other_time(each, case) or _may_be_timed(each, case))
        and not any(excuses(each, case) for excuses in (_is_left_out, _is_counted, _lies_outside))
    ]


def _is_counted(each: QuestionFilter, case: Case) -> bool:
    """Whether the number of a condition stands in the SQL, which applies it in a way that is not read: `-48` hours."""
    if not isinstance(each.rhs, Number) or each.rhs.value < _TELLING:
        return False
    return re.search(rf"(?<![\w.]){each.rhs.value:g}(?![\w.])", working_text(case)) is not None


def _is_left_out(each: QuestionFilter, case: Case) -> bool:
    """Whether what is to be absent is a value that the SQL leaves out: `w/o gmail addresses`."""
    if each.op is not Op.NOT_EXISTS or each.lhs is None:
        return False
    named = content_words(each.lhs.name)[:1]
    left_out = (there.text.casefold() for there in case.sql.filters[:_MOST] if there.op in (Op.NE, Op.NOT_IN))
    return any(word in text for text in left_out for word in named)


def _may_be_timed(each: QuestionFilter, case: Case) -> bool:
    """Whether a time is asked for and the SQL compares with today in a way that is not read."""
    columns = [there for there in case.sql.filters[:_MOST] if there.lhs is not None and there.lhs.columns]
    unread = (there for there in columns if isinstance(there.rhs, (Expression, Number)))
    return isinstance(each.rhs, TIMES) and any("current_date" in there.text for there in unread)


def _words_lost(remark: str, case: Case) -> Iterator[str]:
    """Words of Qu that may be a condition, and that the SQL neither compares with nor reads."""
    outputs = {word for each in case.question.outputs for word in content_words(each.phrase)}
    for word in content_words(remark):
        asked = word in case.question.stems and word not in outputs
        if asked and not _is_read(word, case) and not _is_near(word, case):
            yield word


def _is_named(each: QuestionFilter, case: Case) -> bool:
    """Whether a definition says what the words of a condition are, and states no condition."""
    said = set(content_words(each.span))
    named = (one for one in case.enriched.definitions[:_MOST] if not one.filters)
    return bool(said) and any(said <= set(content_words(one.phrase)) for one in named)


def _remarks(case: Case, asked: str, enriched: str) -> Iterator[str]:
    """The clauses that the enriched question adds, without definitions of other things than all there is."""
    repeats = enriched.startswith(asked.rstrip("?.! "))
    added = _added(asked, enriched)
    for definition in case.enriched.definitions[:_MOST]:
        phrase, text = plain_letters(definition.phrase[:LONGEST]), plain_letters(definition.text[:LONGEST])
        if _says_nothing(definition, phrase, text):
            continue
        added = added.replace(text, " ", 1)
        if definition.filters or definition.columns or definition.functions:
            added = added.replace(phrase, " ", 1)
    for clause in islice(_CLAUSES.split(added), 4 * _MOST):
        if clause.strip(" ?.!,:") and (repeats or clause.strip() not in asked):
            yield clause.strip()


def _added(asked: str, enriched: str) -> str:
    """What the enriched question says beside the question."""
    return enriched.replace(asked.rstrip("?.! "), " ", 1)


def _says_nothing(definition: Definition, phrase: str, text: str) -> bool:
    """Whether a definition restricts nothing, whatever it defines."""
    if always_holds(f"{phrase} = {text}") or always_holds(text):
        return True
    if definition.filters:
        return all(map(holds_for_most, definition.filters))
    if tells_to_drop(f"{phrase} {text}"):
        return True
    return not definition.columns and not definition.functions and keeps_everything(f"{phrase} {text}")


_IF_ANY = lazy(r"\bif any\b")


def _says_all(remark: str, asked: frozenset[str]) -> bool:
    """Whether a remark speaks of all there is in other words than the question does."""
    words = words_of(_IF_ANY.sub(" ", remark))
    return bool(words & QUANTIFIERS - asked) or always_holds(remark)


def _mentions(remark: str, each: QuestionFilter) -> bool:
    said = {stem(word) for word in words_of(remark)}
    if isinstance(each.rhs, Text):
        named = {stem(word) for word in words_of(plain_letters(each.rhs.folded))}
    else:
        named = set(content_words(plain_letters(each.span)))
        named = {word for word in named if word.isdecimal()} or named
    return bool(named) and named <= said


def _is_gone(each: Weakening, case: Case) -> bool:
    """Whether the SQL lacks what a definition takes away, where that was not read as a condition."""
    if each.condition is not None:
        return each.condition in case.filters.missing or any(
            each.condition == match.required for match in case.filters.mismatched
        )
    if each.rows is not None:
        return all(limit.count != each.rows for limit in case.sql.limits)
    return bool(each.words) and not any(_is_near(word, case) for word in each.words)


def _is_read(word: str, case: Case) -> bool:
    """Whether the SQL reads a table or column of this name."""
    return any(word[:4] in name for name in case.read)


def _is_near(word: str, case: Case) -> bool:
    """Whether the SQL compares with a word or with a column named like it."""
    compared = {
        stem(part)
        for each in case.sql.filters[:_MOST]
        for text in (str(each.rhs or ""), each.lhs.name if each.lhs is not None else "")
        for part in (*words_of(text.casefold()), *identifier_words(text))
    }
    return any(part[:4] == word[:4] for part in compared)
