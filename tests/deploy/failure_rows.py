"""The rows of docs/failures.csv, each with what it changes in a healthy installation."""

from __future__ import annotations

from tests.deploy.agent_failures import AGENT_FAILURES
from tests.deploy.failures import AFTER, BEFORE, GONE, Failure, growing, of, then
from tests.deploy.server_failures import NOTHING_SCORED, SERVER_FAILURES


def _gone(component: str) -> dict[str, str]:
    """The processes of a role have no series any more."""
    return {f'component="{component}"': GONE}


FAILURES = (
    *SERVER_FAILURES,
    Failure(
        what="All workers are gone",
        alert="SQLAssayWorkersAbsent",
        within=4,
        change={**_gone("worker"), "committed_offset": growing(20, 0), "group_lag_records": growing(0, 400)},
    ),
    Failure(
        what="All workers are gone, and their addresses are still scraped",
        alert="SQLAssayWorkersAbsent",
        within=4,
        change={
            **_gone("worker"),
            ' up{ & component="worker"': then(1, 0),
            "group_lag_records & api": growing(0, 400),
            "committed_offset & api": growing(20, 0),
        },
    ),
    Failure(
        what="One worker is gone",
        alert="SQLAssayReplicasMissing",
        within=8,
        change={of("w1"): GONE, f"kafka_partitions & {of('w2')}": then(1, 2)},
    ),
    Failure(
        what="One worker cannot be scraped",
        alert="SQLAssayDown",
        within=8,
        change={of("w1"): GONE, f" up{{{of('w1')}": then(1, 0)},
    ),
    Failure(
        what="All apis are gone",
        alert="SQLAssayApiAbsent",
        within=4,
        change={**_gone("api")},
    ),
    Failure(
        what="Prometheus finds no process to scrape",
        alert="SQLAssayNotScraped",
        within=4,
        change={"job=": GONE},
    ),
    Failure(
        what="A process starts again and again",
        alert="SQLAssayRestarting",
        within=25,
        change={
            f"start_time & {of('w1')}": f"1000x{BEFORE - 1} "
            + " ".join(f"{5000 + n * 240}x3" for n in range(AFTER // 4)),
            f" up{{{of('w1')}": f"1x{BEFORE - 1}" + AFTER // 4 * " 0 1x2",
        },
    ),
    Failure(
        what="Scoring processes die, or another bug is caught",
        alert="SQLAssayFaults",
        within=5,
        change={f"faults & {of('w1')}": growing(0, 3)},
    ),
    Failure(
        what="Events arrive and none is scored",
        alert="SQLAssayScoresAbsent",
        within=22,
        change={**NOTHING_SCORED, "sqlassay_consumed_total": growing(20), "lag_records": growing(0, 400)},
    ),
    Failure(
        what="Dead letters rise",
        alert="SQLAssayDeadLetters",
        within=17,
        change={"dead_lettered": growing(0, 5)},
    ),
    Failure(
        what="Fewer events get a score",
        alert="SQLAssayCoverageLow",
        within=25,
        change={"sqlassay_unscored_total": growing(0, 10)},
    ),
    Failure(
        what="HTTP requests fail",
        alert="SQLAssayApiFailing",
        within=8,
        change={"request_seconds & 503": growing(0, 5)},
    ),
    Failure(
        what="A token is wrong or revoked, or its events are invalid",
        alert="SQLAssayRequestsRefused",
        within=15,
        change={"request_seconds & 202": growing(20, 2), "request_seconds & 401": growing(0, 20)},
    ),
    Failure(
        what="The OpenTelemetry collector is down",
        alert="SQLAssayTelemetryLost",
        within=9,
        change={"telemetry & exported": growing(20, 0), "telemetry & failed": growing(0, 20)},
    ),
    *AGENT_FAILURES,
)
