"""The migration Job waits for nothing that comes later, and leaves nothing that others need."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from helm_python import HelmError

from tests.deploy.charts import CHART, LEAST, merged, only, render
from tests.deploy.hooks import PHASES, first_install, hooks, name_of, needed
from tests.deploy.network import RELEASE, Place, admitted
from tests.deploy.releases import EVERY

WITH_JOB = [name for name, values in EVERY.items() if values.get("migrations", {}).get("enabled", True)]
JOB = ("Job", "assay-sqlassay-migrate")


def job_of(objects: list[dict[str, Any]]) -> dict[str, Any]:
    return only(objects, "Job")


@pytest.mark.parametrize("by", PHASES)
@pytest.mark.parametrize("values", WITH_JOB)
def test_the_job_runs_after_all_that_it_needs(values: str, by: str):
    objects = render(EVERY[values], least=False)
    ours = {name_of(each) for each in objects}
    applied: set[tuple[str, str]] = set()
    ran = False
    for _, phase in first_install(objects, by):
        for each in phase:
            if each["kind"] == "Job":
                # what is not ours is the operator's, and exists before
                assert needed(each["spec"]["template"]) & ours <= applied
                ran = True
            applied.add(name_of(each))
    assert ran


@pytest.mark.parametrize("by", PHASES)
@pytest.mark.parametrize("values", WITH_JOB)
def test_nothing_needs_what_is_deleted_after_the_job(values: str, by: str):
    objects = render(EVERY[values], least=False)
    ours = {name_of(each) for each in objects}
    release = next(phase for name, phase in first_install(objects, by) if name == "release")
    kept = {name_of(each) for each in release}
    for each in release:
        if each["kind"] == "Deployment":
            assert needed(each["spec"]["template"]) & ours <= kept


@pytest.mark.parametrize("by", PHASES)
def test_tables_exist_before_the_first_pod(by: str):
    phases = dict(first_install(render(), by))
    before = [name_of(each) for each in phases[PHASES[by][0]]]
    assert before[-1] == JOB
    assert {kind for kind, _ in before} == {"ServiceAccount", "Secret", "NetworkPolicy", "Job"}


@pytest.mark.parametrize("hook", ["pre-install,pre-upgrade", "post-install,pre-upgrade"])
def test_every_hook_object_of_the_job_is_made_anew_and_deleted(hook: str):
    objects = render({"migrations": {"hook": hook}})
    made = [each for each in objects if hooks(each) - {"test"}]
    assert len(made) == 4
    for each in made:
        assert hooks(each) == set(hook.split(","))
        policy = each["metadata"]["annotations"]["helm.sh/hook-delete-policy"]
        assert policy == "before-hook-creation,hook-succeeded"


def test_the_job_reaches_its_database_where_the_namespace_denies_all():
    objects = render()
    job = job_of(objects)
    denied = {
        "kind": "NetworkPolicy",
        "metadata": {"name": "deny"},
        "spec": {"podSelector": {}, "policyTypes": ["Ingress", "Egress"]},
    }
    [(_, before), *_] = first_install(objects, "helm")
    policies = [denied, *(each for each in before if each["kind"] == "NetworkPolicy")]
    ours = Place(namespace=RELEASE, labels=job["spec"]["template"]["metadata"]["labels"])
    assert admitted(policies, ours, Place(address="10.9.0.5"), 5432)
    assert not admitted([denied], ours, Place(address="10.9.0.5"), 5432)


def test_the_job_reads_the_new_address_of_the_database_on_an_upgrade():
    values = merged(LEAST, {"secrets": {"databaseUrl": "postgresql://assay:pass@moved:5432/assay"}})
    objects = render(values, least=False)
    [container] = job_of(objects)["spec"]["template"]["spec"]["containers"]
    [source] = [each["valueFrom"]["secretKeyRef"] for each in container["env"] if "valueFrom" in each]
    secret = only(objects, "Secret", source["name"])
    assert "pre-upgrade" in hooks(secret)
    assert secret["stringData"][source["key"]] == "postgresql://assay:pass@moved:5432/assay"


def test_the_job_has_nothing_but_its_settings():
    objects = render(
        {
            "settings": {"SQLASSAY_DATABASE__TIMEOUT": 90, "SQLASSAY_LOG__LEVEL": "debug", "SQLASSAY_HTTP__PORT": 8321},
            "secrets": {"judgeApiKey": "key"},
        }
    )
    [container] = job_of(objects)["spec"]["template"]["spec"]["containers"]
    assert {each["name"] for each in container["env"]} == {
        *("SQLASSAY_DATABASE__URL", "SQLASSAY_DATABASE__TIMEOUT", "SQLASSAY_LOG__LEVEL", "SQLASSAY_RETENTION__DAYS")
    }
    assert "envFrom" not in container


def test_values_of_an_older_chart_alone_are_refused_with_the_option_to_use():
    # as `helm upgrade --reuse-values` leaves them: what the older chart did not know is missing
    known = yaml.safe_load(Path(__file__).with_name("first_values.yaml").read_text("utf-8"))
    values = yaml.safe_load((CHART / "values.yaml").read_text("utf-8"))
    with pytest.raises(HelmError, match="--reset-then-reuse-values"):
        render(merged(missing(values, known), LEAST), least=False)


def missing(values: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    """Null for each of `values` that is not `known`."""
    nested = {key: missing(each, known[key]) for key, each in values.items() if isinstance(known.get(key), dict)}
    return {**dict.fromkeys(values.keys() - known.keys()), **nested}
