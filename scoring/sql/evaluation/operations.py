"""All operations, by the kind of expression."""

from __future__ import annotations

from types import MappingProxyType

from scoring.sql.evaluation import casts, choices, comparing, numbers, patterns, texts
from scoring.sql.evaluation.values import Operation
from scoring.sql.terms import Node

OPERATIONS: MappingProxyType[type[Node], Operation] = MappingProxyType(
    dict(numbers.OPERATIONS)
    | casts.OPERATIONS
    | comparing.OPERATIONS
    | patterns.OPERATIONS
    | choices.OPERATIONS
    | texts.OPERATIONS
)
"""How each kind of expression is evaluated; those that are not named here are not known."""
