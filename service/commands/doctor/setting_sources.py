"""Where an option of PostgreSQL is set, and the statement that takes it back there."""

from __future__ import annotations

CLIENT = "client"
"""What `pg_settings` says of a setting that the connection brought."""


def take_back(option: str, default: str, *, source: str, role: str, name: str) -> tuple[str, str]:
    """What the option is set for, and how it is `default` again.

    >>> take_back("search_path", "public", source="user", role="assay", name="quality")
    ('the role', 'run as a superuser: ALTER ROLE assay RESET search_path')
    """
    if source == CLIENT:
        return "this connection", f"take {option} out of SQLASSAY_DATABASE__URL"
    where, statement = {
        "user": ("the role", f"ALTER ROLE {role} RESET {option}"),
        "database user": ("the role in this database", f"ALTER ROLE {role} IN DATABASE {name} RESET {option}"),
        "database": ("the database", f"ALTER DATABASE {name} RESET {option}"),
        "global": ("all roles", f"ALTER ROLE ALL RESET {option}"),
    }.get(source, ("the server", f"ALTER SYSTEM SET {option} = {default}; SELECT pg_reload_conf()"))
    return where, f"run as a superuser: {statement}"
