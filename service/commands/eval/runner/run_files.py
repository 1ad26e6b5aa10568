"""Writes the files of a run: records, summary, page and traces."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson
from jinja2 import Environment, PackageLoader, StrictUndefined
from rich.console import Console
from rich.markdown import Markdown

from evals.runner.pages import rates_table, run_page
from evals.runner.traces import trace_page
from service.commands.eval import runner
from service.commands.eval.runner.journal import replace_file

CASES = "cases.jsonl"
SUMMARY = "summary.json"
PAGE = "report.html"
TRACES = "traces"
_PLAIN = re.compile(r"[^A-Za-z0-9_.-]+")
_LINES = orjson.OPT_APPEND_NEWLINE


def write_run(folder: Path, entries: Sequence[Mapping[str, Any]], summary: Mapping[str, object]) -> None:
    """Writes `cases.jsonl`, `summary.json`, `report.html`, and a page for each answer with a trace."""
    records = [each["record"] for each in entries]
    replace_file(folder / CASES, b"".join(orjson.dumps(each, option=_LINES) for each in records))
    replace_file(folder / SUMMARY, orjson.dumps(summary, option=orjson.OPT_INDENT_2 | _LINES))
    replace_file(folder / PAGE, rendered("report.html", **run_page(summary, records)).encode())
    for entry in entries:
        if entry["trace"]:
            (folder / TRACES).mkdir(exist_ok=True)
            page = trace_page(entry["record"], entry["trace"])
            replace_file(folder / TRACES / trace_name(entry["record"]), page.encode())


def trace_name(record: Mapping[str, Any]) -> str:
    """The file name of a trace: the case's id where it can be one, with a hash where it cannot.

    >>> trace_name({"case_id": "q-7", "sample": 1}), trace_name({"case_id": "../a", "sample": 2})
    ('q-7.md', '_a-61b4c98b@2.md')
    """
    case_id, sample = str(record["case_id"]), record["sample"]
    plain = _PLAIN.sub("_", case_id).lstrip(".")[:80] or "case"
    if plain != case_id:
        plain = f"{plain}-{sha256(case_id.encode()).hexdigest()[:8]}"
    return f"{plain}.md" if sample == 1 else f"{plain}@{sample}.md"


@cache
def _templates() -> Environment:
    return Environment(
        loader=PackageLoader(runner.__name__),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def rendered(template: str, **content: object) -> str:
    """A page. Every text in it is escaped."""
    return _templates().get_template(template).render(**content)


def show_summary(summary: Mapping[str, object], *, as_json: bool) -> None:
    """Prints the rates: as a table on a terminal, else as JSON."""
    if as_json or not sys.stdout.isatty():
        print(orjson.dumps(summary, option=orjson.OPT_INDENT_2).decode())
    else:
        Console().print(Markdown(rates_table(summary)))
