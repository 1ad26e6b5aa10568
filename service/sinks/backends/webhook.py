"""A program of the user's: a signed request, as Standard Webhooks describes it."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from uuid import NAMESPACE_URL, uuid5

from service.settings.sink_settings import WebhookSink
from service.sinks.sink_request import SinkRequest, json_body
from service.sinks.stored_score import StoredScore

_PREFIX = "whsec_"


@dataclass(frozen=True, slots=True)
class WebhookBackend:
    """Posts evaluations, also those without a score."""

    url: str
    settings: WebhookSink
    clock: Callable[[], float] = time.time

    def requests(self, scores: Sequence[StoredScore]) -> list[SinkRequest]:
        """One request for all. The same evaluations have the same `webhook-id`."""
        body = json_body({"type": "sqlassay.evaluations", "data": [asdict(each) for each in scores]})
        id_ = str(uuid5(NAMESPACE_URL, "+".join(str(each.id) for each in scores)))
        headers = {"webhook-id": id_, "webhook-timestamp": str(int(self.clock()))}
        if self.settings.secret is not None:
            headers["webhook-signature"] = signature(self.settings.secret.get_secret_value(), headers, body)
        return [SinkRequest(url=self.url, body=body, scores=scores, headers=headers)]


def signature(secret: str, headers: dict[str, str], body: bytes) -> str:
    """The signature of a request, version 1: HMAC-SHA256 over its id, its time and its body."""
    signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    return f"v1,{base64.b64encode(hmac.digest(_key(secret), signed, hashlib.sha256)).decode()}"


def _key(secret: str) -> bytes:
    try:
        return base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
    except binascii.Error:
        return secret.encode()
