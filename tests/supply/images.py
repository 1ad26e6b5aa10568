"""Every image that the repository names, and why it is not named by its digest where it is not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
BY_TAG: Mapping[str, str] = {"sqlassay:local": "the image that compose builds itself"}
"""Images without a digest, with the reason."""
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
