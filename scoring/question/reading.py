"""The state of reading one text: its tokens, the cues in it, and the tokens that are already read."""

from __future__ import annotations

from dataclasses import dataclass, field

from scoring.question.language import Language, Role, value_words
from scoring.question.marks import Mark, find_marks
from scoring.question.tokens import Ranges, tokenise
from scoring.specification import FilterOrigin, QuestionFilter, Token, TokenKind


@dataclass(slots=True)
class Reading:
    """A text while it is read; each reader claims the tokens that it has understood."""

    text: str
    language: Language
    source: FilterOrigin
    tokens: list[Token]
    lowers: list[str]
    """The tokens in lower case; a quoted literal is `"`, because it is no word of the sentence."""
    marks: list[Mark]
    by_role: dict[Role, list[Mark]]
    starts: dict[int, Mark]
    ends: dict[int, Mark]
    value_places: list[int]
    """Places of the tokens whose form may be a value: capitals, digits, quotes, numerals, months."""
    number_places: list[int]
    """The value places that may be a number or a time."""
    claimed: bytearray
    """1 for each token that belongs to a literal, number or time already read."""
    filters: list[QuestionFilter] = field(default_factory=list[QuestionFilter])

    def marks_of(self, role: Role) -> list[Mark]:
        return self.by_role.get(role, [])

    def claim(self, start: int, end: int) -> None:
        for place in range(start, end):
            self.claimed[place] = 1

    def span(self, start: int, end: int) -> str:
        """The verbatim text of tokens [start, end)."""
        return self.text[self.tokens[start].start : self.tokens[end - 1].end] if end > start else ""

    def lower(self, place: int) -> str:
        """The lower-case word at a place; empty beyond the ends."""
        return self.lowers[place] if 0 <= place < len(self.lowers) else ""

    def is_word(self, place: int) -> bool:
        return 0 <= place < len(self.tokens) and self.tokens[place].kind is TokenKind.WORD

    def has_role(self, place: int, *roles: Role) -> bool:
        """Whether a cue with one of the roles starts at a place."""
        mark = self.starts.get(place)
        return mark is not None and mark.cue.role in roles


def read(text: str, source: FilterOrigin, language: Language, blanks: Ranges = ()) -> Reading:
    """Cuts a text into tokens and marks its cues; leaves out the character ranges in `blanks`."""
    values = value_words(language)
    tokens, value_places = tokenise(text, values, blanks)
    lowers = _lowers(tokens, value_places)
    marks = find_marks(tokens, lowers, language)
    by_role: dict[Role, list[Mark]] = {}
    for mark in marks:
        by_role.setdefault(mark.cue.role, []).append(mark)
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
        value_places=value_places,
        number_places=_number_places(tokens, value_places, values),
        claimed=bytearray(len(tokens) + 1),
    )


def _lowers(tokens: list[Token], value_places: list[int]) -> list[str]:
    lowers = [token.lower for token in tokens]
    for place in value_places:
        if tokens[place].kind is TokenKind.QUOTED:
            lowers[place] = '"'
    return lowers


def _number_places(tokens: list[Token], value_places: list[int], values: frozenset[str]) -> list[int]:
    return [
        place
        for place in value_places
        if tokens[place].kind in _SPOKEN and (tokens[place].lower in values or not tokens[place].lower.isalpha())
    ]


_SPOKEN = frozenset({TokenKind.WORD, TokenKind.NUMBER})
