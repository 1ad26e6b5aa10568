"""Which tables are the database's own: they describe tables, sessions and queries, and hold no data of the tenant."""

from __future__ import annotations

import re
from functools import lru_cache
from types import MappingProxyType

from sqlglot import exp

from scoring.patterns import lazy
from scoring.specification import SourceKind
from scoring.sql.terms import Node

_SCHEMAS = frozenset(
    "information_schema pg_catalog pg_toast performance_schema sys syscat sysstat sysibm sysibmadm account_usage"
    " organization_usage".split()
)
"""Schemas that only the database itself fills."""
_SCHEMAS_OF = MappingProxyType(
    {
        "mysql": frozenset({"mysql"}),
        "starrocks": frozenset({"mysql", "_statistics_"}),
        "doris": frozenset({"mysql"}),
        "clickhouse": frozenset({"system"}),
        "databricks": frozenset({"system"}),
        "trino": frozenset({"system"}),
        "presto": frozenset({"system"}),
        "athena": frozenset({"system"}),
        "teradata": frozenset({"dbc"}),
    }
)
"""Such schemas of one dialect, which elsewhere may be a tenant's."""
_SYSTEM = frozenset(
    "tables columns databases parts functions settings query_log processes clusters nodes queries schemas".split()
)
"""Tables of a schema `system` that are catalogues in any dialect."""
_NAMES = lazy(
    r"sqlite_(?:master|schema|temp_master|temp_schema|sequence|stat\d)|dbstat"
    r"|pg_(?:tables|views|matviews|class|namespace|attribute|attrdef|index(?:es)?|constraint|type|proc|enum|description"
    r"|database|roles|user|users|authid|settings|extension|sequences?|depend|inherits|locks|trigger|rules|stats"
    r"|statistic(?:_ext)?|stat_\w+|statio_\w+|table_def|tablespace|available_extensions|collation|operator|opclass"
    r"|language|policies|policy|partitioned_table|foreign_\w+|publication|subscription|aggregate|am|cast|range|shadow"
    r"|group|timezone_names|prepared_statements|cursors|event_trigger)"
    r"|sys(?:objects|columns|indexes|tables|types|users|databases|comments|foreignkeys|references|processes)"
    r"|(?:all|dba|user)_(?:tables|tab_columns|tab_cols|cons_columns|ind_columns|tab_comments|col_comments|tab_privs)"
    r"|(?:all|dba)_(?:constraints|indexes|objects|views|synonyms|sequences|segments|tablespaces|triggers|tab_statistics)"
    r"|svv_\w+|stv_(?:inflight|recents|sessions|locks|blocklist|tbl_perm|wlm_\w+)"
    r"|s[tv][lv]_(?:query\w*|scan|wlm_query|load_errors|error|explain|ddltext|connection_log|utilitytext|statementtext"
    r"|table_info|s3\w*)"
    r"|v\$\w+|gv\$\w+|__tables(?:_summary)?__|duckdb_(?:tables|columns|views|schemas|databases|indexes|constraints"
    r"|functions|settings|types|extensions)|pragma_\w+|innodb_\w+"
)
"""Names that no schema, or the database's own, qualifies."""
_NAMES_OF = MappingProxyType(
    {
        "oracle": re.compile(
            r"(?:all|dba|user|cdb)_(?:tab\w*|views|mviews|objects|cons\w*|ind\w*|sequences|synonyms|triggers|source"
            r"|procedures|arguments|types|type_\w+|coll_types|users|col_\w+|segments|extents|errors|dependencies"
            r"|role_privs|sys_privs|db_links|jobs|scheduler_\w+|part_\w+|lobs|data_files|free_space|recyclebin|catalog"
            r"|directories|libraries|external_tables|registry|hist_\w+|audit_\w+)"
            r"|tab|dict|dict_columns|session_privs|v_\$\w+"
        ),
        "redshift": re.compile(r"(?:svv|svl|stl|stv|svcs)_\w+|sys_\w+_(?:history|usage|detail|log)"),
        "duckdb": re.compile(r"duckdb_\w+|sqlite_\w+"),
        "sqlite": re.compile(r"sqlite_\w+"),
        "exasol": re.compile(r"exa_\w+"),
    }
)
"""Names in one dialect that elsewhere may be a tenant's."""
_OWN = frozenset({"", "main", "temp", "public", "dbo", "root"})
"""Schemas that a catalogue's bare name may be qualified by."""
_ROWS = frozenset({"dual", "sysdummy1"})
"""Tables of one row that stand for no table."""
_STATEMENTS = frozenset({exp.Describe, exp.Show, exp.Pragma, exp.Summarize})
_FILES = frozenset({exp.ReadCSV, exp.ReadParquet})


def table_kind(table: Node, dialect: str) -> SourceKind:
    """What a named table of FROM is: the tenant's, a catalogue, or a row of nothing."""
    name: str = table.args["this"].args["this"].lower()
    if table.args.get("db") is None:
        return _kind(name, "", "", dialect)
    return _kind(name, _part(table, "db"), _part(table, "catalog"), dialect)


def function_kind(node: Node, dialect: str) -> SourceKind:
    """What an item of FROM that is no named table is: a call that gives rows, a list, or a statement in brackets."""
    kind = type(node)
    if kind in _STATEMENTS:
        return SourceKind.CATALOGUE
    call = node.args.get("this")
    if kind is exp.TableFromRows or kind is exp.Table:
        return _call_kind(node, call, dialect)
    return SourceKind.NONE


def _call_kind(node: Node, call: Node | None, dialect: str) -> SourceKind:
    if type(call) is exp.Dot:
        return _kind(call.expression.name.lower(), call.this.name.lower(), "", dialect)
    if type(call) is exp.Anonymous:
        return _kind(call.name.lower(), _part(node, "db"), _part(node, "catalog"), dialect)
    return SourceKind.DATA if type(call) in _FILES else SourceKind.NONE


def _part(table: Node, part: str) -> str:
    found = table.args.get(part)
    return found.name.lower() if isinstance(found, exp.Expr) else ""


@lru_cache(maxsize=2048)
def _kind(name: str, schema: str, catalogue: str, dialect: str) -> SourceKind:
    """The kind of a table by its names in lower case.

    >>> _kind("tables", "information_schema", "", "postgres").value, _kind("hens", "public", "", "postgres").value
    ('catalogue', 'data')
    >>> _kind("user_views", "", "", "oracle").value, _kind("user_views", "", "", "postgres").value
    ('catalogue', 'data')
    """
    if name in _ROWS or (schema, name) == ("system", "one"):
        return SourceKind.NONE
    own = _SCHEMAS_OF.get(dialect, frozenset())
    if not _SCHEMAS.isdisjoint((schema, catalogue)) or not own.isdisjoint((schema, catalogue)):
        return SourceKind.CATALOGUE
    if name.startswith("information_schema.") or (schema == "system" and name in _SYSTEM):
        return SourceKind.CATALOGUE
    if schema not in _OWN and not name.startswith("__tables"):
        return SourceKind.DATA
    known = _NAMES_OF.get(dialect)
    is_known = _NAMES.fullmatch(name) is not None or (known is not None and known.fullmatch(name) is not None)
    return SourceKind.CATALOGUE if is_known else SourceKind.DATA
