"""Reads a rules file for the commands that take one."""

from __future__ import annotations

from consumers.wire.rules_document import MAX_RULES_BYTES, InvalidRules, RulesDocument, decode_rules
from service.commands.exits import refuse
from service.commands.jsonl import STANDARD, open_input


def load_rules(source: str) -> RulesDocument:
    """Returns the rules in a file. Ends the command when they are invalid."""
    with open_input(source) as stream:
        text = stream.read(MAX_RULES_BYTES + 1)
    try:
        return decode_rules(text)
    except InvalidRules as error:
        refuse(f"rules in {'stdin' if source == STANDARD else source}: {error}")
