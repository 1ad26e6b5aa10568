"""What schemathesis needs to know about this API: how NDJSON is written."""

from __future__ import annotations

import json
from typing import Any

import schemathesis


@schemathesis.serializer("application/x-ndjson")
def ndjson(ctx: schemathesis.SerializationContext, value: Any) -> Any:
    return value if isinstance(value, str | bytes) else json.dumps(value).encode()
