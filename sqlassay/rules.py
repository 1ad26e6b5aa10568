"""A tenant's rules, as the keys of a rules document: the same names and checks as in the service."""

from __future__ import annotations

from collections.abc import Mapping

from consumers.wire.rules_document import InvalidRules, decode_rules
from consumers.wire.rules_document import RulesDocument as Rules
from scoring.rules import Rules as ReadRules

__all__ = ["InvalidRules", "Rules", "read_rules"]


def read_rules(rules: Rules | Mapping[str, object]) -> ReadRules:
    """The rules ready to apply; raises `InvalidRules`, which names the key, the value and the fix."""
    document = rules if isinstance(rules, Rules) else decode_rules(rules)
    return document.rules(version=0)
