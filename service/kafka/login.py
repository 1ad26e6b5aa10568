"""How we log in to Kafka: TLS, SASL and tokens."""

from __future__ import annotations

import ssl
from typing import Any

from aiokafka.abc import AbstractTokenProvider
from faststream.kafka.security import parse_security
from faststream.security import BaseSecurity, SASLOAuthBearer, SASLPlaintext, SASLScram256, SASLScram512

from service.kafka.tokens import ClientCredentials, KeptTokens, MskSigner
from service.settings.loading import SettingsError
from service.settings.stream_settings import KafkaSettings

_SASL = {"PLAIN": SASLPlaintext, "SCRAM-SHA-256": SASLScram256, "SCRAM-SHA-512": SASLScram512}


def login(settings: KafkaSettings) -> dict[str, Any]:
    """Arguments of one of aiokafka's clients; raises `SettingsError` for an unreadable certificate file."""
    return {**parse_security(security(settings)), "sasl_oauth_token_provider": token_provider(settings)}


def security(settings: KafkaSettings) -> BaseSecurity:
    """TLS and SASL of the connection; raises `SettingsError` for an unreadable certificate file."""
    context = _tls_context(settings) if settings.tls else None
    if settings.sasl_mechanism is None:
        return BaseSecurity(ssl_context=context, use_ssl=settings.tls)
    kind = _SASL.get(settings.sasl_mechanism)
    if kind is None:
        return SASLOAuthBearer(ssl_context=context, use_ssl=settings.tls)
    return kind(
        username=settings.sasl_username or "", password=_password(settings), ssl_context=context, use_ssl=settings.tls
    )


def token_provider(settings: KafkaSettings) -> AbstractTokenProvider | None:
    """What gives the client its tokens; `None` where the mechanism needs none.

    Raises `SettingsError` for an unreadable certificate file or without the extra that signs for MSK.
    """
    if settings.sasl_mechanism == "OAUTHBEARER":
        source = ClientCredentials(
            url=settings.sasl_token_url or "",
            client=settings.sasl_username or "",
            secret=_password(settings),
            fields=settings.sasl_token_fields,
            context=trusting(settings.sasl_token_ca_file, "sasl_token_ca_file"),
            timeout=settings.timeout,
        )
        return KeptTokens(source, settings.sasl_extensions)
    if settings.sasl_mechanism == "AWS_MSK_IAM":
        return KeptTokens(MskSigner(settings.sasl_region or ""), {})
    return None


def _password(settings: KafkaSettings) -> str:
    return settings.sasl_password.get_secret_value() if settings.sasl_password is not None else ""


def trusting(file: object, setting: str) -> ssl.SSLContext:
    """TLS that trusts the certificates of this file, or without one the system's. Raises `SettingsError`."""
    try:
        return ssl.create_default_context(cafile=None if file is None else str(file))
    except OSError as error:
        raise SettingsError(f"kafka.{setting} {file} cannot be read: {error}") from error


def _tls_context(settings: KafkaSettings) -> ssl.SSLContext:
    context = trusting(settings.ca_file, "ca_file")
    if settings.certificate_file is None:
        return context
    key = settings.key_file or settings.certificate_file
    try:
        # without a password here, OpenSSL would ask for one at the terminal
        context.load_cert_chain(settings.certificate_file, key, password="")
    except OSError as error:
        raise SettingsError(
            f"kafka.certificate_file {settings.certificate_file} with key_file {key} cannot be read: {error}"
        ) from error
    return context
