"""Commands that only ask a model read few settings, and find what is wrong with any."""

from __future__ import annotations

import pytest

from service.settings import Settings
from service.settings.loading import SettingsError, load_model_settings, load_settings

MODEL = {
    "SQLASSAY_JUDGE__BASE_URL": "http://127.0.0.1:9/v1",
    "SQLASSAY_JUDGE__MODEL": "any",
    "sqlassay_judge__prices": '{"any": {"sent": 1, "received": 2}}',
    "SQLASSAY_REDIS__PREFIX": "other",
    "SQLASSAY_TEST_KAFKA": "no setting",
}


@pytest.fixture(autouse=True)
def no_settings_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in MODEL.items():
        monkeypatch.setenv(name, value)


@pytest.mark.parametrize("others", [{}, {"SQLASSAY_JUDGE": '{"tries": 2}'}, {"SQLASSAY_KAFKA__TOPIC_EVENTS": "events"}])
def test_they_are_those_of_the_whole(monkeypatch: pytest.MonkeyPatch, others: dict[str, str]) -> None:
    for name, value in others.items():
        monkeypatch.setenv(name, value)
    few, whole = load_model_settings(), load_settings()
    assert (few.judge, few.redis) == (whole.judge, whole.redis)
    assert (few.judge.model, few.redis.prefix) == ("any", "other")
    assert isinstance(few, Settings) == (others != {})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SQLASSAY_JUGDE__TRIES", "1"),
        ("SQLASSAY_JUDGE__TRIES", "many"),
        ("SQLASSAY_JUDGE__PRICES", "{}"),
        ("SQLASSAY_REDIS", "no JSON"),
        ("SQLASSAY_KAFKA__TIMEOUT", "soon"),
        ("SQLASSAY_HTTP__HOST", "0.0.0.0"),
    ],
)
def test_what_is_wrong_is_said_as_of_the_whole(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError) as of_few:
        load_model_settings()
    with pytest.raises(SettingsError) as of_all:
        load_settings()
    assert str(of_few.value) == str(of_all.value)


SECRETS = {
    "SQLASSAY_DATABASE__URL": "postgresql://assay:quartz@db:5432/assay",
    "SQLASSAY_REDIS__URL": "rediss://:quartz@cache:6379/0",
    "SQLASSAY_KAFKA__BOOTSTRAP_SERVERS": "kafka:9092",
    "SQLASSAY_KAFKA__TLS": "on",
    "SQLASSAY_KAFKA__SASL_MECHANISM": "PLAIN",
    "SQLASSAY_KAFKA__SASL_USERNAME": "assay",
    "SQLASSAY_KAFKA__SASL_PASSWORD": "quartz",
    "SQLASSAY_JUDGE__API_KEY": "sk-quartz",
    "SQLASSAY_HTTP__TOKENS": '{"*": "all-tenants-for-tests-only"}',
    "SQLASSAY_HTTP__TOKENS__kites": "one-tenant-for-tests-only",
}
"""What a Secret may hold."""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_line_end_of_a_secret_made_from_a_file_is_no_part_of_the_value(monkeypatch: pytest.MonkeyPatch, end: str):
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    expected = load_settings()
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value + end)
    assert load_settings() == expected
    assert load_model_settings().judge == expected.judge
