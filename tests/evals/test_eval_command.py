"""`sqlassay eval judge`: labels in, figures out; what is wrong with the input is said, not raised."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from service.commands.cli import app
from tests.servers.model_server import VERDICT, ModelServer, model_process_server, model_server

__all__ = ["model_process_server", "model_server"]

RUNNER = CliRunner()
PILOTS = [
    ("How many pilots are there?", "SELECT COUNT(*) FROM pilots", 1),
    ("How many pilots are there?", "SELECT name FROM pilots", 0),
    ("Which pilot is the oldest?", "SELECT name FROM pilots ORDER BY age DESC LIMIT 1", 1),
    ("Which pilot is the oldest?", "SELECT name FROM pilots ORDER BY age ASC LIMIT 1", 0),
    ("List the pilots from Oslo", "SELECT name FROM pilots WHERE city = 'Oslo'", 1),
    ("List the pilots from Oslo", "SELECT name FROM pilots WHERE city = 'Bergen'", 0),
    ("Flights over 300 km", "SELECT id FROM flights WHERE km > 300", 1),
    ("Flights over 300 km", "SELECT id FROM flights WHERE km < 300", 0),
    ("What is the average age of the pilots?", "SELECT AVG(age) FROM pilots", 1),
    ("What is the average age of the pilots?", "SELECT SUM(age) FROM pilots", 0),
]


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    path = tmp_path / "labels.jsonl"
    rows = [
        {
            "id": f"p{n}",
            "question": question,
            "sql": sql,
            "label": label,
            "hangar": "east" if n < 6 else "west",
            "agent": ("alba", "bora", "cirrus")[n % 3],
        }
        for n, (question, sql, label) in enumerate(PILOTS)
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def measured(*arguments: str) -> dict:
    result = RUNNER.invoke(app, ["eval", "judge", *arguments, "--json"])
    assert result.exit_code == 0, result.output
    [report] = json.loads(result.stdout)
    return report


@pytest.mark.slow  # takes over a second
def test_the_local_judge_tells_plain_answers_apart(labels: Path) -> None:
    report = measured(str(labels))
    assert report["measures"]["auc"] > 0.9
    assert report["measures"]["answers"] == len(PILOTS)


@pytest.mark.slow  # takes over a second
def test_weights_fitted_to_other_questions_judge_each_question(labels: Path) -> None:
    assert measured(str(labels), "--held-out", "question")["judge"] == "the local judge, held out by question"


@pytest.mark.slow  # fits weights several times
def test_figures_over_agents_are_in_the_report_and_on_the_page(labels: Path) -> None:
    report = measured(str(labels), "--by", "agent")
    agents = {each["agent"]: each["answers"] for each in report["by_agent"]["agents"]}
    assert agents == {"alba": 4, "bora": 3, "cirrus": 3}
    assert report["by_agent"]["same_question"] > 0.9
    assert report["by_agent"]["same_question_pairs"] == len(PILOTS) / 2
    assert measured(str(labels))["by_agent"] is None
    page = RUNNER.invoke(app, ["eval", "judge", str(labels), "--by", "agent"]).stdout
    assert "| agent | answers | labelled right | mean `p_correct` | bias |" in page
    assert "Spearman between the two orders of agents" in page


@pytest.mark.slow  # takes over a second
def test_agents_and_questions_are_held_out_at_once(labels: Path) -> None:
    report = measured(str(labels), "--held-out", "question", "--held-out", "agent", "--by", "agent")
    assert report["judge"] == "the local judge, held out by question and agent"
    assert report["measures"]["answers"] == len(PILOTS)


@pytest.mark.slow  # takes over a second
def test_stored_verdicts_are_measured_and_compared(labels: Path, tmp_path: Path) -> None:
    scores = tmp_path / "scores.jsonl"
    assert RUNNER.invoke(app, ["score", str(labels), "--out", str(scores)]).exit_code == 0
    live = measured(str(labels))
    replayed = measured(str(labels), "--replies", str(scores), "--against", str(scores))
    assert replayed["measures"] == live["measures"]
    assert replayed["against"]["p_value"] == 1.0


@pytest.mark.slow  # fits weights several times
def test_a_replayed_cascade_asks_only_what_the_local_judge_doubts(labels: Path, tmp_path: Path) -> None:
    oracle = tmp_path / "oracle.jsonl"
    rows = [{"event_id": f"p{n}", "p_correct": 0.99 if label else 0.01} for n, (_, _, label) in enumerate(PILOTS)]
    oracle.write_text("".join(json.dumps(row) + "\n" for row in rows))
    report = measured(str(labels), "--judge", "cascade", "--replies", str(oracle), "--bar", "1.0")
    assert (report["asked"], report["measures"]["accuracy"]) == (1.0, 1.0)
    unasked = measured(str(labels), "--judge", "cascade", "--replies", str(oracle), "--bar", "0.5")
    assert unasked["asked"] == 0.0


@pytest.fixture
def live(model_server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> ModelServer:
    """The stand-in server, named by the settings."""
    prices = '{"stand-in": {"sent": 1, "received": 10}}'
    for name, value in {"BASE_URL": model_server.url, "MODEL": "stand-in", "PRICES": prices, "TRIES": "1"}.items():
        monkeypatch.setenv(f"SQLASSAY_JUDGE__{name}", value)
    return model_server


@pytest.mark.slow  # takes over a second
def test_a_live_model_is_measured_by_its_own_verdicts(labels: Path, live: ModelServer) -> None:
    live.script({**VERDICT, "verdict": "Incorrect", "confidence": 0.8})
    report = measured(str(labels), "--judge", "llm")
    assert (report["judge"], report["measures"]["answers"]) == ("llm", len(PILOTS))
    assert (report["measures"]["accuracy"], report["measures"]["wrong_recall"]) == (0.5, 1.0)
    assert len(live.seen()) == len(PILOTS)


@pytest.mark.slow  # fits weights several times
def test_a_live_cascade_asks_the_model_what_a_replayed_one_would(
    labels: Path, live: ModelServer, tmp_path: Path
) -> None:
    oracle = tmp_path / "oracle.jsonl"
    oracle.write_text("".join(json.dumps({"event_id": f"p{n}", "p_correct": 0.9}) + "\n" for n in range(len(PILOTS))))
    live.script(VERDICT)
    report = measured(str(labels), "--judge", "cascade", "--bar", "0.9")
    assert report["asked"] == len(live.seen()) / len(PILOTS)
    replayed = measured(str(labels), "--judge", "cascade", "--replies", str(oracle), "--bar", "0.9")
    assert 0 < len(live.seen()) == replayed["asked"] * len(PILOTS)


def test_what_a_model_that_is_down_left_to_the_local_judge_is_not_its_own(labels: Path, live: ModelServer) -> None:
    live.script({"do": "text", "text": "no verdict"})
    result = RUNNER.invoke(app, ["eval", "judge", str(labels), "--judge", "llm"])
    assert result.exit_code == 2
    assert "no answer could be judged" in result.stderr


@pytest.mark.slow  # draws pictures
def test_reports_and_pictures_are_written(labels: Path, tmp_path: Path) -> None:
    folder = tmp_path / "report"
    result = RUNNER.invoke(app, ["eval", "judge", str(labels), "--by", "hangar", "--out", str(folder)])
    assert result.exit_code == 0, result.output
    assert sorted(each.name for each in folder.iterdir()) == [
        "reliability.png",
        "report.json",
        "report.md",
        "risk_coverage.png",
    ]
    assert "| hangar |" in result.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["--judge", "oracle"],
        ["--bar", "0.2"],
        ["--model-accuracy", "2"],
        ["--held-out", "nothing", "--replies", "x"],
        ["--held-out", "question", "--train", "a", "--train", "b", "--train-weight", "1", "--train-weight", "1"],
    ],
)
def test_options_that_make_no_sense_are_refused(labels: Path, arguments: list[str]) -> None:
    assert RUNNER.invoke(app, ["eval", "judge", str(labels), *arguments]).exit_code == 2


def test_a_line_without_a_label_is_named(tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text('{"question": "How many?", "sql": "SELECT 1"}\n')
    result = RUNNER.invoke(app, ["eval", "judge", str(path)])
    assert result.exit_code == 2
    assert "line 1: needs `label`" in result.stderr


def test_a_folder_of_rules_has_those_of_each_company(tmp_path: Path) -> None:
    sql = "SELECT COUNT(*) FROM shops"
    rows = [
        {"id": f"{company}-{n}", "company": company, "question": "How many shops?", "sql": sql, "label": label}
        for company, label in (("Faro", 0), ("Kotor", 1))
        for n in range(4)
    ]
    labels = tmp_path / "labels.jsonl"
    labels.write_text("".join(json.dumps(row) + "\n" for row in rows))
    rules = tmp_path / "rules"
    rules.mkdir()
    (rules / "faro.json").write_text('{"conventions": [{"table": "shops", "predicate": "is_test = 0"}]}')
    missing = RUNNER.invoke(app, ["eval", "judge", str(labels), "--rules", str(rules)])
    assert (missing.exit_code, "no rules for the company 'Kotor'" in missing.output) == (2, True)

    (rules / "kotor.json").write_text("{}")
    assert measured(str(labels))["measures"]["accuracy"] == 0.5
    assert measured(str(labels), "--rules", str(rules))["measures"]["accuracy"] == 1.0

    both = RUNNER.invoke(app, ["eval", "judge", str(labels), "--rules", str(rules / "faro.json"), "--held-out", "id"])
    assert (both.exit_code, "--rules works for" in both.output) == (2, True)
