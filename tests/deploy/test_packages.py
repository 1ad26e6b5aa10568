"""Every package is pinned with hashes, from any index, for every machine; the image installs the same ones."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, requires, version

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.deploy.charts import ROOT

LOCKS = {
    path: ROOT / path for path in ("constraints.txt", "deploy/image/packages.txt", "deploy/image/build-packages.txt")
}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


@dataclass(frozen=True)
class Pin:
    """One locked package."""

    requirement: Requirement
    hashes: frozenset[str]

    @property
    def version(self) -> Version:
        [exact] = self.requirement.specifier
        assert exact.operator == "=="
        return Version(exact.version)


ENGINES = {"spark", "ray"}
"""Extras that are not locked: half a gigabyte that only tests of `make nightly` use, in an environment of their own."""


def pins(path: str) -> dict[str, Pin]:
    lines = [line for line in LOCKS[path].read_text().splitlines() if not line.lstrip().startswith("#")]
    found: dict[str, Pin] = {}
    for entry in "\n".join(lines).replace("\\\n", " ").splitlines():
        said, *hashes = re.split(r"\s+--hash=", entry.strip())
        requirement = Requirement(said)
        assert canonicalize_name(requirement.name) not in found, said
        found[canonicalize_name(requirement.name)] = Pin(requirement, frozenset(hashes))
    return found


def asked(*extras: str) -> list[Requirement]:
    lines = [*PROJECT["dependencies"], *(line for extra in extras for line in PROJECT["optional-dependencies"][extra])]
    return [each for each in map(Requirement, lines) if each.name != PROJECT["name"]]


@pytest.mark.parametrize("path", LOCKS)
def test_every_package_has_one_version_and_a_sha256_for_each_of_its_files(path):
    locked = pins(path)
    assert len(locked) > 3
    for name, pin in locked.items():
        assert pin.version, name
        assert pin.hashes, name
        assert all(re.fullmatch(r"sha256:[0-9a-f]{64}", each) for each in pin.hashes), name


@pytest.mark.parametrize("path", LOCKS)
def test_a_lock_names_no_index_and_no_file(path):
    text = LOCKS[path].read_text()
    assert "://" not in text
    assert not re.search(r"^\s*-(?!-hash=)", text, flags=re.MULTILINE)


@pytest.mark.parametrize(
    ("path", "extras"),
    [
        ("constraints.txt", tuple(each for each in PROJECT["optional-dependencies"] if each not in ENGINES)),
        ("deploy/image/packages.txt", ("cli", "service", "telemetry", "verify")),
    ],
)
def test_a_lock_satisfies_pyproject_and_everything_that_its_packages_need(path, extras):
    locked = pins(path)
    waiting, seen = asked(*extras), set[str]()
    assert len(waiting) > 20
    while waiting:
        need = waiting.pop()
        name = canonicalize_name(need.name)
        assert name in locked, f"{need} is not locked: make lock"
        assert need.specifier.contains(locked[name].version, prereleases=True), f"{need} is not satisfied: make lock"
        extras_here = {"", *need.extras}
        if f"{name}{sorted(need.extras)}" in seen:
            continue
        seen.add(f"{name}{sorted(need.extras)}")
        try:
            children = map(Requirement, requires(name) or ())
        except PackageNotFoundError:
            continue  # needed on another platform only
        waiting += [
            child
            for child in children
            if child.marker is None or any(child.marker.evaluate({"extra": extra}) for extra in extras_here)
        ]


def test_what_is_installed_here_is_what_is_locked():
    locked = pins("constraints.txt")
    for name, pin in locked.items():
        if pin.requirement.marker is None or pin.requirement.marker.evaluate():
            assert Version(version(name)) == pin.version, f"{name}: make install"


@pytest.mark.parametrize("path", ["deploy/image/packages.txt", "deploy/image/build-packages.txt"])
def test_the_image_installs_files_that_the_tests_ran_with(path):
    everything = pins("constraints.txt")
    for name, pin in pins(path).items():
        assert pin.version == everything[name].version, f"{name}: make lock"
        assert pin.hashes == everything[name].hashes, f"{name}: make lock"


def test_every_installation_checks_the_hashes():
    """Wherever the repository installs packages, pip refuses a file without a known hash."""
    files = ["Makefile", "Dockerfile", ".devcontainer/Dockerfile", ".devcontainer/devcontainer.json", ".ci/run"]
    files += [str(each.relative_to(ROOT)) for each in (ROOT / ".github").rglob("*.yml")]
    seen = 0
    for file in files:
        for line in filter(lambda each: not each.lstrip().startswith("#"), (ROOT / file).read_text().splitlines()):
            if re.search(r"pip\b.*\binstall|\buv\b.*\b(?:install|sync)\b", line):
                seen += 1
                assert "--require-hashes" in line or "--no-deps --no-build-isolation" in line, f"{file}: {line.strip()}"
    assert seen >= 4
