"""Events that took long in a chunk: each is judged alone, beside the chunks, so that no other event waits for it."""

from __future__ import annotations

from collections import Counter

from consumers.pool.flight import Job
from consumers.queueing.groups import FairGroups


class SetAside:
    """A line for each tenant, served in turn, one event at a time. It has a bounded number of places."""

    def __init__(self, *, each: int, most: int) -> None:
        self._each, self._most = each, most
        self._lines = FairGroups[Job](size=1)
        self._held = Counter[str]()

    def put(self, job: Job) -> bool:
        """Adds the job to its tenant's line, and returns whether there was a place."""
        if self._held[job.tenant] >= self._each or self._held.total() >= self._most:
            return False
        self._held[job.tenant] += 1
        self._lines.put(job.tenant, job)
        return True

    async def next(self) -> Job:
        """Waits for the next job; its place is free again after `release`."""
        (job,) = await self._lines.next()
        return job

    def release(self, job: Job) -> None:
        """Frees the job's place."""
        self._held[job.tenant] -= 1
        self._held += Counter[str]()  # without tenants that hold no place
