"""The literals that a prompt masks as a whole, wherever their words stand together."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from consumers.judging.masking.pieces import PIECE, fold_piece
from consumers.judging.masking.stand_ins import StandIns

MOST_ALIKE = 8
"""Most known values with the same first word."""
MOST_PIECES = 24
"""Most words of a known value that must stand together; the words after them are masked one by one."""


def folded_pieces(value: str) -> tuple[str, ...]:
    """The words of a value by which it is found."""
    return tuple(fold_piece(piece) for piece in PIECE.findall(value)[:MOST_PIECES])


@dataclass(slots=True)
class KnownValues:
    """Finds known values among the pieces of a text, longest first."""

    stand_ins: StandIns
    _by_first_piece: dict[str, list[tuple[tuple[str, ...], str]]] = field(
        default_factory=dict[str, list[tuple[tuple[str, ...], str]]]
    )
    """Folded pieces and stand-ins, by the first piece."""

    def add(self, pieces: tuple[str, ...], value: str) -> None:
        """Gives a value its stand-in, unless it is known or `MOST_ALIKE` values begin like it."""
        alike = self._by_first_piece.setdefault(pieces[0], [])
        if len(alike) < MOST_ALIKE and all(known != pieces for known, _ in alike):
            alike.append((pieces, self.stand_ins.text(value)))
            alike.sort(key=lambda each: -len(each[0]))

    def begins_in(self, text: str) -> bool:
        """Whether a word of the text begins a known value."""
        return any(fold_piece(piece) in self._by_first_piece for piece in PIECE.findall(text))

    def find(self, pieces: Sequence[re.Match[str]], place: int) -> tuple[int, str] | None:
        """The end and the stand-in of the known value that begins at this piece."""
        for words, stand_in in self._by_first_piece.get(fold_piece(pieces[place][0]), ()):
            end = place + len(words)
            found = pieces[place:end]
            if len(found) == len(words) and all(
                fold_piece(piece[0]) == word for piece, word in zip(found, words, strict=True)
            ):
                return end, stand_in
        return None
