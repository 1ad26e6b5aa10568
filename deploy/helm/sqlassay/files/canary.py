"""Publishes one event and waits for its score. `helm test` runs this, so it uses only the standard library."""

import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

BASE = os.environ["CANARY_URL"].rstrip("/")
NEEDED = {"publish", "read"}


def usable_tokens(tokens, fallback):
    """The tokens by tenant that are not hashed and may publish and read; else the fallback, for all tenants."""
    found = {}
    for tenant, given in tokens.items():
        each = given if isinstance(given, dict) else {"token": given}
        if not each["token"].startswith("sha256:") and set(each.get("scopes", NEEDED)) >= NEEDED:
            found[tenant] = each["token"]
    if tokens and not found and not fallback:
        sys.exit("no token of SQLASSAY_HTTP__TOKENS is plain and may publish and read: add a METRICS_TOKEN that may")
    return found if found or not fallback else {"*": fallback}


TOKENS = usable_tokens(json.loads(os.environ.get("CANARY_TOKENS") or "{}"), os.environ.get("CANARY_FALLBACK"))
TENANT = "*" if "*" in TOKENS or not TOKENS else sorted(TOKENS)[0]


def call(path, body=None):
    """Calls the service and returns the JSON of its reply."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(BASE + path, data=data)  # noqa: S310 the release's own Service
    request.add_header("Content-Type", "application/json")
    if TOKENS:
        request.add_header("Authorization", f"Bearer {TOKENS[TENANT]}")
    with urllib.request.urlopen(request, timeout=10) as reply:  # noqa: S310 as above
        return json.load(reply)


def main():
    """Returns 0 when the event is scored in time, else 1."""
    deadline = time.monotonic() + float(os.environ.get("CANARY_TIMEOUT", "60"))
    tenant = "sqlassay-canary" if TENANT == "*" else TENANT
    event = {
        "event_id": f"canary-{uuid.uuid4()}",
        "tenant": tenant,
        "agent": "canary",
        "question": "How many parcels were sent to Lisbon in 2025?",
        "sql": "SELECT COUNT(*) FROM parcels WHERE city = 'Lisbon' AND EXTRACT(YEAR FROM sent_on) = 2025",
    }
    search = "/v1/evaluations?" + urllib.parse.urlencode({"tenant": tenant, "agent": "canary", "limit": 100})
    published = False
    while time.monotonic() < deadline:
        try:
            published = published or bool(call("/v1/events", event))
            for row in call(search)["items"] if published else []:
                if row["event_id"] == event["event_id"]:
                    print(f"the canary was scored {row['score']}")
                    return 0 if row["score"] is not None else 1
        except (urllib.error.URLError, TimeoutError, ValueError) as error:
            print(f"not yet: {error}", file=sys.stderr)
        time.sleep(1)
    print("the canary was not scored in time", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
