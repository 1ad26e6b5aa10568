"""`sqlassay score`: one row per line, in order, whatever the lines hold."""

import io
import json
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from scoring.rules import Rules
from service.commands.jsonl import read_lines
from service.commands.score_lines import LocalScorer
from service.judges.weights import local_judge, packaged_weights
from tests.costly import COSTLY, cpu_budget
from tests.service.commands.command_line import sqlassay

GOOD = {
    "event_id": "7",
    "question": "How many members joined in 2025?",
    "sql": "SELECT COUNT(*) FROM members WHERE joined_on >= '2025-01-01' AND joined_on < '2026-01-01'",
}
FIELDS = (
    "event_id tenant agent score tier filter_status verdict confidence p_correct judge reasons follow_up enrichment"
    " alignment composite normalizations question_spec sql_spec unscored evaluator_version rules_version"
)


def scored(*lines: bytes) -> list[dict]:
    done = sqlassay("score", "-", text=b"\n".join(lines))
    assert done.returncode in {0, 1}, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def event(**fields: Any) -> bytes:
    return json.dumps(GOOD | fields).encode()


def test_a_line_that_is_too_costly_has_no_score_and_its_neighbours_have_theirs(tmp_path: Path) -> None:
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    costly = event(event_id="costly", sql=COSTLY)
    source.write_bytes(
        b"\n".join([event(event_id="a"), costly, event(event_id="b"), costly, b"{", event(event_id="c")])
    )
    done = sqlassay("score", str(source), "--out", str(target), "--cpu-seconds", f"{cpu_budget():g}")
    assert done.returncode == 1
    assert done.stderr.startswith("scored 3, unscored 2 (TOO_COSTLY 2), refused 1, mean ")
    rows = [json.loads(line) for line in target.read_text().splitlines()]
    assert [row["event_id"] for row in rows] == ["a", "costly", "b", "costly", None, "c"]
    assert [row["unscored"] for row in rows] == [None, "TOO_COSTLY", None, "TOO_COSTLY", "INVALID_EVENT", None]
    assert f"{cpu_budget():g} s of CPU (--cpu-seconds)" in rows[1]["reasons"][0]["detail"]
    assert rows[0]["score"] == rows[2]["score"] == rows[5]["score"]


@pytest.mark.parametrize(
    ("begin", "fix"),
    [
        (b"\x1f\x8b\x08", "unpack it"),
        (b"\xff\xfe{\x00", "save it as UTF-8"),
        (b"PK\x03\x04", "save its sheet as CSV"),
        (b"PAR1\x15", "ends in .parquet"),
        (b"SQLite format 3\x00", "binary"),
    ],
)
def test_a_file_that_is_no_text_is_refused_as_a_whole(tmp_path: Path, begin: bytes, fix: str) -> None:
    source = tmp_path / "in.jsonl"
    source.write_bytes(begin + b"\n\n\n")
    done = sqlassay("score", str(source), "--out", str(tmp_path / "out.jsonl"))
    assert (done.returncode, done.stdout) == (2, "")
    assert f"cannot read {source}" in done.stderr
    assert fix in done.stderr
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs Linux's file that is always full")
@pytest.mark.parametrize("command", [("score", "-"), ("verify", "-")])
def test_a_full_disk_is_named(command: tuple[str, ...]) -> None:
    done = sqlassay(*command, "--out", "/dev/full", text=event() + b"\n")
    assert done.returncode == 2
    assert "cannot write /dev/full: No space left on device" in done.stderr


def test_every_line_gives_a_row_with_every_field(tmp_path: Path) -> None:
    source, target = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_bytes(event() + b"\n")
    done = sqlassay("score", str(source), "--out", str(target))
    assert (done.returncode, done.stdout) == (0, "")
    assert re.fullmatch(r"scored 1, unscored 0, refused 0, mean \d+\.\d\d → out\.jsonl\n", done.stderr)
    [row] = [json.loads(line) for line in target.read_text().splitlines()]
    assert set(row) == set(FIELDS.split())
    assert row["event_id"] == "7"
    assert row["unscored"] is None
    assert row["score"] == row["composite"]["multiplier"] * 10 * (
        row["composite"]["filters"] + row["composite"]["verdict"]
    )


def test_rows_come_in_the_order_of_the_lines_and_bad_lines_have_one_too() -> None:
    lines = [
        event(event_id="a"),
        b"not json",
        b"",
        b"[1, 2]",
        b'{"question": "no sql"}',
        b"\xff\xfe",
        b"[" * 20_000,
        event(event_id="nul", sql="SELECT '\0'"),
        event(event_id="surrogate", question="\ud800?"),
        event(event_id="long", sql="SELECT 1 -- " + "x" * 10_000_000),
        event(event_id="brackets", sql="SELECT " + "(" * 10_000),
        event(event_id="two", sql="SELECT 1; SELECT 2"),
        event(event_id="drop", sql="DROP TABLE members"),
        event(event_id="prose", sql="I am sorry, I cannot answer that."),
        event(event_id="dialect", dialect="klingon"),
        event(event_id="blank", question="  "),
        event(event_id="z"),
    ]
    rows = scored(*lines)
    assert [(row["event_id"], row.get("line"), row["unscored"]) for row in rows] == [
        ("a", None, None),
        (None, 2, "INVALID_EVENT"),
        (None, 3, "INVALID_EVENT"),
        (None, 4, "INVALID_EVENT"),
        (None, 5, "INVALID_EVENT"),
        (None, 6, "INVALID_EVENT"),
        (None, 7, "INVALID_EVENT"),
        (None, 8, "INVALID_TEXT"),
        (None, 9, "INVALID_TEXT"),
        (None, 10, "INVALID_EVENT"),
        ("brackets", None, "SQL_TOO_DEEP"),
        ("two", None, "MULTIPLE_STATEMENTS"),
        ("drop", None, "NOT_A_SELECT"),
        ("prose", None, "REFUSED_ANSWER"),
        ("dialect", None, "UNKNOWN_DIALECT"),
        ("blank", None, "EMPTY_QUESTION"),
        ("z", None, None),
    ]
    assert all(row["score"] is None and row["reasons"][0]["detail"] for row in rows if row["unscored"])


def test_a_final_newline_adds_no_line() -> None:
    assert [line.raw for line in read_lines(io.BytesIO(b"a\n\nb\n"))] == [b"a", b"", b"b"]
    assert [line.raw for line in read_lines(io.BytesIO(b"\xef\xbb\xbfa\r\nb"))] == [b"a", b"b"]
    assert list(read_lines(io.BytesIO(b""))) == []


@pytest.mark.parametrize("longest", [1, 7, 100])
def test_a_line_that_is_too_long_is_skipped_whole(longest: int) -> None:
    lines = list(read_lines(io.BytesIO(b"x" * 200_000 + b"\n" + b"y\n"), longest))
    assert [(line.number, line.raw) for line in lines] == [(1, None), (2, b"y")]


def test_a_row_depends_on_nothing_but_the_answer() -> None:
    scorer = LocalScorer(Rules(), local_judge())
    beside = {"id": "9", "label": 1, "error_types": ["x"], "db_id": "d", "reference_sql": "SELECT 2", "attributes": {}}

    def row(fields: dict) -> dict:
        [line] = read_lines(io.BytesIO(json.dumps(fields).encode()))
        return {key: value for key, value in scorer.row(line).items() if key != "event_id"}

    bare = {key: GOOD[key] for key in ("question", "sql")}
    assert row(bare) == row(GOOD) == row(bare | beside) == row(dict(reversed((bare | beside).items())))


@pytest.mark.slow  # processes of its own
def test_the_same_file_gives_the_same_bytes_whatever_the_hash_seed() -> None:
    samples = str(files("service.samples").joinpath("events.jsonl"))
    seeds = [
        subprocess.run(
            [sys.executable, "-m", "service", "score", samples],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert seeds[0] == seeds[1] != b""


def test_aliases_of_fields_are_read() -> None:
    [row] = scored(
        b'{"id": 3, "question": "How many?", "sql": "SELECT a FROM b", "enriched_question_proxy": "How many rows?"}'
    )
    assert row["event_id"] == "3"
    assert row["enrichment"]["status"] != "missing"


def test_a_rules_file_applies_to_every_line(tmp_path: Path) -> None:
    rules = tmp_path / "rules.json"
    rules.write_text(
        '{"benign_filters": ["status = \'active\'"], "tiers": {"excellent": 99, "good": 98, "marginal": 97}}'
    )
    sql = GOOD["sql"] + " AND STATUS = 'Active'"
    [row] = [json.loads(sqlassay("score", "-", "--rules", str(rules), text=event(sql=sql)).stdout)]
    assert [each["text"] for each in row["alignment"]["filters"]["benign"]]
    assert row["alignment"]["filters"]["extra"] == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["score"], "name a file of events"),
        (["score", "-q", "How many?"], "both -q and --sql"),
        (["score", "nowhere.jsonl"], "cannot read nowhere.jsonl"),
        (["score", "-", "--judge", "llm"], "--judge local"),
        (["score", "-", "--judge", "cascade"], "--judge local"),
        (["score", "-", "--judge", "oracle"], "unknown judge"),
        (["score", "-", "--learned", "rules.json"], "--learned is for a model"),
        (["score", "-", "--dialect", "klingon"], "unknown dialect"),
        (["score", "-", "--rules", "nowhere.json"], "cannot read nowhere.json"),
        (["score", "-", "--out", "/nowhere/out.jsonl"], "cannot write"),
        (["score", "--nope"], "--nope"),
        (["nope"], "nope"),
    ],
)
def test_bad_usage_ends_with_2_and_says_what_is_wrong(arguments: list[str], said: str) -> None:
    done = sqlassay(*arguments)
    assert done.returncode == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ("{", "not JSON"),
        ("[]", "one JSON object"),
        ('{"benign": []}', "benign"),
        ('{"benign_filters": ["status = = 1"]}', "status = = 1"),
        ('{"lambda_min": 0}', "lambda_min"),
        ('{"tiers": {"excellent": 10, "good": 20, "marginal": 30}}', "tiers"),
    ],
)
def test_invalid_rules_end_with_2_and_say_what_is_wrong(tmp_path: Path, document: str, said: str) -> None:
    rules = tmp_path / "rules.json"
    rules.write_text(document)
    done = sqlassay("score", "-", "--rules", str(rules), text=event())
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_the_input_is_never_overwritten(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_bytes(event())
    done = sqlassay("score", str(source), "--out", str(source))
    assert done.returncode == 2
    assert source.read_bytes() == event()


def test_one_answer_piped_is_one_json_object() -> None:
    done = sqlassay("score", "-q", GOOD["question"], "--sql", GOOD["sql"], "-e", "How many members joined in 2025?")
    row = json.loads(done.stdout)
    assert done.returncode == 0
    assert row["event_id"] is None
    assert set(row) == set(FIELDS.split())


def test_other_weights_give_another_verdict_and_their_name(tmp_path: Path):
    document = packaged_weights() | {"version": "ours", "intercept": -3.0}
    own = tmp_path / "weights.json"
    own.write_text(json.dumps(document), encoding="utf-8")
    answer = ["score", "-q", "How many parcels are there?", "--sql", "SELECT COUNT(*) FROM parcels"]
    packaged = json.loads(sqlassay(*answer).stdout)
    fitted = json.loads(sqlassay(*answer, "--weights", str(own)).stdout)
    assert fitted["judge"] == "local/ours"
    assert fitted["p_correct"] < packaged["p_correct"]


@pytest.mark.parametrize("text", ["{", "[]", '{"version": "x"}'])
def test_an_invalid_weights_file_ends_with_2(tmp_path: Path, text: str):
    own = tmp_path / "weights.json"
    own.write_text(text, encoding="utf-8")
    done = sqlassay("score", "-q", "How many?", "--sql", "SELECT COUNT(*) FROM hens", "--weights", str(own))
    assert done.returncode == 2
    assert "weights.json" in done.stderr
