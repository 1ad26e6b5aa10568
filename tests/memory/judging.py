"""The reply cache in memory."""

from __future__ import annotations

from dataclasses import dataclass, field


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
