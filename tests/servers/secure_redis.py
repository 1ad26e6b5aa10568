"""Redis as companies run it: with TLS and a client's certificate, behind sentinels, and as a cluster."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.servers.certificates import write_certificate
from tests.servers.processes import free_port
from tests.servers.redis_server import RedisServer
from tests.servers.sessions import own_server

PRIMARY = "assay"


class SecureRedis(RedisServer):
    """Takes TLS only, with a certificate of its own CA, and a password."""

    def prepare(self) -> None:
        authority = write_certificate(self.home, "ca")
        for name in ("server", "user"):
            write_certificate(self.home, name, authority)

    def command(self) -> list[str]:
        return [
            *super().command(), "--port", "0", "--tls-port", str(self.port), "--requirepass", "quartz",
            "--tls-cert-file", f"{self.home}/server.crt", "--tls-key-file", f"{self.home}/server.key",
            "--tls-ca-cert-file", f"{self.home}/ca.crt",
        ]  # fmt: skip


class FollowingRedis(RedisServer):
    """Follows another one, if told whom."""

    def __init__(self, home: Path, primary: RedisServer) -> None:
        super().__init__(home)
        self._primary = primary

    def command(self) -> list[str]:
        return [*super().command(), "--replicaof", "127.0.0.1", str(self._primary.port)]


class SentinelServer(RedisServer):
    """Names the primary, and another once that is gone."""

    def __init__(self, home: Path, primary: RedisServer) -> None:
        super().__init__(home)
        self._primary = primary

    def prepare(self) -> None:
        lines = (
            f"port {self.port}",
            f"sentinel monitor {PRIMARY} 127.0.0.1 {self._primary.port} 1",
            f"sentinel down-after-milliseconds {PRIMARY} 500",
            f"sentinel failover-timeout {PRIMARY} 3000",
        )
        (self.home / "sentinel.conf").write_text("\n".join(lines) + "\n")

    def command(self) -> list[str]:
        return [str(self._program), f"{self.home}/sentinel.conf", "--sentinel", "--bind", "127.0.0.1"]

    def answers(self, said: str) -> bool:
        return "+monitor master" in said


class ClusterNode(RedisServer):
    """One shard of a cluster."""

    def command(self) -> list[str]:
        bus = str(free_port())
        return [*super().command(), "--cluster-enabled", "yes", "--cluster-port", bus]


def _ask(*arguments: str) -> str:
    return subprocess.run(["redis-cli", *arguments], check=True, capture_output=True, text=True).stdout


@contextmanager
def redis_cluster(shards: int) -> Iterator[str]:
    """The URL of a node of a running cluster."""
    with ExitStack() as stack:
        nodes = [stack.enter_context(own_server(ClusterNode)) for _ in range(shards)]
        if shards > 1:
            join = ["--cluster", "create", *(f"127.0.0.1:{each.port}" for each in nodes), "--cluster-yes"]
        else:
            join = ["-p", str(nodes[0].port), "cluster", "addslotsrange", "0", "16383"]
        _ask(*join)
        deadline = time.monotonic() + 30
        while "cluster_state:ok" not in _ask("-p", str(nodes[0].port), "cluster", "info"):
            assert time.monotonic() < deadline, "the cluster did not come up"
            time.sleep(0.1)
        yield nodes[0].url
