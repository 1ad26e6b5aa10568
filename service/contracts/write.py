"""Writes the contracts and the generated pages: `python -m service.contracts.write`. A test detects drift."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import orjson

from service.contracts.asyncapi import asyncapi
from service.contracts.benchmarks_page import write_page
from service.contracts.reason_meanings import reason_meanings
from service.contracts.reasons_page import reasons_page
from service.serving import create_app
from service.settings import Settings

FOLDER = Path(__file__).parents[2] / "docs/contracts"
REASONS = FOLDER.parent / "reasons.md"
MEANINGS = Path(__file__).parents[1] / "console/reason_meanings.json"
VERSION = "1"
"""The version of the contracts, as in the `v1` of the routes. It is independent of the evaluator version."""
Document: TypeAlias = dict[str, Any]


def openapi() -> Document:
    """The OpenAPI document of the HTTP API."""
    document = create_app(Settings()).openapi()
    return {**document, "info": {**document["info"], "version": VERSION}}


CONTRACTS: Mapping[str, Callable[[], Document]] = {
    "openapi.json": openapi,
    "asyncapi.json": lambda: asyncapi(VERSION),
}
"""The content of each file."""


def file_content(document: Document) -> bytes:
    """Formats a contract as it is stored in its file."""
    return orjson.dumps(document, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)


def main() -> int:
    """Writes the contracts, and what is generated on the pages of benchmarks and reasons."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, build in CONTRACTS.items():
        (FOLDER / name).write_bytes(file_content(build()))
    write_page()
    reasons = reasons_page(REASONS.read_text(encoding="utf-8"))
    REASONS.write_text(reasons, encoding="utf-8")
    MEANINGS.write_bytes(file_content(reason_meanings(reasons)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
