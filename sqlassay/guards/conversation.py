"""What a guard needs of a conversation, whatever framework's messages it is read from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, NamedTuple, cast

_FENCED = re.compile(r"```(?:\w+)?[ \t]*\n(.*?)```", re.DOTALL)
_SQL_FIELDS = ("sql", "query", "sql_query")


class MessageKind(Enum):
    """What a message holds."""

    QUESTION = auto()
    SQL = auto()
    OBJECTION = auto()
    """What the guard told the model."""


class MessagePart(NamedTuple):
    """One message, as far as a guard reads it."""

    kind: MessageKind
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """The question that is open, and what came before it."""

    question: str | None = None
    history: tuple[Mapping[str, str | None], ...] = ()
    """Earlier turns, as `score` takes them."""
    objections: int = 0
    """How often the model was asked again since the question."""


def read_conversation(parts: Iterable[MessagePart]) -> Conversation:
    """Reads the messages, oldest first. The last query of a turn is the turn's answer.

    >>> said = [("QUESTION", "a?"), ("SQL", "SELECT a"), ("QUESTION", "b?")]
    >>> found = read_conversation([MessagePart(MessageKind[kind], text) for kind, text in said])
    >>> found.question, found.history, found.objections
    ('b?', ({'question': 'a?', 'sql': 'SELECT a'},), 0)
    """
    turns, objections = list[dict[str, str | None]](), 0
    for part in parts:
        if part.kind is MessageKind.QUESTION:
            turns.append({"question": part.text, "sql": None})
            objections = 0
        elif part.kind is MessageKind.OBJECTION:
            objections += 1
        elif turns:
            turns[-1]["sql"] = part.text
    if not turns:
        return Conversation()
    return Conversation(question=turns[-1]["question"], history=tuple(turns[:-1]), objections=objections)


def text_of(content: object) -> str:
    """The text of a message's content: a text, or a list of texts and of parts with a `text`.

    >>> text_of("How many?"), text_of(["How", {"type": "text", "text": "many?"}, {"type": "image"}])
    ('How many?', 'How many?')
    """
    if isinstance(content, str):
        return content
    if not isinstance(content, list | tuple):
        return ""
    texts = [each if isinstance(each, str) else _field(each, "text") for each in cast("list[Any]", content)]
    return " ".join(each for each in texts if isinstance(each, str))


def sql_of(output: object, names: tuple[str, ...] = _SQL_FIELDS) -> str | None:
    r"""The SQL of an output: of a field with one of the names, the last fenced block of a text, or the text.

    >>> sql_of({"query": "SELECT 1"}), sql_of("Here:\n```sql\nSELECT 2\n```"), sql_of("SELECT 3"), sql_of(4)
    ('SELECT 1', 'SELECT 2', 'SELECT 3', None)
    """
    if isinstance(output, str):
        fenced = _FENCED.findall(output)
        return fenced[-1].strip() if fenced else output
    found = (_field(output, name) for name in names)
    return next((each for each in found if isinstance(each, str)), None)


def _field(holder: object, name: str) -> object:
    if isinstance(holder, Mapping):
        return cast("Mapping[str, object]", holder).get(name)
    return getattr(holder, name, None)
