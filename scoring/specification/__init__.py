"""What a question asks (`Sq`) and what SQL does (`Ssql`), in the terms of the STEF paper, equations 1–10.

Change this here when question or SQL need a part that neither specification can hold.
"""

from __future__ import annotations

from scoring.specification.question import (
    Definition,
    Direction,
    FilterOrigin,
    Ordering,
    Output,
    QuestionFilter,
    QuestionSpec,
    Ratio,
    RatioKind,
    Superlative,
    Token,
    TokenKind,
)
from scoring.specification.sql import (
    Block,
    Clause,
    Division,
    GroupKey,
    Join,
    Limit,
    Projection,
    SetOperation,
    SortKey,
    Source,
    SourceKind,
    SqlFilter,
    SqlSpec,
    Subquery,
    SubqueryRole,
    Window,
)
from scoring.specification.terms import (
    NEGATION,
    Aggregation,
    Column,
    Filter,
    Op,
    Operand,
)
from scoring.specification.voids import Void, VoidKind

__all__ = [
    "NEGATION",
    "Aggregation",
    "Block",
    "Clause",
    "Column",
    "Definition",
    "Direction",
    "Division",
    "Filter",
    "FilterOrigin",
    "GroupKey",
    "Join",
    "Limit",
    "Op",
    "Operand",
    "Ordering",
    "Output",
    "Projection",
    "QuestionFilter",
    "QuestionSpec",
    "Ratio",
    "RatioKind",
    "SetOperation",
    "SortKey",
    "Source",
    "SourceKind",
    "SqlFilter",
    "SqlSpec",
    "Subquery",
    "SubqueryRole",
    "Superlative",
    "Token",
    "TokenKind",
    "Void",
    "VoidKind",
    "Window",
]
