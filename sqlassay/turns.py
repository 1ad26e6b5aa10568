"""Earlier turns of a conversation, read with the bounds that an event's `history` has."""

from __future__ import annotations

from functools import cache

from pydantic import TypeAdapter, ValidationError

from consumers.wire.history import History
from scoring.query import Turn


class InvalidTurnsError(Exception):
    """The turns are not those of an event; the message names the place and the fault."""


def read_turns(history: object) -> tuple[Turn, ...]:
    """The turns of mappings with `question` and, if it is known, `sql`; raises `InvalidTurnsError`."""
    try:
        return tuple([each.turn() for each in _turns().validate_python(history)])
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        path = ".".join(map(str, ("history", *first["loc"])))
        raise InvalidTurnsError(f"field {path}: {first['msg'].removeprefix('Value error, ')}") from None


@cache
def _turns() -> TypeAdapter[History]:
    return TypeAdapter(History)
