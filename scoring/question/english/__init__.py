"""The tables of English. Another language is another room like this one.

Change this here when an English word or phrase is missing; then a case in `tests/cases/question/`.
"""

from __future__ import annotations

from types import MappingProxyType

from scoring.question.english.cues import CUES
from scoring.question.english.definitions import DEFINES, WEAK_DEFINES
from scoring.question.english.demonyms import DEMONYMS
from scoring.question.english.filter_cues import SHORT_GRAINS
from scoring.question.english.function_words import (
    ADVERBS,
    ARTICLES,
    AUXILIARIES,
    CONJUNCTIONS,
    COPULAS,
    HAVES,
    JOINERS,
    NOT_VERBS,
    OPENERS,
    PREPOSITIONS,
    PRONOUNS,
    RELATIVES,
    TIME_VERBS,
    VERBS,
)
from scoring.question.english.nouns import (
    CLASSIFIERS,
    KEYS,
    LOWER_VALUES,
    MEASURES,
    ORDINARY,
    UNITS,
)
from scoring.question.english.numbers import MONTHS, NUMBERS, ORDINALS, WEEKDAYS
from scoring.question.english.tables import words
from scoring.question.language import Language, breaks
from scoring.values import Grain

__all__ = ["ENGLISH"]

ENGLISH = Language(
    name="english",
    cues=CUES,
    numbers=MappingProxyType(NUMBERS | {"dozen": 12}),
    scales=MappingProxyType(
        {
            "hundred": 100,
            "thousand": 10**3,
            "million": 10**6,
            "millions": 10**6,
            "billion": 10**9,
            "trillion": 10**12,
            "dozen": 12,
        }
    ),
    ordinals=MappingProxyType(ORDINALS),
    units=UNITS,
    measures=MEASURES,
    currencies=MappingProxyType({"$": "$", "€": "€", "£": "£", "¥": "¥"}),
    months=MappingProxyType(MONTHS),
    weekdays=MappingProxyType(WEEKDAYS),
    grains=MappingProxyType(
        {
            name: grain
            for word, grain in ({grain.value: grain for grain in Grain} | SHORT_GRAINS).items()
            for name in (word, word + "s")
        }
    ),
    past=words("last past previous recent preceding prior trailing"),
    future=words("next coming following upcoming"),
    in_time=words("in on during of for at within throughout from year since dated"),
    year_words=words("year years season seasons edition"),
    beginnings=words("start beginning"),
    endings=words("end close"),
    centuries=words("century"),
    halves=words("half"),
    within=words("within"),
    lasting=words("for in"),
    ranges=MappingProxyType(
        {
            "between": words("and to - –"),
            "from": words("to through until till - –"),
            "within": words("to and - –"),
        }
    ),
    time_verbs=TIME_VERBS,
    articles=ARTICLES,
    possessives=words("its their his her 's"),
    prepositions=PREPOSITIONS,
    of=words("of for"),
    copulas=COPULAS,
    haves=HAVES,
    relatives=RELATIVES,
    auxiliaries=AUXILIARIES,
    pronouns=PRONOUNS,
    verbs=VERBS,
    verb_endings=("ing", "ed"),
    not_verbs=NOT_VERBS,
    adjective_endings=("ive", "ful", "ous", "able", "ible", "ic", "ing", "ed", "ent", "ant", "ial", "ual", "ly"),
    plural_modifiers=words("sales sports goods news earnings customs arts sciences savings operations species series"),
    than=words("than"),
    comparative_endings=("er",),
    adjectives=words(
        "normal abnormal new old young good bad big small large great high low long short same other own "
        "main real "
        "final traditional current former late early full total single double first last next only "
        ""
        "famous popular official local foreign domestic modern ancient north south east west northern southern"
    ),
    conjunctions=CONJUNCTIONS,
    alternatives=words("or"),
    either=words("either"),
    fillers=words(
        "a an the about around approximately nearly some of that age aged year being is are was were number "
        "value to in for with"
    ),
    by=words("by"),
    openers=OPENERS,
    ordinary=ORDINARY,
    classifiers=CLASSIFIERS,
    keys=KEYS,
    letters=words(
        "letter letters word words substring string character characters phrase prefix suffix text keyword the a an"
    ),
    acronyms=words("us"),
    currency_codes=("usd", "eur", "gbp", "czk", "pln", "sek", "nok", "dkk", "jpy", "inr", "cad", "aud", "chf", "cny"),
    joiners=JOINERS,
    lower_values=MappingProxyType(LOWER_VALUES),
    demonyms=DEMONYMS,
    negative_prefixes=("non-",),
    attributes=MappingProxyType(
        {
            "age": "age",
            "aged": "age",
            "old": "age",
            "weigh": "weight",
            "weighs": "weight",
            "weighing": "weight",
            "costs": "cost",
            "costing": "cost",
            "earn": "earnings",
            "earns": "earnings",
            "earning": "earnings",
            "scored": "score",
            "priced": "price",
            "#": "number",
            "no": "number",
            "numbered": "number",
            "ranked": "rank",
        }
    ),
    breaks=breaks(PREPOSITIONS, COPULAS, HAVES, AUXILIARIES, RELATIVES, CONJUNCTIONS, PRONOUNS, ADVERBS),
    weak_defines=WEAK_DEFINES,
    defines=DEFINES,
)
