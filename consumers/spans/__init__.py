"""Traces as an input: finds the spans that hold questions and answers, and joins the two.

Change this here when it concerns:

- an attribute of spans that is read, or how a question is found in one: the instrumentation's table in
  `consumers/spans/presets.py`, `consumers/spans/model_input.py`; then the table in `docs/events.md`, a recording in
  `tests/cases/spans/`
- which query of a trace is the answer: `consumers/spans/answers.py` (the choice), `consumers/spans/open_trace.py`
  (when); SQL in outputs: `consumers/spans/model_output.py`; errors that tools give back:
  `consumers/spans/tool_outputs.py`; then `tests/consumers/test_span_answers.py`, `docs/events.md`
"""

from consumers.spans.attributes import SpanTable
from consumers.spans.join import Joined, JoinLimits, SpanEvent, SpanJoin, TraceKey
from consumers.spans.span import Span
from consumers.spans.unanswered import NoAnswer, NoAnswerReason

__all__ = [
    "JoinLimits",
    "Joined",
    "NoAnswer",
    "NoAnswerReason",
    "Span",
    "SpanEvent",
    "SpanJoin",
    "SpanTable",
    "TraceKey",
]
