"""Reads a rules file or a schema for the commands that take one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from consumers.wire.rules_document import MAX_RULES_BYTES, InvalidRules, RulesDocument, decode_rules
from consumers.wire.schema_document import MAX_SCHEMA_BYTES, InvalidSchema, SchemaDocument, decode_schema
from scoring.schema import DatabaseSchema
from service.commands.exits import refuse
from service.commands.jsonl import STANDARD, open_input
from service.processes.forked_call import CallEnded, call_in_fork

_Document = TypeVar("_Document")
_CPU_SECONDS = 10.0
"""More than the service allows by default, since a terminal belongs to one person."""


def load_schema(source: str) -> DatabaseSchema:
    """Returns the schema in a file, ready to apply; otherwise as `load_schema_document`."""
    return load_schema_document(source).schema_of_database()


def load_schema_document(source: str) -> SchemaDocument:
    """Returns the schema in a file. Ends the command when it is invalid, or too costly to read."""
    advice = "give a catalogue as JSON, or fewer tables"
    return _load(source, "schema", MAX_SCHEMA_BYTES, decode_schema, InvalidSchema, advice)


def load_rules(source: str) -> RulesDocument:
    """Returns the rules in a file. Ends the command when they are invalid, or too costly to read."""
    advice = "remove or shorten predicates of benign_filters"
    return _load(source, "rules", MAX_RULES_BYTES, decode_rules, InvalidRules, advice)


def _load(
    source: str, what: str, most_bytes: int, decode: Callable[[bytes], _Document], invalid: type[Exception], advice: str
) -> _Document:
    with open_input(source) as stream:
        text = stream.read(most_bytes + 1)
    name = "stdin" if source == STANDARD else source
    try:
        return call_in_fork(decode, text, cpu_seconds=_CPU_SECONDS)
    except invalid as error:
        refuse(f"{what} in {name}: {error}")
    except CallEnded as ended:
        why = f"reading takes more than {_CPU_SECONDS:g} s of CPU" if ended.over_limit else str(ended)
        refuse(f"{what} in {name}: {why}: {advice}")
