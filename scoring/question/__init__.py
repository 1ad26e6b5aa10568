"""Reads questions into specifications (`Sq`), deterministically, by the tables of one language."""

from __future__ import annotations

from scoring.question.english import ENGLISH
from scoring.question.enriched import read_enriched
from scoring.question.language import Language
from scoring.question.questions import read_question

__all__ = ["ENGLISH", "Language", "read_enriched", "read_question"]
