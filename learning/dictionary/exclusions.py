"""Rows that never count: test accounts, soft deletes, rejected readings, and everything that hangs off them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass

from learning.dictionary.always import ALL_BELOW, ALWAYS, kept_alone, stated_always
from learning.dictionary.catalogue import Catalogue, DescribedColumn, DescribedTable
from learning.dictionary.columns import ColumnKind, is_marked_twice, kind_of_column, without
from learning.dictionary.findings import WrittenConvention
from learning.dictionary.groups import CodedColumn, CodeGroup, code_groups, said_in_brackets
from learning.dictionary.mentions import Mention
from learning.dictionary.notes import sentences
from learning.dictionary.spared import NEVER, NO_SUCH, STAYS, UNREAL, WORD, spared
from scoring.words import identifier_words, letters, stem

_STATE = re.compile(
    r"\bkeeps? (?:their|its|the) rows?\b|\bno longer\b|\bnot (?:any|an?)\b[^.;]{1,30}\b(?:more|any ?more|longer)\b"
    r"|\boff the\b|\bsoft[- ]delet|\bclosed for good\b|\bretired\b|\bdiscontinued\b",
    re.IGNORECASE,
)
_SOMETIMES = re.compile(
    r"\bonly (?:ever )?(?:leave|exclude|ignore|drop|skip|filter|take)\b|\b(?:leave|exclude|ignore|drop|skip|filter)"
    r"[^.;]{0,30}\bonly (?:when|if|where|for|in)\b",
    re.IGNORECASE,
)
_PARTLY = re.compile(
    r"\b(?:still|but|however|do) (?:do )?(?:count|counts|stay|stays|remain|remains|belong|matter)\b|\bdo count\b"
    r"|\bstays? in\b|\bstill counts?\b|\bremain(?:s)? in\b|\bstays? visible\b|\bold [a-z]+ stay\b",
    re.IGNORECASE,
)
_LIMITED = re.compile(
    r"\b(?:from|of|in|out of|as|part of)\s+(?:any |the |all )?(?P<what>[a-z][a-z/, -]{2,60}?)\s*"
    r"(?:lists?|counts?|headcounts?)\b"
    r"|\b(?:from|of|in) (?:any |the |all )?lists? of (?:the |our |all )?(?P<of>[a-z]+)"
    r"|\b(?:counted|count(?:s)?(?: them)?) as\s+(?P<as>[a-z]+(?:(?:/| or )[a-z]+){0,3})",
    re.IGNORECASE,
)
_ENDED = frozenset(
    "deleted removed archived voided purged cancelled canceled closed merged withdrawn del left churned erased ended "
    "deactivated disabled blocked suspended terminated retired scrapped discontinued resigned reversed".split()
)
_SET = re.compile(r"\)?\s*(?:is |are )?(?:set|filled|not (?:null|empty)|non-?null)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusion:
    """A condition that leaves rows of a table out."""

    column: DescribedColumn
    predicate: str
    when: tuple[str, ...]
    """Only where a question counts or lists such rows: what they did still counts. Empty: always."""
    state: bool
    """It says what has ended, and not that it does not count."""
    spreads: bool
    """What hangs off the rows does not count either."""
    told: bool
    """The dictionary says that it spreads. Else that is only likely, since the rows are made up."""
    sometimes: bool = False
    """The dictionary leaves them out only in cases that it describes."""
    only: frozenset[str] = frozenset()
    """Names of the tables to which it spreads; empty: to all."""
    too: frozenset[str] = frozenset()
    """Names of tables whose rows are left out of counts and lists as well."""


def exclusions(
    text: str,
    found: Sequence[Mention],
    known: Sequence[CodedColumn],
    catalogue: Catalogue,
    defined: Collection[int] = (),
) -> list[WrittenConvention]:
    """The conventions that a note states about rows that do not count; `defined` are sentences that define words."""
    spans = sentences(text)
    conventions: list[WrittenConvention] = []
    for place, (start, end) in enumerate(spans):
        sentence = text[start:end]
        conventions += kept_alone(sentence, known, catalogue)
        if ALWAYS.match(sentence):
            conventions += stated_always(text, [each for each in found if start <= each.start < end], catalogue)
            continue
        match = NEVER.search(sentence) or _STATE.search(sentence)
        if match is None or STAYS.search(sentence) is not None:
            continue
        behind = text[end : spans[place + 1][1]] if place + 1 < len(spans) else ""
        but = _PARTLY.search(sentence + (behind if _OF_THEM.match(behind) else "")) is not None
        said = SaidOfRows(sentence, _clause(sentence, match), text[:end], but=but, state=match.re is _STATE)
        conventions += _of_subjects(_subjects(text, found, start, end), said, text, catalogue)
        if not (said.state or but or start in defined):
            conventions += _codes_left_out(sentence, known)
    return conventions


@dataclass(frozen=True, slots=True)
class SaidOfRows:
    """What a sentence says of rows."""

    sentence: str
    clause: str
    """The part with the words that leave rows out."""
    before: str
    """The note up to the end of the sentence."""
    _: KW_ONLY
    but: bool
    """It says that something of them counts all the same."""
    state: bool
    """It says that something has ended, and not that it does not count."""


def _of_subjects(
    subjects: Iterable[tuple[DescribedColumn, str | None]], said: SaidOfRows, text: str, catalogue: Catalogue
) -> Iterator[WrittenConvention]:
    """What a sentence that leaves rows out says of its columns."""
    for column, value in subjects:
        predicate = without(column, value)
        if predicate is not None:
            yield from _written(_exclusion(column, predicate, said, catalogue), text, catalogue)


def _exclusion(column: DescribedColumn, predicate: str, said: SaidOfRows, catalogue: Catalogue) -> Exclusion:
    when = _limits(said.clause, column) or _when_counted(column, said)
    listed = _listed(said.clause, column, catalogue)
    always = not when and not said.state
    told = any((when, listed, ALL_BELOW.search(said.sentence)))
    return Exclusion(
        column=column,
        predicate=predicate,
        when=when,
        state=(said.state and not when) or is_marked_twice(column, said.sentence),
        spreads=bool(when) or (always and (told or _is_unreal(column, said.before))),
        told=told,
        sometimes=_SOMETIMES.search(said.clause) is not None,
        only=listed if always else frozenset(),
        too=listed if when and _SO_ARE.search(said.clause) else frozenset(),
    )


def _when_counted(column: DescribedColumn, said: SaidOfRows) -> tuple[str, ...]:
    """The words of questions that count rows of which something counts all the same."""
    soft = said.but or (said.state and _SOFT.search(said.clause) is not None)
    return counting_phrases(column.table) if soft else ()


def _clause(sentence: str, match: re.Match[str]) -> str:
    """The part of the sentence, between semicolons, that holds the words."""
    start = sentence.rfind(";", 0, match.start()) + 1
    end = sentence.find(";", match.end())
    return sentence[start : end if end >= 0 else len(sentence)]


def _limits(clause: str, column: DescribedColumn) -> tuple[str, ...]:
    """The words of questions that count or list the rows, where they are left out of nothing else."""
    match = _LIMITED.search(clause)
    if match is None or ALL_BELOW.search(clause):
        return ()
    if match["of"] is not None:
        return counting_phrases(column.table)
    named = [stem(each.lower()) for each in WORD.findall(match["what"] or match["as"])]
    named = [each for each in dict.fromkeys(named) if each not in _JOINING]
    if match["as"] is not None:
        return tuple(dict.fromkeys([*counting_phrases(column.table), *(f"#{each}" for each in named)]))
    if set(named) <= set(DescribedTable(column.table).noun):
        return (*counting_phrases(column.table), *_AND.findall(clause[match.end() :])[:1])
    return (f"{named[0]} list", named[0]) if "list" in match[0].lower() and len(named) == 1 else ()


_AND = re.compile(r"^\s*and\s+(?!counts|lists|headcounts)([a-z]{4,20})\b(?! are)")
_JOINING = frozenset("and or list count headcount".split())
_SO_ARE = re.compile(r"\bso (?:are|do) their\b|\band their\b", re.IGNORECASE)
_SOFT = re.compile(r"\bkeeps? (?:their|its|the) rows?\b|\bsoft[- ]delet", re.IGNORECASE)
_OF_THEM = re.compile(r"\s*(?:their|its|they|these|those|old|past|such)\b", re.IGNORECASE)


def _subjects(
    text: str, found: Sequence[Mention], start: int, end: int
) -> Iterable[tuple[DescribedColumn, str | None]]:
    """The flags and moments that a sentence is about: its own, or else those that the note has named last."""
    named = [each for each in found if not each.plain]
    own = [each for each in named if start <= each.start < end and _marks(text, each)]
    if not own and _GOES_ON.match(text, start):
        own = _named_last(
            [each for each in named if each.start < start], text, _BOTH.search(text, start, end) is not None
        )
    return list({each.column.text: (each.column, each.value) for each in own}.values())


_GOES_ON = re.compile(
    r"\W*(?:they|these|those|them|it|its|such|both|this|that|always|never|leave|left|exclude|excluded|ignore|skip|drop|filter"
    r"|don'?t|do not|not|out|so|please|only|and|keep|all|count|counts|no)\b",
    re.IGNORECASE,
)
"""How a sentence begins that has no subject of its own."""


def _named_last(before: Sequence[Mention], text: str, both: bool) -> Sequence[Mention]:
    """The last flag or moment, or the last two; none where another column was named since."""
    markers = [each for each in before if _marks(text, each)]
    if both:
        return markers[-2:]
    return markers[-1:] if markers and before[-1] is markers[-1] else []


_BOTH = re.compile(r"\b(?:both|these two)\b", re.IGNORECASE)


def _marks(text: str, mention: Mention) -> bool:
    """Whether the column says by a flag, or by being filled, that something holds of a row."""
    kind = kind_of_column(mention.column)
    if mention.value is not None:
        return kind is ColumnKind.FLAG or mention.value.strip("'\"").lower() in ("1", "y", "true", "t", "yes")
    behind = text[mention.end : mention.end + 40].lstrip("`")
    if not mention.end and kind is ColumnKind.MOMENT:
        return not _ENDED.isdisjoint(identifier_words(mention.column.name))
    if kind is ColumnKind.MOMENT:
        if _ENDED.isdisjoint(identifier_words(mention.column.name)):
            return _SET.match(behind) is not None
        return bool(_SAID_SET.match(behind)) and not re.match(r"\s*(?:empty|is the|is when|= )", behind)
    return kind is ColumnKind.FLAG and not re.match(r"\s*=?\s*(?:FALSE|0|'N')", behind, re.IGNORECASE)


_SAID_SET = re.compile(
    r"\)?\s*(?:set\b|filled\b|is a soft|is set\b|:|\)|\s*=|$|\([^()]{0,40}$"
    r"|(?:\([^()]{0,60}\)?\s*)?(?:rows?|records?)\b)"
)


def _is_unreal(column: DescribedColumn, before: str) -> bool:
    words = {stem(each.lower()) for each in WORD.findall(column.name.replace("_", " ") + " " + before[-160:])}
    return not words.isdisjoint(UNREAL)


def _listed(clause: str, column: DescribedColumn, catalogue: Catalogue) -> frozenset[str]:
    """The tables that a clause names beside the column's own: in brackets, or as theirs."""
    clause = NO_SUCH.sub("", clause)
    if _THEIRS.search(clause) is None:
        return frozenset()
    tables = catalogue.named(stem(each.lower()) for each in WORD.findall(clause))
    return frozenset(each.name for each in tables if each.name != column.table)


_THEIRS = re.compile(r"\btheirs?\b|\((?!no )[^()]*,[^()]*\)", re.IGNORECASE)


def _written(exclusion: Exclusion, text: str, catalogue: Catalogue) -> Iterator[WrittenConvention]:
    column, when = exclusion.column, exclusion.when
    needed = not (exclusion.state or exclusion.sometimes)
    yield WrittenConvention(table=column.table, predicate=exclusion.predicate, required=needed, when=when)
    if exclusion.spreads:
        placed = f"{column.table}.{exclusion.predicate}"
        for each in _spread(exclusion, text, catalogue):
            own = counting_phrases(each.name) if when and each.name in exclusion.too else ()
            told = exclusion.told and (not exclusion.only or _is_of(each, exclusion.only))
            needed = told and not (exclusion.state or exclusion.sometimes)
            yield WrittenConvention(table=each.name, predicate=placed, required=needed, when=(*when, *own))


def _is_of(table: DescribedTable, names: Collection[str]) -> bool:
    """Whether a table is one of those named, or holds the lines of one: `order_items` of `orders`."""
    own = identifier_words(table.name)
    return any(own[: len(words)] == words for words in map(identifier_words, names))


def counting_phrases(table: str) -> tuple[str, ...]:
    """How a rule says that a question counts or lists the rows of a table.

    >>> counting_phrases("dim_customers")
    ('#customer',)
    """
    noun = DescribedTable(table).noun
    return (f"#{noun[-1] if noun else table}",)


def _spread(exclusion: Exclusion, text: str, catalogue: Catalogue) -> Iterator[DescribedTable]:
    """The tables that hang off, without those of which the dictionary says that they have no such rows."""
    below = catalogue.hanging_off(exclusion.column.table)
    wanted = {each.name for each in below}
    if exclusion.only:
        reached = {other.name for name in exclusion.only for other in catalogue.hanging_off(name)}
        wanted &= exclusion.only | reached
    own = {each.name for each in below if letters(exclusion.column.name) in each.columns}
    without_such = (spared(text, catalogue) | own) - exclusion.only
    yield from (each for each in below if each.name in wanted and each.name not in without_such)


def _codes_left_out(sentence: str, known: Sequence[CodedColumn]) -> Iterator[WrittenConvention]:
    """Codes that never count: `X rejected (never add X up)`, `LAB meters: leave them out`."""
    never = NEVER.search(sentence)
    if never is None:
        return
    groups = [each for each in code_groups(sentence, known) if not _may_be_a_number(each, sentence)]
    near = [each for each in groups if 0 <= each.start - never.start() < _NEAR]
    for each in near[:1] or said_in_brackets(sentence, never.start(), groups) or _at_head(sentence, groups):
        if len({other.of.column for other in groups if other.start == each.start}) == 1:
            when = _limits(_clause(sentence, never), each.of.column)
            yield WrittenConvention(table=each.of.column.table, predicate=each.condition(keeps=False), when=when)


def _at_head(sentence: str, groups: Sequence[CodeGroup]) -> list[CodeGroup]:
    """The codes that the sentence begins with."""
    return [each for each in groups if not sentence[: each.start].strip(" \"'`*")][:1]


def _may_be_a_number(group: CodeGroup, sentence: str) -> bool:
    """Whether a digit alone may be a number of anything: the sentence does not name the column."""
    named = re.search(rf"\b{re.escape(group.of.column.name)}\b", sentence, re.IGNORECASE) is not None
    named = named or not sentence[: group.start].strip(" \"'`*")
    return len(group.codes) == 1 and group.codes[0].isdigit() and not named


_NEAR = 40  # most characters from the words to the code
