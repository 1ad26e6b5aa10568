"""`sqlassay score` as a step of a script: tables in and out, a summary, exit codes, bounds and several processes."""

from __future__ import annotations

import csv
import json
import random
import subprocess
import sys
from datetime import datetime
from pathlib import Path

import orjson
import pytest

from scoring.rules import Rules
from service.commands.files.formats import ScoredFiles, row_sink
from service.commands.score_lines import LocalScorer
from service.judges.weights import local_judge
from service.samples import sample_events
from service.storage.tables import EVALUATIONS
from service.storage.tables.columns import Use, columns_for
from tests.costly import COSTLY, cpu_budget
from tests.service.commands.command_line import sqlassay

QUESTION = "How many members joined in 2025?"
SQL = "SELECT COUNT(*)\nFROM members WHERE joined_on >= '2025-01-01' AND joined_on < '2026-01-01'"
ANSWERS = [
    {"key": "a", "asked": QUESTION, "query": SQL},
    {"key": "b", "asked": "List all piers, by name", "query": 'SELECT "name" FROM piers ORDER BY "name"'},
    {"key": "", "asked": "How many hens?", "query": ""},
]
NAMED = ("--question-column", "asked", "--sql-column", "query", "--id-column", "key")


def table_of(path: Path, separator: str = ",") -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(ANSWERS[0]), delimiter=separator)
        writer.writeheader()
        writer.writerows(ANSWERS)
    return path


def lines_of(path: Path) -> Path:
    path.write_bytes(b"".join(orjson.dumps(each) + b"\n" for each in ANSWERS))
    return path


def rows(source: Path, *options: str) -> list[dict]:
    done = sqlassay("score", str(source), *NAMED, *options)
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("scored 2, unscored 1 (EMPTY_SQL 1), refused 0, mean ")
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize(("name", "separator"), [("in.csv", ","), ("in.tsv", "\t"), ("excel.csv", ";")])
def test_a_table_gives_the_rows_that_lines_of_json_give(tmp_path: Path, name: str, separator: str) -> None:
    of_table = rows(table_of(tmp_path / name, separator))
    assert of_table == rows(lines_of(tmp_path / "in.jsonl"))
    assert [row["event_id"] for row in of_table[:2]] == ["a", "b"]
    assert len(of_table[2]["event_id"]) == 64


def test_a_parquet_file_gives_the_same_rows_and_takes_them(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow", reason="needs pyarrow: the extra arrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    source, target = tmp_path / "in.parquet", tmp_path / "out.parquet"
    parquet.write_table(arrow.Table.from_pylist(ANSWERS), source)
    expected = rows(source)
    assert expected == rows(lines_of(tmp_path / "in.jsonl"))
    assert rows(source, "--out", str(target)) == []
    written = parquet.read_table(target).to_pylist()
    for kept, row in zip(written, expected, strict=True):
        assert (kept["event_id"], kept["score"], kept["unscored"]) == (row["event_id"], row["score"], row["unscored"])
        assert json.loads(kept["reasons"]) == row["reasons"]


def test_rows_in_csv_hold_nested_fields_as_json(tmp_path: Path) -> None:
    source, target = table_of(tmp_path / "in.csv"), tmp_path / "out.csv"
    expected = rows(source)
    assert rows(source, "--out", str(target)) == []
    with target.open(encoding="utf-8", newline="") as file:
        written = list(csv.DictReader(file))
    for kept, row in zip(written, expected, strict=True):
        assert kept["event_id"] == row["event_id"]
        assert kept["score"] == ("" if row["score"] is None else str(row["score"]))
        assert json.loads(kept["reasons"]) == row["reasons"]


@pytest.mark.parametrize("name", ["out.csv", "out.tsv"])
def test_no_text_of_an_answer_is_a_formula_in_a_table(tmp_path: Path, name: str) -> None:
    evil = ["=HYPERLINK(1)", "+1", "-1", "@SUM(A1)", "\uff1d1"]
    source, target = tmp_path / "in.jsonl", tmp_path / name
    events = [
        {"question": QUESTION, "sql": SQL, **dict.fromkeys(("event_id", "agent", "tenant"), text)} for text in evil
    ]
    source.write_bytes(b"".join(orjson.dumps(each) + b"\n" for each in events))
    assert sqlassay("score", str(source), "--out", str(target)).returncode == 0
    with target.open(encoding="utf-8", newline="") as file:
        written = list(csv.DictReader(file, delimiter="\t" if name.endswith(".tsv") else ","))
    assert len(written) == len(evil)
    texts = [value for row in written for column, value in row.items() if column in {"event_id", "agent", "tenant"}]
    assert texts
    assert [text for text in texts if not text.startswith("'")] == []


@pytest.mark.parametrize(
    ("content", "options", "said"),
    [
        (b"key,asked,query\n1,a,b\n", (), "no column 'question': name it with --question-column"),
        (b"key,asked,query\n1,a,b\n", ("--question-column", "asked"), "its columns are key, asked, query"),
        (b"question,sql\n", ("--dialect-column", "d"), "no column 'd': name it with --dialect-column"),
        (b"question,sql\nWie viele K\xe4hne?,SELECT 1\n", (), "byte 0xe4 is not UTF-8"),
        (b'question,sql\n"how many,SELECT 1\n', (), "is not CSV"),
        (b"", (), "is empty"),
        (b"question,sql\n\0", (), "binary"),
    ],
)
def test_a_table_that_cannot_be_read_says_why(tmp_path: Path, content: bytes, options: tuple[str, ...], said: str):
    source = tmp_path / "in.csv"
    source.write_bytes(content)
    done = sqlassay("score", str(source), *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_a_file_that_only_has_the_name_of_parquet_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow", reason="needs pyarrow: the extra arrow")
    source = tmp_path / "in.parquet"
    source.write_bytes(b"question,sql\n")
    done = sqlassay("score", str(source))
    assert (done.returncode, done.stdout) == (2, "")
    assert f"cannot read {source}" in done.stderr


def test_a_parquet_file_may_hold_texts_as_bytes_and_other_types(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow", reason="needs pyarrow: the extra arrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    answer = {
        "id": 7,
        "question": QUESTION,
        "sql": SQL.encode(),
        "occurred_at": datetime(2026, 1, 2),
        "attributes": {"a": 1},
    }
    parquet.write_table(arrow.Table.from_pylist([answer]), tmp_path / "in.parquet")
    done = sqlassay("score", str(tmp_path / "in.parquet"))
    [row] = map(json.loads, done.stdout.splitlines())
    assert (row["event_id"], row["verdict"]) == ("7", "Correct")


def test_a_damaged_parquet_file_is_refused(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow", reason="needs pyarrow: the extra arrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    source = tmp_path / "in.parquet"
    parquet.write_table(arrow.Table.from_pylist([{"question": QUESTION, "sql": SQL}] * 9), source)
    content = bytearray(source.read_bytes())
    content[4:60] = bytes(56)
    source.write_bytes(content)
    done = sqlassay("score", str(source))
    assert done.returncode == 2
    assert f"cannot read {source}" in done.stderr


@pytest.mark.parametrize(("name", "content"), [("in.jsonl", b""), ("in.csv", b"question,sql\n")])
def test_a_file_without_answers_answers_no(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    done = sqlassay("score", str(tmp_path / name))
    assert done.returncode == 1
    assert "holds no answers" in done.stderr


def test_a_refused_line_answers_no_and_its_keys_are_named() -> None:
    done = sqlassay("score", "-", text='{"asked": "How many?", "query": "SELECT 1"}\n{')
    assert done.returncode == 1
    assert "2 of 2 lines refused; line 1: MISSING_FIELD" in done.stderr
    assert "--question-column and --sql-column: its keys are asked, query" in done.stderr


@pytest.mark.parametrize(
    ("gates", "code", "said"),
    [
        (("mean=1", "p_correct=0.01", "cover=0.5"), 0, ""),
        (("mean=100.5",), 1, "is less than 100.5"),
        (("mean=1", "cover=0.9"), 1, "cover 0.66667 is less than 0.9"),
        (("median=1",), 2, "the names are mean, p_correct, cover"),
        (("mean",), 2, "such as mean=75"),
        (("mean=nan",), 2, "such as mean=75"),
    ],
)
def test_a_figure_below_its_bound_answers_no(tmp_path: Path, gates: tuple[str, ...], code: int, said: str) -> None:
    options = [each for gate in gates for each in ("--fail-under", gate)]
    done = sqlassay("score", str(table_of(tmp_path / "in.csv")), *NAMED, *options)
    assert done.returncode == code
    assert said in done.stderr


def test_several_processes_write_what_one_writes(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    costly = {"question": "How many?", "sql": COSTLY}
    some = list(sample_events())[:120]
    some[5:5] = [costly, costly]
    source.write_bytes(b"".join(orjson.dumps(each) + b"\n" for each in some))
    written: list[bytes] = []
    for jobs in (1, 3):
        target = tmp_path / f"{jobs}.jsonl"
        scorer = LocalScorer(Rules(), local_judge(), cpu_budget(), jobs)
        assert scorer.score_file(ScoredFiles(str(source), str(target))).unscored["TOO_COSTLY"] == 2
        written.append(target.read_bytes())
    assert written[0] == written[1]


@pytest.mark.parametrize("options", [("--memory",), ("--judge", "llm")])
def test_several_processes_are_for_the_local_judge_alone(options: tuple[str, ...]) -> None:
    done = sqlassay("score", "-", "--jobs", "2", *options)
    assert done.returncode == 2
    assert "--jobs works with --judge local" in done.stderr


def test_a_table_holds_each_stored_field_as_its_column_does() -> None:
    arrow = pytest.importorskip("pyarrow")
    from service.commands.files.parquet_files import KINDS

    types = {"DOUBLE": arrow.float64(), "INTEGER": arrow.int64(), "BOOLEAN": arrow.bool_()}
    stored = {each.name: types.get(str(each.type)) for each in columns_for(EVALUATIONS, Use.SCORE)}
    fields = {name: kind for name, kind in stored.items() if kind is not None}
    assert fields | {"p_judge": arrow.float64(), "line": arrow.int64(), "cached": arrow.bool_()} == KINDS


_WITHOUT_THE_SERVICE = """
import sys
sys.modules |= dict.fromkeys(("sqlalchemy", "sqlmodel", "asyncpg", "fastapi", "aiohttp", "scipy"))
from service.__main__ import main
main()
"""


def test_tables_need_the_extras_of_tables_alone(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    target = tmp_path / "out.parquet"
    command = [sys.executable, "-c", _WITHOUT_THE_SERVICE, "score", str(table_of(tmp_path / "in.csv")), *NAMED]
    done = subprocess.run([*command, "--out", str(target)], capture_output=True, text=True, check=False, timeout=60)
    assert parquet.read_table(target).num_rows == len(ANSWERS), done.stderr


def test_a_large_table_has_few_row_groups(tmp_path: Path) -> None:
    target = tmp_path / "out.parquet"
    with row_sink(str(target), ("event_id", "score")) as sink:
        for number in range(40_000):
            sink.write(b'{"event_id":"%d","score":1.5}\n' % number)
    parquet = pytest.importorskip("pyarrow.parquet")
    file = parquet.ParquetFile(target)
    assert [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)] == [16384, 16384, 7232]
    assert file.read(columns=["event_id"]).column(0).to_pylist() == [str(number) for number in range(40_000)]


def test_memory_holds_a_part_of_a_large_table(tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    from service.commands.files.parquet_files import parquet_records

    source = tmp_path / "in.parquet"
    letters = random.Random(7)
    table = arrow.table({"text": [letters.randbytes(1000).hex() for _ in range(16_000)]})
    parquet.write_table(table, source, row_group_size=1000)
    del table
    before = arrow.total_allocated_bytes()
    held = [arrow.total_allocated_bytes() - before for _ in parquet_records(str(source))]
    # the file has 32 MB of text
    assert (len(held), max(held) < 12_000_000) == (16_000, True)
