"""A worker whose wall clock is set forth and back by a file, as it sees it; the monotonic clock goes on.

libfaketime would fake it for the whole process, and makes waits of threads fail.
"""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime
from pathlib import Path

from service.pipeline import process_parts

WRONG_BY = "SQLASSAY_TEST_WRONG_BY"
"""Names a file that holds seconds."""
true_time = time.time


def wrong_time() -> float:
    """The time by the clock that is wrong."""
    return true_time() + float(Path(os.environ[WRONG_BY]).read_text() or 0)


def wrong_now() -> datetime:
    """The same as the product asks for it."""
    return datetime.fromtimestamp(wrong_time(), UTC)


if __name__ == "__main__":
    # before the modules that import them by name
    time.time, process_parts.utc_now = wrong_time, wrong_now
    from service.__main__ import main

    main()
