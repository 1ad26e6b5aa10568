"""`sqlassay score --memory`: a file is one stream, with a memory for each tenant."""

import json
from pathlib import Path

from typer.testing import CliRunner

from service.commands.cli import app

ANSWER = {
    "question": "How many parcels weigh more than 20 kg?",
    "sql": "SELECT COUNT(*) FROM parcels WHERE weight > 20",
}


def scored(folder: Path, lines: list[object], *options: str) -> list[dict[str, object]]:
    source, target = folder / "in.jsonl", folder / "out.jsonl"
    source.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    done = CliRunner().invoke(app, ["score", str(source), "--out", str(target), *options])
    assert done.exit_code in {0, 1}, done.output
    return [json.loads(line) for line in target.read_text().splitlines()]


def test_each_line_is_judged_with_earlier_lines_of_its_tenant(tmp_path: Path):
    lines: list[object] = [
        {**ANSWER, "event_id": str(n), "tenant": tenant, "agent": f"agent-{n}"}
        for tenant in ("post", "rail")
        for n in range(3)
    ]
    with_memory, without = scored(tmp_path, lines, "--memory"), scored(tmp_path, lines)
    assert [row["p_alone"] for row in with_memory] == [row["p_correct"] for row in without]
    gains = [float(str(row["p_correct"])) - float(str(row["p_alone"])) for row in with_memory]
    assert gains[0] == gains[3] == 0
    assert gains[2] > gains[1] > 0
    assert gains[3:] == gains[:3]
    assert [(row["tenant"], row["agent"]) for row in with_memory[2:4]] == [("post", "agent-2"), ("rail", "agent-0")]
    context = with_memory[2]["context"]
    assert isinstance(context, dict)
    assert [each["event_id"] for each in context["voices"]] == ["1", "0"]
    assert {"p_alone", "context"}.isdisjoint(without[0])


def test_lines_without_a_score_have_no_context_and_teach_nothing(tmp_path: Path):
    lines: list[object] = [{**ANSWER, "agent": "birch", "sql": ""}, ["no", "event"], {**ANSWER, "agent": "atlas"}]
    rows = scored(tmp_path, lines, "--memory")
    assert [row["context"] is None for row in rows] == [True, True, False]
    assert [row["agent"] for row in rows] == ["birch", None, "atlas"]
    assert rows[2]["p_correct"] == rows[2]["p_alone"]


def test_rules_switch_memory_off(tmp_path: Path):
    rules = tmp_path / "rules.json"
    rules.write_text('{"memory": false}')
    lines: list[object] = [{**ANSWER, "agent": agent} for agent in ("birch", "atlas")]
    rows = scored(tmp_path, lines, "--memory", "--rules", str(rules))
    assert [row["p_correct"] == row["p_alone"] for row in rows] == [True, True]
    assert [row["context"] for row in scored(tmp_path, lines, "--memory")] != [row["context"] for row in rows]


def test_memory_needs_a_file_and_the_local_judge(tmp_path: Path):
    source = tmp_path / "in.jsonl"
    source.write_text(json.dumps(ANSWER))
    for arguments in (["-q", "How many?", "--sql", "SELECT 1"], [str(source), "--judge", "llm"]):
        assert CliRunner().invoke(app, ["score", "--memory", *arguments]).exit_code == 2
