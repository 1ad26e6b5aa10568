"""Results on their way to a topic, of which a broker may accept some and refuse others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from consumers.evaluation.event_evaluation import Claim, Evaluation, EventKey
from consumers.pool.ports import Results, ResultsTooLarge


@dataclass(slots=True)
class UnpublishedResults:
    """Publishes what is left of a group at each call, so that a retry repeats no accepted result."""

    results: Results
    left: Mapping[EventKey, Evaluation | Claim]

    async def __call__(self) -> None:
        """Returns once all are published; raises `Unavailable`."""
        try:
            await self.results.publish(self.left)
        except ResultsTooLarge as error:
            self.left = {key: end for key, end in self.left.items() if key in error.keys}
            raise
