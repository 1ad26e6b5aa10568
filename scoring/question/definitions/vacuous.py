"""Does a definition restrict anything? Texts that keep every row, and conditions that always hold."""

from __future__ import annotations

import re
import unicodedata

from scoring.question.english.weakening import DROPS, QUANTIFIERS
from scoring.specification import Op, QuestionFilter
from scoring.values import Number, Pattern, Text
from scoring.words import identifier_words

_DROPS = re.compile("|".join(DROPS))
_WORDS = re.compile(r"[^\W_]+")
_NAME = r"[\w.`\"\[\]]+"
_ALWAYS = re.compile(
    rf"(?<![\w.'])(?:({_NAME})\s*(?:=|==|<=|>=|is not distinct from|like)\s*\1(?![\w.('])"
    rf"|({_NAME}) is null or \2 is not null|({_NAME}) is not null or \3 is null"
    r"|\bin\s*\(\s*select\b|true\b(?!\s*=)|not\s+false\b|(?:not\s+)?exists\s*\(\s*select\s+(?:1|\*|null)\b"
    r"|(?:i?like|similar to)\s*['\"][%_]*['\"]|(?:glob|regexp|rlike|~\*?)\s*['\"][*.^$]*['\"]"
    r"|(?:length|len|char_length)\s*\([^()]{1,60}\)\s*>=?\s*0)"
)
_MAY_HOLD = re.compile(r"[=<>~]|like|is n|select|true|false|similar|glob|regexp")
"""What each formula that always holds contains: most texts hold none of it, and it is found fast."""
_COMPARED_NUMBERS = re.compile(r"(?<![\w.'\"])(\d{1,9})\s*(=|<>|!=|<=|>=|<|>)\s*(\d{1,9})(?![\w.%'\"])")
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
    if not text.isascii():
        apart = unicodedata.normalize("NFKD", text.translate(_LOOKALIKES))
        text = "".join(each for each in apart if unicodedata.category(each) not in ("Cf", "Mn", "Cc") or each.isspace())
    return " ".join(text.casefold().replace("’", "'").split())


def words_of(text: str) -> frozenset[str]:
    """The words of a text in plain letters."""
    return frozenset(_WORDS.findall(text))


def tells_to_drop(text: str) -> bool:
    """Whether a text in plain letters tells to leave a condition out.

    >>> tells_to_drop("the city does not matter"), tells_to_drop("stored in the column city")
    (True, False)
    """
    return _DROPS.search(text[:LONGEST]) is not None


def keeps_everything(text: str) -> bool:
    """Whether a text in plain letters names all there is: by a quantifier, or by telling to drop a condition."""
    return not QUANTIFIERS.isdisjoint(words_of(text[:LONGEST])) or tells_to_drop(text)


def always_holds(text: str) -> bool:
    """Whether some condition of a formula in plain letters holds for every row.

    >>> [always_holds(each) for each in ("id = id", "1 = 1", "city like '%'", "kind = 'kind'", "a.id = b.id")]
    [True, True, True, False, False]
    """
    text = text[:LONGEST]
    if _MAY_HOLD.search(text) is None:
        return False
    if _ALWAYS.search(text) is not None:
        return True
    return any(_true(int(left), op, int(right)) for left, op, right in _COMPARED_NUMBERS.findall(text))


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
