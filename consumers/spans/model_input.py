"""Finds the question in a model's input: plain text, or a list of messages as in the gen_ai conventions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import orjson

_ASKING_ROLES = frozenset({"user", "human"})
"""Roles whose messages hold the question."""
_TEXT_KEYS = ("content", "text")


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


def _parsed(text: str) -> object:
    """The messages that a text holds as JSON, else the text itself."""
    if text.lstrip()[:1] not in {"[", "{"}:
        return text
    try:
        found: object = orjson.loads(text)
    except orjson.JSONDecodeError:
        return text
    return found if _messages(found) else text


def _messages(value: object) -> list[Mapping[str, object]]:
    """The messages in a list, in one message, or in `{"messages": […]}`."""
    if isinstance(value, Mapping):
        held = cast("Mapping[str, object]", value)
        value = held.get("messages", [held])
    if not isinstance(value, list):
        return []
    parts = cast("list[object]", value)
    return [cast("Mapping[str, object]", each) for each in parts if isinstance(each, Mapping) and "role" in each]


def _last_question(value: object) -> str | None:
    asked = [each for each in _messages(value) if str(each["role"]).lower() in _ASKING_ROLES]
    return next((text for each in reversed(asked) if (text := _text(each))), None)


def _text(message: Mapping[str, object]) -> str:
    """The text of a message: its content, or its text parts."""
    content = message.get("content", message.get("parts"))
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
