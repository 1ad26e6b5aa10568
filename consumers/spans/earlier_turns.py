"""The earlier turns of a conversation, in the messages that hold the question."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import cast

from consumers.spans.model_input import ASKING_ROLES, messages_in, text_of
from consumers.spans.tool_calls import is_query, sql_of_call
from consumers.wire.texts import bad_character

MOST_SPOKEN = 12
"""Most earlier turns that are taken: the latest."""
_MAX_TEXT = 15_000
"""Longest question or SQL of a turn, in characters; a turn with a longer question is left out."""
_FENCED = re.compile(r"```(?:\w+)?\s*\n(?P<sql>.*?)```", re.DOTALL)
_CALLED = ("arguments", "args", "input")
"""Keys under which a part that is the call of a tool holds its arguments."""


def turns_before(value: object, question: str) -> list[dict[str, str | None]]:
    """The user's messages before the question, each with the last SQL that the messages after it hold.

    The question is the last message of the user; there are no turns where another one is. The SQL is an argument of a
    tool call, a fenced block, or a message that is a query.

    >>> turns_before([
    ...     {"role": "user", "content": "How many hens are there?"},
    ...     {"role": "assistant", "tool_calls": [{"function": {"arguments": '{"sql": "SELECT COUNT(*) FROM hens"}'}}]},
    ...     {"role": "user", "content": "and in Graz?"}], "and in Graz?")
    [{'question': 'How many hens are there?', 'sql': 'SELECT COUNT(*) FROM hens'}]
    """
    turns: deque[dict[str, str | None]] = deque(maxlen=MOST_SPOKEN + 1)
    for message in messages_in(value):
        text = text_of(message)
        if str(message["role"]).lower() in ASKING_ROLES:
            if text.strip():
                turns.append({"question": text, "sql": None})
        elif turns:
            sql = next(reversed(list(_queries(message, text))), None)
            turns[-1]["sql"] = sql if sql is not None and _is_kept(sql) else turns[-1]["sql"]
    if not turns or turns.pop()["question"] != question:
        return []
    return [each for each in turns if _is_kept(each["question"] or "")]


def _is_kept(text: str) -> bool:
    return len(text) <= _MAX_TEXT and bad_character(text) is None


def _queries(message: Mapping[str, object], text: str) -> Iterator[str]:
    """The SQL of a message, in order: in its text, then in the tools that it calls."""
    if text:
        yield from (found for block in _FENCED.finditer(text) if is_query(found := block["sql"].strip()))
        if is_query(text):
            yield text.strip()
    for call in _calls(message):
        found = next((sql for key in _CALLED if (sql := sql_of_call(call.get(key))) is not None), None)
        if found is not None:
            yield found


def _calls(message: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    """The calls of tools in a message: of its `tool_calls`, and among its parts."""
    for key in ("tool_calls", "content", "parts"):
        for part in _mappings(message.get(key)):
            function = part.get("function")
            yield cast("Mapping[str, object]", function) if isinstance(function, Mapping) else part


def _mappings(value: object) -> Iterable[Mapping[str, object]]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        return ()
    parts = cast("Sequence[object]", value)
    return (cast("Mapping[str, object]", part) for part in parts if isinstance(part, Mapping))
