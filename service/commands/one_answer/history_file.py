"""The option `--history` of `sqlassay score`: a file with the earlier turns of one conversation."""

from __future__ import annotations

from consumers.wire.events import MAX_EVENT_BYTES, InvalidEvent, decode_event, parse_json
from scoring.query import Turn
from service.commands.exits import refuse
from service.commands.jsonl import open_input


def load_history(name: str) -> tuple[Turn, ...]:
    """The turns in a file, oldest first: a JSON array, or one object a line. An invalid file ends the command."""
    with open_input(name) as stream:
        raw = stream.read(MAX_EVENT_BYTES + 1)
    try:
        event = decode_event({"question": "", "sql": "", "history": _turns(raw)}, require_id=False)
    except InvalidEvent as error:
        refuse(f"{name}: {error.detail}")
    return event.query().history


def _turns(raw: bytes) -> object:
    if raw.lstrip().startswith(b"["):
        return parse_json(raw)
    return [parse_json(line) for line in raw.splitlines() if line.strip()]
