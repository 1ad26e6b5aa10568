"""`sqlassay demo`: shows the whole product on the samples, through the API that agents and reviewers use."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast
from urllib.error import URLError
from urllib.parse import quote
from urllib.request import Request, urlopen

import orjson

import service
from service.commands.exits import give_up
from service.commands.progress import progress
from service.commands.rendering.report_tables import report_table, worst_answers
from service.commands.rendering.terminal import print_to_terminal
from service.samples import FEW_LABELS, sample_events, sample_labels, sample_rules
from service.samples.fortnight import fortnight_events
from service.settings.variables import PREFIX

START_SECONDS = 120
"""Time limit for the service to become ready. The first start creates a database."""
STOP_SECONDS = 30
BATCH = 50
"""Events per POST."""
WORST = 5
_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that end the demo, with the service and its database."""

Json = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ApiClient:
    """Calls the HTTP API of the started service."""

    base: str

    def call(self, method: str, path: str, body: object = None) -> Json:
        """Returns the JSON of a reply. Raises `URLError` when the request fails."""
        data = None if body is None else orjson.dumps(body)
        request = Request(  # noqa: S310 always http on loopback
            self.base + path, data=data, method=method, headers={"Content-Type": "application/json"}
        )
        with urlopen(request, timeout=START_SECONDS) as reply:  # noqa: S310 as above
            return cast("Json", orjson.loads(reply.read()))


def demo(*, once: bool) -> None:
    """Posts the samples and prints the results; then serves until Ctrl-C unless `once`."""
    with (
        contextlib.suppress(KeyboardInterrupt),
        handled(signal.default_int_handler, *_ENDING),
        tempfile.TemporaryDirectory(prefix="sqlassay-demo-", ignore_cleanup_errors=True) as state,
        running_service(Path(state)) as (client, server),
    ):
        post_samples(client)
        show(client)
        if not once:
            print_addresses(client)
            server.wait()


@contextmanager
def running_service(state: Path, **settings: str) -> Generator[tuple[ApiClient, subprocess.Popen[bytes]]]:
    """Runs the service in its own process, with further settings, and yields once it is ready."""
    port, log = free_port(), state / "service.log"
    with log.open("wb") as stderr:
        server = subprocess.Popen(  # noqa: S603 our own module
            [sys.executable, "-m", service.__name__, "serve"],
            env=environment(state, port, **settings),
            stdout=stderr,
            stderr=stderr,
        )
    client = ApiClient(f"http://127.0.0.1:{port}")
    try:
        print("Starting the service with a database of its own …", file=sys.stderr)
        wait_until_ready(client, server, log)
        yield client, server
    finally:
        stop(server)


def environment(state: Path, port: int, **settings: str) -> dict[str, str]:
    """The environment without any SQLAssay settings but these, so that a demo never writes to a real store."""
    bare = {name: value for name, value in os.environ.items() if not name.upper().startswith(PREFIX)}
    own = {"STATE_DIR": str(state), "HTTP__PORT": str(port), "ALARMS__EVERY": "1", "ALARMS__SETTLE": "1", **settings}
    return bare | {f"{PREFIX}{name}": value for name, value in own.items()}


def free_port() -> int:
    """Returns a free loopback port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def wait_until_ready(client: ApiClient, server: subprocess.Popen[bytes], log: Path) -> None:
    """Returns once the service is ready. Ends the command when it never is."""
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        try:
            client.call("GET", "/readyz")
        except (URLError, OSError):
            time.sleep(0.1)
        else:
            return
    tail = log.read_text(encoding="utf-8", errors="replace")[-2000:]
    give_up(f"the service did not become ready; its log ends:\n{tail}")


@contextmanager
def handled(handler: Any, *signals: signal.Signals) -> Generator[None]:
    """Handles these signals so while the context is open, except those that the process was started to ignore."""
    heeded = [each for each in signals if signal.getsignal(each) is not signal.SIG_IGN]
    previous = {each: signal.signal(each, handler) for each in heeded}
    try:
        yield
    finally:
        for each, before in previous.items():
            signal.signal(each, before)


def stop(server: subprocess.Popen[bytes]) -> None:
    """Stops the service, and kills it when it does not stop in time."""
    with handled(signal.SIG_IGN, *_ENDING):
        try:
            server.terminate()
            server.wait(timeout=STOP_SECONDS)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def post_samples(client: ApiClient) -> None:
    """Sets the sample tenants' rules, posts the answers, and labels some of them as a person who read them would."""
    for tenant, document in sample_rules().items():
        client.call("PUT", f"/v1/tenants/{quote(tenant)}/rules", document)
    samples, recent = list(sample_events()), list(fortnight_events(datetime.now(UTC)))
    _post_events(client, [*samples, *recent])
    labels = [*sample_labels(samples), *sample_labels(recent, FEW_LABELS)]
    kept = client.call("POST", "/v1/labels", labels)["kept"]
    print(f"Posted {kept} labels of answers drawn at random.\n", file=sys.stderr)


def _post_events(client: ApiClient, events: Sequence[dict[str, Any]]) -> None:
    outcomes = Counter[str]()
    with progress("posting the samples", len(events)) as advance:
        for start in range(0, len(events), BATCH):
            batch = events[start : start + BATCH]
            results = rows(client.call("POST", "/v1/events", batch), "results")
            outcomes.update(str(result["status"]) for result in results)
            advance(len(batch))
    counts = ", ".join(f"{count} {status}" for status, count in outcomes.most_common())
    print(f"Posted {len(events)} answers of four agents to three companies: {counts}.", file=sys.stderr)


def show(client: ApiClient) -> None:
    """Prints the report and the worst answers with their reasons."""
    report = client.call("GET", "/v1/report?by=agent")
    worst = client.call("GET", f"/v1/evaluations?order=worst&limit={WORST}")
    in_full = [client.call("GET", f"/v1/evaluations/{each['id']}") for each in rows(worst, "items")]
    print_to_terminal(report_table(rows(report, "rows")), worst_answers(in_full))


def rows(document: Json, key: str) -> list[Json]:
    """Returns the list under a key of a reply."""
    return cast("list[Json]", document[key])


def print_addresses(client: ApiClient) -> None:
    """Prints the pages worth opening."""
    base = client.base
    print(
        f"""
Serving until Ctrl-C:
  {base}/console                               the console: which agent got worse, since when, and why
  {base}/docs                                  the API, to try out
  {base}/v1/report                             the report
  {base}/v1/evaluations?order=worst&limit=10   the worst answers
  {base}/console/evaluations?reference=different   those that differ from their reference, and on which data
  {base}/metrics                               the metrics""",
        flush=True,
    )
