"""The lists of signals in `docs/reasons.md`: the first sentence of each signal's docstring.

The console shows the rest of it, with its last example."""

from __future__ import annotations

import ast
import doctest
import inspect
import re
from collections.abc import Iterator

from scoring.reason_kinds import ReasonKind, kind_of
from scoring.reasons import ReasonCode
from scoring.signals import SECTIONS, Signal

BEGIN = "<!-- Written by `make contracts` from the docstrings in scoring/signals/. -->\n"
END = "<!-- End of what `make contracts` writes. -->\n"
_MARKS = {ReasonKind.FAVOUR: " (+)", ReasonKind.HINT: " (hint)", ReasonKind.FORM: " (form)", ReasonKind.FAULT: ""}
_SENTENCE = re.compile(r"(?<=[.!?]) ")


def reasons_page(page: str) -> str:
    """The page with the lists between its two markers written anew."""
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    return before + BEGIN + "\n" + "\n".join(_lists()) + "\n" + END + after


def _lists() -> Iterator[str]:
    for heading, signals in SECTIONS.items():
        yield f"### {heading}\n\n" + "".join(map(_line, signals))


def _line(signal: Signal) -> str:
    code = ReasonCode[signal.__name__.upper()]
    return f"- `{code}`{_MARKS[kind_of(code)]}: {_SENTENCE.split(prose(signal))[0]}\n"


def prose(signal: Signal) -> str:
    """All that the docstring says before its examples."""
    return " ".join((inspect.getdoc(signal) or "").partition(">>>")[0].split())


def example(signal: Signal) -> tuple[str, str]:
    """The question and the SQL of the docstring's last example: the enriched question where it has one, and the
    question before it where it follows one."""
    source = doctest.DocTestParser().get_examples(inspect.getdoc(signal) or "")[-1].source
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    call = next(node for node in calls if isinstance(node.func, ast.Name) and node.func.id == "case")
    question, sql, *enriched = [str(ast.literal_eval(argument)) for argument in call.args]
    earlier = next((ast.literal_eval(each.value)[0] for each in call.keywords if each.arg == "after"), None)
    return (*enriched, question if earlier is None else f"{earlier} … {question}")[0], sql
