"""Labels from bounded sets, however many names there are."""

from __future__ import annotations

from dataclasses import dataclass, field

OTHER = "other"
"""Label of tenants and agents beyond the bound."""


@dataclass(slots=True)
class Bounded:
    """Label values: the first `most` seen keep their name, all later ones are `other`.

    >>> names = Bounded(1)
    >>> names.label("atlas"), names.label("comet"), names.label("atlas")
    ('atlas', 'other', 'atlas')
    """

    most: int
    seen: set[str] = field(default_factory=set[str])

    def label(self, name: str) -> str:
        """The label of a name."""
        if name not in self.seen:
            if len(self.seen) >= self.most:
                return OTHER
            self.seen.add(name)
        return name


@dataclass(slots=True)
class Versions:
    """Labels of versions: the first so many of each agent that has a label; all others, and none, are `other`."""

    most: int
    of: dict[tuple[str, str], Bounded] = field(default_factory=dict[tuple[str, str], Bounded])

    def label(self, who: tuple[str, str], version: str | None) -> str:
        """The label of a version of the agent that has these labels."""
        if version is None or OTHER in who:
            return OTHER
        return self.of.setdefault(who, Bounded(self.most)).label(version)


@dataclass(slots=True)
class Who:
    """Labels of tenants and their agents: so many tenants, and so many agents of all of them together.

    >>> who = Who(tenants=Bounded(2), agents=Bounded(1))
    >>> who.label("shop", "atlas"), who.label("shop", "comet"), who.label("club", "atlas")
    (('shop', 'atlas'), ('shop', 'other'), ('club', 'other'))
    """

    tenants: Bounded
    agents: Bounded

    def label(self, tenant: str, agent: str) -> tuple[str, str]:
        """The labels of a tenant's agent; agents of other tenants are others."""
        known = self.tenants.label(tenant)
        # a tenant has no control character in its name: no two pairs are one text
        if known == OTHER or self.agents.label(f"{tenant}\0{agent}") == OTHER:
            return known, OTHER
        return known, agent
