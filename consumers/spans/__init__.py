"""Traces as a way in: which spans hold a question, which an answer, and how the two are joined."""

from consumers.spans.join import Joined, JoinLimits, SpanEvent, SpanJoin, TraceKey
from consumers.spans.span import Span
from consumers.spans.table import SpanTable

__all__ = ["JoinLimits", "Joined", "Span", "SpanEvent", "SpanJoin", "SpanTable", "TraceKey"]
