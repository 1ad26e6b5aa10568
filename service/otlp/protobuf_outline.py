"""Finds the spans in trace data in protobuf without building messages: an empty message takes two bytes to send."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

_VARINT, _LONG, _BYTES, _SHORT = 0, 1, 2, 5
_SKIPPED = {_LONG: 8, _SHORT: 4}
_RESOURCE_SPANS, _RESOURCE, _SCOPE_SPANS, _SPANS = 1, 1, 2, 2
"""Numbers of the fields `resource_spans`; `resource` and `scope_spans` in it; and `spans` in the last."""


class Slice(NamedTuple):
    """Where a message lies in the bytes."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ResourceOutline:
    """One resource and its spans. A message that is sent in several pieces is their concatenation."""

    resource: list[Slice] = field(default_factory=list[Slice])
    spans: list[Slice] = field(default_factory=list[Slice])


class NotProtobuf(Exception):  # noqa: N818 named like InvalidEvent
    """The bytes are not protobuf."""


class TooManyParts(Exception):  # noqa: N818 named like InvalidEvent
    """The export has more resources, scopes and spans than are read."""


def outline(body: bytes, most: int) -> list[ResourceOutline]:
    """Every resource with its spans; raises `NotProtobuf`, or `TooManyParts` for more than `most` fields."""
    found: list[ResourceOutline] = []
    for count, (level, number, part) in enumerate(_parts(body)):
        if count == most:
            raise TooManyParts
        if (level, number) == (0, _RESOURCE_SPANS):
            found.append(ResourceOutline())
        elif (level, number) == (1, _RESOURCE):
            found[-1].resource.append(part)
        elif (level, number) == (2, _SPANS):
            found[-1].spans.append(part)
    return found


def _parts(body: bytes) -> Iterator[tuple[int, int, Slice]]:
    """Every field of the upper three levels of messages: its level, its number and its place."""
    for top, group in _messages(body, Slice(0, len(body))):
        yield 0, top, group
        for middle, scope in _messages(body, group) if top == _RESOURCE_SPANS else ():
            yield 1, middle, scope
            for number, part in _messages(body, scope) if middle == _SCOPE_SPANS else ():
                yield 2, number, part


def _messages(body: bytes, within: Slice) -> Iterator[tuple[int, Slice]]:
    """The fields with a length in a message: their numbers and places. Other fields have number 0."""
    place, end = within
    while place < end:
        key, place = _varint(body, place, end)
        kind = key & 7
        if kind == _BYTES:
            length, place = _varint(body, place, end)
            part, place = Slice(place, place + length), place + length
            if place <= end:
                yield key >> 3, part
        elif kind == _VARINT:
            place = _varint(body, place, end)[1]
            yield 0, within
        elif kind in _SKIPPED:
            place += _SKIPPED[kind]
            yield 0, within
        else:
            raise NotProtobuf(f"wire type {kind} at byte {place - 1}")
        if place > end:
            raise NotProtobuf(f"a field ends after byte {end}, where its message ends")


def _varint(body: bytes, place: int, end: int) -> tuple[int, int]:
    """The number at a place, and the place after it."""
    value = shift = 0
    for each in body[place : min(end, place + 10)]:
        value |= (each & 0x7F) << shift
        place += 1
        if each < 0x80:
            return value, place
        shift += 7
    raise NotProtobuf(f"a number does not end at byte {place}")
