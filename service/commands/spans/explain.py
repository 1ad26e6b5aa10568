"""`sqlassay spans explain`: says what is read from the spans of a file, and which answers they give or why none."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from consumers.spans import NoAnswerReason, Span
from consumers.spans.explanation import explain
from consumers.wire.events import InvalidEvent
from service.commands.exits import answer_no, refuse
from service.commands.rendering.terminal import one_line
from service.otlp import read_otlp
from service.settings.loading import load_settings

_FIXES = {
    NoAnswerReason.UNKNOWN_ATTRIBUTES: "name the attributes in SQLASSAY_SPANS__ATTRIBUTES, or set sqlassay.question"
    " and sqlassay.sql on a span",
    NoAnswerReason.NO_SQL: "record what tools are called with and what models give back, or set sqlassay.sql",
    NoAnswerReason.ONLY_CATALOGUE: "record the query that answers the question; these only read the catalogue",
}


def explain_spans(source: str, *, as_json: bool) -> None:
    """Prints the explanation. Exit code 1 where no answer comes, 2 for a file that is not trace data."""
    table = load_settings().spans.table
    body = _body(source)
    spans: list[Span] = []
    faults: list[str] = []
    for place, part in enumerate(_exports(body), start=1):
        try:
            export = read_otlp(part, table)
        except InvalidEvent as error:
            refuse(f"{source}: export {place}: {error.detail}")
        spans += export.spans
        faults += [export.fault] if export.fault else []
    explained: Mapping[str, Any] = explain(spans, table)
    if as_json or not sys.stdout.isatty():
        print(json.dumps({**explained, "faults": faults}, ensure_ascii=False))
    else:
        print("\n".join(map(one_line, _lines(explained, faults))))
    if not explained["answers"]:
        answer_no("the spans give no answer")


def _body(source: str) -> bytes:
    try:
        return sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
    except OSError as error:
        refuse(f"{source}: {error.strerror}: name a file with an OTLP trace export")


def _exports(body: bytes) -> Sequence[bytes]:
    """The exports of a file: one, or one on each line, as the Collector writes JSON."""
    lines = [line for line in body.splitlines() if line.strip()]
    return lines if len(lines) > 1 and all(line.startswith(b'{"resourceSpans"') for line in lines) else [body]


def _lines(explained: Mapping[str, Any], faults: Sequence[str]) -> Iterator[str]:
    for each in explained["spans"]:
        yield f"span {each['span_id']} {each.get('name', '')} ({each.get('kind', 'step')}): {each.get('role', '-')}"
        for row, found in each.get("read", {}).items():
            yield f"· {row} from {found['from'] or 'the span'}: {found['value']}"
        if "unread" in each:
            yield f"· not read: {', '.join(each['unread'])}"
    for each in explained["answers"]:
        yield f"answer {each['event_id']} of {each.get('agent', 'default')}: {each['question'] or 'NO_QUESTION'}"
        yield f"· {each['sql']}"
    for each in explained["without_answer"]:
        yield f"trace {each['trace_id']} gives no answer, {each['reason']}: {_FIXES[NoAnswerReason(each['reason'])]}"
    yield from (f"not a span: {fault}" for fault in faults)
