"""Every image that the repository names, and why it is not named by its digest where it is not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
_DEVELOPMENT = "only for trying out on one machine: compose.yaml says so, and passwords are in it"
BY_TAG: Mapping[str, str] = {
    "python:3.12-slim-bookworm": "the default of BASE, for building by hand: a release is refused without a digest",
    "debian:12": "the machine of a CI run, which keeps nothing and has no secrets",
    "sqlassay:local": "the image that compose builds itself",
    "apache/kafka:4.1.1": _DEVELOPMENT,
    "postgres:18": _DEVELOPMENT,
    "redis:8": _DEVELOPMENT,
    "prom/prometheus:v3.5.0": _DEVELOPMENT,
    "prom/alertmanager:v0.28.1": _DEVELOPMENT,
    "grafana/grafana:12.2.0": _DEVELOPMENT,
}
"""Images without a digest, with the reason. Digests cannot be looked up without a registry."""
DIGEST = re.compile(r".+@sha256:[0-9a-f]{64}")


def images() -> Iterator[tuple[str, str]]:
    """Each file that names an image, and the image."""
    for path in (ROOT / "Dockerfile", ROOT / ".devcontainer" / "Dockerfile"):
        text = path.read_text()
        names = dict(re.findall(r"^ARG (\w+)=(\S+)$", text, flags=re.MULTILINE))
        stages = set(re.findall(r"^FROM \S+ AS (\w+)$", text, flags=re.MULTILINE))
        for image in re.findall(r"^FROM (\S+)", text, flags=re.MULTILINE):
            variable = re.fullmatch(r"\$\{(\w+)\}", image)
            named = names[variable[1]] if variable else image
            if named not in stages:
                yield path.name, named
    for path in (ROOT / "compose.yaml", *sorted((ROOT / ".github" / "workflows").glob("*.yml"))):
        yield from ((path.name, image) for image in _named(yaml.safe_load(path.read_text())))


def _named(node: object) -> Iterator[str]:
    if isinstance(node, dict):
        for key, value in node.items():
            if key in {"image", "container"} and isinstance(value, str):
                yield value
            else:
                yield from _named(value)
    elif isinstance(node, list):
        for each in node:
            yield from _named(each)
