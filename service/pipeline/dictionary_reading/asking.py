"""Asks a model to read a data dictionary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from consumers.judging.prompting import MAX_PROMPT, as_data
from consumers.judging.reply_schema import closed_object
from learning.dictionary.files import DictionaryFile
from learning.rules.examples import LearningStopped
from service.judges.configured_panel import judge_template
from service.pipeline.rule_learning.learning_models import LearningModels
from service.pipeline.rule_learning.written_replies import task_prompt

PROMPT = "dictionary-1"
"""The current prompt file."""
_WORDS = {"type": "array", "items": {"type": "string"}}
_BY_COLUMN = {"type": "object", "additionalProperties": {"type": "string"}}

REPLY_SCHEMA: Mapping[str, object] = {
    "type": "object",
    "properties": {
        "conventions": {
            "type": "array",
            "items": closed_object(
                {
                    "table": {"type": "string"},
                    "predicate": {"type": "string"},
                    "when": _WORDS,
                    "required": {"type": "boolean"},
                },
                ("table", "predicate", "when", "required"),
            ),
        },
        "codes": {"type": "object", "additionalProperties": _BY_COLUMN},
        "look_alikes": {
            "type": "array",
            "items": closed_object(
                {"column": {"type": "string"}, "instead_of": _WORDS, "when": _WORDS}, ("column", "instead_of", "when")
            ),
        },
        "units": _BY_COLUMN,
        "fiscal_year": {"type": ["object", "null"]},
        "time_zones": {
            "type": "array",
            "items": closed_object(
                {"zone": {"type": "string"}, "columns": _WORDS, "parts": _WORDS}, ("zone", "columns", "parts")
            ),
        },
    },
    "required": ["conventions", "codes", "look_alikes", "units", "fiscal_year", "time_zones"],
}
"""The form of a reply, for servers with structured output."""


async def asked_to_read(models: LearningModels, files: Sequence[DictionaryFile], dialect: str | None) -> str:
    """What the writing model replies; raises `LearningStopped`, also where the files are too long for a prompt."""
    data = {"dialect": dialect, "files": [{"name": each.name, "text": each.text} for each in files]}
    size = len(as_data(data))
    if size > MAX_PROMPT:
        raise LearningStopped(
            f"the files have {size} characters as data, and at most {MAX_PROMPT} are sent: give the dictionary in"
            " parts, each with the DDL of its tables"
        )
    prompt = task_prompt(
        judge_template(PROMPT), data, REPLY_SCHEMA, "Read the dictionary. Reply with the JSON object only."
    )
    return await models.written(prompt)
