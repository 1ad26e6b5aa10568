"""Puts together lists that are spread over attributes, as `llm.input_messages.0.message.role`."""

from __future__ import annotations

import re
from typing import cast

from pydantic import JsonValue

from consumers.spans.attributes import PARAMETER
from consumers.spans.span import Attributes

_ITEM = re.compile(r"(.+?)\.(\d{1,5})\.(.+)", re.ASCII)
_WRAPPERS = frozenset({"message", "message_content", "tool_call"})
"""Parts of a name that say again what its list says."""
_DEEPEST = 10


def gathered(attributes: Attributes) -> Attributes:
    """The attributes, with one list for all those that are its items. An attribute of the list's name wins.

    >>> gathered({"gen_ai.prompt.0.role": "user", "gen_ai.prompt.0.content": "How many?", "x": 1})
    {'x': 1, 'gen_ai.prompt': [{'role': 'user', 'content': 'How many?'}]}
    """
    found: dict[str, JsonValue] = {}
    lists: dict[str, dict[str, object]] = {}
    for name, value in attributes.items():
        item = None if name.startswith(PARAMETER) else _ITEM.fullmatch(name)
        if item is None:
            found[name] = value
        else:
            _put(lists.setdefault(item[1], {}), [item[2], *item[3].split(".")], value)
    return found | {name: _listed(held) for name, held in lists.items() if name not in found}


def _put(held: dict[str, object], path: list[str], value: JsonValue) -> None:
    steps = [step for step in path if step not in _WRAPPERS][:_DEEPEST]
    for step in steps[:-1]:
        inner = held.setdefault(step, {})
        if not isinstance(inner, dict):
            return
        held = cast("dict[str, object]", inner)
    if steps:
        held[steps[-1]] = value


def _listed(held: object) -> JsonValue:
    """The value, with lists for dictionaries whose keys are places."""
    if not isinstance(held, dict):
        return cast("JsonValue", held)
    fields = cast("dict[str, object]", held)
    if fields and all(key.isdecimal() for key in fields):
        return [_listed(fields[key]) for key in sorted(fields, key=int)]
    return {key: _listed(value) for key, value in fields.items()}
