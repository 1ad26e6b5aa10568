"""Finds the question that a prompt asks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from scoring.patterns import lazy
from scoring.question.prompts.structure import MarkKind, PromptMark, is_prompt, parts

MAX_PROMPT = 200_000
"""Longest prompt in which a question is looked for, in characters."""
_LONGEST = 2_000
"""Longest question of a prompt, in characters; longer sections hold more than the question."""
_WORD = lazy(r"[^\W\d_]{2,}")
_SQL = lazy(r"\s*(?:select|with|create|insert|from|explain)\b[^?]*$", re.IGNORECASE)
_SENTENCE = lazy(r"(?<=[.!?])\s+")
_ABOUT_SQL = lazy(
    r"\b(?:sql|quer(?:y|ies)|schemas?|databases?|tables?|answer|following|given|instructions?)\b", re.IGNORECASE
)
_MARKS = " \t#*>-/\"'`"
_ASKS = lazy(
    r"(?:list|show|find|give|get|count|name|return|display|retrieve|compute|calculate|identify|tell|which|what|who|how"
    r"|where|when|select|provide|sort|rank|report)\b",
    re.IGNORECASE,
)
_COMMENT = lazy(r"/\*(?:[^*]|\*(?!/))*(?:\*/|$)")


def question_asked(text: str) -> str | None:
    """The question that a text asks: the text itself, the question in a prompt, or `None` for a prompt without one.

    >>> question_asked("How many hens are there?")
    'How many hens are there?'
    >>> question_asked("CREATE TABLE hens (id INT);\\n-- Answer in SQL.\\n-- How many hens are there?\\nSELECT")
    'How many hens are there?'
    >>> question_asked("CREATE TABLE hens (id INT);\\nWrite SQL for the tables above.") is None
    True
    """
    if len(text) > MAX_PROMPT:
        return text
    marks = list(parts(text))
    if not is_prompt(text, marks):
        return text
    labelled = list(_labelled_questions(text, marks))
    return labelled[-1] if labelled else _last_asked(_prose(text, marks))


def _labelled_questions(text: str, marks: list[PromptMark]) -> Iterator[str]:
    """The questions in the sections that are labelled as one."""
    ends = [*(mark.start for mark in marks[1:]), len(text)]
    for mark, end in zip(marks, ends, strict=False):
        stated = _stated(text[mark.end : end]) if mark.kind is MarkKind.QUESTION else None
        if stated is not None:
            yield stated


def _stated(section: str) -> str | None:
    """The question at the beginning of a section, up to a blank line."""
    lines = [line.strip(_MARKS) for line in section.strip().split("\n\n", 1)[0].splitlines()]
    kept = " ".join(line for line in lines if line and not _SQL.match(line))
    if len(kept) > _LONGEST:
        return _last_asked(section)
    return kept if len(_WORD.findall(kept)) > 1 and "{" not in kept else None


def _prose(text: str, marks: list[PromptMark]) -> str:
    """The text without definitions of tables, comments in brackets, and marks."""
    kept: list[str] = []
    end = 0
    for mark in marks:
        if mark.start < end:
            continue
        kept.append(text[end : mark.start])
        end = _after_brackets(text, mark.end) if mark.kind is MarkKind.DEFINITION else mark.end
    kept.append(text[end:])
    return _COMMENT.sub("\n", "\n".join(kept))


_BRACKETS = lazy(r"[()]|'[^'\n]*'")


def _after_brackets(text: str, start: int) -> int:
    """The place after the bracket that closes one opened before `start`."""
    depth = 1
    for found in _BRACKETS.finditer(text, start):
        depth += {"(": 1, ")": -1}.get(found.group(), 0)
        if not depth:
            return found.end()
    return len(text)


def _last_asked(prose: str) -> str | None:
    """The last line that asks with a question mark, else the last that begins as a request and is not about the SQL."""
    lines = [line.strip(_MARKS) for line in prose.splitlines()]
    lines = [line for line in lines if len(_WORD.findall(line[:_LONGEST])) > 1 and not _SQL.match(line)]
    asking = next((line for line in reversed(lines) if "?" in line), None)
    if asking is not None:
        return _without_instructions(asking)
    asked = (line for line in reversed(lines) if _ASKS.match(line) and not _ABOUT_SQL.search(line[:_LONGEST]))
    found = next(asked, None)
    return found[:_LONGEST] if found is not None else None


def _without_instructions(line: str) -> str:
    """The line, or its last question where its other sentences speak of the SQL to write."""
    before, colon, asked = line.partition(": ")
    if colon and "?" in asked and "?" not in before and _ABOUT_SQL.search(before):
        line = asked
    sentences = _SENTENCE.split(line)
    last = max(place for place, each in enumerate(sentences) if "?" in each)
    own = [each for place, each in enumerate(sentences) if place == last or not _ABOUT_SQL.search(each)]
    return " ".join(own) if len(" ".join(own)) <= _LONGEST else sentences[last][-_LONGEST:]
