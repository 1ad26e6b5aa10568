"""Finds what a PostgreSQL role may do besides reading, so that only a harmless one runs what others wrote."""

from __future__ import annotations

from typing import Any, Protocol


class Asks(Protocol):
    """A connection that runs our own queries."""

    async def fetch(self, query: str, /) -> list[Any]:
        """Returns the rows of a query."""
        ...


_POWERS = """
SELECT 'is a superuser, or a member of one' FROM pg_catalog.pg_roles
WHERE rolsuper AND pg_catalog.pg_has_role(oid, 'MEMBER')
UNION ALL
SELECT pg_catalog.concat('has ', attribute) FROM pg_catalog.pg_roles AS role, LATERAL (VALUES
    ('CREATEROLE', role.rolcreaterole), ('CREATEDB', role.rolcreatedb), ('REPLICATION', role.rolreplication),
    ('BYPASSRLS', role.rolbypassrls)) AS held (attribute, yes)
WHERE yes AND NOT role.rolsuper AND pg_catalog.pg_has_role(role.oid, 'MEMBER')
UNION ALL
SELECT pg_catalog.concat('is a member of ', rolname) FROM pg_catalog.pg_roles
WHERE rolname LIKE 'pg\\_%' AND rolname <> 'pg_database_owner' AND pg_catalog.pg_has_role(oid, 'MEMBER')
UNION ALL
SELECT pg_catalog.concat('owns or may create in the database ', datname) FROM pg_catalog.pg_database
WHERE datname = pg_catalog.current_database() AND pg_catalog.has_database_privilege(oid, 'CREATE')
UNION ALL
SELECT pg_catalog.concat('may create in the schema ', nspname) FROM pg_catalog.pg_namespace
WHERE nspname NOT LIKE 'pg\\_%' AND pg_catalog.has_schema_privilege(oid, 'CREATE')
UNION ALL
SELECT pg_catalog.concat('may change ', oid::pg_catalog.regclass) FROM pg_catalog.pg_class
WHERE relkind IN ('r', 'p', 'v', 'm', 'f') AND relnamespace NOT IN (
    SELECT oid FROM pg_catalog.pg_namespace WHERE nspname LIKE 'pg\\_%' OR nspname = 'information_schema')
AND (pg_catalog.has_table_privilege(oid, 'INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER')
     OR pg_catalog.has_any_column_privilege(oid, 'INSERT, UPDATE') OR pg_catalog.pg_has_role(relowner, 'MEMBER'))
UNION ALL
SELECT pg_catalog.concat('may change ', oid::pg_catalog.regclass) FROM pg_catalog.pg_class
WHERE CASE WHEN relkind = 'S' THEN pg_catalog.has_sequence_privilege(oid, 'USAGE, UPDATE') ELSE FALSE END
UNION ALL
SELECT 'has no limit of temporary files (temp_file_limit)' FROM pg_catalog.pg_settings
WHERE name = 'temp_file_limit' AND setting = '-1'
LIMIT 4
"""


async def powers(connection: Asks) -> list[str]:
    """Returns what the role may do besides reading tables: the first few, or none."""
    return [str(row[0]) for row in await connection.fetch(_POWERS)]
