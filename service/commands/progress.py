"""A progress bar on stderr, only where a person looks at it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress


@contextmanager
def progress(title: str, total: int | None) -> Generator[Callable[[int], None]]:
    """Gives a function that is told how much more is done; silent where stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=total)
        yield lambda more: bar.update(task, advance=more)
