"""JSON replies without validation: stored rows already have the fields of the schema."""

from __future__ import annotations

import orjson
from fastapi.responses import Response


def as_json(body: object, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """Builds a JSON reply. Identifiers and times become text."""
    content = orjson.dumps(body, default=str, option=orjson.OPT_UTC_Z)
    return Response(content, status, headers, media_type="application/json")
