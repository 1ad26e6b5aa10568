"""Reads definitions in enriched questions, and the formulas they are made of.

Change this here when a definition or a formula of an enriched question is read wrongly; then a case in
`tests/cases/question/`.
"""

from __future__ import annotations

from scoring.question.definitions.definition_reader import read_definitions
from scoring.question.definitions.formulas import Formula, read_formula

__all__ = ["Formula", "read_definitions", "read_formula"]
