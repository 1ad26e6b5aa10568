"""Unpacks gzip within bounds of size and of work."""

from __future__ import annotations

import zlib

from service.api.errors import ApiError

_WINDOW = 64 * 1024
"""Bytes that are given to zlib at once: it copies what it leaves over."""
_MOST_MEMBERS = 64
"""Most gzip members of one body; exporters send one."""


def decompress(body: bytes, most: int) -> bytes:
    """Unpacks gzip. Raises `ApiError` for other bytes, and as soon as it exceeds `most` bytes or has too many members.

    The work is linear in the bytes sent and the bytes unpacked.
    """
    if not body:
        return body
    members, held, place = [_Member()], 0, 0
    parts: list[bytes] = []
    while place < len(body) or members[-1].waiting:
        if members[-1].ended:
            if len(members) == _MOST_MEMBERS:
                raise _invalid(f"it has more than {_MOST_MEMBERS} members")
            members.append(_Member())
        window = members[-1].waiting or body[place : place + _WINDOW]
        place += 0 if members[-1].waiting else len(window)
        part, unused = members[-1].unpack(window, most - held + 1)
        place -= unused
        held += len(part)
        if held > most:
            fix = "Send less at once."
            raise ApiError(413, "BODY_TOO_LARGE", f"the decompressed body is over {most} bytes: {fix}", fix)
        parts.append(part)
    if not members[-1].ended:
        raise _invalid("it ends too early")
    return b"".join(parts)


class _Member:
    """One gzip stream of a body."""

    def __init__(self) -> None:
        self._zlib = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)

    @property
    def waiting(self) -> bytes:
        """Bytes that were given and not read yet, because their result would have been too long."""
        return self._zlib.unconsumed_tail

    @property
    def ended(self) -> bool:
        return self._zlib.eof

    def unpack(self, window: bytes, most: int) -> tuple[bytes, int]:
        """The next at most `most` bytes, and how many bytes of the window belong to the next member."""
        try:
            part = self._zlib.decompress(window, most)
        except zlib.error as error:
            raise _invalid(str(error)) from None
        return part, len(self._zlib.unused_data)


def _invalid(reason: str) -> ApiError:
    fix = "Send valid gzip, or leave out Content-Encoding."
    return ApiError(400, "INVALID_ENCODING", f"the body is not valid gzip ({reason}): {fix}", fix)
