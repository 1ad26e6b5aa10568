"""Runs `sqlassay` in the test's own process, which saves the seconds that a new process takes to start."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import threading

import structlog
from typer.testing import CliRunner

from service.commands.cli import app


def sqlassay(*arguments: str, text: str | bytes = "", **settings: str) -> subprocess.CompletedProcess[str]:
    """Runs a command with these settings and no others. An exception that is not an exit fails the test."""
    unset = dict.fromkeys((name for name in os.environ if name.startswith("SQLASSAY_")), None)
    on_closed_pipe = signal.getsignal(signal.SIGPIPE)
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    try:
        done = CliRunner().invoke(app, arguments, input=text, env={**unset, **settings}, catch_exceptions=False)
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGPIPE, on_closed_pipe)
        # the command's log goes to a stderr that is closed now
        structlog.reset_defaults()
        root.handlers = handlers
        root.setLevel(level)
    return subprocess.CompletedProcess(arguments, done.exit_code, done.stdout, done.stderr)
