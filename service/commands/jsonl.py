"""Reads JSONL files and pipes one line at a time, with a limit on the length of a line."""

from __future__ import annotations

import errno
import signal
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import BinaryIO, Literal

from service.commands.exits import refuse

STANDARD = "-"
"""The name of stdin or stdout."""
LONGEST_LINE = 16 * 1024 * 1024
"""The default limit, in bytes."""
CHUNK = 64 * 1024
_END = b"\r\n"
_MARK = b"\xef\xbb\xbf"
_NOT_TEXT = {
    (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"BZh", b"\xfd7zX"): "compressed: unpack it and pass it on stdin, as -",
    (b"PK\x03\x04",): "a ZIP archive or a spreadsheet: save its sheet as CSV, or send JSON, one object a line",
    (b"PAR1",): "Parquet, which only `sqlassay score` reads, from a name that ends in .parquet",
    (b"\xff\xfe", b"\xfe\xff"): "UTF-16: save it as UTF-8",
}
"""First bytes of files that hold no line of JSON, and what to do about them."""
_UNWRITABLE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})
"""Why a file that was opened cannot be written to its end."""


@dataclass(frozen=True, slots=True)
class InputLine:
    number: int
    """From 1."""
    raw: bytes | None
    """Without its line end. None when it is longer than the limit."""


def read_lines(stream: BinaryIO, longest: int = LONGEST_LINE) -> Iterator[InputLine]:
    """Yields every line of a stream, also empty ones. Holds one line in memory at a time.

    >>> import io
    >>> [(line.number, line.raw) for line in read_lines(io.BytesIO(b"a\\n\\nlonger\\r\\nb"), longest=5)]
    [(1, b'a'), (2, b''), (3, None), (4, b'b')]
    """
    number = 0
    while raw := stream.readline(longest + len(_END)):
        number += 1
        text = (raw.removeprefix(_MARK) if number == 1 else raw).rstrip(_END)
        if not raw.endswith(b"\n"):
            _skip_line(stream)
        yield InputLine(number, text if len(text) <= longest else None)


def _skip_line(stream: BinaryIO) -> None:
    while rest := stream.readline(CHUNK):
        if rest.endswith(b"\n"):
            return


def answer_files(source: str) -> list[str]:
    """The file itself, or each `answers.jsonl` in a folder and below. A folder without any ends the command."""
    folder = Path(source)
    if not folder.is_dir():
        return [source]
    files = [str(each) for each in sorted(folder.rglob("answers.jsonl"))]
    if not files:
        refuse(f"{source}: this folder and those in it hold no answers.jsonl")
    return files


@contextmanager
def open_input(name: str) -> Generator[BinaryIO]:
    """Opens the named file, or stdin for `-`. Ends the command when it cannot be read, or is no text."""
    with nullcontext(sys.stdin.buffer) if name == STANDARD else _opened(name, "rb", "read") as stream:
        begin: bytes = stream.peek(4) if isinstance(stream, BufferedReader) else b""
        fault = next((fault for marks, fault in _NOT_TEXT.items() if begin.startswith(marks)), None)
        if fault is None and b"\0" in begin:
            fault = "binary: send text, such as JSON with one object a line"
        if fault is not None:
            refuse(f"cannot read {name}: it is {fault}")
        yield stream


@contextmanager
def open_output(name: str) -> Generator[BinaryIO]:
    """Opens the named file, or stdout for `-`. Ends the command when it cannot be opened, or its disk is full.

    Ends the command silently when the reader of stdout closes the pipe (`| head`).
    """
    if name == STANDARD:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        with nullcontext(sys.stdout.buffer) if name == STANDARD else _opened(name, "wb", "write") as stream:
            yield stream
            stream.flush()
    except OSError as error:
        if error.errno not in _UNWRITABLE:
            raise
        refuse(f"cannot write {name}: {error.strerror or error}; what it holds is incomplete")


def _opened(name: str, mode: Literal["rb", "wb"], verb: str) -> BinaryIO:
    try:
        return Path(name).open(mode)
    except OSError as error:
        refuse(f"cannot {verb} {name}: {error.strerror or error}")


def size_of(name: str) -> int | None:
    """The size of the named file in bytes, or None for a pipe."""
    path = Path(name)
    return path.stat().st_size if name != STANDARD and path.is_file() else None


def same_file(left: str, right: str) -> bool:
    """Whether both names are the same existing file."""
    if STANDARD in {left, right} or not Path(left).exists() or not Path(right).exists():
        return False
    return Path(left).samefile(right)
