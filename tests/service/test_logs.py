"""Rate limits and formats of the log."""

from __future__ import annotations

import logging

import structlog

from consumers.errors import StoreUnavailable
from service.logs import RateLimited, configure_logs
from service.metrics import Metrics
from service.settings.observability_settings import LogSettings, MetricSettings


def record(message: str, *values: object, at: float = 0.0, name: str = "aiokafka", error: Exception | None = None):
    made = logging.LogRecord(
        name, logging.ERROR, "client.py", 1, message, values, (type(error), error, None) if error else None
    )
    made.created = 1000.0 + at
    return made


def test_a_library_message_is_written_once_a_second_and_other_messages_at_once():
    limited = RateLimited(seconds=1.0, repeated=30.0)
    said = [
        record("no connection to %s", "1"),
        record("no connection to %s", "2", at=0.5),
        record("no metadata", at=0.6),
        record("no connection to %s", "1", name="redis", at=0.7),
        record("no connection to %s", "2", at=1.1),
    ]
    assert [limited.filter(each) for each in said] == [True, False, True, True, True]


def test_a_line_that_a_library_repeats_every_second_is_written_twice_a_minute():
    limited = RateLimited(seconds=1.0, repeated=30.0)
    said = [record("Topic %s not found in cluster metadata", "query-scores", at=1.1 * n) for n in range(67)]
    assert sum(limited.filter(each) for each in said) == 3


def test_each_dependency_that_stalls_has_a_line_of_its_own(capsys):
    metrics = Metrics(MetricSettings(), "local")
    for _ in range(5):
        metrics.stalled("references", StoreUnavailable("it is read-only"))
        metrics.stalled("StoreUnavailable", StoreUnavailable("it is read-only"))
    said = capsys.readouterr().out
    assert (said.count("dependency_stalled"), said.count("dependency=references")) == (2, 1)


def test_the_services_log_is_rate_limited(capsys, monkeypatch):
    root = logging.getLogger()
    monkeypatch.setattr(root, "handlers", root.handlers)
    monkeypatch.setattr(root, "level", root.level)
    before = structlog.get_config()
    try:
        configure_logs(LogSettings())
    finally:
        structlog.configure(**before)
    for _ in range(50):
        logging.getLogger("a.library").error("no connection to %s", "broker 1")
    assert capsys.readouterr().err.count("no connection to broker 1") == 1


def test_records_with_a_traceback_are_always_written():
    limited = RateLimited()
    assert all(limited.filter(record("a task failed", error=ValueError("no"))) for _ in range(3))


def test_the_number_of_remembered_messages_is_bounded():
    limited = RateLimited()
    for number in range(5000):
        assert limited.filter(record(f"offset {number}"))
    assert len(limited._until) <= 1000
