"""The journal of a run: one line for each answer that is finished, so that a run that was killed can go on."""

from __future__ import annotations

import fcntl
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, cast

import orjson

JOURNAL = "journal.jsonl"
RUN = "run.json"
Key = tuple[str, int]
"""A case and the number of its sample."""


class OtherRunError(ValueError):
    """The folder belongs to another run, or to one that is running; the message says what to do."""


@dataclass(slots=True)
class Journal:
    """The finished answers of a run: their records, in memory and on disk."""

    file: IO[bytes]
    finished: dict[Key, dict[str, Any]] = field(default_factory=dict[Key, "dict[str, Any]"])

    def add(self, key: Key, entry: dict[str, Any]) -> None:
        """Writes an answer. A line that a kill cut short is not read again."""
        self.file.write(orjson.dumps(entry, option=orjson.OPT_APPEND_NEWLINE))
        self.file.flush()
        self.finished[key] = entry


@contextmanager
def open_journal(folder: Path, run: Mapping[str, object]) -> Generator[Journal]:
    """Opens the journal of a folder for this run, with what an earlier start finished. Raises `OtherRunError`."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / JOURNAL).open("a+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise OtherRunError(f"{folder} is being written by another run: wait, or name another --out") from None
        _same_run(folder, run, begun=file.tell() > 0 or (folder / RUN).exists())
        finished = _finished(file)
        yield Journal(file, finished)


def _same_run(folder: Path, run: Mapping[str, object], *, begun: bool) -> None:
    """Notes what this run is, or checks that the folder's is the same."""
    path = folder / RUN
    content = orjson.dumps(run, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE)
    found = read_json(path) if begun else None
    if isinstance(found, dict):
        known, wanted = cast("dict[str, Any]", found), cast("dict[str, Any]", orjson.loads(content))
        other = sorted(key for key in {*known, *wanted} if known.get(key) != wanted.get(key))
        if other:
            raise OtherRunError(
                f"{folder} holds a run with another {', '.join(other)}: name another --out, or remove that folder"
            )
        return
    replace_file(path, content)


def _finished(file: IO[bytes]) -> dict[Key, dict[str, Any]]:
    """Reads the complete lines, and cuts off one that is not."""
    file.seek(0)
    finished: dict[Key, dict[str, Any]] = {}
    end = 0
    for line in file:
        try:
            entry = orjson.loads(line) if line.endswith(b"\n") else None
            if entry is None:
                break
            finished[(entry["record"]["case_id"], entry["record"]["sample"])] = entry
        except (orjson.JSONDecodeError, KeyError, TypeError):
            break
        end += len(line)
    file.truncate(end)
    file.seek(0, 2)
    return finished


def read_json(path: Path) -> Any:
    """The content of a JSON file; `None` when it is missing or cut short."""
    try:
        return orjson.loads(path.read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return None


def replace_file(path: Path, content: bytes) -> None:
    """Writes a file so that a reader sees the old content or the new, and nothing between."""
    beside = path.with_name(f".{path.name}.new")
    beside.write_bytes(content)
    beside.replace(path)
