"""The word tables from which the question reader works; another language needs another set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType
from typing import TypeAlias

from scoring.specification import Direction, Op, RatioKind
from scoring.values import Grain, RelativeTime


class Role(StrEnum):
    """What a word or phrase does in a question."""

    COMPARE = "compare"
    """`more than`, `before`: an operator for the number or time after it."""
    SUFFIX = "suffix"
    """`or more`: an operator for the number or time before it."""
    NOT = "not"
    """Negates what follows in its clause."""
    EXCEPT = "except"
    """Negates the literals right after it: `other than`."""
    LACK = "lack"
    """Asks for rows that have none of what follows: `without`."""
    NEVER = "never"
    """Asks for rows that did not do what follows: `never`, `did not`."""
    MATCH = "match"
    """`containing`, `starting with`: a text operator for the literal after it."""
    NAMED = "named"
    """`called`: what follows is a name, also in lower case."""
    AGGREGATE = "aggregate"
    SUPERLATIVE = "superlative"
    GROUP = "group"
    ORDER = "order"
    DISTINCT = "distinct"
    RATIO = "ratio"
    COMMAND = "command"
    """`list`, `show`: what follows is wanted."""
    ASK = "ask"
    """`what`, `who`; `phrase` is the output it implies."""
    ALSO = "also"
    """`along with`: more outputs follow."""
    WHETHER = "whether"
    TIME = "time"
    """`yesterday`: a whole relative time."""
    PLAIN = "plain"
    """A compound that must not be read by its parts: `first name`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cue:
    """A phrase's role and what that role needs to know."""

    role: Role
    op: Op | None = None
    phrase: str = ""
    """The column or output that the words themselves name: `older than` has `age`."""
    func: str = ""
    distinct: bool = False
    direction: Direction | None = None
    counted: bool = False
    value: bool = False
    """A superlative that asks for the value itself when nothing else is asked (`highest salary`)."""
    descending: bool | None = None
    ratio: RatioKind | None = None
    time: RelativeTime | None = None
    distributive: bool = False
    """`each`: groups an aggregate, and means nothing without one."""
    trailing: bool = False
    """`in total`: it stands after what it aggregates."""


Phrases: TypeAlias = tuple[tuple[list[str], Cue], ...]
"""What follows the first two words of phrases, longest first."""
Continuations: TypeAlias = tuple[Cue | None, Mapping[str, Phrases]]
"""What one word means alone, and by second word the phrases it begins, longest first."""
CueIndex: TypeAlias = Mapping[str, Continuations]
"""First word → what it means alone and in phrases."""


def index(*tables: Mapping[str, Cue]) -> CueIndex:
    """The phrases by first and second word; a phrase of a later table replaces the same phrase of an earlier one.

    >>> alone, longer = index({"or more": Cue(role=Role.SUFFIX)})["or"]
    >>> alone, longer["more"][0][0]
    (None, [])
    """
    alone: dict[str, Cue] = {}
    longer: dict[str, dict[str, list[tuple[list[str], Cue]]]] = {}
    for phrase, cue in {phrase: cue for table in tables for phrase, cue in table.items()}.items():
        first, *rest = phrase.split(" ")
        if rest:
            longer.setdefault(first, {}).setdefault(rest[0], []).append((rest[1:], cue))
        else:
            alone[first] = cue
    return {first: (alone.get(first), _longest_first(longer.get(first, {}))) for first in alone.keys() | longer.keys()}


def _longest_first(
    phrases: Mapping[str, list[tuple[list[str], Cue]]],
) -> Mapping[str, tuple[tuple[list[str], Cue], ...]]:
    return {second: tuple(sorted(rows, key=lambda row: -len(row[0]))) for second, rows in phrases.items()}


def _none() -> Mapping[str, str]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Language:
    """The tables of one language, in lower case; what an empty table describes is not read.

    Languages are compared by identity, so that they can be keys of a cache.
    """

    name: str
    cues: CueIndex = field(default_factory=lambda: MappingProxyType({}))
    numbers: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    scales: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    """`hundred`, `million`: factors of the number before them."""
    ordinals: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    units: frozenset[str] = frozenset()
    """Units after a number; they name no column."""
    measures: frozenset[str] = frozenset()
    """Nouns that name a quantity rather than things to count: `points`, `salary`."""
    currencies: Mapping[str, str] = field(default_factory=_none)
    months: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    weekdays: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    grains: Mapping[str, Grain] = field(default_factory=lambda: MappingProxyType({}))
    past: frozenset[str] = frozenset()
    """`last`, `past`: before a number and a unit of time."""
    future: frozenset[str] = frozenset()
    in_time: frozenset[str] = frozenset()
    """Prepositions before a time: `in`, `on`, `during`."""
    year_words: frozenset[str] = frozenset()
    """Words that make the number after them a year."""
    beginnings: frozenset[str] = frozenset()
    """`the start of` a time."""
    endings: frozenset[str] = frozenset()
    """`the end of` a time."""
    centuries: frozenset[str] = frozenset()
    halves: frozenset[str] = frozenset()
    within: frozenset[str] = frozenset()
    """Words before the most time that something may take."""
    lasting: frozenset[str] = frozenset()
    """Words before the time for which something has not happened."""
    ranges: Mapping[str, frozenset[str]] = field(default_factory=lambda: MappingProxyType({}))
    """`between` → {`and`}: the word that opens a range and those that join its ends."""
    time_verbs: frozenset[str] = frozenset()
    articles: frozenset[str] = frozenset()
    """Articles, determiners and possessives: they open a noun phrase."""
    possessives: frozenset[str] = frozenset()
    prepositions: frozenset[str] = frozenset()
    of: frozenset[str] = frozenset()
    copulas: frozenset[str] = frozenset()
    """`is`, `was`, `equals`: between a column and its value."""
    haves: frozenset[str] = frozenset()
    """`have`, `with`: before what something has."""
    relatives: frozenset[str] = frozenset()
    auxiliaries: frozenset[str] = frozenset()
    pronouns: frozenset[str] = frozenset()
    verbs: frozenset[str] = frozenset()
    """Common verbs that are hardly ever nouns in questions."""
    verb_endings: tuple[str, ...] = ()
    not_verbs: frozenset[str] = frozenset()
    """Nouns and adjectives in spite of such an ending."""
    adjective_endings: tuple[str, ...] = ()
    plural_modifiers: frozenset[str] = frozenset()
    """Plurals that stand before another noun: `sales amount`."""
    than: frozenset[str] = frozenset()
    comparative_endings: tuple[str, ...] = ()
    """`hotter` than: more of something."""
    adjectives: frozenset[str] = frozenset()
    """Common adjectives without such an ending; they name no column."""
    conjunctions: frozenset[str] = frozenset()
    alternatives: frozenset[str] = frozenset()
    """`or`."""
    either: frozenset[str] = frozenset()
    fillers: frozenset[str] = frozenset()
    """Words between a comparison and its number: `about`, `a`."""
    by: frozenset[str] = frozenset()
    openers: frozenset[str] = frozenset()
    """Words that are not names although capitalised: those that open sentences, roles, greetings."""
    ordinary: frozenset[str] = frozenset()
    """Nouns of schemas that are not names although capitalised: `ID`, `Name`, `Score`."""
    classifiers: frozenset[str] = frozenset()
    """Nouns that say what a name is: `region`, `category`, `city`."""
    keys: frozenset[str] = frozenset()
    """Nouns directly followed by their value: `id 5`, `number 29`, `grade 9`."""
    letters: frozenset[str] = frozenset()
    """`letter`, `word`, `substring`: between a text operator and its literal."""
    capitals_name: bool = True
    """A capital letter inside a sentence marks a name."""
    acronyms: frozenset[str] = frozenset()
    """Function words that are names when in capitals: `US`."""
    currency_codes: tuple[str, ...] = ()
    """They may be glued to a number: `usd300`."""
    joiners: frozenset[str] = frozenset()
    """Lower-case words inside names: `of`, `de`, `van`."""
    lower_values: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """Ordinary words that are values: `female` → also stored as `f`."""
    demonyms: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """`french` → `france`: other forms a name is stored in."""
    negative_prefixes: tuple[str, ...] = ()
    attributes: Mapping[str, str] = field(default_factory=_none)
    """Words that name a column by another word: `aged` → `age`."""
    breaks: frozenset[str] = frozenset()
    """All words that end a noun phrase; see `with_breaks`."""
    weak_defines: tuple[str, ...] = ()
    """Phrases that define only inside a bracket: `is the`."""
    defines: tuple[str, ...] = ()
    """Phrases between what is defined and its definition: `refers to`, `means`; longest first."""


@lru_cache(maxsize=16)
def value_words(language: Language) -> frozenset[str]:
    """The words that are a number, a time or a stored value by themselves: `three`, `may`, `last`, `female`."""
    spoken = (language.numbers, language.ordinals, language.months, language.weekdays, language.lower_values)
    return language.past.union(language.future, *spoken)


def breaks(*tables: frozenset[str]) -> frozenset[str]:
    """The words at which a noun phrase ends: those of all given tables."""
    return frozenset[str]().union(*tables)
