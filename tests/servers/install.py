"""Finds the programs that the test servers need, and installs them where `make servers` asks for that."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import platformdirs

KAFKA_VERSION = "4.1.1"
LOG4J_VERSION = "2.24.3"
"""Kafka compiles against log4j and leaves the choice of one to its distribution."""
POSTGRES_15 = Path("/usr/lib/postgresql/15/bin")
DOWNLOAD_TRIES = 4
_POM = f"""\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>sqlassay.tests</groupId><artifactId>kafka</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>{KAFKA_VERSION}</version>
    </dependency>
    {{log4j}}
  </dependencies>
</project>
""".format(
    log4j="\n    ".join(
        f"<dependency><groupId>org.apache.logging.log4j</groupId><artifactId>{name}</artifactId>"
        f"<version>{LOG4J_VERSION}</version></dependency>"
        for name in ("log4j-api", "log4j-core", "log4j-slf4j-impl")
    )
)
_COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"


class ServerMissing(Exception):  # noqa: N818 it names a state of the machine
    """A server cannot be had on this machine; the message says what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A program, the Debian package that brings it, and what to do where that cannot be installed."""

    path: str
    package: str
    otherwise: str

    def find(self, *, install: bool = False) -> Path:
        """Returns where it is; installs it first where that is asked for and possible. Raises `ServerMissing`."""
        found = self._found()
        if found is None and install and _may_install():
            _apt_install(self.package)
            found = self._found()
        if found is None:
            raise ServerMissing(
                f"{self.path} is not installed: run `make servers` as root on Debian or Ubuntu"
                f" (it installs {self.package}), {self.otherwise}"
            )
        return Path(found)

    def _found(self) -> str | None:
        return shutil.which(self.path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Library(Program):
    """A shared library for `LD_PRELOAD`; `path` may hold a pattern for the machine's architecture."""

    def _found(self) -> str | None:
        return next((str(each) for each in sorted(Path("/").glob(self.path.lstrip("/")))), None)


_NO_KAFKA = (
    f"or start a broker (docker run -p 9092:9092 apache/kafka:{KAFKA_VERSION}) and set"
    " SQLASSAY_TEST_KAFKA=127.0.0.1:9092"
)
JAVA = Program(path="java", package="openjdk-17-jre-headless", otherwise=_NO_KAFKA)
MAVEN = Program(path="mvn", package="maven", otherwise=_NO_KAFKA)
REDIS = Program(
    path="redis-server",
    package="redis-server",
    otherwise="or start one (docker run -p 6379:6379 redis:7) and set SQLASSAY_TEST_REDIS_URL=redis://127.0.0.1:6379/0",
)
POSTGRES = Program(
    path=str(POSTGRES_15 / "postgres"),
    package="postgresql-15",
    otherwise="or start one (docker run -e POSTGRES_PASSWORD=test -p 5432:5432 postgres:15) and set"
    " SQLASSAY_TEST_DATABASE_URL=postgresql://postgres:test@127.0.0.1:5432/postgres",
)
PGBOUNCER = Program(path="/usr/sbin/pgbouncer", package="pgbouncer", otherwise="or leave out the tests of a pooler")
PROMETHEUS, PROMTOOL = (
    Program(path=name, package="prometheus", otherwise="or put Prometheus' own programs on the PATH")
    for name in ("prometheus", "promtool")
)
ALERTMANAGER = Program(
    path="prometheus-alertmanager",
    package="prometheus-alertmanager",
    otherwise="or put Alertmanager on the PATH under that name",
)
NSS_WRAPPER = Library(
    path="/usr/lib/*/libnss_wrapper.so", package="libnss-wrapper", otherwise="or play other cells of the fault matrix"
)
CHROMIUM = Program(path="chromium", package="chromium", otherwise="or put Chromium on the PATH under that name")
AMTOOL = Program(path="amtool", package="prometheus-alertmanager", otherwise="or put Alertmanager's amtool on the PATH")


def kafka_jars(*, install: bool = False) -> Path:
    """Returns the folder of Kafka's jars, which all checkouts of this user share. Raises `ServerMissing`."""
    cache = platformdirs.user_cache_path("sqlassay") / "test-servers"
    jars = cache / f"kafka-{KAFKA_VERSION}-log4j-{LOG4J_VERSION}"
    if not jars.exists() and not install:
        raise ServerMissing(f"Kafka's jars are not installed: run `make servers`, {_NO_KAFKA}")
    if not jars.exists():
        cache.mkdir(parents=True, exist_ok=True)
        with _alone(cache / "download.lock"):
            if not jars.exists():
                _download(cache, jars)
    return jars


def _download(cache: Path, jars: Path) -> None:
    maven = MAVEN.find(install=True)
    JAVA.find(install=True)
    said = ""
    for attempt in range(DOWNLOAD_TRIES):
        with tempfile.TemporaryDirectory(dir=cache) as part:
            (Path(part) / "pom.xml").write_text(_POM)
            command = [str(maven), "-q", "-B", _COPY, "-DincludeScope=runtime", f"-DoutputDirectory={part}/jars"]
            made = subprocess.run(command, cwd=part, capture_output=True, text=True, check=False)
            if made.returncode == 0:
                (Path(part) / "jars").rename(jars)
                return
            said = " ".join((made.stdout + made.stderr).split())[-600:]
        time.sleep(2**attempt)
    raise ServerMissing(f"Kafka's jars could not be downloaded with Maven ({_NO_KAFKA}): {said}")


def _may_install() -> bool:
    return os.geteuid() == 0 and shutil.which("apt-get") is not None


def _apt_install(package: str) -> None:
    print(f"Installing {package}", flush=True)
    with _alone(Path(tempfile.gettempdir()) / "sqlassay-apt.lock"), _no_services():
        for command in (["update"], ["install", "-y", "--no-install-recommends", package]):
            subprocess.run(
                ["apt-get", "-qq", "-o", "DPkg::Lock::Timeout=300", "-o", "Acquire::Retries=3", *command],
                env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
                stdout=subprocess.DEVNULL,
                check=False,
            )


@contextmanager
def _no_services() -> Iterator[None]:
    """The packages' own servers stay off: the tests start theirs on other ports."""
    policy = Path("/usr/sbin/policy-rc.d")
    if policy.exists():
        yield
        return
    policy.write_text("#!/bin/sh\nexit 101\n")
    policy.chmod(0o755)
    try:
        yield
    finally:
        policy.unlink()


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    with lock.open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield
