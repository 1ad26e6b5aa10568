"""The folder of the embedded PostgreSQL when no setting names one."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs


def default_state_path() -> Path:
    """The user's state folder, or the system's when root's own is closed to other accounts."""
    user = platformdirs.user_state_path("sqlassay")
    # PostgreSQL refuses to run as root, and the account it runs as instead cannot enter root's home
    return platformdirs.site_state_path("sqlassay") if os.geteuid() == 0 and not enterable(user) else user


def enterable(path: Path) -> bool:
    """Whether every account may enter `path`, judged by the folders on the way that exist."""
    return all(each.stat().st_mode & 0o001 for each in (path, *path.parents) if each.exists())
