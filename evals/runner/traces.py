"""How a backend came to its SQL, as a Markdown page: the conversation, calls of tools and their times."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

_TICKS = re.compile(r"`+")
_MARKS = re.compile(r"([\\`*_{}\[\]<>#|!])")


def trace_page(record: Mapping[str, Any], trace: Sequence[Mapping[str, Any]]) -> str:
    """The page of one answer. Texts stand in fences that they cannot close."""
    sample = f", sample {record['sample']}" if record["sample"] > 1 else ""
    parts = [
        f"# {plain(record['case_id'])}{sample}",
        fenced(record["question"]),
        f"{_outcome(record)}\n\nGenerated SQL:",
        fenced(record["generated_sql"] or "", "sql"),
        "Gold SQL:",
        fenced(record["gold_sql"], "sql"),
    ]
    tools = [each for each in trace if each["tool"] is not None]
    timed = [each["seconds"] for each in trace if each["seconds"] is not None]
    if tools or timed:
        failed = sum(each["ok"] is False for each in tools)
        parts.append(f"{len(tools)} tool calls, {failed} failed; {sum(timed):.2f} s in timed steps.")
    for number, step in enumerate(trace, 1):
        parts += [_heading(number, step), fenced(step["content"])]
    return "\n\n".join(parts) + "\n"


def _outcome(record: Mapping[str, Any]) -> str:
    score = "no score" if record["score"] is None else f"score {record['score']:g}"
    passed = "passes" if record["pass"] else "does not pass"
    return f"The answer {passed}: {record['equivalence']}, {score}. {plain(record['rationale'])}"


def _heading(number: int, step: Mapping[str, Any]) -> str:
    said = [plain(step["kind"])]
    if step["tool"] is not None:
        said.append(plain(step["tool"]))
    if step["ok"] is not None:
        said.append("ok" if step["ok"] else "failed")
    if step["seconds"] is not None:
        said.append(f"{step['seconds']:.2f} s")
    return f"## {number}. {' · '.join(said)}"


def plain(text: object) -> str:
    r"""One line of Markdown that shows the text as it is.

    >>> plain("a*b\n<i>")
    'a\\*b \\<i\\>'
    """
    return _MARKS.sub(r"\\\1", " ".join(str(text).split()))


def fenced(text: str, language: str = "") -> str:
    """The text in a fence with more ticks than it contains.

    >>> print(fenced("```", "sql"))
    ````sql
    ```
    ````
    """
    ticks = "`" * max(3, max((len(each) for each in _TICKS.findall(text)), default=0) + 1)
    return f"{ticks}{language}\n{text}\n{ticks}"
