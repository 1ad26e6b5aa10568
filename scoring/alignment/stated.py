"""What a definition of the enriched question states about a condition of the question: a value, a code or nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import Enum

from scoring.alignment.matching import NEGATIVE
from scoring.alignment.same_values import TIMES
from scoring.alignment.telling_apart import is_flag, tells_nothing_apart, texts_of
from scoring.alignment.wide_patterns import is_wide_pattern
from scoring.linking import content_words, is_named, word_likeness
from scoring.patterns import lazy
from scoring.question.definitions.vacuous import (
    LONGEST,
    always_holds,
    holds_for_most,
    is_key,
    keeps_everything,
    plain_letters,
    tells_to_drop,
    words_of,
)
from scoring.question.english.weakening import COMPARISONS, FLAGS, NEGATIONS, UNITS
from scoring.specification import Definition, Op, QuestionFilter
from scoring.values import Choices, DatePart, Number, RelativeTime, Text, TimeRange, Value, intersect
from scoring.words import identifier_words, in_order, letters


class Stated(Enum):
    """What a definition says of a condition that it takes the place of."""

    RESTRICTS = 1
    """The value, a code for it, or a column that is named like it."""
    NAMES = 2
    """No condition: what kind of thing it is, or where it stands. The SQL must apply the value itself."""
    WEAKENS = 3
    """Something that drops the condition or contradicts it."""


_OR = lazy(r"\bor\b|\|\|?")
_NUMBER = lazy(r"\d+(?:\.\d+)?")
_WHOLE = lazy(r"\d{1,9}")
_SPELT = dict(enumerate("zero one two three four five six seven eight nine ten eleven twelve".split()))
_BOUNDS = {Op.GT: ">", Op.GE: ">", Op.LT: "<", Op.LE: "<"}
_YES_NO = frozenset({"0", "1", "y", "n", "t", "f", "yes", "no", "true", "false"})
_CODE_LENGTH = 3
"""Letters of the longest code that may stand for a name unlike it."""
_NOW = lazy(r"\b(?:now|today|current|current_date|current_timestamp|curdate|getdate|sysdate|date|time|day|week"
                  r"|month|year)", re.IGNORECASE)  # fmt: skip


def stated(own: QuestionFilter, definition: Definition) -> Stated:
    """What a definition that covers the words of a condition says about it.

    >>> from scoring.question import read_enriched, read_question
    >>> asked = read_question("How many shops are in Lisbon?")
    >>> for said in ("city = 'Lisbon'", "city_id = 7", "the name of a city", "any city", "id > 0"):
    ...     spec = read_enriched(f"{asked.text} (Lisbon refers to {said})", asked)
    ...     print(said, stated(asked.filters[0], spec.definitions[0]).name)
    city = 'Lisbon' RESTRICTS
    city_id = 7 RESTRICTS
    the name of a city NAMES
    any city WEAKENS
    id > 0 WEAKENS
    """
    text = plain_letters(definition.text[:LONGEST])
    if not definition.filters:
        return _without_condition(own, definition, text)
    if own.rhs is not None and (always_holds(text) or _has_open_arm(own, definition, text)):
        return Stated.WEAKENS
    found = [each for each in definition.filters if _restricts(own, each, definition, text)]
    return Stated.RESTRICTS if found else Stated.WEAKENS


def _without_condition(own: QuestionFilter, definition: Definition, text: str) -> Stated:
    """A definition without a condition that was read: prose, a column, a formula, or values alone."""
    if always_holds(text) or tells_to_drop(text):
        return Stated.WEAKENS
    named = any(_holds_name(name, texts_of(own.rhs)) for name in definition.columns)
    shorter = [word for name in definition.columns for word in (letters(name), *identifier_words(name))]
    named = named or any(_abbreviates(word, definition.phrase) for word in shorter if len(word) > 2)
    if named or _holds_number_of(definition) or _holds_value(own, text):
        return Stated.RESTRICTS
    return Stated.WEAKENS if keeps_everything(text) else Stated.NAMES


def _has_open_arm(own: QuestionFilter, definition: Definition, text: str) -> bool:
    """Whether the definition joins by OR a condition that does not restrict to what is asked."""
    arms = _OR.split(text)
    if len(arms) < 2:
        return False
    members = sum(_size(each.rhs) for each in definition.filters)
    return members < len(arms) or not all(_restricts(own, each, definition, text) for each in definition.filters)


def _size(value: Value | None) -> int:
    return len(value.members) if isinstance(value, Choices) else 1


def _restricts(own: QuestionFilter, each: QuestionFilter, definition: Definition, text: str) -> bool:
    """Whether one condition of a definition keeps only rows that the question's condition may mean."""
    columns = [column.name for column in each.lhs.columns] if each.lhs is not None else []
    if definition.phrase == definition.text:
        text = plain_letters(each.span)  # a bare condition: the rest of its text is the phrase
    if isinstance(own.rhs, Number):
        return _keeps_number(own, own.rhs, each, definition, text)
    if isinstance(own.rhs, TIMES):
        return _keeps_time(own, each, text)
    if own.rhs is None:
        return each.op is not Op.NOT_NULL
    return _restricts_text(own, each, columns, definition)


def _restricts_text(own: QuestionFilter, each: QuestionFilter, columns: Sequence[str], definition: Definition) -> bool:
    """Whether a condition keeps only rows that a name or text of the question may mean."""
    if tells_nothing_apart(own, each) or is_wide_pattern(own, each, columns, definition):
        return False
    if holds_for_most(each):
        return any(_holds_name(name, texts_of(own.rhs)) for name in columns)
    if _negates_again(own, each, definition):
        return False
    if _related(own, columns, definition):
        return not _is_other_name(own, each, definition)
    return _keeps_text(own, each, definition)


def _holds_name(column: str, asked: Iterable[str]) -> bool:
    """Whether a column's name and a text hold one another: `sat_takers` and `SAT`."""
    joined = letters(column)
    return len(joined) > 2 and any(len(name) > 2 and (name in joined or joined in name) for name in map(letters, asked))


def _is_other_name(own: QuestionFilter, each: QuestionFilter, definition: Definition) -> bool:
    """Whether a condition compares with a name that neither resembles the one asked for nor is in the phrase."""
    said = set(content_words(definition.phrase))
    names = [name for name in texts_of(each.rhs) if sum(map(str.isalpha, name)) > _CODE_LENGTH]
    asked = texts_of(own.rhs)
    return any(not said & set(content_words(name)) and not any(_alike(one, name) for one in asked) for name in names)


def _negates_again(own: QuestionFilter, each: QuestionFilter, definition: Definition) -> bool:
    """Whether the definition reverses the condition: it excludes what is asked for, or keeps what is excluded."""
    if own.op not in NEGATIVE:
        return each.op in NEGATIVE and bool(_shared(own.rhs, each.rhs))
    negated = not NEGATIONS.isdisjoint(words_of(plain_letters(definition.phrase)))
    return negated and each.op not in NEGATIVE and bool(_shared(own.rhs, each.rhs))


def _shared(left: Value | None, right: Value | None) -> bool:
    """Whether some text of one value is like some text of the other."""
    return any(_alike(mine, theirs) for mine in texts_of(left) for theirs in texts_of(right))


def _alike(mine: str, theirs: str) -> bool:
    """Whether one text contains the other, shares a word with it, or abbreviates it."""
    own, other = letters(mine), letters(theirs)
    if not own or not other:
        return False
    if own == other or (min(len(own), len(other)) > 2 and (own in other or other in own)):
        return True
    ours, others = content_words(mine), content_words(theirs)
    if any(word_likeness(one, two) >= 0.6 for one in ours[:12] for two in others[:12]):
        return True
    return _abbreviates(other, mine) or _abbreviates(own, theirs)


def _abbreviates(short: str, long: str) -> bool:
    """Whether a short text holds the first letters of a longer one, or letters of it in order from its first."""
    initials = "".join(word[:1] for word in words_in_order(long))
    if len(short) > 4 or not initials:
        return False
    return short == initials[: len(short)] or (short[0] == initials[0] and in_order(short, letters(long)))


_WORD = lazy(r"[^\W_]+")


def words_in_order(text: str) -> list[str]:
    """The words of a text, in lower case."""
    return _WORD.findall(text.casefold())


def _keeps_text(own: QuestionFilter, each: QuestionFilter, definition: Definition) -> bool:
    """Whether a condition compares with the text that is asked for, or with codes for it."""
    if each.op in _BOUNDS or (each.op in NEGATIVE and own.op not in NEGATIVE):
        return False
    if each.op is Op.IS_NULL:
        return own.op in NEGATIVE
    asked = [*texts_of(own.rhs), *(text for form in own.alternatives for text in texts_of(form))]
    given = texts_of(each.rhs)
    if not given or len(given) > _MOST_MEMBERS:
        return False
    return all(
        (len(other) > 1 and any(_alike(one, other) for one in asked)) or _is_code(other, each, own, definition)
        for other in given
    )


_MOST_MEMBERS = 50
"""Members of the longest list that a definition may give for one value."""


def _is_code(value: str, each: QuestionFilter, own: QuestionFilter, definition: Definition) -> bool:
    """Whether a value may be a code for a name: short or a number, and in a column that does not merely hold a flag."""
    if sum(map(str.isalpha, value)) > _CODE_LENGTH or len(value) > 12:
        return False
    columns = [column.name for column in each.lhs.columns] if each.lhs is not None else []
    words = {word for name in columns for word in identifier_words(name)}
    if not FLAGS.isdisjoint(words) or (value in _YES_NO and not any(_alike(one, value) for one in texts_of(own.rhs))):
        return own.op in NEGATIVE and _linked(words, content_words(definition.phrase))
    return True


def _related(own: QuestionFilter, columns: Iterable[str], definition: Definition) -> bool:
    """Whether a column is named like the value that is asked for: `T-shirt` and `t_shirt_size`."""
    asked = [own.span] if own.rhs is None else texts_of(own.rhs)
    said = [word for text in asked for word in words_in_order(text)]
    if not said:
        return False
    return any(_is_like(name, said, definition) for name in columns) or _holds_number_of(definition)


def _is_like(name: str, said: list[str], definition: Definition) -> bool:
    joined, whole = letters(name), letters("".join(said))
    if min(len(joined), len(whole)) > 1 and (joined in whole or whole in joined):
        return True
    words, spoken = set(identifier_words(name)), content_words(" ".join(said))
    if is_key(name):
        return _linked(words - {"id", "key"}, spoken)
    shorter = [joined, *(word for word in words if len(word) > 2)]
    return _linked(words, spoken) or any(_abbreviates(word, definition.phrase) for word in shorter)


def _linked(named: set[str], said: Iterable[str]) -> bool:
    long = {word for word in named if len(word) > 2}
    return bool(long) and any(is_named(word, long) for word in said if len(word) > 2)


def _holds_number_of(definition: Definition) -> bool:
    """Whether a column that is defined has a number of the phrase in its name: `scores from 1500` and `num_ge_1500`."""
    numbers = [each for each in _NUMBER.findall(definition.phrase) if len(each) > 2]
    return any(number in name for number in numbers for name in definition.columns)


def _holds_value(own: QuestionFilter, text: str) -> bool:
    """Whether prose or a formula repeats the value: `201308` for August 2013, `CZ` for no name."""
    if isinstance(own.rhs, Number):
        return bool(_numbers_of(own.rhs) & _numbers_in(text))
    if isinstance(own.rhs, TIMES):
        return _has_time(own, text)
    return any(letters(each) in letters(text) for each in texts_of(own.rhs) if len(letters(each)) > 2)


def _numbers_of(asked: Number) -> set[float]:
    value = asked.value
    return {value, value + 1, value - 1} if value == int(value) and value > 1 else {value}


def _numbers_in(text: str) -> set[float]:
    said = words_of(text)
    found = {float(number) for number, word in _SPELT.items() if word in said}
    return found | {float(each) for each in _NUMBER.findall(text.replace(",", ""))[:100]}


def _keeps_number(own: QuestionFilter, asked: Number, each: QuestionFilter, definition: Definition, text: str) -> bool:
    """Whether a condition compares with the number asked for, on the side asked for, or with another unit of it."""
    given = _numbers_in(text)
    percent = asked.unit == "%" and {round(asked.value / 100, 6)} & given
    if percent or _numbers_of(asked) & given:
        return not _turned(own, asked, each)
    said = words_of(plain_letters(f"{definition.phrase} {own.span}")) | {letters(definition.phrase[-1:])}
    if asked.unit or not UNITS.isdisjoint({word.removesuffix("s") for word in said} | said):
        return each.op is own.op or _BOUNDS.get(each.op) == _BOUNDS.get(own.op)
    return own.op is Op.EQ and isinstance(each.rhs, Text) and not _NUMBER.search(each.rhs.folded) and _plain_code(each)


def _plain_code(each: QuestionFilter) -> bool:
    return each.op is Op.EQ and not is_flag(each) and not holds_for_most(each)


def _turned(own: QuestionFilter, asked: Number, each: QuestionFilter) -> bool:
    """Whether a bound is on the other side than the words say; `ranked higher than 5` may be `rank < 5`."""
    side = next((side for words, side in COMPARISONS.items() if plain_letters(own.span).startswith(words)), None)
    if not isinstance(each.rhs, Number) or each.rhs.value not in _numbers_of(asked):
        return False
    theirs = _BOUNDS.get(each.op)
    if each.op is Op.NE:
        return own.op is not Op.NE
    if own.op is Op.EQ:
        return theirs is not None and side is None and each.rhs.value == asked.value and holds_for_most(each)
    return side is not None and theirs is not None and theirs != side


def _has_time(own: QuestionFilter, text: str) -> bool:
    """Whether a text holds the year, or the part of a date, that is asked for."""
    asked, numbers = own.rhs, _NUMBER.findall(text)[:100]
    if letters(own.span) in letters(text):
        return True
    if isinstance(asked, TimeRange):
        years = {moment.year for moment in (asked.start, asked.end) if moment is not None}
        near = {str(year + shift) for year in years for shift in (-1, 0)}
        near.update(each for each in _NUMBER.findall(own.span) if len(each) > 3)
        return any(year in text for year in near)
    if isinstance(asked, DatePart):
        return any(float(each) == asked.value for each in numbers)
    return isinstance(asked, RelativeTime) and _NOW.search(text) is not None


def _is_other_time(own: QuestionFilter, each: QuestionFilter) -> bool:
    """Whether two ranges have no moment in common, and are not written with the same numbers in another order."""
    mine, theirs = own.rhs, each.rhs
    if not isinstance(mine, TimeRange) or not isinstance(theirs, TimeRange):
        return False
    common = intersect(mine, theirs)
    apart = common.start is not None and common.end is not None and common.start >= common.end
    return apart and set(map(int, _WHOLE.findall(own.span))) != set(map(int, _WHOLE.findall(each.span)))


_LIKE_EQUAL = frozenset({Op.EQ, Op.IN, Op.WITHIN, Op.CONTAINS, Op.STARTS_WITH, Op.ENDS_WITH, Op.LIKE})


def _keeps_time(own: QuestionFilter, each: QuestionFilter, text: str) -> bool:
    """Whether a condition restricts to the time asked for."""
    if own.rhs is None or (own.op in NEGATIVE) != (each.op in NEGATIVE):
        return False
    if isinstance(each.rhs, TIMES):
        return not _is_other_time(own, each)
    if not _has_time(own, text) or holds_for_most(each):
        return False
    if each.op in _LIKE_EQUAL or not isinstance(own.rhs, TimeRange):
        return True
    if own.rhs.start is not None and own.rhs.end is not None:
        return len(_NUMBER.findall(text)) > 1 and each.op in _BOUNDS
    return _BOUNDS.get(each.op) == (">" if own.rhs.end is None else "<")
