"""The console script: `sqlassay`, or `python -m service`."""

from __future__ import annotations

import os
import sys

from service.commands.cli import app
from service.commands.exits import Exit


def main() -> None:
    """Runs the command line; a reader that stops reading (`| head`) is no failure."""
    try:
        app()
    except BrokenPipeError:
        # The interpreter flushes stdout once more on its way out and would fail again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(int(Exit.DONE)) from None


if __name__ == "__main__":
    main()
