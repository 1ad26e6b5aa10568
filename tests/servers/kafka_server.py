"""Apache Kafka: one node that is broker and controller (KRaft), from Maven's artifacts."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.servers.install import JAVA, kafka_jars
from tests.servers.processes import Server, ServerFailed, free_port

_CLUSTER = "c3FsYXNzYXktdGVzdHMwMA"
"""22 characters of base64: a cluster's id."""
MAX_MESSAGE_BYTES = 16 * 1024 * 1024
NAME = "broker.sqlassay.test"
"""The broker's host name for those who come by its port `named`; nothing resolves it unless a test does."""
_PROPERTIES = """\
process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:{controller}
listeners=PLAINTEXT://127.0.0.1:{port},PROXIED://127.0.0.1:{behind},NAMED://127.0.0.1:{named},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port},PROXIED://127.0.0.1:{proxy},NAMED://{name}:{named_proxy}
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,PROXIED:PLAINTEXT,NAMED:PLAINTEXT
log.dirs={home}/data
message.max.bytes={largest}
replica.fetch.max.bytes={largest}
offsets.topic.num.partitions=4
offsets.topic.replication.factor=1
transaction.state.log.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
share.coordinator.state.topic.num.partitions=4
share.coordinator.state.topic.replication.factor=1
share.coordinator.state.topic.min.isr=1
group.initial.rebalance.delay.ms=0
broker.session.timeout.ms=3000
broker.heartbeat.interval.ms=500
"""
"""A broker that was killed may only come back when its former self is given up: 3 s in place of 9."""
_LOG4J = """\
rootLogger.level=INFO
rootLogger.appenderRef.stdout.ref=STDOUT
appender.stdout.name=STDOUT
appender.stdout.type=Console
appender.stdout.layout.type=PatternLayout
appender.stdout.layout.pattern=[%d] %p %m (%c)%n
"""


class KafkaServer(Server):
    """A broker; it keeps topics and offsets over `kill` and `start`."""

    def __init__(self, home: Path, *, lasting: bool = False) -> None:
        """One that is `lasting` compiles what it does most; others spare the second that this takes at their start."""
        super().__init__(home)
        self._compiling = [] if lasting else ["-XX:TieredStopAtLevel=1"]
        self.behind, self.proxy = free_port(), free_port()
        """Where a proxy finds the broker, and where clients that come by the proxy are sent."""
        self.named, self.named_proxy = free_port(), free_port()
        """The same, and those clients are sent to `NAME`."""
        self.controller = free_port()
        self._java, self._jars = JAVA.find(), kafka_jars()
        self._archived = f"-XX:SharedArchiveFile={_archive()}"

    @property
    def bootstrap(self) -> str:
        """Where clients begin."""
        return f"127.0.0.1:{self.port}"

    def prepare(self) -> None:
        if (self.home / "data").exists():
            return
        (self.home / "server.properties").write_text(self.properties())
        (self.home / "log4j2.properties").write_text(_LOG4J)
        settings = f"{self.home}/server.properties"
        self.run("kafka.tools.StorageTool", "format", "-t", _CLUSTER, *self.format_options(), "-c", settings)

    def properties(self) -> str:
        """The broker's settings."""
        return _PROPERTIES.format(
            port=self.port,
            behind=self.behind,
            proxy=self.proxy,
            named=self.named,
            named_proxy=self.named_proxy,
            name=NAME,
            controller=self.controller,
            home=self.home,
            largest=MAX_MESSAGE_BYTES,
        )

    def format_options(self) -> list[str]:
        """Options with which the broker's folder is made."""
        return []

    def run(self, main: str, *arguments: str) -> None:
        """Runs one of Kafka's tools; raises `ServerFailed`."""
        made = subprocess.run(self._program(main, *arguments), capture_output=True, text=True, check=False)
        if made.returncode != 0:
            raise ServerFailed(f"{main} failed: {made.stdout}{made.stderr}")

    def command(self) -> list[str]:
        return self._program("kafka.Kafka", f"{self.home}/server.properties")

    def answers(self, said: str) -> bool:
        return "Kafka Server started" in said

    def _program(self, main: str, *arguments: str) -> list[str]:
        logging = f"-Dlog4j2.configurationFile={self.home}/log4j2.properties"
        memory = ["-Xmx512m", "-XX:+UseSerialGC", self._archived]
        machine = [str(self._java), *memory, *self._compiling, logging, "-cp", f"{self._jars}/*"]
        return [*machine, main, *arguments]


class SecondBroker(KafkaServer):
    """A broker that joins the cluster of another one."""

    def __init__(self, home: Path, first: KafkaServer) -> None:
        super().__init__(home)
        self._first = first

    def properties(self) -> str:
        own, theirs = f"127.0.0.1:{self.controller}", f"127.0.0.1:{self._first.controller}"
        return (
            super()
            .properties()
            .replace("process.roles=broker,controller", "process.roles=broker")
            .replace("node.id=1", "node.id=2")
            .replace(f",CONTROLLER://{own}", "")
            .replace(f"1@{own}", f"1@{theirs}")
        )


class _ArchivingServer(KafkaServer):
    """A broker that leaves its loaded classes in a file when it ends."""

    def __init__(self, home: Path, archive: Path) -> None:
        super().__init__(home, lasting=True)
        self._archived = f"-XX:ArchiveClassesAtExit={archive}"


def _archive() -> Path:
    jars = kafka_jars()
    return jars.parent / f"{jars.name}.jsa"


def archive_classes() -> Path:
    """The file of a broker's loaded classes, made where it is missing: with it a start takes half the time.

    Java itself goes without a file that is missing or does not fit.
    """
    if not _archive().exists():
        with tempfile.TemporaryDirectory() as folder:
            made = Path(folder) / "classes.jsa"
            server = _ArchivingServer(Path(folder) / "broker", made)
            server.start()
            server.stop()
            # whole or not at all: other processes may make it at the same time
            shutil.copy(made, f"{_archive()}.{os.getpid()}")
            Path(f"{_archive()}.{os.getpid()}").rename(_archive())
    return _archive()
