"""Real servers for tests: Apache Kafka, PostgreSQL 15 and 18, Redis; on loopback ports and in folders of their own.

`python -m tests.servers` installs what they need where it may; where not, it exits 1 and says what is missing.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from tests.servers.install import (
    ALERTMANAGER,
    AMTOOL,
    JAVA,
    POSTGRES,
    PROMETHEUS,
    PROMTOOL,
    REDIS,
    ServerMissing,
    kafka_jars,
)
from tests.servers.named import DATABASE_URL, KAFKA, REDIS_URL

NEEDED: tuple[tuple[str | None, tuple[Callable[[], object], ...]], ...] = (
    (KAFKA, (JAVA.find, kafka_jars)),
    (REDIS_URL, (REDIS.find,)),
    (DATABASE_URL, (POSTGRES.find,)),
    (None, (PROMETHEUS.find, PROMTOOL.find, ALERTMANAGER.find, AMTOOL.find)),
)
"""What to find unless the variable, if there is one, names a server."""


def main() -> int:
    missing = 0
    for variable, finds in NEEDED:
        if variable is not None and os.environ.get(variable):
            print(f"{variable} names a server")
            continue
        for find in finds:
            try:
                print(find())
            except ServerMissing as error:
                missing += 1
                print(error, file=sys.stderr)
    return int(missing > 0)


if __name__ == "__main__":
    sys.exit(main())
