"""Traces as an input: finds the spans that hold questions and answers, and joins the two."""

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
