"""Real servers for tests: Apache Kafka, PostgreSQL 15 and 18, Redis; on loopback ports and in folders of their own.

`python -m tests.servers` installs what they need where it may; where not, it exits 1 and says what is missing.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from tests.servers.install import JAVA, POSTGRES, REDIS, ServerMissing, kafka_jars
from tests.servers.named import DATABASE_URL, KAFKA, REDIS_URL

NEEDED: dict[str, tuple[Callable[[], object], ...]] = {
    KAFKA: (JAVA.find, kafka_jars),
    REDIS_URL: (REDIS.find,),
    DATABASE_URL: (POSTGRES.find,),
}
"""What to find for each server that no variable names."""


def main() -> int:
    missing = 0
    for variable, finds in NEEDED.items():
        if os.environ.get(variable):
            print(f"{variable} names a server")
            continue
        try:
            print(*(find() for find in finds), sep="\n")
        except ServerMissing as error:
            missing += 1
            print(error, file=sys.stderr)
    return int(missing > 0)


if __name__ == "__main__":
    sys.exit(main())
