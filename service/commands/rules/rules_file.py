"""Reads a rules file or a schema for the commands that take one."""

from __future__ import annotations

from consumers.wire.rules_document import MAX_RULES_BYTES, InvalidRules, RulesDocument, decode_rules
from consumers.wire.schema_document import MAX_SCHEMA_BYTES, InvalidSchema, SchemaDocument, decode_schema
from scoring.schema import DatabaseSchema
from service.commands.exits import refuse
from service.commands.jsonl import STANDARD, open_input
from service.processes.forked_call import CallEnded, call_in_fork

_CPU_SECONDS = 10.0
"""More than the service allows by default, since a terminal belongs to one person."""


def load_schema(source: str) -> DatabaseSchema:
    """Returns the schema in a file, ready to apply; otherwise as `load_schema_document`."""
    return load_schema_document(source).schema_of_database()


def load_schema_document(source: str) -> SchemaDocument:
    """Returns the schema in a file. Ends the command when it is invalid, or too costly to read."""
    with open_input(source) as stream:
        text = stream.read(MAX_SCHEMA_BYTES + 1)
    name = "stdin" if source == STANDARD else source
    try:
        return call_in_fork(decode_schema, text, cpu_seconds=_CPU_SECONDS)
    except InvalidSchema as error:
        refuse(f"schema in {name}: {error}")
    except CallEnded as ended:
        why = f"it takes more than {_CPU_SECONDS:g} s of CPU to read" if ended.over_limit else str(ended)
        refuse(f"schema in {name}: {why}: give a catalogue as JSON, or fewer tables")


def load_rules(source: str) -> RulesDocument:
    """Returns the rules in a file. Ends the command when they are invalid, or too costly to read."""
    with open_input(source) as stream:
        text = stream.read(MAX_RULES_BYTES + 1)
    name = "stdin" if source == STANDARD else source
    try:
        return call_in_fork(decode_rules, text, cpu_seconds=_CPU_SECONDS)
    except InvalidRules as error:
        refuse(f"rules in {name}: {error}")
    except CallEnded as ended:
        why = f"they take more than {_CPU_SECONDS:g} s of CPU to read" if ended.over_limit else str(ended)
        refuse(f"rules in {name}: {why}: remove or shorten predicates of benign_filters")
