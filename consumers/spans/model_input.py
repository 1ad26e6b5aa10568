"""Finds the question in a model's input: plain text, or a list of messages as in the gen_ai conventions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import cast

import orjson

from consumers.spans.tool_calls import is_query

ASKING_ROLES = frozenset({"user", "human"})
"""Roles whose messages hold the question."""
_ROLES = ("user", "human", "assistant", "ai", "system", "tool")
_ASKED = (
    *("question", "user_question", "user_query", "nl_query", "task", "query_str", "user_msg", "user_input", "input"),
    *("prompt", "message", "query"),
)
"""Names under which a question is passed on."""
_HOLDERS = ("inputs", "input", "input_args", "query_bundle", "kwargs", "data")
_DEEPEST = 3
_TEXT_KEYS = ("content", "text")
_REPR = re.compile(r"<?[A-Za-z_][\w.]*\((?:\w+=|\))|<[\w.]+ object at ")
"""How the text of a Python object begins, such as that of a template."""


def question_in(value: object) -> str | None:
    """The text itself, or the user's last message; `None` where there is no question.

    >>> question_in("How many?")
    'How many?'
    >>> question_in('[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "How many?"}]')
    'How many?'
    >>> question_in([{"role": "user", "parts": [{"type": "text", "content": "How many?"}]}])
    'How many?'
    """
    parsed = _parsed(value) if isinstance(value, str) else value
    text = parsed if isinstance(parsed, str) else _last_question(parsed)
    return text if isinstance(text, str) and text.strip() else None


def question_of_input(value: object, depth: int = 0) -> str | None:
    """The question in what a span was called with, where that is messages, a question by name, or plain words.

    >>> question_of_input('{"task": "How many?", "stream": false}'), question_of_input("SELECT 1 FROM kites")
    ('How many?', None)
    >>> question_of_input({"inputs": {"messages": [["user", "How many?"]]}})
    'How many?'
    """
    held = _decoded(value) if isinstance(value, str) else value
    if isinstance(held, str):
        return held if _asks(held) else None
    if messages_in(held):
        return _last_question(held) or None
    if not isinstance(held, Mapping) or depth > _DEEPEST:
        return None
    fields = cast("Mapping[str, object]", held)
    inner = (_question_within(fields.get(key), depth + 1) for key in _HOLDERS)
    return _named_question(fields) or next((found for found in inner if found is not None), None)


def _named_question(fields: Mapping[str, object]) -> str | None:
    texts = (text for key in _ASKED if isinstance(text := fields.get(key), str))
    return next((text for text in texts if _asks(text)), None)


def _asks(text: str) -> bool:
    """Whether a text may be a question: it is not blank, no query and no object."""
    return bool(text.strip()) and not is_query(text) and _REPR.match(text) is None


def _question_within(value: object, depth: int) -> str | None:
    return None if isinstance(value, str) else question_of_input(value, depth)


def _decoded(text: str) -> object:
    """What a text holds as JSON, else the text itself."""
    if text.lstrip()[:1] not in {"[", "{"}:
        return text
    try:
        return cast("object", orjson.loads(text))
    except orjson.JSONDecodeError:
        return None


def _parsed(text: str) -> object:
    """The messages that a text holds as JSON, else the text itself."""
    if text.lstrip()[:1] not in {"[", "{"}:
        return text
    try:
        found: object = orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
    return found if messages_in(found) else text


def messages_in(value: object) -> list[Mapping[str, object]]:
    """The messages in a list, in one message, or in `{"messages": […]}`, also as JSON."""
    if isinstance(value, str):
        value = _decoded(value)
    if isinstance(value, Mapping):
        held = cast("Mapping[str, object]", value)
        value = held.get("messages", held.get("contents", [held]) if "role" not in held else [held])
    if not isinstance(value, list):
        return []
    parts = cast("list[object]", value)
    return [message for each in parts if (message := _message(each)) is not None]


def _message(value: object) -> Mapping[str, object] | None:
    """A message with its role, also as LangChain writes it: a pair, or an object with the role as its type."""
    if isinstance(value, list):
        pair = cast("list[object]", value)
        return {"role": pair[0], "content": pair[1]} if len(pair) == 2 and pair[0] in _ROLES else None
    if not isinstance(value, Mapping):
        return None
    held = cast("Mapping[str, object]", value)
    if "role" in held:
        return held
    if held.get("type") not in _ROLES:
        return None
    data = held.get("data", held)
    fields = cast("Mapping[str, object]", data if isinstance(data, Mapping) else {})
    return {"role": held["type"], "content": fields.get("content"), "tool_calls": fields.get("tool_calls")}


def question_of_event(value: object) -> str | None:
    """The words of a user's message that is an event: plain, or its parts as JSON.

    >>> question_of_event("How many?"), question_of_event('[{"text": "How many?"}]')
    ('How many?', 'How many?')
    """
    held = _decoded(value) if isinstance(value, str) else value
    return text_of({"content": value if held is None else held}) or None


def _last_question(value: object) -> str | None:
    asked = [each for each in messages_in(value) if str(each["role"]).lower() in ASKING_ROLES]
    return next((text for each in reversed(asked) if (text := text_of(each))), None)


def text_of(message: Mapping[str, object]) -> str:
    """The text of a message: its content, or its text parts."""
    content = message.get("content", message.get("contents", message.get("parts")))
    if isinstance(content, str):
        return content
    if not isinstance(content, Sequence):
        return ""
    return "\n".join(text for part in cast("Sequence[object]", content) if (text := _part(part)))


def _part(part: object) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping) or cast("Mapping[str, object]", part).get("type", "text") != "text":
        return ""
    fields = cast("Mapping[str, object]", part)
    return next((text for key in _TEXT_KEYS if isinstance(text := fields.get(key), str)), "")
