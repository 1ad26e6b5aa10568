"""An environment for each peer, below a cache folder: their packages clash with each other and with ours."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

CACHE = Path(os.environ.get("SQLASSAY_TEST_PEERS", Path(__file__).parents[2] / "build" / "peers"))
PEERS = {
    "text2sql-eval-toolkit": ("text2sql-eval-toolkit==1.6.0",),
    "attestql": ("attestql==0.4.0",),
    "sqlas": ("sqlas==2.8.0",),
    # it imports nltk and sqlparse without naming them
    "nl2sql360": ("nl2sql360==1.1.0", "nltk", "sqlparse"),
}
"""The packages of each peer."""


class PeerMissingError(Exception):
    """A peer cannot be installed; the message says why."""


def version(peer: str) -> str:
    """The version that is measured."""
    return PEERS[peer][0].partition("==")[2]


def binaries(peer: str) -> Path:
    """The folder of the peer's programs; installs it the first time. Raises `PeerMissingError`."""
    folder = CACHE / peer
    installed = folder / "installed"
    packages = "\n".join(PEERS[peer])
    if not installed.is_file() or installed.read_text() != packages:
        _run(sys.executable, "-m", "venv", "--clear", str(folder))
        _run(str(folder / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check", *PEERS[peer])
        installed.write_text(packages)
    return folder / "bin"


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        said = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise PeerMissingError(f"not installed: {said[:120]}")
