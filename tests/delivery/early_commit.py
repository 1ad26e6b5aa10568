"""A worker with a bug on purpose: it commits the offset of what it has taken, not of what it has stored.

Only the suites run it, in a process of its own, to show that they would notice.
"""

from __future__ import annotations

from typing import Any

from aiokafka import AIOKafkaConsumer

from service.__main__ import main

made = AIOKafkaConsumer.__init__


def made_to_commit_early(self: AIOKafkaConsumer, *topics: str, **options: Any) -> None:
    """Adds the bug to every consumer of this process."""
    made(self, *topics, **{**options, "enable_auto_commit": True, "auto_commit_interval_ms": 20})


if __name__ == "__main__":
    AIOKafkaConsumer.__init__ = made_to_commit_early
    main()
