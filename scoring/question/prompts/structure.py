"""What a prompt is made of: definitions of tables, labelled sections, and the marks of chat templates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from typing import NamedTuple

from scoring.patterns import lazy


class MarkKind(Enum):
    """What a part of a prompt is."""

    QUESTION = "question"
    """A section whose label says that the question follows."""
    SECTION = "section"
    """A section with another label."""
    TURN = "turn"
    """A mark of a chat template, or a tag."""
    DEFINITION = "definition"
    """A definition of a table."""
    FENCE = "fence"
    """The marks of a block of code."""


class PromptMark(NamedTuple):
    """A mark between parts of a prompt."""

    start: int
    end: int
    kind: MarkKind


_DEFINITION = (
    r"\bcreate\s+(?:or\s+replace\s+)?(?:temp(?:orary)?\s+|external\s+)?table\s+(?:if\s+not\s+exists\s+)?"
    r"[\w.\"`\[\]]{1,200}\s*\("
)
_TURN = (
    r"<\|[^|<>\n]{1,40}\|>|\[/?INST\]|<</?SYS>>|</?s>|<(?:start|end)_of_turn>"
    r"|</?(?:user_)?(?:question|schema|instructions?)>"
)
_LABEL = r"^[ \t>*#/\-]{0,12}(?P<label>[a-z][a-z '_/\-]{0,40})[ \t*]{0,4}:(?!:)[ \t*]{0,4}"
_HEADING = r"^[ \t]{0,4}#{1,6}[ \t]+(?P<heading>[a-z][a-z '_/\-]{0,40})[ \t]*$"
_PARTS = lazy(
    rf"(?P<definition>{_DEFINITION})|(?P<turn>{_TURN})|(?P<fence>```\w{{0,20}})|{_LABEL}|{_HEADING}",
    re.IGNORECASE | re.MULTILINE,
)
_SIGNS = frozenset("<[`:#")
"""Each part but a definition has one of these."""
_LISTED = lazy(
    r"^[ \t#*\-]{0,8}(?:table:?[ \t]{1,4})?[\w.\"`]{1,80}[ \t]{0,3}(?:\([\w.\"`]{1,80}[ \t]?[^()\n]{0,2000}[)]"
    r"|,?[ \t]{0,3}columns?[ \t]{0,3}[=:][ \t]{0,3}\[[^\]\n]{3,2000}\])[ \t;]{0,4}$",
    re.IGNORECASE | re.MULTILINE,
)
"""A line that lists the columns of one table: `hens(id, name)`, `Table hens, columns = [id, name]`."""
_PERSONA = lazy(r"\s{0,20}you are (?:a|an|the)\b[^\n]{0,400}\b(?:sql|quer|database|data)", re.IGNORECASE)
_QUESTION_LABELS = frozenset(
    {"question", "q", "nlq", "user", "human", "request", "utterance", "input", "the question", "natural language query"}
    | {f"{each} question" for each in ("user", "input", "natural language", "nl", "final", "current")}
    | {"user query", "user request", "user input"}
)
_SECTION_LABELS = lazy(
    r"(?:sql|answer|a|assistant|ai|system|response|output|schema|tables?|columns?|database|instructions?|context|hint"
    r"|hints|evidence|external knowledge|knowledge|rules?|notes?|examples?|task|dialect|ddl|foreign keys?|primary keys?"
    r"|query|requirements?|guidelines?|constraints?|role)$",
    re.IGNORECASE,
)


_MOST_SECTIONS = 2
"""More labelled sections than this are no question, although none of them is labelled as one."""


def parts(text: str) -> Iterator[PromptMark]:
    """The marks of a prompt in order."""
    if _SIGNS.isdisjoint(text) and "create" not in text.lower():
        return
    for found in _PARTS.finditer(text):
        kind = _kind(found)
        if kind is not None:
            yield PromptMark(found.start(), found.end(), kind)


def _kind(found: re.Match[str]) -> MarkKind | None:
    if found["definition"]:
        return MarkKind.DEFINITION
    if found["fence"]:
        return MarkKind.FENCE
    if found["turn"]:
        return MarkKind.QUESTION if found["turn"].lower() in {"<question>", "<user_question>"} else MarkKind.TURN
    label = (found["label"] or found["heading"]).strip(" '_/-").lower()
    if label in _QUESTION_LABELS:
        return MarkKind.QUESTION
    return MarkKind.SECTION if _SECTION_LABELS.search(label) else None


def is_prompt(text: str, marks: list[PromptMark]) -> bool:
    """Whether a text is a prompt: it defines tables, has the marks of a chat, several labelled sections, or a persona.

    A question with one label, with a definition in brackets or with words of SQL is none. Nor is one with a single
    mark of a chat in its middle.
    """
    kinds = [each.kind for each in marks]
    if MarkKind.DEFINITION in kinds or kinds.count(MarkKind.TURN) > 1:
        return True
    if kinds[:1] == [MarkKind.TURN] and not text[: marks[0].start].strip():
        return True
    sections = kinds.count(MarkKind.SECTION)
    if sections and (MarkKind.QUESTION in kinds or sections > _MOST_SECTIONS):
        return True
    listed = _LISTED.finditer(text) if "\n" in text else iter(())
    if next(listed, None) is not None and next(listed, None) is not None:
        return True
    return _PERSONA.match(text) is not None
