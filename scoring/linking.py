"""Whether a person's phrase names a column, by words, stems, abbreviations, synonyms and trigrams."""

from __future__ import annotations

from collections.abc import Collection, Sequence, Set
from functools import lru_cache

from scoring.patterns import lazy
from scoring.specification import Operand
from scoring.words import identifier_words, letters, stem

LINKED = 0.5
"""Likeness, in [0, 1], from which a phrase names a column."""

STOP_WORDS = frozenset(
    "a an the of in on at to for from by with and or is are was were be been do does did has have had this that these"
    " those their its his her our your my all each every any some which what who whom whose when where how many much"
    " list show give find me please also as it they there than then if about into per".split()
)
"""Words that never name a column."""

SYNONYMS = (
    "id identifier key code number no num nr uid",
    "name title label",
    "first forename given fname",
    "last surname family lname",
    "full complete",
    "birth birthday birthdate dob born birthyear",
    "death died dod",
    "date day time when timestamp dt datetime at on",
    "year yr yrs",
    "month mon",
    "country nation nationality nation",
    "city town municipality hometown",
    "state province region area district location place where",
    "address street",
    "phone telephone tel mobile",
    "email mail",
    "sex gender",
    "price cost fee amount charge",
    "salary wage pay income earning compensation",
    "revenue sale turnover spend",
    "quantity qty count number amount units",
    "weight mass weigh heavy",
    "height tall",
    "length long duration",
    "age old young",
    "description desc detail text body content note comment remark",
    "type kind category class sort",
    "status state condition",
    "score point rating grade mark result",
    "rank position place standing",
    "department dept division unit",
    "employee staff worker emp personnel",
    "manager boss supervisor head",
    "customer client buyer consumer account member user",
    "product item goods article sku",
    "order purchase transaction",
    "company firm business organization organisation manufacturer maker",
    "student pupil learner",
    "teacher instructor professor lecturer",
    "doctor physician clinician",
    "picture image photo",
    "website url link homepage web",
    "language lang tongue",
    "average avg mean",
    "maximum max highest largest",
    "minimum min lowest smallest",
    "percent percentage pct rate ratio share",
    "start begin open from",
    "end finish close to",
    "color colour",
    "leader chief head president",
    "speed velocity fast",
    "capacity size volume",
    "population inhabitant people",
    "film movie",
    "car vehicle automobile",
    "song track music",
    "author writer",
    "song single",
    "team club side squad",
    "game match",
    "school college university",
    "attendance audience visitor",
    "value worth",
    "kilometre kilometer km",
    "hectare ha",
    "kilogram kg",
    "metre meter m",
    "centimetre centimeter cm",
    "version edition release",
    "bill billed charge charged invoice invoiced",
    "collect collected receive received paid payment",
    "transaction txn trx",
)
"""Each line lists words for the same thing."""
_GROUPS: dict[str, frozenset[int]] = {}
_SAME_MEANING: dict[str, frozenset[str]] = {}
for _index, _line in enumerate(SYNONYMS):
    _same = frozenset(map(stem, _line.split()))
    for _word in _same:
        _GROUPS[_word] = _GROUPS.get(_word, frozenset()) | {_index}
        _SAME_MEANING[_word] = _SAME_MEANING.get(_word, frozenset()) | _same

_NO_GROUP: frozenset[int] = frozenset()
_NO_WORDS: frozenset[str] = frozenset()
_WORD = lazy(r"[^\W_]+")


def content_words(phrase: str) -> tuple[str, ...]:
    """The stems of a phrase's words that could name something.

    >>> content_words("the full names of all drivers")
    ('full', 'name', 'driver')
    """
    return _short_content_words(phrase) if len(phrase) <= _MEMO_LENGTH else _content_words(phrase)


_MEMO_LENGTH = 200
"""Longest phrase, in characters, whose words are cached: one event asks for the same phrase many times."""


def _content_words(phrase: str) -> tuple[str, ...]:
    return tuple(
        stem(word) for word in _WORD.findall(phrase.lower().replace("e-mail", "email")) if word not in STOP_WORDS
    )


_short_content_words = lru_cache(maxsize=8192)(_content_words)


@lru_cache(maxsize=65536)
def word_likeness(said: str, named: str) -> float:
    """How likely two stemmed words mean the same, in [0, 1].

    >>> word_likeness("department", "dept"), word_likeness("nation", "country"), word_likeness("age", "city")
    (0.8, 0.8, 0.0)
    """
    if said == named:
        return 1.0
    groups = _GROUPS.get(said)
    if groups is not None and not groups.isdisjoint(_GROUPS.get(named, _NO_GROUP)):
        return 0.8
    short, long = (said, named) if len(said) <= len(named) else (named, said)
    size = len(short)
    if size < 3:
        return 0.0
    if short[0] != long[0]:
        return 0.7 if size >= 4 and long.endswith(short) else 0.0
    if long.startswith(short):
        return 0.8 if size >= 4 else 0.6
    return 0.6 if size * 3 >= len(long) and _is_subsequence(short, long) else _trigrams(short, long)


def _is_subsequence(short: str, long: str) -> bool:
    letters = iter(long)
    return all(letter in letters for letter in short)


def _trigrams(left: str, right: str) -> float:
    """Dice overlap of letter trigrams, 0 below one half: near spellings only."""
    if len(left) < 4:
        return 0.0
    ours, theirs = _triples(left), _triples(right)
    dice = 2 * len(ours & theirs) / (len(ours) + len(theirs))
    return dice if dice >= 0.5 else 0.0


@lru_cache(maxsize=16384)
def _triples(word: str) -> frozenset[str]:
    return frozenset(word[place : place + 3] for place in range(len(word) - 2))


def best_likeness(word: str, others: Collection[str]) -> float:
    """The likeness of `word` to the most similar of `others`; 0 when there are none."""
    if word in others:
        return 1.0
    best = 0.0
    for other in others:  # a plain loop: this is the innermost one of an event
        found = word_likeness(word, other)
        if found > best:  # noqa: PLR1730 max() costs a call for each pair of words
            best = found
    return best


def firsts_and_synonyms(words: Collection[str]) -> set[str]:
    """The first letters of words, and the words that mean the same: no other word is 0.8 like one of them.

    >>> sorted(firsts_and_synonyms(["film"]))
    ['f', 'film', 'movie']
    """
    return {word[:1] for word in words}.union(*[_SAME_MEANING.get(word, _NO_WORDS) for word in words])


def is_named(word: str, others: Set[str]) -> bool:
    """Whether some of `others` is at least 0.6 like `word`: the same answer as `best_likeness`, asked faster.

    >>> is_named("nation", {"country", "age"}), is_named("nation", {"age"})
    (True, False)
    """
    if word in others or not _SAME_MEANING.get(word, _NO_WORDS).isdisjoint(others):
        return True
    if not word:
        return False
    first, last, size = word[0], word[-1], len(word)
    for other in others:
        if other[:1] == first:
            if word_likeness(word, other) >= 0.6:
                return True
        elif other[-1:] == last and (
            (size >= 4 and other.endswith(word)) or (len(other) >= 4 and word.endswith(other))
        ):
            return True
    return False


def initials(said: Sequence[str]) -> str:
    """What the first letters of two or more words spell: a name as short as `gp`, and no `id`; else nothing.

    >>> initials(["gross", "profit"]), initials(["invoice", "date"]), initials(["gross"])
    ('gp', '', '')
    """
    spelt = "".join(each[:1] for each in said) if len(said) > 1 else ""
    return "" if spelt in _SHORT_NAMES else spelt


_SHORT_NAMES = frozenset("at by cd dt fk id in is nm no nr of on pk st to ts tz up yr".split())
"""Words of names that look like initials and are none."""


def operand_words(operand: Operand) -> tuple[str, ...]:
    """The stemmed words of an operand's columns, then of their tables."""
    names = [column.name for column in operand.columns]
    tables = [column.table for column in operand.columns if column.table]
    return tuple(word for name in (*names, *tables) for word in identifier_words(name))


def likeness(phrase: str, operand: Operand) -> float:
    """How likely `phrase` names `operand`, in [0, 1]: the head word weighs double, tables half.

    >>> from scoring.specification import Column
    >>> likeness("eye colour", Operand(name="eye_color", columns=(Column(name="eye_color"),)))
    0.87
    """
    said = content_words(phrase)
    if not said or not operand.columns:
        return 0.0
    joined = "".join(said)
    own: list[str] = []
    for column in operand.columns:
        if joined == letters(column.name):
            return 1.0
        own += identifier_words(column.name)
    if initials(said) in own:
        return 0.8
    scores = [best_likeness(word, own) for word in said]
    if min(scores) < 0.5:
        tables = [word for column in operand.columns if column.table for word in identifier_words(column.table)]
        scores = [max(score, 0.5 * best_likeness(word, tables)) for word, score in zip(said, scores, strict=True)]
    return round((sum(scores) + scores[-1]) / (len(scores) + 1), 2)
