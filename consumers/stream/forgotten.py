"""Whose a dead letter is, as far as what is left of it says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import cast

from consumers.stream.dead_letters import DeadLetter
from consumers.wire.events import InvalidEvent, parse_json


def concerns(letter: DeadLetter, tenant: str, event_id: str | None = None) -> bool:
    """Whether a dead letter is of this tenant, and of this event where one is named.

    One that cannot be read counts as theirs where it holds the names: too much is removed rather than too little.
    """
    documents = list(_documents(letter.value))
    if not documents:
        return all(_holds(letter, name) for name in (tenant, event_id) if name is not None)
    named = {str(each["tenant"]) for each in documents if each.get("tenant") is not None}
    if tenant not in named and (named or tenant != "default"):
        return False
    ids = {str(each[name]) for each in documents for name in ("event_id", "id") if each.get(name) is not None}
    ids |= {raw.decode("utf-8", "replace") for name, raw in letter.headers if name == "ce_id"}
    return event_id is None or event_id in ids


def _documents(value: bytes) -> Iterator[Mapping[str, object]]:
    """The object that the value is, and the data in it where that is an envelope's."""
    try:
        parsed = parse_json(value)
    except InvalidEvent:
        return
    if isinstance(parsed, Mapping):
        document = cast("Mapping[str, object]", parsed)
        yield document
        if isinstance(document.get("data"), Mapping):
            yield cast("Mapping[str, object]", document["data"])


def _holds(letter: DeadLetter, name: str) -> bool:
    raw = name.encode("utf-8", "replace")
    return raw in letter.value or any(raw in each for _, each in letter.headers)
