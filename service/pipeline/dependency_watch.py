"""Watches the servers that a process depends on: probes each on its own, and says which of them do not answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field

from consumers.errors import Unavailable
from service.background import background_task
from service.logs import log
from service.metrics import Metrics
from service.metrics.dependency_metrics import Dependency

Probe = Callable[[float], Awaitable[None]]
"""Asks a dependency for at most so many seconds; raises `Unavailable`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchPolicy:
    """How often a dependency is probed, and when it counts as down."""

    every: float = 5.0
    """Seconds between probes."""
    timeout: float = 5.0
    """Seconds that a probe may take."""
    patience: float = 10.0
    """Seconds of failures in a row after which a dependency is down: brokers and databases restart one by one."""


@dataclass(slots=True, kw_only=True)
class Reachability:
    """Whether a dependency answers. `now` is in seconds of any monotonic clock.

    >>> state = Reachability(patience=10)
    >>> state.is_up(0), state.answered(), state.is_up(1), state.failed(2), state.is_up(11), state.is_up(12)
    (None, None, True, None, True, False)
    >>> state.failed(13), state.answered(), state.is_up(14)
    (None, None, True)
    """

    patience: float
    _answered: bool = False
    _failing_since: float | None = None

    def answered(self) -> None:
        """Notes an answer."""
        self._answered, self._failing_since = True, None

    def failed(self, now: float) -> None:
        """Notes a failure."""
        if self._failing_since is None:
            self._failing_since = now

    def is_up(self, now: float) -> bool | None:
        """Whether it counts as up; `None` where it has neither answered nor failed for long enough."""
        if self._failing_since is not None and now >= self._failing_since + self.patience:
            return False
        return True if self._answered else None


@dataclass(slots=True, kw_only=True, eq=False)
class WatchedDependency:
    """One dependency and what is known of it."""

    dependency: Dependency
    probe: Probe
    needed: bool
    """Whether the process cannot do its work without it."""
    state: Reachability
    up: bool | None = None
    """Whether it was up after the last probe; `None` is not known yet."""
    fault: str = ""
    """What the last failure said."""


@dataclass(slots=True, kw_only=True, eq=False)
class DependencyWatch:
    """The dependencies of one process."""

    metrics: Metrics
    policy: WatchPolicy = field(default_factory=WatchPolicy)
    timer: Callable[[], float] = time.monotonic
    watched: list[WatchedDependency] = field(default_factory=list[WatchedDependency])

    def add(self, dependency: Dependency, probe: Probe, *, needed: bool) -> WatchedDependency:
        """Watches one more dependency."""
        state = Reachability(patience=self.policy.patience)
        made = WatchedDependency(dependency=dependency, probe=probe, needed=needed, state=state)
        self.watched.append(made)
        return made

    def missing(self, without: Collection[Dependency] = ()) -> Sequence[WatchedDependency]:
        """The dependencies that the process needs and that do not answer, apart from those in `without`."""
        return [each for each in self.watched if each.needed and each.up is False and each.dependency not in without]

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Probes while the context is open. A dependency that hangs delays the probes of no other."""
        async with AsyncExitStack() as stack:
            for each in self.watched:
                name = f"watch-{each.dependency.value}"
                await stack.enter_async_context(background_task(self._watch(each), name))
            yield

    async def _watch(self, each: WatchedDependency) -> None:
        while True:
            began, was = self.timer(), each.up
            await self._probe(each)
            now = self.timer()
            each.up = each.state.is_up(now)
            self.metrics.dependencies.probed(each.dependency, each.up, now - began)
            if each.up is False and was is not False:
                log.warning("dependency_down", dependency=each.dependency.value, error=each.fault)
            elif each.up and was is False:
                log.info("dependency_up", dependency=each.dependency.value)
            await asyncio.sleep(self.policy.every)

    async def _probe(self, each: WatchedDependency) -> None:
        try:
            # a probe bounds itself; this is for one that does not
            async with asyncio.timeout(2 * self.policy.timeout):
                await each.probe(self.policy.timeout)
        except (Unavailable, TimeoutError) as error:
            each.fault = str(error) or f"no answer within {self.policy.timeout:g} seconds"
        except Exception as bug:
            each.fault = f"a bug of the probe: {type(bug).__name__}"
            self.metrics.failed(f"watch of {each.dependency.value}", bug)
        else:
            each.state.answered()
            return
        each.state.failed(self.timer())
