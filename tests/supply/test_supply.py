"""Images have digests or reasons, the bill of materials is whole, and an audit says what it could not see."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.deploy.test_packages import pins
from tests.supply.audit import verdict
from tests.supply.image_check import faults, last_stage
from tests.supply.images import BY_TAG, DIGEST, ROOT, images


def test_every_image_is_named_by_digest_or_has_a_reason():
    found = list(images())
    assert len(found) >= 10
    for file, image in found:
        assert DIGEST.fullmatch(image) or image in BY_TAG, f"{file}: {image} has no digest and no reason in BY_TAG"
    assert {image for _, image in found} >= set(BY_TAG), "a reason for an image that nothing names"


def test_a_release_builds_on_the_base_that_the_dockerfile_names():
    workflow = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text())["jobs"]["image"]
    [built] = [step["run"] for step in workflow["steps"] if step.get("run", "").startswith("docker build")]
    assert "--build-arg" not in built


def test_both_stages_of_the_image_have_the_same_base():
    lines = (ROOT / "Dockerfile").read_text().splitlines()
    assert [line for line in lines if line.startswith("FROM")] == ["FROM ${BASE} AS build", "FROM ${BASE}"]


@pytest.mark.slow
def test_the_bill_of_materials_names_every_package_of_the_image_with_its_hashes(tmp_path: Path):
    # imported here: its grammars take seconds to load
    from cyclonedx.schema import SchemaVersion
    from cyclonedx.validation.json import JsonStrictValidator

    out = tmp_path / "sbom.json"
    subprocess.run(["make", "--silent", "sbom", f"OUT={out}"], cwd=ROOT, check=True, capture_output=True)
    text = out.read_text()
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(text) is None
    bill = json.loads(text)
    assert bill["metadata"]["component"]["name"] == "sqlassay"
    locked = pins("deploy/image/packages.txt")
    listed = {each["name"].lower().replace("_", "-"): each for each in bill["components"]}
    assert set(listed) == set(locked)
    for name, pin in locked.items():
        hashes = {f"sha256:{each['content']}" for link in listed[name]["externalReferences"] for each in link["hashes"]}
        assert (listed[name]["version"], hashes) == (str(pin.version), pin.hashes), name
        assert listed[name]["purl"].startswith("pkg:pypi/")


@pytest.mark.parametrize(
    ("packages", "code", "said"),
    [
        ([{"name": "a", "version": "1", "vulns": []}], 0, "no known vulnerability"),
        ([{"name": "a", "version": "1", "vulns": [{"id": "CVE-1"}]}], 1, "a 1: CVE-1"),
        ([{"name": "a", "version": "1", "vulns": [{"id": "CVE-1"}]}, {"name": "b", "skip_reason": "x"}], 1, "CVE-1"),
        ([{"name": "a", "version": "1", "vulns": []}, {"name": "b", "skip_reason": "x"}], 3, "1 of 2 packages"),
        ([], 3, "nothing"),
    ],
)
def test_an_audit_that_saw_nothing_is_no_clean_audit(packages: list[dict[str, object]], code: int, said: str):
    found = verdict(packages)
    assert found[0] == code
    assert said in found[1]


def test_the_check_of_the_image_follows_the_dockerfile_and_sees_faults(tmp_path: Path):
    commands = last_stage()
    assert any("useradd --uid 10001" in each for each in commands)
    assert any("-perm /6000" in each for each in commands)
    assert any("-m compileall" in each for each in commands)
    for name, mode in {"bin/gcc": 0o755, "bin/su": 0o4755, "etc/open": 0o666, "etc/fine": 0o644}.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
        path.chmod(mode)
    module = tmp_path / "opt/sqlassay/lib/python3.12/site-packages/scoring/__init__.py"
    module.parent.mkdir(parents=True)
    module.touch()
    found = ["/bin/gcc", "/bin/su", "/etc/open", f"/{module.relative_to(tmp_path)}"]
    assert sorted(each.split()[0] for each in faults(tmp_path)) == found
