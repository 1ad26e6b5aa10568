"""Which tests run where: marks tests by what they need, and ends a run with what was skipped and how to get it.

`slow`, `campaign` and `development_data` are written on tests. `servers`, `database` and the marks of whole folders
follow from a test's fixtures and folder, so that nobody has to remember them.
"""

from __future__ import annotations

import gc
import signal
from collections import Counter
from collections.abc import Generator
from pathlib import Path

import pytest
import yaml
from _pytest.doctest import DoctestModule
from hypothesis import settings

from tests.development import HOME

MARKS = {
    "slow": "a soak or a long campaign; `make test` leaves it out, `.ci/run` runs it",
    "alone": "has limits in seconds or loads all cores: if slow, no other runs beside it (also set by its folder)",
    "campaign": "seconds of random input or whole data sets; `make test` runs it, `make fast` leaves it out",
    "nightly": "too long for `.ci/run`; `make nightly` runs it (also marked slow)",
    "servers": "needs Kafka, Redis, PostgreSQL 15, Prometheus or Chromium (set by its fixtures)",
    "database": "needs a PostgreSQL, which the tests bring (set by its fixtures)",
    "development_data(path): needs this file or folder of the development data": "skipped where that is not there",
}
SERVERS = frozenset(
    {"kafka_server", "redis_url", "postgres15", "own_kafka", "chromium", "own_redis", "own_postgres", "promtool"}
)
"""Fixtures that need a program which `make servers` installs."""
ROOT = Path(__file__).parents[1]
_TESTS = ROOT / "tests"
_SLOW = frozenset({"tests/delivery"})
_ALONE = frozenset({"tests/pages", "tests/servers"})
NO_DATA = "the development data is not here: set SQLASSAY_DEVELOPMENT_DATA to its folder"


# YAML is read in C, ten times as fast: every worker reads all case files before the first test runs
yaml.SafeLoader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def pytest_configure(config: pytest.Config) -> None:
    # a shell's background job ignores Ctrl-C, and so would the commands that tests interrupt
    signal.signal(signal.SIGINT, signal.default_int_handler)
    # a deadline would assert a time, which a busy machine misses
    settings.register_profile("sqlassay", deadline=None)
    settings.load_profile("sqlassay")
    for mark, meaning in MARKS.items():
        config.addinivalue_line("markers", mark if ":" in mark else f"{mark}: {meaning}")
    # thousands of tests are made and none is garbage: looking for some takes a sixth of the collection
    gc.disable()


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Looks for doctests in the rooms, and in those files of the tests that have one."""
    found = yield
    if not file_path.is_relative_to(_TESTS) or ">>>" in file_path.read_text(encoding="utf-8"):
        return found
    return [each for each in found if not isinstance(each, DoctestModule)]


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()
    # as in the processes that score
    gc.set_threshold(20_000, 20, 50)


@pytest.hookimpl(tryfirst=True)  # before `-m` selects
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        fixtures = needs(item)
        if fixtures & SERVERS:
            item.add_marker("servers")
        if "postgres_url" in fixtures or fixtures & SERVERS:
            item.add_marker("database")
        room = "/".join(item.path.relative_to(ROOT).parts[:2])
        if room in _SLOW:
            item.add_marker("slow")
        if room in _ALONE:
            item.add_marker("alone")
        if any(not (HOME / mark.args[0]).exists() for mark in item.iter_markers("development_data")):
            item.add_marker(pytest.mark.skip(reason=NO_DATA))


def needs(item: pytest.Item) -> set[str]:
    """The fixtures of a test, and those that a parameter names."""
    named = getattr(item, "callspec", None)
    values = named.params.values() if named is not None else ()
    return {*getattr(item, "fixturenames", ()), *(value for value in values if isinstance(value, str))}


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reasons = Counter(reason(report) for report in terminalreporter.stats.get("skipped", ()))
    if reasons:
        terminalreporter.section("skipped, and how to run it")
    for why, count in reasons.most_common():
        terminalreporter.write_line(f"{count} test{'s' if count > 1 else ''}: {why}")


def reason(report: pytest.TestReport) -> str:
    """Why a test was skipped."""
    place = report.longrepr
    return str(place[2]).removeprefix("Skipped: ") if isinstance(place, tuple) else str(place)
