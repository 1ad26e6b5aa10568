"""A broker as companies run it: TLS with a CA of its own, client certificates, SASL, tokens and access control."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeAlias

from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.protocol.admin import CreateAclsRequest

from tests.servers.certificates import write_certificate
from tests.servers.kafka_server import KafkaServer
from tests.servers.processes import free_port

Right: TypeAlias = tuple[str, str, str]
"""`topic` or `group`, its name, and the operation."""
_KINDS = {"topic": 2, "group": 3}
_OPERATIONS = {"Read": 3, "Write": 4, "Describe": 8}
_LITERAL, _DENY, _ALLOW = 3, 2, 3
USER, PASSWORD = "assay", "quartz-ember"
_ADDED = """\
ssl.keystore.type=PEM
ssl.keystore.location={home}/broker.pem
ssl.truststore.type=PEM
ssl.truststore.location={home}/ca.crt
listener.name.mutual.ssl.client.auth=required
listener.name.secret.sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512
listener.name.secret.plain.sasl.jaas.config={plain} required user_{user}="{password}";
listener.name.secret.scram-sha-256.sasl.jaas.config={scram} required;
listener.name.secret.scram-sha-512.sasl.jaas.config={scram} required;
listener.name.token.sasl.enabled.mechanisms=OAUTHBEARER
listener.name.token.oauthbearer.sasl.jaas.config={bearer} required unsecuredLoginStringClaim_sub="broker";
listener.name.token.oauthbearer.connections.max.reauth.ms=2000
authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer
super.users=User:ANONYMOUS;User:{user};User:CN={user}
"""
"""A token's connection ends after 2 s. Who comes without TLS may do everything, to prepare tests."""
_MODULES = {
    "plain": "org.apache.kafka.common.security.plain.PlainLoginModule",
    "scram": "org.apache.kafka.common.security.scram.ScramLoginModule",
    "bearer": "org.apache.kafka.common.security.oauthbearer.OAuthBearerLoginModule",
}


class SecureKafka(KafkaServer):
    """Has a listener for each way to log in."""

    def __init__(self, home: Path) -> None:
        super().__init__(home)
        self.mutual, self.secret, self.token = (free_port() for _ in range(3))
        """Ports for a client's certificate, for SASL with a password, and for a token; all with TLS."""

    def prepare(self) -> None:
        authority = write_certificate(self.home, "ca")
        write_certificate(self.home, "broker", authority)
        write_certificate(self.home, USER, authority)
        for role in ("worker", "api"):
            write_certificate(self.home, role, authority)
        pem = (self.home / "broker.key").read_text() + (self.home / "broker.crt").read_text()
        (self.home / "broker.pem").write_text(pem)
        super().prepare()

    def properties(self) -> str:
        ports = {"MUTUAL": self.mutual, "SECRET": self.secret, "TOKEN": self.token}
        listeners = "".join(f",{name}://127.0.0.1:{port}" for name, port in ports.items())
        lines = super().properties().splitlines()
        for start, added in (
            ("listeners=", listeners),
            ("advertised.listeners=", listeners),
            ("listener.security.protocol.map=", ",MUTUAL:SSL,SECRET:SASL_SSL,TOKEN:SASL_SSL"),
        ):
            lines = [line + added if line.startswith(start) else line for line in lines]
        return "\n".join(lines) + "\n" + _ADDED.format(home=self.home, user=USER, password=PASSWORD, **_MODULES)

    def format_options(self) -> list[str]:
        users = [f"SCRAM-SHA-{size}=[name={USER},password={PASSWORD}]" for size in (256, 512)]
        return [word for each in users for word in ("--add-scram", each)]

    async def allow(self, principal: str, rights: Iterable[Right]) -> None:
        """Gives a principal rights."""
        await self._rule(principal, rights, _ALLOW)

    async def deny(self, principal: str, rights: Iterable[Right]) -> None:
        """Denies a principal rights, whatever else gives them."""
        await self._rule(principal, rights, _DENY)

    async def _rule(self, principal: str, rights: Iterable[Right], kind_of_rule: int) -> None:
        admin = AIOKafkaAdminClient(bootstrap_servers=self.bootstrap)
        await admin.start()
        try:
            for kind, name, operation in rights:
                request = CreateAclsRequest(
                    _KINDS[kind], name, _LITERAL, f"User:CN={principal}", "*", _OPERATIONS[operation], kind_of_rule
                )
                made: Any = await admin._send_to_controller(request)
                assert {code for code, _ in made.creation_responses} == {0}, made
        finally:
            await admin.close()
