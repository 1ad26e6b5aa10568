"""Texts of any size with one run of combining marks, out of the order in which a normal form has them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from tests.scoring.cost.texts import ASKED, SELECT, SQL, Make, Texts

RUNS: Mapping[str, str] = MappingProxyType(
    {
        "accents": "\u0301\u0316",
        # one character each, which a normal form takes apart into two marks
        "Tibetan vowels": "\u0f73",
        "words of accents": "e" + "\u0301\u0316" * 20 + " ",
    }
)


def _places(run: str) -> dict[str, Make]:
    return {
        "a literal": lambda n: Texts(sql=f"{SELECT}a = 'b{run * n}'"),
        "literals in IN": lambda n: Texts(sql=f"{SELECT}a IN ('b{run * n}', 'c{run * n}')"),
        "a pattern": lambda n: Texts(sql=f"{SELECT}a LIKE '%b{run * n}%'"),
        "a column": lambda n: Texts(sql=f'SELECT COUNT(*) FROM t WHERE "b{run * n}" = 1'),
        "an output": lambda n: Texts(sql=f'SELECT a AS "b{run * n}" FROM t'),
        "a table": lambda n: Texts(sql=f'SELECT a FROM "b{run * n}"'),
        "a comment": lambda n: Texts(sql=f"SELECT a FROM t -- b{run * n}"),
        "a question": lambda n: Texts(question=f"How many bakers are b{run * n}?"),
        "a quoted word": lambda n: Texts(question=f"How many bakers live in 'b{run * n}'?", sql=SQL),
        "a definition": lambda n: Texts(question=ASKED, enriched=f"{ASKED} (bakers refers to a = 'b{run * n}')"),
        "a rewritten question": lambda n: Texts(question=ASKED, enriched=f"Count the bakers of b{run * n}."),
        "a word and a literal": lambda n: Texts(
            question=f"How many bakers live in 'b{run * n}'?", sql=f"{SELECT}a = 'b{run * n}'"
        ),
    }


MARKS: Mapping[str, Make] = MappingProxyType(
    {f"{name} in {place}": make for name, run in RUNS.items() for place, make in _places(run).items()}
)
