"""The `sqlassay` command, also available as `python -m service`."""

from __future__ import annotations

import gc

from service.commands.cli import app

_OBJECTS = 50_000
"""New objects after which garbage is collected."""


def main() -> None:
    """Runs the command line."""
    # with the default of 700 objects, a twentieth of the time to start goes into looking at what imports have made
    gc.set_threshold(_OBJECTS, 20, 50)
    app()


if __name__ == "__main__":
    main()
