"""Reads the form of a page that uploads a file: `multipart/form-data` (RFC 7578)."""

from __future__ import annotations

import re
from email.message import Message

MULTIPART = "multipart/form-data"
_NAME = re.compile(rb'^content-disposition:\s*form-data\b[^\r\n]*?;\s*name="([^"\r\n]*)"', re.IGNORECASE | re.MULTILINE)


def multipart_fields(raw: bytes, content_type: str, *, most: int) -> list[tuple[str, str]]:
    """The fields of a form by name, a file as its text. Raises a `ValueError` for what is no form of at most so many.

    >>> head = b'--x\\r\\nContent-Disposition: form-data; name='
    >>> raw = head + b'"a"\\r\\n\\r\\n1\\r\\n' + head + b'"f"; filename="b.txt"\\r\\n\\r\\n2\\r\\n\\r\\n--x--\\r\\n'
    >>> multipart_fields(raw, "multipart/form-data; boundary=x", most=2)
    [('a', '1'), ('f', '2\\r\\n')]
    """
    head = Message()
    head["content-type"] = content_type
    boundary = head.get_boundary()
    if not boundary:
        raise ValueError("the form has no boundary")
    _, *parts = (b"\r\n" + raw).split(b"\r\n--" + boundary.encode(), most + 2)
    if not parts or not parts[-1].startswith(b"--"):
        raise ValueError(f"the form does not end, or has more than {most} fields")
    return [_field(part) for part in parts[:-1]]


def _field(part: bytes) -> tuple[str, str]:
    head, blank, content = part.partition(b"\r\n\r\n")
    name = _NAME.search(head)
    if not blank or name is None:
        raise ValueError("a part of the form has no name")
    return name[1].decode(), content.decode()
