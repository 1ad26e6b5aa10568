"""Reads from a PostgreSQL catalogue which names a query may use, and which of them would call a function."""

from __future__ import annotations

from references.databases.access import Allowance
from references.databases.postgres_role import Asks
from references.databases.vocabulary import POSTGRES, OwnNames

_OURS = "nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema'"
_TYPES = f"""
SELECT nspname, typname FROM pg_catalog.pg_type JOIN pg_catalog.pg_namespace AS space ON space.oid = typnamespace
WHERE typtype IN ('e', 'd') AND {_OURS}
"""  # noqa: S608 a constant
_FUNCTIONS = f"""
SELECT DISTINCT proname FROM pg_catalog.pg_proc AS function
JOIN pg_catalog.pg_namespace AS space ON space.oid = pronamespace
WHERE {_OURS} AND NOT EXISTS (
    SELECT FROM pg_catalog.pg_depend
    WHERE classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND objid = function.oid AND deptype = 'e')
"""  # noqa: S608 a constant
_COLUMNS = f"""
SELECT DISTINCT attname FROM pg_catalog.pg_attribute JOIN pg_catalog.pg_class AS relation ON relation.oid = attrelid
JOIN pg_catalog.pg_namespace AS space ON space.oid = relnamespace
WHERE NOT attisdropped AND relkind IN ('r', 'p', 'v', 'm', 'f', 'c') AND {_OURS}
UNION SELECT name FROM pg_catalog.pg_proc,
    ROWS FROM (pg_catalog.unnest(proargnames), pg_catalog.unnest(proargmodes)) AS argument (name, mode)
WHERE mode IN ('o', 'b', 't')
"""  # noqa: S608 a constant
_CALLS = """
SELECT proname, oid < 16384 AND pronamespace = 'pg_catalog'::pg_catalog.regnamespace,
    proargtypes[0] IN (SELECT type.oid FROM pg_catalog.pg_type AS type
        LEFT JOIN pg_catalog.pg_type AS base ON base.oid = type.typbasetype
        WHERE type.typtype IN ('c', 'p') OR base.typtype = 'c')
    OR EXISTS (SELECT FROM pg_catalog.pg_cast JOIN pg_catalog.pg_type AS source ON source.oid = castsource
        WHERE castcontext = 'i' AND source.typtype = 'c')
FROM pg_catalog.pg_proc WHERE pronargs >= 1 AND pronargs - pronargdefaults <= 1
AND NOT (oid < 16384 AND pronamespace = 'pg_catalog'::pg_catalog.regnamespace AND provolatile = 'i')
UNION ALL
SELECT typname, TRUE, FALSE FROM pg_catalog.pg_type AS type
WHERE typtype NOT IN ('c', 'p') AND NOT (type.oid < 16384 AND EXISTS (
    SELECT FROM pg_catalog.pg_proc AS reader WHERE reader.oid = typinput AND provolatile = 'i'))
"""
"""Functions that take one value, and types: `(value).name` calls them unless `name` is a column of the value.

PostgreSQL's own immutable functions compute from their argument alone, so they are left out. The last column says
whether the function also takes a row, as `table.name` would give it one.
"""


async def own_names(connection: Asks, allowance: Allowance) -> OwnNames:
    """Returns what the database itself defines, in lower case, and what the user allows."""
    types = await connection.fetch(_TYPES)
    known_types = frozenset(name for row in types for name in (_lower(row[1]), f"{row[0]}.{row[1]}".lower()))
    calls = [(_lower(row[0]), bool(row[1]), bool(row[2])) for row in await connection.fetch(_CALLS)]
    harmless = POSTGRES.words | known_types
    calling = [(name, of_a_row) for name, builtin, of_a_row in calls if not (builtin and name in harmless)]
    return OwnNames(
        functions=allowance.functions,
        types=known_types,
        columns=frozenset(_lower(row[0]) for row in await connection.fetch(_COLUMNS)),
        calling=frozenset(name for name, _ in calling) - allowance.functions,
        computed=frozenset(name for name, of_a_row in calling if of_a_row) - allowance.functions,
        encoding=str((await connection.fetch("SHOW server_encoding"))[0][0]),
        replacing=frozenset(_lower(row[0]) for row in await connection.fetch(_FUNCTIONS)) & POSTGRES.words,
    )


def _lower(name: object) -> str:
    return str(name).lower()
