"""The memories of many tenants, each apart from the others, bounded together."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field

from scoring.memory.tenant_memory import TenantMemory

MAX_TOTAL_BYTES = 256 * 1024 * 1024
"""Most bytes, about, that the memories of all tenants take."""
_TENANT_BYTES = 4096
"""About what an empty memory takes."""


@dataclass(slots=True)
class Memories:
    """One memory for each tenant. When all together are too large, the tenant unused for longest is forgotten."""

    max_bytes: int = MAX_TOTAL_BYTES
    _tenants: OrderedDict[str, TenantMemory] = field(default_factory=OrderedDict[str, TenantMemory])
    _size: int = 0

    def of(self, tenant: str) -> TenantMemory:
        """The tenant's memory, empty at first."""
        found = self._tenants.pop(tenant, None)
        if found is None:
            found = TenantMemory()
            self._size += _TENANT_BYTES
        self._tenants[tenant] = found
        return found

    def grew(self, by: int) -> None:
        """Counts the bytes that a tenant's memory grew by, and forgets other tenants when there are too many."""
        self._size += by
        while self._size > self.max_bytes and len(self._tenants) > 1:
            _, oldest = self._tenants.popitem(last=False)
            self._size -= oldest.size + _TENANT_BYTES
