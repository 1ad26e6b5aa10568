"""How much CPU a tenant's items may take in one chunk: a decider that reads no clock."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field


@dataclass(slots=True, kw_only=True)
class Allowances:
    """Seconds of CPU for each tenant in one chunk, so that the other tenants of the chunk wait no longer than that.

    A tenant gets less for a while each time one of its items exceeds the allowance: a hundred such items in a row must
    not cost the others a hundred times the first allowance.

    >>> allowances = Allowances(most=0.2, least=0.05)
    >>> allowances.note_exceeded("atlas", now=0.0); allowances.note_exceeded("atlas", now=1.0)
    >>> allowances.seconds("atlas", now=2.0), allowances.seconds("comet", now=2.0)
    (0.05, 0.2)
    >>> allowances.seconds("atlas", now=99.0)
    0.2
    """

    most: float = 0.25
    """A chunk of ordinary events takes a third of this."""
    least: float = 0.03
    """Twenty times an ordinary event."""
    memory: float = 30.0
    """Seconds after which the last excess is forgotten."""
    _exceeded: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict[str, tuple[float, float]])
    """Each tenant's last excess, and its allowance since then."""

    def seconds(self, tenant: str, now: float) -> float:
        """The tenant's allowance in a chunk that starts now."""
        when, seconds = self._exceeded.get(tenant, (now, self.most))
        return seconds if now - when < self.memory else self.most

    def note_exceeded(self, tenant: str, now: float) -> None:
        """Halves the tenant's allowance: one of its items exceeded it."""
        self._exceeded[tenant] = now, max(self.least, self.seconds(tenant, now) / 2)
        self._exceeded.move_to_end(tenant)
        while now - next(iter(self._exceeded.values()))[0] >= self.memory:
            self._exceeded.popitem(last=False)
