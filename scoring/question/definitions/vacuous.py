"""Does a definition restrict anything? Texts that keep every row, and conditions that always hold."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from scoring.normal_forms import normal_form
from scoring.patterns import lazy
from scoring.question.english.weakening import DROP_STARTS, DROPS, QUANTIFIERS
from scoring.specification import Op, QuestionFilter
from scoring.values import Number, Pattern, Text
from scoring.words import identifier_words

_DROPS = lazy("|".join(DROPS))
_WORDS = lazy(r"[^\W_]+")
_NAME = r"[\w.`\"\[\]]+"
_ALWAYS = lazy(
    rf"(?<![\w.'])(?:({_NAME})\s*(?:=|==|<=|>=|is not distinct from|like)\s*\1(?![\w.('])"
    rf"|({_NAME}) is null or \2 is not null|({_NAME}) is not null or \3 is null"
    r"|\bin\s*\(\s*select\b|true\b(?!\s*=)|not\s+false\b|(?:not\s+)?exists\s*\(\s*select\s+(?:1|\*|null)\b"
    r"|(?:i?like|similar to)\s*['\"][%_]*['\"]|(?:glob|regexp|rlike|~\*?)\s*['\"][*.^$]*['\"]"
    r"|(?:length|len|char_length)\s*\([^()]{1,60}\)\s*>=?\s*0)"
)
_MAY_HOLD = frozenset("like ilike null select true false similar glob regexp rlike length len exists".split())
"""One of these words, or `~`, is in each formula that always holds, but in those that compare a name with itself."""
_PARTS_THAT_HOLD = ("~", "like", "null", "select", "true", "false", "similar", "glob", "regexp", "len", "exists")
"""Each of these words has one of these parts, or is `~`."""
_OPERATOR = lazy(r"=|like|distinct from")
_NAMED = lazy(r"[\s=`\"\[\]]*([\w.]+)")
_COMPARED_NUMBERS = lazy(r"(?<![\w.'\"])(\d{1,9})\s*(=|<>|!=|<=|>=|<|>)\s*(\d{1,9})(?![\w.%'\"])")
_COMPARING = lazy(r"[=<>]")
_NUMBER_COMPARED = lazy(r"\d\s*[=<>!]")
_HOLDS = {"=": "eq", "<>": "ne", "!=": "ne", "<=": "le", ">=": "ge", "<": "lt", ">": "gt"}
LONGEST = 2000
"""Characters of a definition that are looked at."""
# Letters of other scripts that look like Latin ones: a definition may hide its words behind them.
_LOOKALIKES = str.maketrans(
    "аеорсухіјѕԁһӏкмтнвАВЕКМНОРСТУХІЈЅαορνικτβηυΑΒΕΖΗΙΚΜΝΟΡΤΥΧıȷ",
    "aeopcyxijsdhlkmthvABEKMHOPCTYXIJSaopviktbnuABEZHIKMNOPTYXij",
)


def plain_letters(text: str) -> str:
    """The text in lower case, in Latin letters where others only look like them, without invisible characters.

    >>> plain_letters("ANY\\u200b cіty")
    'any city'
    """
    return _short_plain_letters(text) if len(text) <= _MEMO_LENGTH else _plain_letters(text)


_MEMO_LENGTH = 200
"""Longest text, in characters, of which answers are cached: one event asks about the same text many times."""


def _plain_letters(text: str) -> str:
    if not text.isascii():
        apart = normal_form("NFKD", text.translate(_LOOKALIKES))
        text = "".join(each for each in apart if unicodedata.category(each) not in ("Cf", "Mn", "Cc") or each.isspace())
    return " ".join(text.casefold().replace("’", "'").split())


_short_plain_letters = lru_cache(maxsize=8192)(_plain_letters)


def words_of(text: str) -> frozenset[str]:
    """The words of a text in plain letters."""
    return _short_words_of(text) if len(text) <= _MEMO_LENGTH else frozenset(_WORDS.findall(text))


@lru_cache(maxsize=8192)
def _short_words_of(text: str) -> frozenset[str]:
    return frozenset(_WORDS.findall(text))


def tells_to_drop(text: str) -> bool:
    """Whether a text in plain letters tells to leave a condition out.

    >>> tells_to_drop("the city does not matter"), tells_to_drop("stored in the column city")
    (True, False)
    """
    return _short_tells_to_drop(text) if len(text) <= _MEMO_LENGTH else _DROPS.search(text[:LONGEST]) is not None


@lru_cache(maxsize=8192)
def _short_tells_to_drop(text: str) -> bool:
    return _DROPS.search(text) is not None


def keeps_everything(text: str) -> bool:
    """Whether a text in plain letters names all there is: by a quantifier, or by telling to drop a condition."""
    return not QUANTIFIERS.isdisjoint(words_of(text[:LONGEST])) or tells_to_drop(text)


def may_excuse(text: str, asked: str) -> bool:
    """Whether some part of a text in plain letters may tell to drop a condition, or speak of all there is.

    `asked` is the question in plain letters: what it says itself excuses nothing.
    """
    words = words_of(text)
    # "with" stands for "without" among the beginnings.
    if len(text) > LONGEST or not DROP_STARTS.isdisjoint([word[:4] for word in words if word not in _WITH]):
        return True
    quantified = words & QUANTIFIERS
    return bool(quantified and not quantified <= words_of(asked)) or always_holds(text)


_WITH = frozenset({"with", "within"})


def always_holds(text: str) -> bool:
    """Whether some condition of a formula in plain letters holds for every row.

    >>> [always_holds(each) for each in ("id = id", "1 = 1", "city like '%'", "kind = 'kind'", "a.id = b.id")]
    [True, True, True, False, False]
    """
    return _short_always_holds(text) if len(text) <= _MEMO_LENGTH else _always_holds(text[:LONGEST])


def _always_holds(text: str) -> bool:
    if (_may_hold(text) or _may_repeat(text)) and _ALWAYS.search(text):
        return True
    if _COMPARING.search(text) is None or _NUMBER_COMPARED.search(text) is None:
        return False
    return any(_true(int(left), op, int(right)) for left, op, right in _COMPARED_NUMBERS.findall(text))


def _may_hold(text: str) -> bool:
    if not any(map(text.__contains__, _PARTS_THAT_HOLD)):  # finding the words takes longer
        return False
    return "~" in text or not _MAY_HOLD.isdisjoint(words_of(text))


def _may_repeat(text: str) -> bool:
    """Whether what stands after an operator stands before it too."""
    if "=" not in text and "like" not in text and "distinct" not in text:
        return False
    for operator in _OPERATOR.finditer(text):
        named = _NAMED.match(text, operator.end())
        if named is not None:
            name, start = named[1], operator.start()
            if name.rstrip(".") in text[max(0, start - len(name) - _NEAR) : start]:
                return True
    return False


_NEAR = 150
"""Characters between a name and an operator that are looked at: spaces, marks and `is not`."""
_short_always_holds = lru_cache(maxsize=8192)(_always_holds)


def _true(left: int, op: str, right: int) -> bool:
    difference = left - right
    return {"eq": difference == 0, "ne": difference != 0, "le": difference <= 0, "ge": difference >= 0,
            "lt": difference < 0, "gt": difference > 0}[_HOLDS[op]]  # fmt: skip


_LOW = {Op.GT, Op.GE, Op.NE}
_HIGH = {Op.LT, Op.LE, Op.NE}
_HUGE = 1_000_000


def holds_for_most(each: QuestionFilter) -> bool:
    """Whether nearly every row meets a condition: `id > 0`, `name IS NOT NULL`, `name <> ''`, `name LIKE '%'`."""
    rhs = each.rhs
    if each.op is Op.NOT_NULL or (isinstance(rhs, Pattern) and not rhs.text.strip("%_ ")):
        return True
    if isinstance(rhs, Text):
        return _is_nobodys(rhs.folded, each.op)
    if not isinstance(rhs, Number):
        return False
    return (each.op in _LOW and rhs.value <= 0) or (each.op in _HIGH and rhs.value >= _HUGE)


def _is_nobodys(text: str, op: Op) -> bool:
    """Whether nearly every text differs from this one, or contains it."""
    if op is Op.NE:
        return len(text) < 2 or text in ("null", "none", "unknown")
    return op not in (Op.EQ, Op.IN) and not text.strip("%_ ")


def is_key(name: str) -> bool:
    """Whether a column's name says that it identifies rows."""
    return bool({"id", "key", "uuid", "guid", "rowid", "pk", "oid"} & set(identifier_words(name)[-1:]))
