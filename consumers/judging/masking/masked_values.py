"""Masks plain JSON: cells of results, values of conditions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from consumers.judging.masking.masker import Masker

MOST_LISTED = 40
"""Most entries of a list that are shown."""


def leaves(value: object) -> Iterator[str]:
    """Every text in a JSON value, without the names of fields."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in cast("dict[str, object]", value).values():
            yield from leaves(each)
    elif isinstance(value, (list, tuple)):
        for each in cast("list[object]", value):
            yield from leaves(each)


def masked_value(plain: object, masker: Masker) -> object:
    """A JSON value masked: texts as words, members of lists as literals, numbers by their stand-ins."""
    if isinstance(plain, str):
        return masker.text(plain)
    if isinstance(plain, bool) or plain is None:
        return plain
    if isinstance(plain, int | float):
        sign = "-" if plain < 0 else ""
        return sign + masker.number(f"{abs(plain):.15g}")
    if isinstance(plain, Mapping):
        return {key: masked_value(each, masker) for key, each in cast("Mapping[str, object]", plain).items()}
    return [_listed(each, masker) for each in cast("Sequence[object]", plain)[:MOST_LISTED]]


def _listed(each: object, masker: Masker) -> object:
    """A member of a list of values, in which texts are whole literals."""
    return masker.literal(each) if isinstance(each, str) else masked_value(each, masker)
