"""Probes that are queries: of the database's own tables, of its clock and session, and `SELECT 1`."""

from __future__ import annotations

import re

from sqlglot import exp

from scoring.patterns import lazy
from scoring.query import Unscored
from scoring.specification import SourceKind, SqlSpec
from scoring.sql.probes.statements import probe
from scoring.sql.terms import Node

_PINGS = frozenset({"1", "x"})
"""Constants by which clients ask whether the database answers. Any other is an answer that was made up."""
_CLOCK = frozenset({"now", "localtime", "utc"})
"""Arguments of SQLite's date functions that read the clock."""
_SESSION_NODES = tuple(
    [
        getattr(exp, name)
        for name in dir(exp)
        if re.fullmatch(
            r"(?:Current|Utc)[A-Z]\w*|Session(?:User|Parameter)|Localtime(?:stamp)?|Systimestamp|ObjectId", name
        )
    ]
)
_SESSION_CALLS = lazy(
    r"version|\w+_version|version\w*|database|schema|user|\w+_user|system_user|db_name|db_id|schema_name|connection_id"
    r"|current_\w+|\w*setting|serverproperty|suser_\w+|host_name|app_name|sys_context|userenv|get_ddl|object_name"
    r"|pg_\w+|has_\w+_privilege|to_reg\w+|inet_\w+|txid_\w+|last_insert_(?:id|rowid)|changes|total_changes|found_rows"
    r"|row_count|scope_identity|last_query_id|sleep|now|sysdate\w*|getdate|getutcdate|curdate|curtime|sqlite_\w+|uptime"
    r"|hostname|currentuser|currentdatabase",
    re.IGNORECASE,
)
"""Names of functions that tell of the server, the session or the clock."""
_SESSION_WORDS = frozenset(
    "user session_user current_user system_user sysdate systimestamp current_schema current_catalog current_role "
    "current_database localtime localtimestamp current_date current_time current_timestamp now".split()
)
_DATES = frozenset({"date", "time", "datetime"})
_SESSION_PACKAGES = frozenset({"dbms_metadata", "dbms_utility", "pg_catalog", "sys", "system", "information_schema"})
_NEUTRAL = (
    exp.Select,
    exp.From,
    exp.Subquery,
    exp.Alias,
    exp.TableAlias,
    exp.Identifier,
    exp.Table,
    exp.Star,
    exp.Paren,
    exp.With,
    exp.CTE,
    exp.Union,
    exp.Values,
    exp.Tuple,
    exp.Limit,
    exp.Cast,
    exp.DataType,
    exp.Var,
    exp.Where,
    exp.EQ,
    exp.Date,
    exp.TsOrDsToDate,
    exp.TsOrDsToTimestamp,
)
"""Nodes around a ping or a session value that add nothing to it."""


def probing_query(spec: SqlSpec, tree: Node) -> Unscored | None:
    """Why a query is no answer, if it reads nothing but the database's own tables, clock or session.

    A query that also reads a table of the tenant is an answer, and so is one that returns a constant of its own making.
    """
    kinds = {each.kind for each in spec.sources}
    if SourceKind.DATA in kinds:
        return None
    if SourceKind.CATALOGUE in kinds:
        own = next(each for each in spec.sources if each.kind is SourceKind.CATALOGUE)
        return None if _is_made_up(spec) else probe(f"reads only the database's own tables, such as {own.name[:40]}")
    return probe("reads no table, only the server") if _is_of_server(tree) else None


def _is_made_up(spec: SqlSpec) -> bool:
    """Whether some row of the result holds nothing but constants that are no ping."""
    real = {each.block for each in spec.projections if not each.literal}
    return any(
        each.literal and each.operand.name.strip("'") not in _PINGS and each.block in spec.outputs - real
        for each in spec.projections
    )


def _is_of_server(tree: Node) -> bool:
    """Whether a query without a table holds nothing but pings, session values and calls that tell of the server."""
    found = False
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if _tells_of_server(node):
            found = True
            continue
        if type(node) is exp.Literal:
            if node.args["this"].lower() not in _PINGS | _CLOCK:
                return False
            found = True
        elif not isinstance(node, _NEUTRAL) and not (type(node) is exp.Anonymous and node.name.lower() in _DATES):
            return False
        waiting.extend(node.iter_expressions())
    return found


def _tells_of_server(node: Node) -> bool:
    kind = type(node)
    if kind in _SESSION_NODES:
        return True
    if kind is exp.Anonymous:
        return _SESSION_CALLS.fullmatch(node.name) is not None
    if kind is exp.Dot:
        return node.this.name.lower() in _SESSION_PACKAGES
    if kind is exp.Parameter:
        return type(node.args["this"]) is exp.Parameter  # @@name
    return kind is exp.Column and node.args.get("table") is None and node.name.lower() in _SESSION_WORDS
