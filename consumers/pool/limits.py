"""The bounds of the pool."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolLimits:
    """How much is in flight, and for how long."""

    records: int = 2000
    size: int = 64 * 1024 * 1024
    """Bytes of all records in flight; one alone may be larger."""
    batch: int = 200
    """Records decoded together, and rows written together."""
    chunk: int = 64
    """Events looked up and examined together: another tenant's event waits for one chunk at most."""
    alone: int = 100
    """Events of one tenant that wait to be examined alone; further ones are deferred."""
    linger: float = 0.005
    """Seconds a batch waits for more."""
    tenant_asks: int = 200
    """Events of one tenant that are in ASKING at once. More than its calls in flight, so that none of those idles."""
    deadline: float = 60.0
    """Seconds until an event that waits for a model is deferred."""
    patience: float | None = 2.0
    """Seconds to wait for a store or rules that are down before records are handed back; `None` waits for ever."""
