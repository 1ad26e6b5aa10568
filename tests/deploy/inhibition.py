"""Which alerts Alertmanager would silence, by the inhibition rules of the example."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

Labels: TypeAlias = Mapping[str, str]
_MATCHER = re.compile(r'(\w+)(=~|!~|!=|=)"([^"]*)"')


def silenced(rules: Sequence[dict[str, Any]], firing: Sequence[Labels]) -> list[Labels]:
    """The alerts among `firing` that others of them silence."""
    return [each for each in firing if any(_silences(rule, other, each) for rule in rules for other in firing)]


def _silences(rule: dict[str, Any], source: Labels, target: Labels) -> bool:
    sources, targets = rule["source_matchers"], rule["target_matchers"]
    if not (_matches(sources, source) and _matches(targets, target)):
        return False
    # an alert that could silence this one in turn does not, so no two silence each other
    if _matches(targets, source) and _matches(sources, target):
        return False
    return all(source.get(name, "") == target.get(name, "") for name in rule.get("equal", []))


def _matches(matchers: Sequence[str], labels: Labels) -> bool:
    for matcher in matchers:
        parts = _MATCHER.fullmatch(matcher)
        assert parts, matcher
        name, operator, value = parts.groups()
        held = labels.get(name, "")
        same = re.fullmatch(value, held) is not None if "~" in operator else held == value
        if same == operator.startswith("!"):
            return False
    return True
