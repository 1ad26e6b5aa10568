"""Where the next page of a list of dated rows begins, as a text that its reader sends back."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson

from service.storage.scores.evaluation_pages import InvalidCursor


@dataclass(frozen=True, slots=True)
class PageCursors:
    """The cursors of one list, whose order is by a moment and then by texts."""

    order: Sequence[str]
    """The names of its columns, the moment first."""
    listed: str
    """What the list holds, as in `a page of labels`."""

    def write(self, row: Mapping[str, Any]) -> str:
        """The cursor of the page after this row."""
        values = [row[name] for name in self.order]
        return base64.urlsafe_b64encode(orjson.dumps(values)).decode().rstrip("=")

    def read(self, cursor: str) -> list[object]:
        """The values of that row; raises `InvalidCursor` where it was not written by these cursors."""
        try:
            moment, *names = orjson.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
            if len(names) != len(self.order) - 1 or not all(isinstance(name, str) for name in names):
                raise ValueError(names)
            return [datetime.fromisoformat(moment), *names]
        except (ValueError, TypeError, binascii.Error) as error:
            detail = f"cursor was not given by a page of {self.listed}: start again without it"
            raise InvalidCursor(detail) from error
