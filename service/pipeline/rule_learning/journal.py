"""A file of what models wrote, so that a run that ended is continued without asking again."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import orjson


class UnusableJournal(Exception):  # noqa: N818 it names what happened
    """The file cannot be read or written as a journal; the message says why."""


@dataclass(slots=True)
class ReplyJournal:
    """A `ReplyCache` in a file: a line for each reply, written at once. Without a file it is kept in memory."""

    path: Path | None = None
    found: int = 0
    """Replies that were found in place of a call."""
    _replies: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])

    def read(self) -> int:
        """Reads the file if it exists; returns the number of replies. Lines that a crash tore are left out."""
        if self.path is None or not self.path.exists():
            return 0
        try:
            lines = self.path.read_bytes().splitlines()
        except OSError as error:
            raise UnusableJournal(f"cannot read the journal {self.path}: {error.strerror or error}") from error
        for line in lines:
            try:
                row = orjson.loads(line)
                self._replies[row["model"], row["digest"]] = str(row["text"])
            except (orjson.JSONDecodeError, KeyError, TypeError):
                continue
        if lines and not self._replies:
            raise UnusableJournal(f"{self.path} holds no reply of a model: name another --journal")
        return len(self._replies)

    async def find(self, tenant: str, model: str, digest: str) -> str | None:
        """What the model wrote to this prompt, if it is known."""
        text = self._replies.get((model, digest))
        self.found += text is not None
        return text

    async def keep(self, tenant: str, model: str, digest: str, text: str) -> None:
        """Keeps what the model wrote; raises `UnusableJournal`."""
        self._replies[model, digest] = text
        if self.path is None:
            return
        line = orjson.dumps({"model": model, "digest": digest, "text": text.encode("utf-8", "replace").decode()})
        try:
            with self.path.open("ab") as file:
                # a line break first ends a line that an earlier run tore
                file.write((b"\n" if file.tell() else b"") + line)
        except OSError as error:
            raise UnusableJournal(f"cannot write the journal {self.path}: {error.strerror or error}") from error
