"""Other forms in which a name may be stored: a country, a longer name, the whole list that it is part of."""

from __future__ import annotations

from dataclasses import replace

from scoring.immutable import immutable
from scoring.patterns import lazy
from scoring.question.reading import Reading
from scoring.specification import TokenKind
from scoring.values import Text, text

LONGEST = 12
"""Words in a name."""


@immutable(kw_only=False)
class Literal:
    """A value at tokens [start, end)."""

    value: str
    start: int
    end: int
    certain: float
    others: tuple[str, ...] = ()
    """Other forms it may be stored in."""

    @property
    def text(self) -> Text:
        return text(self.value)


def other_forms(reading: Reading, start: int, end: int) -> tuple[str, ...]:
    """Other forms of a name: a people's country, with the number before it, with the noun after it."""
    single = end - start == 1
    found = reading.language.demonyms.get(
        reading.tokens[start].stem if single else reading.span(start, end).lower(), ()
    )
    if single and _PLURAL_CODE.fullmatch(reading.tokens[start].text):
        found += (reading.tokens[start].text[:-1],)
    if start and reading.tokens[start - 1].kind is TokenKind.NUMBER and not reading.claimed[start - 1]:
        found += (reading.span(start - 1, end),)
    if reading.tokens[start].text.isupper() and single and _noun_follows(reading, end):
        found += (reading.span(start, end + 1),)
    return found


_PLURAL_CODE = lazy(r"[A-Za-z]{1,3}\d{1,3}s")
"""`P1s` are things of priority P1."""


def _noun_follows(reading: Reading, place: int) -> bool:
    """`US territory`: an ordinary word that may belong to the name."""
    word, language = reading.lower(place), reading.language
    return reading.is_word(place) and not (
        word in language.breaks or word in language.classifiers or place in reading.starts
    )


def join_lists(reading: Reading, literals: list[Literal]) -> list[Literal]:
    """Names joined by commas and `and` may be one name: each may be stored as the whole, or with the last's end."""
    found: list[Literal] = []
    place = 0
    while place < len(literals):
        last = place
        while last + 1 < min(len(literals), place + LONGEST + 1) and _in_chain(reading, *literals[last : last + 2]):
            last += 1
        chain = literals[place : last + 1]
        found += [_as_part(reading, chain, at) for at in range(len(chain))] if last > place else chain
        place = last + 1
    return found


def _in_chain(reading: Reading, left: Literal, right: Literal) -> bool:
    between = reading.lowers[left.end : right.start]
    if not 0 < len(between) < 3 or left.certain == 1 or right.certain == 1:
        return False
    language = reading.language
    return all(word == "," or (word in language.conjunctions and word not in language.alternatives) for word in between)


def _as_part(reading: Reading, chain: list[Literal], at: int) -> Literal:
    """One name of a list with what it may belong to: the whole, its neighbours, the last name's end."""
    each, last = chain[at], chain[-1]
    spans = [(chain[0].start, last.end)]
    spans += [(chain[at - 1].start, each.end)] if at else []
    spans += [(each.start, chain[at + 1].end)] if each is not last else []
    others = list(dict.fromkeys(reading.span(start, end) for start, end in spans))
    if each.end - each.start < last.end - last.start:
        others.append(f"{each.value} {reading.span(last.start + each.end - each.start, last.end)}")
    return replace(each, others=(*each.others, *others))
