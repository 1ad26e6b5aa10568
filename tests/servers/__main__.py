"""Real servers for tests: Apache Kafka, PostgreSQL 15 and 18, Redis; on loopback ports and in folders of their own.

`python -m tests.servers` (`make servers`) installs what they need: on Debian as root. Elsewhere it exits 1 and names
what is missing.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

from tests.servers.install import (
    ALERTMANAGER,
    AMTOOL,
    CHROMIUM,
    JAVA,
    NSS_WRAPPER,
    PGBOUNCER,
    POSTGRES,
    PROMETHEUS,
    PROMTOOL,
    REDIS,
    ServerMissing,
    kafka_jars,
)
from tests.servers.kafka_server import archive_classes
from tests.servers.named import DATABASE_URL, KAFKA, REDIS_URL

NEEDED: tuple[tuple[str | None, tuple[Callable[..., Path], ...]], ...] = (
    (KAFKA, (JAVA.find, kafka_jars)),
    (REDIS_URL, (REDIS.find,)),
    (DATABASE_URL, (POSTGRES.find,)),
    (None, (PROMETHEUS.find, PROMTOOL.find, ALERTMANAGER.find, AMTOOL.find)),
    (None, (PGBOUNCER.find,)),
    (None, (NSS_WRAPPER.find,)),
    (None, (CHROMIUM.find,)),
)
"""What to install, unless the variable names a running server."""


def main() -> int:
    missing = 0
    for variable, finds in NEEDED:
        if variable is not None and os.environ.get(variable):
            print(f"{variable} names a server")
            continue
        for find in finds:
            try:
                print(find(install=True))
            except ServerMissing as error:
                missing += 1
                print(error, file=sys.stderr)
    if not missing and not os.environ.get(KAFKA):
        print(archive_classes())
    return int(missing > 0)


if __name__ == "__main__":
    sys.exit(main())
