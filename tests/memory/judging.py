"""The reply cache in memory, and replies of a model."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class MemoryReplies:
    """A `ReplyCache` that forgets with the process."""

    kept: dict[tuple[str, str, str], str] = field(default_factory=dict[tuple[str, str, str], str])

    async def find(self, tenant: str, model: str, digest: str) -> str | None:
        """The model's reply to that prompt."""
        return self.kept.get((tenant, model, digest))

    async def keep(self, tenant: str, model: str, digest: str, text: str) -> None:
        """Keeps the reply."""
        self.kept[tenant, model, digest] = text


def said(**fields: Any) -> str:
    """The text of a reply; `fields` replace those of a plain one."""
    whole = {"rationale": "r", "verdict": "Correct", "confidence": 0.8, "reason_codes": [], "question_filters": []}
    return json.dumps(whole | fields)
