"""The `sqlassay` command, also available as `python -m sqlassay`."""

from __future__ import annotations

import sys


def main() -> None:
    """Runs the command line. A command whose packages are not installed says which extra brings them."""
    try:
        from service.__main__ import main as run  # noqa: PLC0415 the library is installed without the commands

        run()
    except ModuleNotFoundError as error:
        missing = error.name or ""
        if missing.partition(".")[0] in _OWN:
            raise
        print(f"sqlassay: this command needs {missing}: {_EXTRAS}", file=sys.stderr)
        raise SystemExit(2) from None


_OWN = frozenset({"sqlassay", "service", "evals", "consumers", "learning", "references", "scoring", "migrations"})
_EXTRAS = "pip install 'sqlassay[cli]' for `score`, 'sqlassay[mcp]' for `mcp`, 'sqlassay[service]' for all others"

if __name__ == "__main__":
    main()
