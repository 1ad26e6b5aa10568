"""`sqlassay migrate`: the database's tables at this version."""

from __future__ import annotations

from service import database
from service.commands.stored import with_database


def migrate() -> None:
    """Brings the tables up to date and prints their revision."""
    print(with_database(database.migrate))
