"""Reads questions into specifications (`Sq`), deterministically, with the tables of one language.

A text is cut into tokens (`tokens`), its cues are marked (`marks`), and readers claim tokens in order (`questions`).

Change this here when it concerns:

- how the question is read, or its language: `scoring/question/` (tables in `scoring/question/english/`); then a case in
  `tests/cases/question/`
"""

from __future__ import annotations

from scoring.question.english import ENGLISH
from scoring.question.enriched import read_enriched
from scoring.question.language import Language
from scoring.question.questions import read_question

__all__ = ["ENGLISH", "Language", "read_enriched", "read_question"]
