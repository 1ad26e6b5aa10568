"""The `sqlassay` command, also available as `python -m service`."""

from __future__ import annotations

from service.commands.cli import app


def main() -> None:
    """Runs the command line."""
    app()


if __name__ == "__main__":
    main()
