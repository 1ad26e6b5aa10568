"""A progress bar on stderr, only on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager


@contextmanager
def progress(title: str, total: int | None) -> Generator[Callable[[int], None]]:
    """Yields a function that advances the bar. Does nothing when stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console  # noqa: PLC0415 most runs have no terminal
    from rich.progress import Progress  # noqa: PLC0415 as above

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=total)
        yield lambda more: bar.update(task, advance=more)
