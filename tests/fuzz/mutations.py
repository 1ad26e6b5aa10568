"""Texts that look like ours and are not: samples, changed at some places."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import cast

import yaml

from service.samples import sample_events
from tests.fuzz.draws import Draws

CASES = Path(__file__).parents[1] / "cases"
ODD = (
    *(
        "\x00",
        "\ud800",
        "\udfff",
        "\u202e",
        "\u2066",
        "\u0301",
        "e\u0301\u0327",
        "\u200d",
        "\ufeff",
        "\u00a0",
        "\u2028",
    ),
    *("１２３", "٣", "½", "²", "Ⅷ", "ß", "İ", "ﬁ", "ſ", "😀", "\U0010ffff", "\x0b", "\x1b", "\x7f", "\r\n", "\t"),
    *(
        "'",
        '"',
        "`",
        "[",
        "]",
        "(",
        ")",
        "{",
        "}",
        ";",
        "--",
        "/*",
        "*/",
        "#",
        "\\",
        "%",
        "_",
        "::",
        "@",
        ":x",
        "?",
        "$$",
    ),
)
NUMBERS = (
    "0",
    "-1",
    "9" * 30,
    "9" * 4500,
    "1e999",
    "1e-999",
    "0x" + "f" * 40,
    "1_000",
    "1,000,000",
    "NaN",
    "Infinity",
    ".",
    "1.",
)
DATES = (
    "9999-12-31",
    "0000-00-00",
    "2025-02-30",
    "31/12/99",
    "Q5 2025",
    "last 99999999 years",
    "February 30",
    "24:61:61",
    "12025-01-01",
)
FRAGMENTS = (
    *(
        " JOIN t",
        " LEFT JOIN t ON a = b",
        " CROSS JOIN LATERAL (SELECT 1) x",
        " WHERE a = 1",
        " OR a IN (1, 2)",
        " AND NOT (b)",
    ),
    *(
        " UNION ALL SELECT 1",
        " GROUP BY ROLLUP (a)",
        " HAVING COUNT(*) > 1",
        " ORDER BY 1 NULLS LAST",
        " LIMIT 1 OFFSET 2",
        " FETCH FIRST 1 ROW ONLY",
    ),
    *(
        "WITH c AS (SELECT 1) ",
        "(SELECT MAX(a) FROM t)",
        "CASE WHEN a THEN b ELSE c END",
        "CAST(a AS DECIMAL(10,2))",
        "a::date",
        "INTERVAL '1 day'",
    ),
    *(
        "EXISTS (SELECT 1)",
        "a BETWEEN 1 AND 2",
        "a LIKE '%x%' ESCAPE '!'",
        "COUNT(DISTINCT a)",
        "SUM(a) OVER (PARTITION BY b)",
        "EXTRACT(YEAR FROM d)",
    ),
    *(
        "DATE '2025-01-01'",
        "NULL",
        "TRUE",
        "*",
        "t.*",
        "a -> 'b' ->> 'c'",
        "ARRAY[1, 2]",
        "{'a': 1}",
        "x'ff'",
        "U&'d\\0061t'",
        "$1",
        "@@v",
        "PIVOT (SUM(a) FOR b IN ('x'))",
    ),
)
WORDS = (
    *(
        " (late refers to state = 'L')",
        " more than 5",
        " between 1 and 2",
        " not",
        " or",
        " and",
        " per region",
        " in the last 3 months",
    ),
    *(
        " top 10",
        " 'quoted words'",
        ' "quoted"',
        " where a = 'b'",
        " refers to a / b",
        " in 2025",
        " highest",
        " each",
        " excluding",
        " at least one",
        "?",
    ),
)


@cache
def events() -> tuple[dict[str, object], ...]:
    """The sample events."""
    return tuple(cast("dict[str, object]", each) for each in sample_events())


@cache
def queries() -> tuple[str, ...]:
    """Texts of SQL: the samples', and those of the case files."""
    of_cases = (text for text in _case_texts() if "SELECT" in text.upper())
    return tuple(dict.fromkeys([*(str(each["sql"]) for each in events()), *of_cases]))


@cache
def questions() -> tuple[str, ...]:
    """Questions, enriched or not."""
    of_events = (str(each[name]) for each in events() for name in ("question", "enriched_question") if each.get(name))
    of_cases = (text for text in _case_texts() if " " in text and "SELECT" not in text.upper())
    return tuple(dict.fromkeys([*of_events, *of_cases]))


def _case_texts() -> Iterator[str]:
    for path in sorted(CASES.rglob("*.yaml")):
        yield from _texts(yaml.safe_load(path.read_text(encoding="utf-8")))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in cast("dict[object, object]", value).values():
            yield from _texts(each)
    elif isinstance(value, list):
        for each in cast("list[object]", value):
            yield from _texts(each)


def changed(text: str, samples: Sequence[str], pieces: Sequence[str], draws: Draws) -> str:
    """The text after some changes, at most 4,000 characters of it."""
    for _ in range(draws.number(6)):
        if draws.ended:
            break
        text = draws.choice(_CHANGES)(text, samples, pieces, draws)[:4000]
    return text


def changed_sql(draws: Draws) -> str:
    """A text of SQL after some changes."""
    return changed(draws.choice(queries()), queries(), FRAGMENTS, draws)


def changed_question(draws: Draws) -> str:
    """A question after some changes."""
    return changed(draws.choice(questions()), questions(), WORDS, draws)


Change = Callable[[str, Sequence[str], Sequence[str], Draws], str]


def _insert_piece(text: str, _: Sequence[str], pieces: Sequence[str], draws: Draws) -> str:
    at = draws.number(len(text) + 1)
    return text[:at] + draws.choice(pieces) + text[at:]


def _insert_odd(text: str, _: Sequence[str], __: Sequence[str], draws: Draws) -> str:
    at = draws.number(len(text) + 1)
    return text[:at] + draws.choice((*ODD, *NUMBERS, *DATES)) + text[at:]


def _splice(text: str, samples: Sequence[str], _: Sequence[str], draws: Draws) -> str:
    other = draws.choice(samples)
    return text[: draws.number(len(text) + 1)] + other[draws.number(len(other) + 1) :]


def _drop(text: str, _: Sequence[str], __: Sequence[str], draws: Draws) -> str:
    at = draws.number(len(text) + 1)
    return text[:at] + text[at + draws.number(20) :]


def _repeat(text: str, _: Sequence[str], __: Sequence[str], draws: Draws) -> str:
    at = draws.number(len(text) + 1)
    return text[:at] + text[at : at + 1 + draws.number(30)] * draws.choice((2, 3, 10, 100, 400)) + text[at:]


def _nest(text: str, _: Sequence[str], __: Sequence[str], draws: Draws) -> str:
    depth = draws.choice((1, 2, 10, 70, 90, 300))
    first, last = draws.choice(
        (("(", ")"), ("SELECT * FROM (", ") x"), ("NOT (", ")"), ("'", "'"), ("CASE WHEN a THEN ", " END"), ("-", ""))
    )
    return first * depth + text + last * depth


def _replace_word(text: str, _: Sequence[str], pieces: Sequence[str], draws: Draws) -> str:
    words = text.split(" ")
    words[draws.number(len(words))] = draws.choice((*pieces, *NUMBERS, *DATES, *ODD))
    return " ".join(words)


def _swap_words(text: str, _: Sequence[str], __: Sequence[str], draws: Draws) -> str:
    words = text.split(" ")
    first, second = draws.number(len(words)), draws.number(len(words))
    words[first], words[second] = words[second], words[first]
    return " ".join(words)


_CHANGES: tuple[Change, ...] = (_insert_piece, _insert_odd, _splice, _drop, _repeat, _nest, _replace_word, _swap_words)
