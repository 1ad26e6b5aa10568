"""A progress bar on stderr, only on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress


@contextmanager
def progress(title: str, total: int | None) -> Generator[Callable[[int], None]]:
    """Yields a function that advances the bar. Does nothing when stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=total)
        yield lambda more: bar.update(task, advance=more)
