"""The words, operators and names of which a query that is sent to a server may consist."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """What a query of one dialect may be written with."""

    dialect: str
    """The sqlglot name of the dialect."""
    words: frozenset[str]
    """Keywords, types and functions, in lower case."""
    operators: frozenset[str]
    hidden: re.Pattern[str]
    """Schemas and tables that describe the server instead of holding the user's rows."""
    longest_name: int | None = None
    """Bytes of a name that the server reads; it cuts a longer one, so that two names become one."""

    def misread(self, name: str, own: OwnNames) -> str | None:
        """Why the server may take this name for another one, or `None` if it reads the name as it is written."""
        if self.longest_name is None:
            return None
        if len(name.encode(errors="surrogatepass")) > self.longest_name:
            return f"the name {name[:80]} is longer than {self.longest_name} bytes, and the server would cut it"
        if not name.isascii() and own.encoding not in _KEEPING:
            return f"the name {name[:80]} is not ASCII, and the database's encoding {own.encoding} may change it"
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnNames:
    """What the named database defines itself."""

    functions: frozenset[str] = frozenset()
    """Functions that the user allows, as `name` or `schema.name`."""
    types: frozenset[str] = frozenset()
    """Enumerations and domains, as `name` or `schema.name`."""
    columns: frozenset[str] = frozenset()
    """Columns of its relations and composite types, and output arguments of functions."""
    calling: frozenset[str] = frozenset()
    """Functions and types that are not known to be harmless, which PostgreSQL calls when written `(value).name`."""
    computed: frozenset[str] = frozenset()
    """Those of them that take a row, which `table.name` calls."""
    replacing: frozenset[str] = frozenset()
    """Functions named like one of the server's; the types of the arguments decide which is called."""
    encoding: str = "UTF8"
    """In which the server holds names, by PostgreSQL's name for it."""

    @property
    def last_names(self) -> frozenset[str]:
        """The allowed functions without their schemas."""
        return frozenset(name.rpartition(".")[2] for name in self.functions)


_KEEPING = frozenset({"UTF8", "SQL_ASCII"})
"""Encodings that keep the bytes of a name. In others it may be longer, or equal another: EUC_JP has 3 bytes for é."""
_KEYWORDS = """
    all and any array as asc at between both by case cast collate cross cube current day days desc distinct else
    end epoch escape except exclude exists extract false fetch filter first following for from full group groups
    grouping having hour hours ignore ilike in inner intersect interval is isodow isoyear join last lateral
    leading left like limit lower materialized microseconds millennium milliseconds minute minutes month months
    natural next no not null nulls of offset on only or order ordinality others outer over overlaps overlay
    partition percent placing position preceding precision quarter range recursive respect right rollup row rows
    second seconds select sets similar some substring symmetric then ties time to trailing trim true unbounded
    union using values varying when where window with within without year years zone century decade dow doy week
    weeks timezone timezone_hour timezone_minute
"""
_TYPES = """
    bigint bigserial bit boolean bool bytea char character date decimal double float float4 float8 int int2 int4
    int8 integer json jsonb name numeric oid real smallint text time timestamp timestamptz timetz uuid varchar
    int4range int8range numrange tsrange tstzrange daterange inet cidr
"""
_SHARED = """
    abs acos asin atan atan2 avg bit_and bit_or bit_xor bool_and bool_or cbrt ceil ceiling char_length
    character_length coalesce concat concat_ws corr cos cot count covar_pop covar_samp cume_dist current_date
    current_time current_timestamp date_part date_trunc degrees dense_rank div every exp first_value floor
    greatest lag last_value lead least length ln localtime localtimestamp log log10 lpad ltrim make_date
    make_time make_timestamp max md5 min mod mode now nth_value ntile nullif percent_rank percentile_cont
    percentile_disc pi power radians random rank regexp_matches regexp_replace regr_avgx regr_avgy regr_count
    regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy repeat replace reverse round row_number rpad
    rtrim sign sin split_part sqrt stddev stddev_pop stddev_samp starts_with string_agg strpos substr sum tan
    to_char to_date to_timestamp translate trunc unnest upper var_pop var_samp variance generate_series
    array_agg row
"""
_POSTGRES = """
    acosd acosh age any_value array_append array_cat array_dims array_length array_lower array_ndims
    array_position array_positions array_prepend array_remove array_replace array_to_json array_to_string
    array_upper ascii asind asinh atand atanh bit_length btrim cardinality chr clock_timestamp cosd cosh
    date_bin decode encode erf gcd gen_random_uuid host initcap isempty isfinite json_agg json_array_elements
    json_array_elements_text json_array_length json_build_array json_build_object json_each json_each_text
    json_extract_path json_extract_path_text json_object json_object_agg json_object_keys json_strip_nulls
    json_to_record json_to_recordset json_typeof jsonb_agg jsonb_array_elements jsonb_array_elements_text
    jsonb_array_length jsonb_build_array jsonb_build_object jsonb_each jsonb_each_text jsonb_exists
    jsonb_extract_path jsonb_extract_path_text jsonb_insert jsonb_object jsonb_object_agg jsonb_object_keys
    jsonb_path_exists jsonb_path_match jsonb_path_query jsonb_path_query_array jsonb_path_query_first
    jsonb_pretty jsonb_set jsonb_strip_nulls jsonb_to_record jsonb_to_recordset jsonb_typeof justify_days
    justify_hours justify_interval lcm lower_inc lower_inf make_interval make_timestamptz masklen min_scale
    multirange normalize num_nonnulls num_nulls octet_length parse_ident phraseto_tsquery pg_typeof
    plainto_tsquery quote_ident quote_literal quote_nullable range_agg range_merge regexp_count regexp_instr
    regexp_like regexp_match regexp_split_to_array regexp_split_to_table regexp_substr row_to_json scale sha256
    sind sinh statement_timestamp string_to_array string_to_table tand tanh timeofday to_ascii to_hex to_json
    to_jsonb to_number to_tsquery to_tsvector transaction_timestamp trim_array trim_scale ts_rank ts_rank_cd
    unistr upper_inc upper_inf websearch_to_tsquery width_bucket hours mins secs variadic columns path error
    empty returning
"""
_DUCKDB = """
    add age any_value approx_count_distinct approx_quantile arbitrary arg_max arg_min array_aggregate
    array_concat array_contains array_extract array_length array_slice ascii bar base64 bigint bin bit_count
    blob century chr columns contains current_localtimestamp date_add date_diff date_sub datediff datesub
    datetrunc day dayname dayofmonth dayofweek dayofyear decade editdist3 element_at ends_with entropy epoch
    epoch_ms epoch_us era even fact favg first flatten formatreadablesize from_base64 fsum gamma greatest hash
    hex histogram hour hugeint ifnull instr isfinite isinf isnan isodow isoyear jaccard json_array_length
    json_extract json_extract_string json_keys json_type json_valid kurtosis last last_day len lgamma list
    list_aggregate list_append list_avg list_concat list_contains list_count list_distinct list_element
    list_extract list_filter list_has list_max list_min list_position list_prepend list_reverse list_slice
    list_sort list_sum list_transform list_unique list_value listagg mad make_interval map map_keys map_values
    max_by mean median microsecond millisecond min_by minute mismatches month monthname nextafter ord position
    prefix product quantile quantile_cont quantile_disc quarter range regexp_extract regexp_extract_all
    regexp_full_match regexp_split_to_array reservoir_quantile second sem signbit skewness str_split strftime
    strip_accents strlen strptime struct struct_extract suffix time_bucket timezone tinyint today to_base64
    to_days to_hours to_microseconds to_milliseconds to_minutes to_months to_seconds to_weeks to_years try_cast
    try_strptime typeof ubigint uinteger unicode union_extract usmallint utinyint week weekday weekofyear xor
    year yearweek string exclude qualify anti semi asof positional pivot_longer hamming levenshtein
    damerau_levenshtein jaro_similarity jaro_winkler_similarity
"""

_COMPARISONS = frozenset("= <> != < > <= >= + - * / % ^ || -> ->> & | << >> @> <@ && ~ ~* !~ !~*".split())

POSTGRES = Vocabulary(
    dialect="postgres",
    words=frozenset(f"{_KEYWORDS} {_TYPES} {_SHARED} {_POSTGRES}".split()),
    operators=_COMPARISONS | frozenset("# #> #>> => ? ?| ?& ~~ !~~ @@ @? |/ ||/ -|- &< &> ^@".split()),
    hidden=re.compile(r"pg_|information_schema$", re.IGNORECASE),
    longest_name=63,
)
DUCKDB = Vocabulary(
    dialect="duckdb",
    words=frozenset(f"{_KEYWORDS} {_TYPES} {_SHARED} {_DUCKDB}".split()),
    operators=_COMPARISONS | frozenset("// ** <=> ~~ !~~ ~~~".split()),
    hidden=re.compile(r"pg_|duckdb_|sqlite_|pragma_|information_schema$|system$|temp$|.*[/\\:*?\[]", re.IGNORECASE),
)
