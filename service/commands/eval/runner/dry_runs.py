"""`--dry-run bigquery:PROJECT.DATASET`: asks BigQuery whether it would run a query; nothing is run or paid."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import orjson
from pydantic import SecretStr

from consumers.wire.texts import shorten
from evals.runner.cases import BenchmarkCase
from service.commands.exits import give_up, refuse
from service.commands.gold.judge_names import gold_queries
from service.judges.openai import open_client
from service.judges.transport import PlainClient, ServerResponse, StatusError, TransportError

TOKEN = "GOOGLE_OAUTH_ACCESS_TOKEN"  # noqa: S105 the name of a variable
"""The variable with an OAuth access token, as `gcloud auth print-access-token` prints it."""
HOST = "BIGQUERY_EMULATOR_HOST"
"""The variable that names another server, as Google's own clients read it."""
_SERVER = "https://bigquery.googleapis.com"
_PLACE = re.compile(r"bigquery:(?P<project>[a-z][a-z0-9.:-]{1,100})(?:\.(?P<dataset>[A-Za-z0-9_{}]{1,200}))?")
_SECONDS, _CONNECTIONS = 30.0, 8
_LONGEST_ERROR = 300
_MOST_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class DryRun:
    """What BigQuery says of a query."""

    ok: bool | None
    """Whether it would run; `None` where BigQuery gave no verdict."""
    error: str | None = None
    bytes: int | None = None
    """Bytes that it would read."""

    def record(self) -> dict[str, object]:
        """The field of a record."""
        return {"ok": self.ok, "error": self.error, "bytes": self.bytes}


TryQuery: TypeAlias = Callable[[BenchmarkCase, str], Awaitable[DryRun]]
"""Tries one query of a case."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BigQueryPlace:
    """The project that is asked, and the data set in which names without one are looked up."""

    project: str
    dataset: str | None
    """May hold `{db_id}`."""

    def body(self, case: BenchmarkCase, sql: str) -> dict[str, object]:
        """The request of a dry run."""
        found: dict[str, object] = {"query": sql, "dryRun": True, "useLegacySql": False}
        if self.dataset is not None:
            dataset = self.dataset.replace("{db_id}", case.db_id or "")
            found["defaultDataset"] = {"projectId": self.project, "datasetId": dataset}
        return found


def bigquery_place(text: str) -> BigQueryPlace:
    """Reads `bigquery:PROJECT` or `bigquery:PROJECT.DATASET`. Ends the command otherwise."""
    found = _PLACE.fullmatch(text)
    if found is None:
        refuse(f"--dry-run is bigquery:PROJECT or bigquery:PROJECT.DATASET, not {text!r}")
    if not os.environ.get(TOKEN) and not os.environ.get(HOST):
        refuse(f"--dry-run needs a token: set {TOKEN}, such as to what `gcloud auth print-access-token` prints")
    return BigQueryPlace(project=found["project"], dataset=found["dataset"])


@asynccontextmanager
async def opened_dry_run(text: str | None) -> AsyncGenerator[TryQuery | None]:
    """Opens the connection; `None` without `--dry-run`."""
    if text is None:
        yield None
        return
    place, token, host = bigquery_place(text), os.environ.get(TOKEN), os.environ.get(HOST)
    server = (host if "://" in host else f"http://{host}") if host else _SERVER
    url = f"{server.rstrip('/')}/bigquery/v2/projects/{place.project}/queries"
    key = SecretStr(token) if token else None
    async with open_client(url, key, connections=_CONNECTIONS, seconds=_SECONDS) as client:

        async def tried(case: BenchmarkCase, sql: str) -> DryRun:
            return await _tried(client, url, place.body(case, sql))

        yield tried


async def _tried(client: PlainClient, url: str, body: dict[str, object]) -> DryRun:
    try:
        async with asyncio.timeout(_SECONDS):
            content = await client.post_json(url, body)
        return DryRun(ok=True, bytes=_bytes(orjson.loads(content)))
    except StatusError as error:
        said = _message(error.response)
        # of these codes, 400 and 404 are about the query: it is wrong, or names what is not there
        about_query = error.response.status in {400, 404}
        return DryRun(ok=False if about_query else None, error=said)
    except (TransportError, TimeoutError, ValueError) as error:
        why = str(error) or type(error).__name__
        return DryRun(ok=None, error=shorten(f"BigQuery cannot be asked: {why}", _LONGEST_ERROR))


def _bytes(body: Any) -> int | None:
    found = str(cast("dict[str, Any]", body).get("totalBytesProcessed") or "") if isinstance(body, dict) else ""
    return int(found) if found.isdigit() else None


def _message(response: ServerResponse) -> str:
    try:
        said = str(orjson.loads(response.content)["error"]["message"])
    except (orjson.JSONDecodeError, KeyError, TypeError):
        said = "no message"
    return shorten(f"{said} (status {response.status})", _LONGEST_ERROR)


async def check_gold(cases: Sequence[BenchmarkCase], tried: TryQuery | None) -> None:
    """Ends the command where BigQuery would not run a gold query of these cases, or cannot be asked.

    Without `tried`, nothing is checked.
    """
    if tried is None:
        return
    queries = [(case, sql) for case in cases for sql in gold_queries(case.gold_sql)]
    at_once = asyncio.Semaphore(_CONNECTIONS)

    async def one(case: BenchmarkCase, sql: str) -> DryRun:
        async with at_once:
            return await tried(case, sql)

    found = await asyncio.gather(*(one(*each) for each in queries))
    down = next((each for each in found if each.ok is None), None)
    if down is not None:
        give_up(f"--dry-run: {down.error}")
    wrong = [f"{case.case_id}: {each.error}" for (case, _), each in zip(queries, found, strict=True) if not each.ok]
    if wrong:
        more = f" and {len(wrong) - _MOST_NAMED} more" if len(wrong) > _MOST_NAMED else ""
        refuse(f"BigQuery would not run the gold SQL of {'; '.join(wrong[:_MOST_NAMED])}{more}")
