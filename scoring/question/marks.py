"""Finds the cues of a text: the longest phrase at each place, if it means there what its cue says."""

from __future__ import annotations

from typing import NamedTuple

from scoring.question.language import Cue, CueIndex, Language, Phrases, Role
from scoring.specification import Token, TokenKind


class Mark(NamedTuple):
    """A cue at tokens [start, end)."""

    cue: Cue
    start: int
    end: int


def find_marks(tokens: list[Token], lowers: list[str], language: Language) -> list[Mark]:
    """The marks of a text from left to right, without overlaps."""
    return [
        mark
        for mark in _longest_marks(lowers, language.cues)
        if mark.cue.role not in _PLACED or _applies(tokens, lowers, mark, language)
    ]


_PLACED = frozenset({Role.COMMAND, Role.ORDER, Role.AGGREGATE})
"""Roles that a cue has only in some places."""
_CLAUSE_STARTS = frozenset({".", "?", "!", ",", ";", ":", "("})
_BEFORE_COMMAND = frozenset({"please", "kindly", "also", "then", "to"})
_ORDER_VERBS = frozenset({"sort", "order", "rank"})
_NOUNS_TOO = frozenset({"name", "state", "report", "output", "present", "print"})
"""Commands that are nouns elsewhere."""
_COUNTED = frozenset({"one", "ones", "each", "other", "another"})
"""Pronouns after which an `order` is a thing: `more than one order`."""
_SUBJECTS = frozenset({"we", "they", "he", "she", "it", "i"})
"""Pronouns after which a verb tells and does not command: `how many did we get`."""
_NUMBER_NOUNS = frozenset({"number", "numbers", "count", "counts", "no."})


def _longest_marks(lowers: list[str], cues: CueIndex) -> list[Mark]:
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
    """The longest of the phrases that start with the two words at `place`."""
    for rest, cue in rows:
        end = place + 2 + len(rest)
        # `and above` before a number is no suffix: `below 5 and above 9`
        if cue.role is Role.SUFFIX and end < len(lowers) and lowers[end][0].isdigit():
            continue
        if not rest or lowers[place + 2 : end] == rest:
            return Mark(cue, place, end)
    return None


def _applies(tokens: list[Token], lowers: list[str], mark: Mark, language: Language) -> bool:
    """Whether a cue has its role here: `name` is a command, and `number of` counts, only in some places."""
    role, first = mark.cue.role, lowers[mark.start]
    if role is Role.ORDER and lowers[mark.end - 1] in language.ordinals:
        return _ends_phrase(tokens, lowers, mark.end, language)
    if role is Role.COMMAND or (role is Role.ORDER and first in _ORDER_VERBS and mark.end - mark.start == 1):
        return _is_verb(lowers, mark, language)
    if role is Role.AGGREGATE and mark.start and first in _NUMBER_NOUNS:
        return not _is_noun(tokens[mark.start - 1], language)
    return True


def _ends_phrase(tokens: list[Token], lowers: list[str], end: int, language: Language) -> bool:
    """Whether no noun follows: `oldest first`, not `oldest first edition`."""
    return end >= len(tokens) or tokens[end].kind is not TokenKind.WORD or lowers[end] in language.breaks


def _is_verb(lowers: list[str], mark: Mark, language: Language) -> bool:
    """Whether a command or `sort` opens a clause; elsewhere it is a noun."""
    before = lowers[mark.start - 1] if mark.start else "."
    joined = before in language.conjunctions
    if mark.cue.role is Role.ORDER and (
        before in _COUNTED or mark.end == len(lowers) or lowers[mark.end] in _CLAUSE_STARTS
    ):
        return False
    if lowers[mark.start] in _NOUNS_TOO and (joined or _is_listed(lowers, mark, language)):
        return False
    if joined or before in _CLAUSE_STARTS or before in _BEFORE_COMMAND:
        return True
    return before in language.pronouns and before not in _SUBJECTS


def _is_listed(lowers: list[str], mark: Mark, language: Language) -> bool:
    """Whether a list or `of` follows: in `the age, name and city of`, `name` is no command."""
    after = lowers[mark.end] if mark.end < len(lowers) else "."
    return mark.start > 0 and (after in {",", "."} or after in language.of or after in language.conjunctions)


def _is_noun(token: Token, language: Language) -> bool:
    """Whether a word before `numbers of` makes it a column: `flight numbers of`."""
    return token.kind is TokenKind.WORD and not (
        token.lower in language.breaks or token.lower in language.articles or token.lower in language.cues
    )
