"""Bounds how many logins may fail, by address. Memory is bounded too: addresses share a fixed number of counters."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field

from limits import RateLimitItemPerMinute
from limits.storage import MemoryStorage
from limits.strategies import FixedWindowRateLimiter

_MINUTES = 5
_COUNTERS = 1 << 16
WAIT_SECONDS = _MINUTES * 60
"""Longest wait after too many failures."""


@dataclass(slots=True)
class FailedLogins:
    """Counts failures of this process. The counters are mixed with a secret of it, so none can be aimed at."""

    attempts: int
    _limiter: FixedWindowRateLimiter = field(default_factory=lambda: FixedWindowRateLimiter(MemoryStorage()))

    def may_try(self, address: str) -> bool:
        """Whether a login from this address may be tried."""
        return self._limiter.test(self._limit, _counter(address))

    def failed(self, address: str) -> None:
        """Counts a failure."""
        self._limiter.hit(self._limit, _counter(address))

    @property
    def _limit(self) -> RateLimitItemPerMinute:
        return RateLimitItemPerMinute(self.attempts, _MINUTES)


def _counter(address: str) -> str:
    try:
        read = ipaddress.ip_address(address)
    except ValueError:
        return str(hash(address) % _COUNTERS)
    if isinstance(read, ipaddress.IPv6Address) and read.ipv4_mapped is None:
        # a provider gives each customer a whole /64, so its addresses count as one client
        read = ipaddress.ip_network((read, 64), strict=False).network_address
    return str(hash(str(read)) % _COUNTERS)
