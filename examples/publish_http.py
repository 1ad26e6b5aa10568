"""Publishes one answer over HTTP: `python examples/publish_http.py [URL]`. Prints the result."""

import json
import sys
from urllib.request import Request, urlopen

url = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8321"
event = {
    "event_id": "orders-7f3a",
    "tenant": "meridian-retail",
    "agent": "atlas",
    "question": "How many open orders are there?",
    "sql": "SELECT COUNT(*) FROM orders WHERE status = 'open'",
}
request = Request(f"{url}/v1/events", json.dumps(event).encode(), {"Content-Type": "application/json"})
with urlopen(request) as reply:
    print(reply.read().decode())
