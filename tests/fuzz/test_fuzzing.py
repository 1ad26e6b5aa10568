"""What fuzzing found once is run again, and each target is fuzzed a little."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.__main__ import NAMES
from tests.fuzz.campaign import CORPUS
from tests.fuzz.draws import Draws
from tests.fuzz.targets import TARGETS

FILES = sorted(CORPUS.rglob("*.json"))
ROOT = Path(__file__).parents[2]


def test_every_target_is_named_and_has_a_corpus() -> None:
    assert set(NAMES) == set(TARGETS) == {path.parent.name for path in FILES}


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_the_corpus_is_read_without_a_fault(path: Path) -> None:
    TARGETS[path.parent.name].run(json.loads(path.read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", NAMES)
def test_each_target_takes_what_is_drawn(name: str) -> None:
    target = TARGETS[name]

    @settings(max_examples=10, derandomize=True, database=None)
    @given(st.binary(min_size=20, max_size=200))
    def fuzzed(raw: bytes) -> None:
        target.run(json.loads(json.dumps(target.draw(Draws(raw)))))

    fuzzed()


@pytest.mark.slow  # a quarter of a minute of processor time
def test_a_campaign_of_the_same_inputs_each_time_finds_nothing() -> None:
    command = [sys.executable, "-m", "tests.fuzz", "--executions", "300", "--engine", "random", "--seed", "13"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
