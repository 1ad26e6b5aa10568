"""A run that is stopped at any moment goes on, and ends with the files of an undisturbed run."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from tests.evals.runner.weaving import GOLDS, Mill, case, lines
from tests.service.commands.command_line import sqlassay

FILES = ("cases.jsonl", "summary.json", "report.html")
ANSWERS: dict[str, str | None] = {case_id: gold for case_id, (_, gold) in GOLDS.items()}


@pytest.fixture
def mill(tmp_path: Path) -> Mill:
    return Mill(tmp_path)


def content(mill: Mill, out: str) -> dict[str, bytes]:
    return {name: (mill.folder / out / name).read_bytes() for name in FILES}


@pytest.mark.slow  # every place of a cut
def test_a_journal_that_was_cut_anywhere_is_gone_on_with(mill: Mill) -> None:
    mill.recorded(ANSWERS, "--databases", mill.databases)
    whole, journal = content(mill, "run"), (mill.folder / "run" / "journal.jsonl").read_bytes()
    ends = [place + 1 for place, byte in enumerate(journal) if byte == ord("\n")]
    dice = random.Random(7)
    for cut in (0, ends[0], ends[1] - 1, dice.randrange(ends[1], ends[2]), len(journal)):
        (mill.folder / "run" / "journal.jsonl").write_bytes(journal[:cut])
        mill.recorded(ANSWERS, "--databases", mill.databases)
        assert content(mill, "run") == whole, cut


def test_the_folder_of_another_run_is_refused(mill: Mill) -> None:
    mill.recorded(ANSWERS)
    predictions = mill.folder / "predictions.jsonl"
    text = mill.run("--backend", "recorded", "--predictions", predictions, "--limit", "1", code=2)
    assert "another selection" in text
    text = mill.run("--backend", "recorded", "--predictions", predictions, "--allow-function", "TO_WORDS", code=2)
    assert "another functions" in text  # or answers refused before would stay refused
    lines(mill.benchmark, [case("count")])
    assert "another benchmark" in mill.run("--backend", "recorded", "--predictions", predictions, code=2)


def command(mill: Mill, out: str) -> list[str]:
    arguments = ["--benchmark", mill.benchmark, "--backend", "recorded", "--predictions", mill.folder / "p.jsonl"]
    return [
        sys.executable, "-m", "service", "eval", "run", *map(str, arguments), "--out", str(mill.folder / out),
        "--concurrency", "2", "--databases", str(mill.databases),
    ]  # fmt: skip


def many(mill: Mill, count: int) -> None:
    """Makes a benchmark of this many cases; of some the agent is wrong, of some it gave nothing."""
    names = list(GOLDS)
    cases = [{**case(names[n % len(names)]), "case_id": f"c{n}"} for n in range(count)]
    lines(mill.benchmark, cases)
    answers = ["SELECT 1", *(gold for _, gold in GOLDS.values()), None]
    lines(mill.folder / "p.jsonl", [{"case_id": f"c{n}", "sql": answers[n % 6]} for n in range(count)])


def finished(journal: Path) -> int:
    return journal.read_bytes().count(b"\n") if journal.exists() else 0


def stop_after(mill: Mill, out: str, answers: int, how: signal.Signals) -> int:
    """Starts the run, and stops it when so many answers are finished; returns its exit code."""
    # slow enough to be stopped in time on a busy machine
    slowly = [*command(mill, out), "--rate", "1200"]
    process = subprocess.Popen(slowly, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while process.poll() is None and finished(mill.folder / out / "journal.jsonl") < answers:
        assert time.monotonic() < deadline
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.01)
    process.send_signal(how)
    return process.wait()


@pytest.mark.slow
def test_a_run_that_was_killed_goes_on_to_the_files_of_an_undisturbed_run(mill: Mill) -> None:
    many(mill, 60)
    assert sqlassay(*command(mill, "undisturbed")[3:]).returncode == 0
    dice = random.Random(1)
    for answers in sorted(dice.sample(range(1, 50), 2)):
        assert stop_after(mill, "killed", answers, signal.SIGKILL) == -signal.SIGKILL
    assert 0 < finished(mill.folder / "killed" / "journal.jsonl") < 60
    assert sqlassay(*command(mill, "killed")[3:]).returncode == 0
    assert content(mill, "killed") == content(mill, "undisturbed")


@pytest.mark.slow
def test_ctrl_c_keeps_what_is_done(mill: Mill) -> None:
    many(mill, 100)
    assert stop_after(mill, "stopped", 3, signal.SIGINT) == 130
    summary = json.loads((mill.folder / "stopped" / "summary.json").read_text())
    assert summary["complete"] is False
    assert 3 <= len(mill.records("stopped")) == summary["answers"] < 100
