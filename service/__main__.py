"""The `sqlassay` command, also available as `python -m service`."""

from __future__ import annotations

import atexit
import gc
import os

_OBJECTS = 200_000
"""New objects after which garbage is collected: more than any command needs to start."""


def main() -> None:
    """Runs the command line."""
    # with the default of 700 objects, a twentieth of the time to start goes into looking at what imports have made
    gc.set_threshold(_OBJECTS, 20, 50)
    # another twentieth goes into looking at all of it once more at the end, when it goes with the process anyway
    atexit.register(gc.freeze)
    # and one into reading what every installed package offers to plug into Pydantic; a value that is set stays
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "true")
    from service.commands.cli import app  # noqa: PLC0415 for the reasons above

    app()


if __name__ == "__main__":
    main()
