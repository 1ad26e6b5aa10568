"""The ZIP file for warehouses scores in an interpreter that has nothing else, as the library does here."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from sqlassay import Scorer
from sqlassay.udf import assay, assay_json

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "deploy" / "warehouse"
ANSWERS = [
    ("How many hens are there?", "SELECT COUNT(*) FROM hens"),
    ("How many hens hatched in 2025?", "SELECT COUNT(*) FROM hens"),
    ("Which 3 barns have most hens last month?", "SELECT TOP 3 b.name FROM [barns] b JOIN hens h ON h.barn = b.id"),
    ("How many?", None),
    (None, "SELECT 1"),
    ("How many?", "SELECT ("),
]
EXPECTED = [json.loads(json.dumps(assay(question, sql))) for question, sql in ANSWERS]


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    target = tmp_path_factory.mktemp("udf") / "sqlassay-udf.zip"
    subprocess.run([sys.executable, str(FOLDER / "build.py"), str(target)], check=True)
    return target


def bare(archive: Path, code: str) -> str:
    """Runs code in an interpreter with the standard library and the ZIP file alone."""
    start = f"import sys; sys.path.append({str(archive)!r})\n"
    command = [sys.executable, "-I", "-S", "-c", start + code]
    return subprocess.run(command, cwd=archive.parent, capture_output=True, text=True, check=True).stdout


def test_the_functions_say_what_the_library_says() -> None:
    [first, *_] = Scorer().score_many([{"question": ANSWERS[1][0], "sql": ANSWERS[1][1]}])
    assert (EXPECTED[1]["score"], EXPECTED[1]["p_correct"]) == (first.score, first.p_correct)
    assert EXPECTED[1]["reasons"] == [each.code for each in first.reasons]
    assert [each["unscored"] for each in EXPECTED[3:]] == ["EMPTY_SQL", "INVALID_EVENT", "UNPARSEABLE_SQL"]


@pytest.mark.slow  # a bare interpreter
def test_snowflakes_handler_scores_in_a_bare_interpreter(archive: Path) -> None:
    sql = (FOLDER / "snowflake.sql").read_text()
    handler = re.search(r"HANDLER = '([\w.]+)\.(\w+)'", sql)
    assert handler
    assert f"@sqlassay/{archive.name}" in sql
    calls = f"[handler(*each) for each in {ANSWERS!r}]"
    code = f"import json, sqlglot\nfrom {handler[1]} import {handler[2]} as handler\n"
    found, parser = bare(archive, f"{code}print(json.dumps({calls}))\nprint(sqlglot.__file__)").splitlines()
    assert json.loads(found) == EXPECTED
    assert parser.startswith(str(archive))


@pytest.mark.slow  # a bare interpreter
def test_bigquerys_body_scores_in_a_bare_interpreter(archive: Path) -> None:
    body = re.search(r'AS r"""\n(.*?)"""', (FOLDER / "bigquery.sql").read_text(), flags=re.DOTALL)
    assert body
    code = f"import json\n{body[1]}\nprint(json.dumps([assay(*each) for each in {ANSWERS!r}]))"
    assert json.loads(bare(archive, code)) == [assay_json(*each) for each in ANSWERS]


@pytest.mark.slow  # a bare interpreter
def test_the_same_sources_give_the_same_bytes(archive: Path, tmp_path: Path) -> None:
    again = tmp_path / "again.zip"
    subprocess.run([sys.executable, str(FOLDER / "build.py"), str(again)], check=True)
    assert again.read_bytes() == archive.read_bytes()
