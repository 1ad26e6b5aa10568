"""What can go wrong outside the process, by who must act: wait and try again, or give the event up."""

from __future__ import annotations


class Unavailable(Exception):  # noqa: N818 it names a state of the world, beside InvalidEvent
    """A dependency does not answer: try again later, slower."""


class StoreUnavailable(Unavailable):
    """The database does not answer."""


class RulesUnavailable(Unavailable):
    """The rules cannot be read."""


class CacheUnavailable(Unavailable):
    """Redis does not answer: do without it."""


class TooLargeForBroker(Unavailable):
    """The broker refuses messages for their size: they wait until its owner raises the limit."""


class RefusedByStore(Exception):  # noqa: N818 named for what happened
    """The store cannot hold these values, and never will."""
