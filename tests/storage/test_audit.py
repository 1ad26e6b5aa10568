"""The audit log: rules, calibrations and tokens are in it with who changed them, and no value or secret is."""

from __future__ import annotations

from consumers.wire.rules_document import RulesDocument
from service.settings.access_settings import AccessScope
from service.storage.audit import Actor, AuditFilter, Via, act_as, audit_rows
from service.storage.rule_store import PostgresRules
from service.storage.token_store import NewToken, PostgresTokens


async def test_changes_of_rules_and_tokens_are_noted_without_values_and_secrets(engine):
    act_as(Actor(name="noor", via=Via.API))
    rules, tokens = PostgresRules(engine), PostgresTokens(engine)
    await rules.put("bakers", RulesDocument(benign_filters=["name = 'planted'"]), author="noor")
    await rules.put_calibration("bakers", 2, author="noor")
    await rules.put_calibration("bakers", 1, author="noor")
    await rules.put_learned("bakers", 3, author="noor")
    await rules.put_learned("bakers", None, author="noor")
    secret, made = await tokens.create(NewToken(tenant="bakers", scopes=frozenset({AccessScope.READ}), name="laptop"))
    await tokens.revoke("laptop")
    assert await tokens.revoke("laptop") is None
    rows = await audit_rows(engine, AuditFilter(tenant="bakers"), 10)
    assert [each["action"] for each in reversed(rows)] == [
        "rules_stored", "calibration_promoted", "calibration_rolled_back",
        "learned_rules_promoted", "learned_rules_rolled_back", "token_created", "token_revoked",
    ]  # fmt: skip
    assert {(each["actor"], each["via"]) for each in rows} == {("noor", "api")}
    assert rows[-1]["after"]["changed"] == ["benign_filters"]
    assert [(each["before"]["learned_version"], each["after"]["learned_version"]) for each in rows[2:4]] == [
        (3, None), (None, 3),
    ]  # fmt: skip
    assert (rows[1]["subject"], rows[1]["after"]["scopes"]) == ("laptop", ["read"])
    for hidden in ("planted", secret, made.digest):
        assert hidden not in str(rows)
    assert await audit_rows(engine, AuditFilter(tenant="millers"), 10) == []
