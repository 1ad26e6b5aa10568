"""How processes are started: forked from a server without threads, where all modules are loaded.

A fork of this process could hold a lock that no thread releases, and a new interpreter takes a second to start; a fork
of that server takes a hundredth of it.
"""

from __future__ import annotations

import multiprocessing
from multiprocessing import forkserver
from multiprocessing.context import ForkServerContext

from service import processes


def forking_context() -> ForkServerContext:
    """The context of all processes."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([f"{processes.__name__}.preloaded"])
    return context


def start_server() -> None:
    """Starts the server that forks, so that it is ready when the first process is needed; does not wait for it."""
    forking_context()
    forkserver.ensure_running()
