"""The `sqlassay` command, also available as `python -m sqlassay`."""

from __future__ import annotations

import gc
import os
import sys


def main() -> None:
    """Runs the command line. A command whose packages are not installed says which extra brings them."""
    # with the default of 700 objects, a twentieth of the time to start goes into looking at what imports have made
    gc.set_threshold(_OBJECTS, 20, 50)
    # reading what every installed package offers to plug in takes another twentieth; a value that is set stays
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "true")
    try:
        from service.commands.cli import app  # noqa: PLC0415 the library is installed without the commands

        app()
    except ModuleNotFoundError as error:
        missing = error.name or ""
        if missing.partition(".")[0] in _OWN:
            raise
        print(f"sqlassay: this command needs {missing}: {_EXTRAS}", file=sys.stderr)
        raise SystemExit(2) from None


_OBJECTS = 50_000
"""New objects after which garbage is collected."""
_OWN = frozenset({"sqlassay", "service", "evals", "consumers", "learning", "references", "scoring", "migrations"})
_EXTRAS = "pip install 'sqlassay[cli]' for `score`, 'sqlassay[mcp]' for `mcp`, 'sqlassay[service]' for all others"

if __name__ == "__main__":
    main()
