"""The command line as a whole: quick help, versions, and a bench whose figures are consistent."""

import json
import os
import subprocess
import sys
from importlib.metadata import version

import pytest

from scoring import EVALUATOR_VERSION
from tests.servers.model_server import ModelServer, model_process_server, model_server

__all__ = ["model_process_server", "model_server"]


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


def loaded_by(*arguments: str, **variables: str) -> set[str]:
    """The modules that the command has loaded when it ends well."""
    start = (
        "import atexit, sys; atexit.register(lambda: print(*sys.modules)); from sqlassay.__main__ import main; main()"
    )
    done = python("-c", start, *arguments, **variables)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines()[-1].split())


ONE_ANSWER = ("score", "-q", "How many members?", "--sql", "SELECT count(*) FROM m WHERE n IN (1)")
FOR_FILES = {"consumers.wire.events", "scoring.memory", "multiprocessing", "evals", "references", "numpy", "rich"}
"""What files of answers need, or a terminal."""
FOR_THE_SERVICE = {"sqlalchemy", "fastapi", "redis", "opentelemetry", "aiokafka", "structlog"}


def test_help_loads_neither_the_scorer_nor_the_store() -> None:
    assert {"sqlglot", "scoring", "sqlalchemy", "fastapi", "pydantic"} & loaded_by("--help") == set()


def test_one_answer_loads_neither_settings_nor_what_only_files_need() -> None:
    needless = FOR_FILES | FOR_THE_SERVICE | {"service.settings", "aiohttp", "asyncio"}
    assert needless & loaded_by(*ONE_ANSWER) == set()


def test_asking_a_model_loads_only_the_dialect_of_the_answer_and_what_the_server_needs(
    model_server: ModelServer,
) -> None:
    loaded = loaded_by(
        *ONE_ANSWER,
        "--judge=llm",
        SQLASSAY_JUDGE__BASE_URL=model_server.url,  # it has no TLS
        SQLASSAY_JUDGE__MODEL="any",
        SQLASSAY_JUDGE__PRICES='{"any": {"sent": 0, "received": 0}}',
    )
    assert "aiohttp" in loaded
    # no retry, and no variable of another group of settings
    needless = {"stamina", "tenacity", "service.settings.all_settings", "service.settings.stream_settings"}
    needless |= {"httpx2", "httpcore2", "consumers.wire.schema_document", "consumers.spans", "consumers.decoding"}
    assert (needless | FOR_FILES | FOR_THE_SERVICE) & loaded == set()
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
