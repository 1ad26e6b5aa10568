"""SQLite's functions that read nothing but their arguments. Every other function is refused."""

from __future__ import annotations

HARMLESS_FUNCTIONS = frozenset(
    """
    abs acos acosh asin asinh atan atan2 atanh avg bm25 ceil ceiling char coalesce concat concat_ws cos cosh
    count cume_dist current_date current_time current_timestamp date datetime degrees dense_rank exp first_value
    floor format glob group_concat hex highlight if ifnull iif instr json json_array json_array_length json_each
    json_error_position json_extract json_group_array json_group_object json_insert json_object json_patch
    json_pretty json_quote json_remove json_replace json_set json_tree json_type json_valid jsonb jsonb_array
    jsonb_extract jsonb_group_array jsonb_group_object jsonb_insert jsonb_object jsonb_patch jsonb_remove
    jsonb_replace jsonb_set julianday lag last_value lead length like likelihood likely ln log log10 log2 lower
    ltrim match max median min mod nth_value ntile nullif octet_length percent_rank percentile percentile_cont
    percentile_disc pi pow power printf quote radians rank regexp replace round row_number rtrim sign sin sinh
    snippet soundex sqrt strftime string_agg subtype substr substring sum tan tanh time timediff total trim
    trunc typeof unhex unicode unistr unistr_quote unixepoch unlikely upper zeroblob -> ->>
    """.split()
)
"""In lower case. A new SQLite may bring others: add them here once they are known to be harmless."""

UNSTEADY_FUNCTIONS = frozenset(
    {"random", "randomblob", "changes", "total_changes", "last_insert_rowid", "sqlite_version"}
)
"""Harmless functions that may return another value for the same rows."""
