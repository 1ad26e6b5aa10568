"""Reads `--background`: what the operator says of each data set, for prompts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import orjson

from consumers.judging.comparing.gold_case import NO_BACKGROUND, Background
from service.commands.exits import refuse

ANY = "*"
"""The entry for data sets that have none of their own."""
LONGEST = {"domain": 200, "background": 8_000}
"""Characters of each part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Backgrounds:
    """The background of each data set."""

    by_name: Mapping[str, Background] = field(default_factory=dict[str, Background])

    def of(self, db_id: str | None) -> Background:
        """The data set's own, else the one for all."""
        return self.by_name.get(db_id or ANY) or self.by_name.get(ANY) or NO_BACKGROUND


def read_backgrounds(path: str | None) -> Backgrounds:
    """Reads a JSON object of `{"domain", "background"}` by `db_id`, or a text that holds for all data sets.

    Ends the command when the file cannot be used.
    """
    if path is None:
        return Backgrounds()
    try:
        raw = Path(path).read_bytes()
        text = raw.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        refuse(f"--background: cannot read {path}: {error}")
    if not text.lstrip().startswith("{"):
        return Backgrounds(by_name={ANY: _checked(path, ANY, {"background": text.strip()})})
    try:
        held: object = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        refuse(f"--background {path}: it is not JSON ({error})")
    entries = cast("Mapping[str, object]", held)
    return Backgrounds(by_name={name: _checked(path, name, value) for name, value in entries.items()})


def _checked(path: str, name: str, value: object) -> Background:
    """One entry. A text is its background."""
    where = f"--background {path}: {name!r}"
    if isinstance(value, str):
        value = {"background": value}
    if not isinstance(value, dict):
        refuse(f'{where} is no text and no object: write {{"domain": "…", "background": "…"}}')
    parts = cast("Mapping[str, object]", value)
    for part, said in parts.items():
        if part not in LONGEST:
            refuse(f"{where} has the unknown key {part!r}: use `domain` and `background`")
        if not isinstance(said, str) or len(said) > LONGEST[part]:
            refuse(f"{where}: {part} is a text of at most {LONGEST[part]} characters")
    return Background(domain=str(parts.get("domain", "")), text=str(parts.get("background", "")))
