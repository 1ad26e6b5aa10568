"""Which tenant and event a dead letter belongs to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import cast

from consumers.stream.dead_letters import DeadLetter
from consumers.wire.events import InvalidEvent, parse_json


def concerns(letter: DeadLetter, tenant: str, event_id: str | None = None) -> bool:
    """Whether a dead letter belongs to this tenant, and to this event if `event_id` is given.

    A dead letter that cannot be parsed belongs to them if it contains the names: erasure removes too much rather than
    too little.
    """
    documents = list(_documents(letter.value))
    if not documents:
        return all(_holds(letter, name) for name in (tenant, event_id) if name is not None)
    named = {str(each["tenant"]) for each in documents if each.get("tenant") is not None}
    if tenant not in named and (named or tenant != "default"):
        return False
    return event_id is None or event_id in _event_ids(letter, documents)


def _event_ids(letter: DeadLetter, documents: Iterable[Mapping[str, object]]) -> set[str]:
    ids = {str(each[name]) for each in documents for name in ("event_id", "id") if each.get(name) is not None}
    return ids | {raw.decode("utf-8", "replace") for name, raw in letter.headers if name == "ce_id"}


def _documents(value: bytes) -> Iterator[Mapping[str, object]]:
    """The JSON object in the value, and the `data` inside it where it is an envelope."""
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
