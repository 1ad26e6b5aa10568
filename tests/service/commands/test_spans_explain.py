from __future__ import annotations

import json
from pathlib import Path

import pytest

from consumers.spans import Span
from service.otlp import write_protobuf
from tests.service.commands.command_line import sqlassay

RECORDINGS = Path(__file__).parents[2] / "cases/spans"


def test_the_explanation_of_a_file_has_every_span_and_the_answer():
    done = sqlassay("spans", "explain", str(RECORDINGS / "langfuse-R.json"))
    told = json.loads(done.stdout)
    assert done.returncode == 0
    assert [each["agent"] for each in told["answers"]] == ["weaver"]
    assert {each.get("role", "-").split(" ")[0] for each in told["spans"]} >= {"answer", "attempt"}


def test_lines_of_json_are_read_as_one_file_and_from_stdin():
    text = (RECORDINGS / "langfuse-S.json").read_text(encoding="utf-8")
    done = sqlassay("spans", "explain", "-", text=text + text.replace("mill", "weir"))
    assert done.returncode == 0
    assert len(json.loads(done.stdout)["answers"]) == 1


def test_a_file_without_an_answer_ends_with_no(tmp_path):
    span = Span(trace_id="1" * 32, span_id="1" * 16, unread=("my.question",))
    path = tmp_path / "spans.bin"
    path.write_bytes(write_protobuf([span]))
    done = sqlassay("spans", "explain", str(path))
    assert done.returncode == 1
    assert json.loads(done.stdout)["without_answer"][0]["reason"] == "UNKNOWN_ATTRIBUTES"
    named = sqlassay("spans", "explain", str(path), SQLASSAY_SPANS__ATTRIBUTES='{"question": ["my.question"]}')
    assert named.returncode == 1


@pytest.mark.parametrize("name", ["absent", "other.txt"])
def test_what_is_no_export_is_refused(tmp_path, name):
    (tmp_path / "other.txt").write_text("no spans", encoding="utf-8")
    done = sqlassay("spans", "explain", str(tmp_path / name))
    assert done.returncode == 2
    assert name in done.stderr
