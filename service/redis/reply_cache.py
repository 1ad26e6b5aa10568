"""Replies of models, kept in Redis for all workers."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import cast

from service.redis.link import RedisLink


@dataclass(frozen=True, slots=True)
class RedisReplies:
    """A `ReplyCache`. Where texts are masked, the replies hold stand-ins only."""

    link: RedisLink
    seconds: int
    """How long a reply is kept."""

    async def find(self, tenant: str, model: str, digest: str) -> str | None:
        """Returns what the model replied to the prompt with this digest; raises `CacheUnavailable`."""
        with self.link.use("replies") as client:
            found = await client.get(self._key(tenant, model, digest))
        return found.decode("utf-8", "replace") if isinstance(found, bytes) else found

    async def keep(self, tenant: str, model: str, digest: str, text: str) -> None:
        """Stores a reply; raises `CacheUnavailable`."""
        with self.link.use("replies") as client:
            await client.set(self._key(tenant, model, digest), text, ex=self.seconds)

    async def forget(self, tenant: str) -> int:
        """Removes all replies of a tenant and returns their number; raises `CacheUnavailable`."""
        removed = 0
        with self.link.use("forget") as client:
            pattern = _escaped_pattern(self.link.key("reply", tenant)) + ":*"
            # the library leaves the type of its keys open
            scan = cast("Callable[..., AsyncIterator[bytes]]", client.scan_iter)  # pyright: ignore[reportUnknownMemberType]
            async for key in scan(match=pattern, count=1000):
                removed += await client.unlink(key)
        return removed

    def _key(self, tenant: str, model: str, digest: str) -> str:
        return self.link.key("reply", tenant, model, digest)


def _escaped_pattern(name: str) -> str:
    """A Redis pattern that matches only this name."""
    return "".join(f"\\{each}" if each in r"*?[]\^" else each for each in name)
