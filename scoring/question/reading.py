"""One text on the reader's desk: its tokens, the cues found in it, and what has been claimed so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from scoring.question.language import Cue, CueIndex, Language, Phrases, Role, value_words
from scoring.question.tokens import Ranges, tokenise
from scoring.specification import Kind, QuestionFilter, Source, Token


class Mark(NamedTuple):
    """A cue at tokens [start, end)."""

    cue: Cue
    start: int
    end: int


@dataclass(slots=True)
class Reading:
    """The state of reading one text; each reader claims the tokens it has understood."""

    text: str
    language: Language
    source: Source
    tokens: list[Token]
    lowers: list[str]
    marks: list[Mark]
    by_role: dict[Role, list[Mark]]
    starts: dict[int, Mark]
    ends: dict[int, Mark]
    telling: list[int]
    """Places of the tokens whose own form may say a value: capitals, digits, quotes, numerals, months."""
    figures: list[int]
    """Those of them that may say a number or a time."""
    taken: bytearray
    """1 where a token belongs to a literal, number or time already read."""
    filters: list[QuestionFilter] = field(default_factory=list[QuestionFilter])

    def of(self, role: Role) -> list[Mark]:
        return self.by_role.get(role, [])

    def take(self, start: int, end: int) -> None:
        for place in range(start, end):
            self.taken[place] = 1

    def span(self, start: int, end: int) -> str:
        """The verbatim text of tokens [start, end)."""
        return self.text[self.tokens[start].start : self.tokens[end - 1].end] if end > start else ""

    def lower(self, place: int) -> str:
        """The lower-case word there, or nothing beyond the ends."""
        return self.lowers[place] if 0 <= place < len(self.lowers) else ""

    def is_word(self, place: int) -> bool:
        return 0 <= place < len(self.tokens) and self.tokens[place].kind is Kind.WORD

    def has_role(self, place: int, *roles: Role) -> bool:
        """Whether a cue of one of the roles starts there."""
        mark = self.starts.get(place)
        return mark is not None and mark.cue.role in roles


def read(text: str, source: Source, language: Language, blanks: Ranges = ()) -> Reading:
    """The text tokenised and its cues marked; tokens inside `blanks` (character ranges) are left out."""
    spoken = value_words(language)
    tokens, telling = tokenise(text, spoken, blanks)
    lowers = _lowers(tokens, telling)
    marks: list[Mark] = []
    by_role: dict[Role, list[Mark]] = {}
    for mark in _marks(lowers, language.cues):
        role = mark.cue.role
        if role not in _PLACED or _stands(tokens, lowers, mark, language):
            marks.append(mark)
            by_role.setdefault(role, []).append(mark)
    return Reading(
        text=text,
        language=language,
        source=source,
        tokens=tokens,
        lowers=lowers,
        marks=marks,
        by_role=by_role,
        starts={mark.start: mark for mark in marks},
        ends={mark.end: mark for mark in marks},
        telling=telling,
        figures=_figures(tokens, telling, spoken),
        taken=bytearray(len(tokens) + 1),
    )


def _lowers(tokens: list[Token], telling: list[int]) -> list[str]:
    """The tokens in lower case; what is quoted is no word of the sentence."""
    lowers = [token.lower for token in tokens]
    for place in telling:
        if tokens[place].kind is Kind.QUOTED:
            lowers[place] = '"'
    return lowers


def _figures(tokens: list[Token], telling: list[int], spoken: frozenset[str]) -> list[int]:
    """The places of those that may say a number or a time."""
    return [
        place
        for place in telling
        if tokens[place].kind in _SAYING and (tokens[place].lower in spoken or not tokens[place].lower.isalpha())
    ]


_SAYING = frozenset({Kind.WORD, Kind.NUMBER})
_PLACED = frozenset({Role.COMMAND, Role.ORDER, Role.AGGREGATE})
"""Roles that a cue has only in some places."""
_CLAUSE_STARTS = frozenset({".", "?", "!", ",", ";", ":", "("})
_BEFORE_COMMAND = frozenset({"please", "kindly", "also", "then", "to"})


def _stands(tokens: list[Token], lowers: list[str], mark: Mark, language: Language) -> bool:
    """Whether a cue means what it says there: `name` is a command, and `number of` counts, only in some places."""
    role = mark.cue.role
    if role is Role.ORDER and lowers[mark.end - 1] in language.ordinals:
        return mark.end >= len(tokens) or tokens[mark.end].kind is not Kind.WORD or lowers[mark.end] in language.breaks
    if role is Role.COMMAND or (
        role is Role.ORDER and lowers[mark.start] in _ORDER_VERBS and mark.end - mark.start == 1
    ):
        before = lowers[mark.start - 1] if mark.start else "."
        if lowers[mark.start] in _NOUNS_TOO and (before in language.conjunctions or _goes_on(lowers, mark, language)):
            return False
        opens = before in _CLAUSE_STARTS or before in _BEFORE_COMMAND
        return opens or before in language.conjunctions or before in language.pronouns
    if role is Role.AGGREGATE and mark.start and lowers[mark.start] in _NUMBER_NOUNS:
        return not _is_noun(tokens[mark.start - 1], language)
    return True


def _goes_on(lowers: list[str], mark: Mark, language: Language) -> bool:
    """Whether a list or `of` follows: `the age, name and city of` commands nothing."""
    after = lowers[mark.end] if mark.end < len(lowers) else "."
    return mark.start > 0 and (after in {",", "."} or after in language.of or after in language.conjunctions)


_ORDER_VERBS = frozenset({"sort", "order", "rank"})
_NOUNS_TOO = frozenset({"name", "state", "report", "output", "present", "print"})
_NUMBER_NOUNS = frozenset({"number", "numbers", "count", "counts", "no."})


def _is_noun(token: Token, language: Language) -> bool:
    """Whether a word before `numbers of` makes it a column: `flight numbers of`."""
    return token.kind is Kind.WORD and not (
        token.lower in language.breaks or token.lower in language.articles or token.lower in language.cues
    )


def _marks(lowers: list[str], cues: CueIndex) -> list[Mark]:
    """The longest cue at each place, from left to right, without overlaps."""
    found: list[Mark] = []
    end = 0
    for place, entry in enumerate(map(cues.get, lowers)):
        if entry is None or place < end:
            continue
        alone, longer = entry
        rows = longer.get(lowers[place + 1]) if longer and place + 1 < len(lowers) else None
        mark = _longest(lowers, place, rows) if rows else None
        if mark is None and alone is not None:
            mark = Mark(alone, place, place + 1)
        if mark is not None:
            found.append(mark)
            end = mark.end
    return found


def _longest(lowers: list[str], place: int, rows: Phrases) -> Mark | None:
    """The longest of the phrases that begin with the two words at `place`."""
    for rest, cue in rows:
        end = place + 2 + len(rest)
        # `and above` before a number is no suffix: `below 5 and above 9`
        if cue.role is Role.SUFFIX and end < len(lowers) and lowers[end][0].isdigit():
            continue
        if not rest or lowers[place + 2 : end] == rest:
            return Mark(cue, place, end)
    return None
