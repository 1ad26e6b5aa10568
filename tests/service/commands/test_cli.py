"""The command line as a whole: quick help, versions, and a bench whose figures are consistent."""

import json
import os
import subprocess
import sys
from importlib.metadata import version

import pytest

from scoring import EVALUATOR_VERSION


def python(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **variables}
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=False, env=environment)


@pytest.mark.slow  # starts each command as a process
@pytest.mark.parametrize(
    "command",
    [
        [],
        ["score"],
        ["serve"],
        ["demo"],
        ["report"],
        ["rules"],
        ["rules", "show"],
        ["rules", "set"],
        ["migrate"],
        ["bench", "scoring"],
        ["learn", "calibrate"],
    ],
    ids=" ".join,
)
def test_every_command_explains_itself(command: list[str]) -> None:
    done = python("-m", "service", *command, "--help")
    assert done.returncode == 0
    assert "Usage: " in done.stdout


def test_help_loads_neither_the_scorer_nor_the_store() -> None:
    done = python("-c", "import sys, service.commands.cli; print(*sys.modules)")
    assert {"sqlglot", "sqlalchemy", "fastapi", "pydantic"} & set(done.stdout.split()) == set()


@pytest.mark.slow  # starts a process that asks a model
def test_asking_a_model_loads_only_the_dialect_of_the_answer_and_what_the_server_needs() -> None:
    score = "from service.__main__ import main; main()"
    done = python(
        "-c",
        f"import atexit, sys; atexit.register(lambda: print(*sys.modules)); {score}",
        *("score", "--judge", "llm", "-q", "How many members?", "--sql", "SELECT count(*) FROM m WHERE n IN (1)"),
        SQLASSAY_JUDGE__BASE_URL="http://127.0.0.1:9/v1",  # nobody listens, and it has no TLS
        SQLASSAY_JUDGE__MODEL="any",
        SQLASSAY_JUDGE__PRICES='{"any": {"sent": 0, "received": 0}}',
        SQLASSAY_JUDGE__TRIES="1",
    )
    loaded = set(done.stdout.split())
    assert "aiohttp" in loaded, done.stderr
    needless = {"redis", "opentelemetry", "httpx2", "httpcore2", "structlog", "sqlalchemy", "fastapi"}
    assert (needless | {"consumers.wire.schema_document"}) & loaded == set()
    assert {each for each in loaded if each.startswith("sqlglot.generators.")} <= {
        "sqlglot.generators.sqlite",
        "sqlglot.generators.sqlite__mypyc",
    }


def test_the_version_names_the_release_and_the_evaluator() -> None:
    done = python("-m", "service", "--version")
    assert done.stdout.strip() == f"sqlassay {version('sqlassay')} (evaluator {EVALUATOR_VERSION})"


@pytest.mark.slow  # measures all samples
def test_the_figures_of_the_bench_are_consistent() -> None:
    figures = json.loads(python("-m", "service", "bench", "scoring", "--rounds", "1", "--json").stdout)
    micros = figures["micros_per_event"]
    event = sum(spent for stage, spent in micros.items() if stage not in {"parse", "parse_again", "decode", "memory"})
    assert figures["micros_event"] == pytest.approx(event, abs=0.1)
    assert figures["parses_per_event"] == pytest.approx(event / micros["parse"], rel=0.01)
    assert figures["parses_again_per_event"] == pytest.approx(event / micros["parse_again"], rel=0.01)
    assert figures["events_per_second"] == pytest.approx(1e6 / (event + micros["decode"]), rel=0.01)
    assert figures["memory_share"] == pytest.approx(micros["memory"] / event, abs=0.01)
    assert figures["compiled_sqlglot"] is True
    assert figures["events"] >= 150


@pytest.mark.slow  # takes over a second
def test_a_bench_of_a_file_without_events_ends_with_2() -> None:
    done = python("-m", "service", "bench", "scoring", __file__)
    assert done.returncode == 2
    assert "can be scored" in done.stderr
