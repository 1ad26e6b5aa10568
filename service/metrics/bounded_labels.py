"""Bounds the number of values of a metric label, however many names there are."""

from __future__ import annotations

from dataclasses import dataclass, field

OTHER = "other"
"""Label value of every name beyond the bound."""


@dataclass(slots=True)
class BoundedLabels:
    """Values of one label: the first `most` names keep theirs, and all later ones become `other`.

    >>> names = BoundedLabels(1)
    >>> names.label("atlas"), names.label("comet"), names.label("atlas")
    ('atlas', 'other', 'atlas')
    """

    most: int
    seen: set[str] = field(default_factory=set[str])

    def label(self, name: str) -> str:
        if name not in self.seen:
            if len(self.seen) >= self.most:
                return OTHER
            self.seen.add(name)
        return name


@dataclass(slots=True)
class VersionLabels:
    """Label values of versions, bounded for each agent. A missing version is `other`."""

    most: int
    of: dict[tuple[str, str], BoundedLabels] = field(default_factory=dict[tuple[str, str], BoundedLabels])

    def label(self, who: tuple[str, str], version: str | None) -> str:
        if version is None or OTHER in who:
            return OTHER
        return self.of.setdefault(who, BoundedLabels(self.most)).label(version)


@dataclass(slots=True)
class AgentLabels:
    """Label values of tenants and agents, with one bound for tenants and one for the agents of all tenants.

    >>> who = AgentLabels(tenants=BoundedLabels(2), agents=BoundedLabels(1))
    >>> who.label("shop", "atlas"), who.label("shop", "comet"), who.label("club", "atlas")
    (('shop', 'atlas'), ('shop', 'other'), ('club', 'other'))
    """

    tenants: BoundedLabels
    agents: BoundedLabels

    def label(self, tenant: str, agent: str) -> tuple[str, str]:
        """The label values of one agent. If the tenant is `other`, so is the agent."""
        known = self.tenants.label(tenant)
        # a tenant name holds no control character, so no two pairs make the same text
        if known == OTHER or self.agents.label(f"{tenant}\0{agent}") == OTHER:
            return known, OTHER
        return known, agent
