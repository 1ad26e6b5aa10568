"""Draws SQL expressions of every kind that the evaluator of values reads, in the spelling of one dialect."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from types import MappingProxyType
from typing import Any

COLUMNS = "n INTEGER, x DOUBLE PRECISION, w VARCHAR"
ROWS = "(1, 0.5, 'Ab'), (-3, 2.5, 'b'), (8, -7.25, 'a1'), (4, 100.0, 'Zürich'), (12, 3.0, 'a b'), (5, 0.1, 'AB')"
"""Rows without NULL: what holds for every row may leave out those."""

_NUMBERS = ("0", "1", "2", "3", "5", "7", "10", "-1", "-7", "2.5", "0.5", "0.1", "0.2", "0.3", "1.0", "1.25", "100")
_WORDS = ("'a'", "'A'", "'b'", "'ab'", "'aB'", "'10'", "'9'", "'1'", "'2.5'", "''", "'a '", "' a'", "'é'", "'É'",
          "'-b'", "'a_b'", "'2024-01-05'", "'x%'")  # fmt: skip
_DAYS = ("2024-01-05", "2023-12-31", "2024-02-29", "0099-01-01")
_PATTERNS = ("'a%'", "'%b'", "'A_'", "'%'", "'a'", "'%1%'", "'_'", "'a\\%'", "''", "'[a]%'", "'é%'")
_COMPARED = ("=", "<>", "<", "<=", ">", ">=")
_TYPES = MappingProxyType(
    {
        "sqlite": ("INTEGER", "REAL", "NUMERIC", "DECIMAL(10,1)", "BIGINT"),
        "duckdb": ("INTEGER", "DOUBLE", "REAL", "DECIMAL(10,1)", "DECIMAL(18,3)", "BIGINT"),
        "postgres": ("INTEGER", "DOUBLE PRECISION", "REAL", "NUMERIC", "DECIMAL(10,1)", "BIGINT"),
    }
)
_COLLATIONS = MappingProxyType({"sqlite": "NOCASE", "duckdb": "NOCASE", "postgres": '"C"'})


class Grammar:
    """Expressions of one dialect, the same for the same seed."""

    def __init__(self, dialect: str, seed: int) -> None:
        self._dialect = dialect
        self._random = Random(f"{dialect} {seed}")
        self._kinds = (self._condition, self._condition, self._condition, self._number, self._text)

    def draw(self) -> str:
        """The next expression: a condition, a number or a text."""
        return self._pick(*self._kinds)(self._random.randint(1, 4))

    def _pick(self, *choices: Any) -> Any:
        return self._random.choice(choices)

    def _number(self, depth: int) -> str:
        if depth <= 0:
            return self._pick("n", "x", "n", *_NUMBERS, *_NUMBERS, "NULL")
        return self._pick(
            self._arithmetic, self._arithmetic, self._arithmetic, self._cast_number, self._rounded, self._called_number,
            self._measured, self._chosen_number, self._number,
        )(depth - 1)  # fmt: skip

    def _arithmetic(self, depth: int) -> str:
        operators = ("+", "-", "*", "/", "/", "%") + (("//",) if self._dialect == "duckdb" else ())
        return f"({self._number(depth)} {self._pick(*operators)} {self._number(depth)})"

    def _cast_number(self, depth: int) -> str:
        inner = self._pick(self._number, self._number, self._digits)(depth)
        return f"CAST({inner} AS {self._pick(*_TYPES[self._dialect])})"

    def _digits(self, _: int) -> str:
        return self._pick("'10'", "'9'", "' 5 '", "'2.5'", "'-3'", "'0.1'")

    def _rounded(self, depth: int) -> str:
        inner = self._number(depth)
        return self._pick(f"ROUND({inner})", f"ROUND({inner}, 1)", f"ABS({inner})", f"FLOOR({inner})", f"CEIL({inner})",
                          f"SIGN({inner})", f"ROUND({inner})", f"-({inner})", f"ROUND({inner}, -1)")  # fmt: skip

    def _called_number(self, depth: int) -> str:
        one, other = self._number(depth), self._number(depth)
        least, most = ("MIN", "MAX") if self._dialect == "sqlite" else ("LEAST", "GREATEST")
        return self._pick(f"COALESCE({one}, {other})", f"NULLIF({one}, {other})", f"{least}({one}, {other})",
                          f"{most}({one}, {other})", f"POWER({one}, 2)")  # fmt: skip

    def _measured(self, depth: int) -> str:
        text = self._text(depth)
        found = f"INSTR({text}, 'b')" if self._dialect != "postgres" else f"POSITION('b' IN {text})"
        day = f"EXTRACT({self._pick('YEAR', 'MONTH', 'DAY')} FROM {self._day(0)})"
        return self._pick(f"LENGTH({text})", found, f"LENGTH({text})" if self._dialect == "sqlite" else day)

    def _chosen_number(self, depth: int) -> str:
        return self._case(self._number, depth)

    def _case(self, values: Callable[[int], str], depth: int) -> str:
        default = self._pick("", f" ELSE {values(depth)}")
        if self._random.random() < 0.3:
            return f"CASE {self._number(depth)} WHEN {self._number(0)} THEN {values(depth)}{default} END"
        return f"CASE WHEN {self._condition(depth)} THEN {values(depth)}{default} END"

    def _text(self, depth: int) -> str:
        if depth <= 0:
            return self._pick("w", "w", *_WORDS, *_WORDS, "NULL")
        return self._pick(self._changed, self._changed, self._cut, self._joined, self._chosen_text, self._cast_text)(
            depth - 1
        )

    def _changed(self, depth: int) -> str:
        inner = self._text(depth)
        more = () if self._dialect == "sqlite" else (f"REVERSE({inner})", f"TRIM(BOTH 'a' FROM {inner})")
        return self._pick(f"UPPER({inner})", f"LOWER({inner})", f"TRIM({inner})", f"REPLACE({inner}, 'a', 'c')",
                          f"LTRIM({inner})", f"REPLACE({inner}, '', 'c')", *more)  # fmt: skip

    def _cut(self, depth: int) -> str:
        inner, start, size = self._text(depth), self._pick("1", "2", "0", "-1", "-2"), self._pick("0", "1", "2")
        more = () if self._dialect == "sqlite" else (f"LEFT({inner}, {size})", f"RIGHT({inner}, {size})")
        return self._pick(f"SUBSTR({inner}, {start}, {size})", f"SUBSTR({inner}, {start})", *more)

    def _joined(self, depth: int) -> str:
        one, other = self._text(depth), self._pick(self._text, self._text, self._number)(depth)
        more = () if self._dialect == "sqlite" else (f"CONCAT({one}, {other})",)
        return self._pick(f"({one} || {other})", f"({one} || {other})", *more)

    def _chosen_text(self, depth: int) -> str:
        one, other = self._text(depth), self._text(depth)
        return self._pick(f"COALESCE({one}, {other})", f"NULLIF({one}, {other})", self._case(self._text, depth))

    def _cast_text(self, depth: int) -> str:
        kind = self._pick("TEXT", "VARCHAR", "VARCHAR(2)") if self._dialect != "sqlite" else "TEXT"
        return f"CAST({self._pick(self._number, self._text, self._condition)(depth)} AS {kind})"

    def _day(self, _: int) -> str:
        raw = self._pick(*_DAYS)
        return f"CAST('{raw}' AS DATE)" if self._dialect == "sqlite" or self._random.random() < 0.5 else f"DATE '{raw}'"

    def _condition(self, depth: int) -> str:
        if depth <= 0:
            return self._pick(self._compared, self._texts_compared, self._mixed, lambda _: self._pick("TRUE", "FALSE"))(
                0
            )
        return self._pick(
            self._compared, self._compared, self._compared, self._texts_compared, self._texts_compared, self._mixed,
            self._logic, self._logic, self._tested, self._listed, self._spanned, self._matched, self._days_compared,
            self._collated, self._condition,
        )(depth - 1)  # fmt: skip

    def _compared(self, depth: int) -> str:
        return f"({self._number(depth)} {self._pick(*_COMPARED)} {self._number(depth)})"

    def _texts_compared(self, depth: int) -> str:
        return f"({self._text(depth)} {self._pick(*_COMPARED)} {self._text(depth)})"

    def _mixed(self, depth: int) -> str:
        sides = [
            self._number(depth),
            self._pick("'1'", "'10'", "'9'", "'2.5'", "'a'", "' 1'", "'1.0'", self._text(depth)),
        ]
        self._random.shuffle(sides)
        return f"({sides[0]} {self._pick(*_COMPARED)} {sides[1]})"

    def _logic(self, depth: int) -> str:
        one, other = self._condition(depth), self._condition(depth)
        return self._pick(f"({one} AND {other})", f"({one} OR {other})", f"(NOT {one})", f"(NULL AND {one})",
                          f"({one} = {other})")  # fmt: skip

    def _tested(self, depth: int) -> str:
        inner, truth = self._pick(self._number, self._text)(depth), self._condition(depth)
        distinct = "IS NOT" if self._dialect == "sqlite" else "IS DISTINCT FROM"
        return self._pick(
            f"({inner} IS NULL)",
            f"({inner} IS NOT NULL)",
            f"({truth} IS TRUE)",
            f"({truth} IS NOT FALSE)",
            f"({self._number(depth)} {distinct} {self._number(depth)})",
        )

    def _listed(self, depth: int) -> str:
        of = self._pick(self._number, self._text)
        members = ", ".join([of(depth) for _ in range(self._random.randint(1, 3))])
        mixed = self._pick("", "", "", ", '1'", ", NULL")
        return f"({of(depth)} {self._pick('IN', 'NOT IN')} ({members}{mixed}))"

    def _spanned(self, depth: int) -> str:
        of = self._pick(self._number, self._text)
        ends = [of(depth), self._pick(of(depth), "'5'")]
        return f"({of(depth)} {self._pick('BETWEEN', 'NOT BETWEEN')} {ends[0]} AND {ends[1]})"

    def _matched(self, depth: int) -> str:
        word = {"sqlite": ("LIKE", "NOT LIKE", "GLOB"), "duckdb": ("LIKE", "NOT LIKE", "ILIKE", "GLOB", "SIMILAR TO"),
                "postgres": ("LIKE", "NOT LIKE", "ILIKE", "~", "~*", "SIMILAR TO")}[self._dialect]  # fmt: skip
        wild = self._pick(*_PATTERNS, "'*b'", "'a?'", "'^a'", "'b$'", "'a.*'", "'.'", "'a|b'")
        return f"({self._text(depth)} {self._pick(*word)} {wild})"

    def _days_compared(self, _: int) -> str:
        other = self._pick(self._day(0), f"'{self._pick(*_DAYS)}'")
        return f"({self._day(0)} {self._pick(*_COMPARED)} {other})"

    def _collated(self, depth: int) -> str:
        collation = _COLLATIONS[self._dialect]
        return f"({self._text(depth)} COLLATE {collation} {self._pick(*_COMPARED)} {self._text(depth)})"
