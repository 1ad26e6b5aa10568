"""How much CPU one item of a tenant may take while others wait: a decider that reads no clock."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field


@dataclass(slots=True, kw_only=True)
class Allowances:
    """Seconds of CPU for one item of each tenant in a chunk; an item that takes more is set aside.

    A tenant gets less for a while each time one of its items exceeds the allowance: a hundred such items in a row must
    not cost the others a hundred times the first allowance.

    >>> allowances = Allowances(most=0.2, least=0.05)
    >>> for second in range(4):
    ...     allowances.note_exceeded("atlas", now=second)
    >>> allowances.seconds("atlas", now=5.0), allowances.seconds("comet", now=5.0)
    (0.05, 0.2)
    >>> allowances.seconds("atlas", now=99.0)
    0.2
    """

    most: float = 0.25
    """A hundred times an ordinary item."""
    least: float = 0.06
    """Thirty times an ordinary item: less would end one whose process is cold."""
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
