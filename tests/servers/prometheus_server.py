"""Prometheus and Alertmanager, as Debian brings them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx
import yaml

from tests.servers.install import ALERTMANAGER, PROMETHEUS
from tests.servers.processes import Server, listens


def run_tool(program: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Runs one of their programs."""
    # collecting garbage seldom saves a quarter of what promtool takes for weeks of samples
    environment = {**os.environ, "GOGC": "400"}
    command = [str(program), *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


class AlertmanagerServer(Server):
    """Sends what fires to one webhook, at once."""

    def __init__(self, home: Path, config: dict[str, Any]) -> None:
        super().__init__(home)
        self._program = ALERTMANAGER.find()
        self._config = config

    def prepare(self) -> None:
        (self.home / "alertmanager.yml").write_text(yaml.safe_dump(self._config))

    def command(self) -> list[str]:
        return [
            str(self._program), f"--config.file={self.home}/alertmanager.yml", f"--storage.path={self.home}/data",
            f"--web.listen-address=127.0.0.1:{self.port}", "--cluster.listen-address=",
        ]  # fmt: skip

    def answers(self, said: str) -> bool:
        return listens(self.port)


class PrometheusServer(Server):
    """Scrapes and evaluates every second."""

    def __init__(
        self,
        home: Path,
        *,
        targets: Sequence[str],
        rules: str = "",
        alertmanager: int | None = None,
        components: Sequence[str] = (),
    ) -> None:
        super().__init__(home)
        self._program = PROMETHEUS.find()
        self._targets, self._rules, self._alertmanager = targets, rules, alertmanager
        self._components = components

    @property
    def url(self) -> str:
        """Where it answers."""
        return f"http://127.0.0.1:{self.port}"

    def prepare(self) -> None:
        notified = (
            [{"static_configs": [{"targets": [f"127.0.0.1:{self._alertmanager}"]}]}] if self._alertmanager else []
        )
        config = {
            "global": {"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"},
            "rule_files": [str(self.home / "rules.yml")],
            "alerting": {"alertmanagers": notified},
            "scrape_configs": [{"job_name": "sqlassay", "static_configs": self._scraped()}],
        }
        (self.home / "rules.yml").write_text(self._rules or "groups: []")
        (self.home / "prometheus.yml").write_text(yaml.safe_dump(config))

    def _scraped(self) -> list[dict[str, Any]]:
        """The targets, each with its component where these are named."""
        if not self._components:
            return [{"targets": list(self._targets)}]
        named = zip(self._targets, self._components, strict=True)
        return [{"targets": [target], "labels": {"component": component}} for target, component in named]

    def command(self) -> list[str]:
        return [
            str(self._program), f"--config.file={self.home}/prometheus.yml", f"--storage.tsdb.path={self.home}/data",
            f"--web.listen-address=127.0.0.1:{self.port}", "--log.level=warn",
        ]  # fmt: skip

    def answers(self, said: str) -> bool:
        try:
            return httpx.get(f"{self.url}/-/ready").status_code == 200
        except httpx.TransportError:
            return False

    async def ask(self, query: str) -> list[dict[str, Any]]:
        """The series that a query gives now; raises `ValueError` with what is wrong with it."""
        async with httpx.AsyncClient(timeout=30) as client:
            reply = (await client.get(f"{self.url}/api/v1/query", params={"query": query})).json()
        if reply["status"] != "success":
            raise ValueError(f"{query}: {reply['error']}")
        result = reply["data"]["result"]
        return result if reply["data"]["resultType"] == "vector" else [{"value": result}]
