"""Values of the chart that say who may log in."""

from __future__ import annotations

from typing import Any

import pytest

from service.settings import Settings
from service.settings.loading import load_settings
from tests.deploy.charts import LEAST, merged, render
from tests.deploy.releases import MATRIX, environment_of


def loaded(values: dict[str, Any], monkeypatch: pytest.MonkeyPatch, *, least: bool = True) -> Settings:
    """The settings that a release with these values reads."""
    for name, value in environment_of(render(values, least=least)).items():
        monkeypatch.setenv(name, value)
    return load_settings()


def test_a_release_logs_people_in_at_the_provider(monkeypatch: pytest.MonkeyPatch):
    held = loaded(MATRIX["people log in at a provider"], monkeypatch)
    assert (held.login.public_url, held.login.hours) == ("https://assay.example.org", 8)
    assert held.login.secret is not None
    assert held.oidc.client_secret is not None
    assert (held.oidc.tenants["quality"], held.oidc.roles["analyst"]) == ("*", {"read", "review"})
    assert (held.oidc.name_claim, held.oidc.tenant_claim) == ("email", "groups")
    assert (held.oidc.roles_claim, held.oidc.everyone) == ("realm_access.roles", {"read"})


def test_a_release_believes_its_proxy_and_needs_no_token_beside_it(monkeypatch: pytest.MonkeyPatch):
    given = {**LEAST, "secrets": {"databaseUrl": "postgresql://db/assay"}, **MATRIX["people log in at a proxy"]}
    held = loaded(given, monkeypatch, least=False)
    assert [str(each) for each in held.proxy.addresses] == ["10.0.0.5/32", "10.1.0.0/24", "fd00::/64"]
    assert (held.proxy.name_header, held.proxy.tenant) == ("X-Forwarded-Email", "bakers")
    assert held.proxy.roles_header == "X-Forwarded-Groups"
    assert (held.http.tokens, held.needs_login) == ({}, True)


@pytest.mark.parametrize(
    ("values", "address"),
    [
        ({}, None),
        (MATRIX["open to the world"], "https://assay.example.org"),
        (
            {**MATRIX["open to the world"], "login": {"publicUrl": "https://other.example.org"}},
            "https://other.example.org",
        ),
        ({"ingress": {"enabled": True, "hosts": [{"host": "assay.example.org"}]}}, None),
    ],
)
def test_the_address_of_the_console_is_that_of_an_ingress_with_tls(
    values: dict[str, Any], address: str | None, monkeypatch: pytest.MonkeyPatch
):
    assert loaded(values, monkeypatch).login.public_url == address


def test_a_setting_wins_over_the_values_of_the_login():
    given = merged(MATRIX["people log in at a provider"], {"settings": {"SQLASSAY_OIDC__CLIENT_ID": "other"}})
    assert environment_of(render(given))["SQLASSAY_OIDC__CLIENT_ID"] == "other"
