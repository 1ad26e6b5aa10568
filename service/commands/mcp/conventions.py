"""What an agent can know of a house before it writes SQL."""

from __future__ import annotations

from typing import Any

from consumers.wire.rules_document import RulesDocument

_STATED = (
    "conventions",
    "benign_filters",
    "ignore_filters",
    "column_mappings",
    "look_alikes",
    "time_zones",
    "units",
    "codes",
)
"""The keys of the rules that say how a query of this house is written."""
ALWAYS = (
    "A condition that leaves out deleted, test or internal rows may be added without being asked for.",
    "A condition for the current version of a row may be added without being asked for.",
    "A condition on the tenant or organisation may be added without being asked for.",
    "A condition that leaves out cancelled, void, draft, rejected or duplicate rows may be added without being asked"
    " for, unless the question speaks of them.",
)
"""The conventions that hold without rules: `scoring.alignment.conventions`."""


def house_record(rules: RulesDocument, dialect: str | None) -> dict[str, Any]:
    """The conventions that the rules state, those that always hold, and the dialect.

    >>> found = house_record(RulesDocument(benign_filters=["is_test = 0"], lambda_min=500), None)
    >>> found["benign_filters"], found["safety_limit"], len(found["always"])
    (['is_test = 0'], 500, 4)
    """
    stated = rules.model_dump(mode="json", include=set(_STATED))
    return {
        "dialect": dialect or rules.dialect,
        **{name: stated[name] for name in _STATED},
        "safety_limit": rules.lambda_min,
        "always": list(ALWAYS),
    }
