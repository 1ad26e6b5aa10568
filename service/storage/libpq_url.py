"""Reads the URL of PostgreSQL as libpq does, so that the service and `psql` take the same one."""

from __future__ import annotations

import os
import re
import ssl
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import unquote

from sqlalchemy import URL

from service.settings.loading import SettingsError

DRIVER = "postgresql+asyncpg"
SYSTEM = "system"
"""The value of `sslrootcert` that trusts the certificates of the system."""
_URL = re.compile(
    r"""(?:postgres|postgresql|postgresql\+asyncpg)://
        (?:(?P<user>[^\s:/@?#]*)(?::(?P<password>[^\s@]*))?@)?
        (?P<hosts>HOST(?:,HOST)*)?
        (?:/(?P<database>[^\s/@:?#]*))?
        (?:\?(?P<parameters>[^\s@#]*))?""".replace(
        "HOST", r"(?:[\w.-]+|%2[Ff][\w.%-]+|\[[0-9A-Fa-f:.]+\])(?::\d{0,5})?"
    ),
    re.VERBOSE | re.ASCII,
)
_HOST = re.compile(r"(\[[^]]+\]|[^:,]+)(?::(\d*))?(?:,|$)")
_LAST_PORT = 65_535
_DRIVER_OWN = frozenset(
    {"sslmode", "sslrootcert", "sslcert", "sslkey", "sslcrl", "sslpassword", "sslnegotiation"}
    | {"ssl_min_protocol_version", "ssl_max_protocol_version", "passfile"}
    | {"application_name", "options", "connect_timeout", "target_session_attrs"}
)
"""Parameters that are kept as they are."""
_PLACES = frozenset({"host", "port", "dbname", "user", "password"})
"""Parameters that stand for other parts of the URL."""
_TLS_VERSIONS = ("TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3")
_CHOICES: dict[str, tuple[str, ...]] = {
    "sslmode": ("disable", "allow", "prefer", "require", "verify-ca", "verify-full"),
    "sslnegotiation": ("postgres", "direct"),
    "ssl_min_protocol_version": _TLS_VERSIONS,
    "ssl_max_protocol_version": _TLS_VERSIONS,
    # the service writes, so what only reads is of no use
    "target_session_attrs": ("any", "read-write", "primary"),
    # of these, only values that ask for nothing are possible, and they are dropped
    "gssencmode": ("disable", "prefer"),
    "channel_binding": ("disable", "prefer"),
    "load_balance_hosts": ("disable",),
    "client_encoding": ("auto", "utf8", "UTF8", "utf-8", "UTF-8"),
    "sslcompression": ("0",),
    "sslsni": ("1",),
}
_IMPOSSIBLE = {
    **dict.fromkeys(
        ("keepalives", "keepalives_idle", "keepalives_interval", "keepalives_count", "tcp_user_timeout"),
        "remove it: SQLASSAY_DATABASE__TIMEOUT ends what hangs",
    ),
    **dict.fromkeys(
        ("krbsrvname", "gsslib", "gssdelegation", "require_auth", "requirepeer"), "use a password or a certificate"
    ),
    **dict.fromkeys(("service", "servicefile"), "write the service's host, user and database into the URL"),
    **dict.fromkeys(("sslcrldir", "sslcertmode", "sslkeylogfile"), "remove it"),
    **dict.fromkeys(("min_protocol_version", "max_protocol_version", "replication"), "remove it"),
    "hostaddr": "write the address as the host",
    "requiressl": "write sslmode=require",
    "timeout": "set SQLASSAY_DATABASE__TIMEOUT, or connect_timeout in the URL",
    "command_timeout": "set SQLASSAY_DATABASE__TIMEOUT",
    "direct_tls": "write sslnegotiation=direct",
    **dict.fromkeys(
        ("statement_cache_size", "prepared_statement_cache_size", "max_cached_statement_lifetime"), "remove it"
    ),
}
"""Parameters of libpq, and of the driver, that cannot be had, each with what to do."""


def read_url(text: str) -> URL:
    """The URL with the driver's name; several hosts are the parameters `host` and `port`, joined by commas.

    Raises `SettingsError` without the URL, which may hold a password. A part of it that is not where it belongs may be
    a part of the password, so only what libpq knows is repeated.

    >>> read_url("postgres://me:secret@db/assay?sslmode=require").render_as_string(hide_password=True)
    'postgresql+asyncpg://me:***@db:5432/assay?sslmode=require'
    >>> dict(read_url("postgresql://me@one:5433,two/assay").query)
    {'host': 'one,two', 'port': '5433,5432'}
    """
    found = _URL.fullmatch(text)
    parameters = dict(_parameters((found["parameters"] or "") if found else ""))
    hosts = _hosts(parameters.pop("host", "") or (found and found["hosts"]) or "", parameters.pop("port", ""))
    if found is None or hosts is None:
        raise SettingsError(
            "SQLASSAY_DATABASE__URL is not a PostgreSQL URL: write postgresql://user:password@host:5432/name"
            " (several hosts: host1:5432,host2:5432), with @ / ? # and spaces of the password as %40 %2F %3F %23 %20"
        )
    user, password, database = (
        parameters.pop(name, None) or unquote(found[group] or "") or None
        for name, group in (("user", "user"), ("password", "password"), ("dbname", "database"))
    )
    url = URL.create(DRIVER, username=user, password=password, database=database, query=_checked(parameters))
    return _with_hosts(url, hosts)


def _with_hosts(url: URL, hosts: list[tuple[str, int]]) -> URL:
    if not hosts:
        return url
    names, ports = zip(*hosts, strict=True)
    if len(hosts) == 1 and not names[0].startswith("/"):
        return url.set(host=names[0], port=ports[0])
    return url.update_query_dict({"host": ",".join(names), "port": ",".join(map(str, ports))})


def _hosts(names: str, ports: str) -> list[tuple[str, int]] | None:
    """Each host with its port; `None` where a port is none or their number does not fit."""
    found = [(unquote(name.strip("[]")), port) for name, port in _HOST.findall(unquote(names))]
    separate = ports.split(",") if ports else [port or "5432" for _, port in found]
    if len(separate) == 1:
        separate *= len(found)
    if len(separate) != len(found) or not all(re.fullmatch(r"\d{1,5}", each, re.ASCII) for each in separate):
        return None
    paired = [(name, int(port or other)) for (name, port), other in zip(found, separate, strict=True)]
    return paired if all(port <= _LAST_PORT for _, port in paired) else None


def _parameters(text: str) -> Iterator[tuple[str, str]]:
    """The names and values after `?`; raises `SettingsError` for what cannot be had."""
    for name, _, value in (each.partition("=") for each in text.split("&") if each):
        if name == "ssl":  # as JDBC's URLs and SQLAlchemy's write it
            yield "sslmode", "require" if value == "true" else unquote(value)
        elif name == "fallback_application_name":
            yield "application_name", unquote(value)
        elif name in _IMPOSSIBLE:
            raise SettingsError(f"SQLASSAY_DATABASE__URL sets {name}, which the driver cannot: {_IMPOSSIBLE[name]}")
        elif name not in _DRIVER_OWN | _PLACES | _CHOICES.keys():
            raise SettingsError(
                "SQLASSAY_DATABASE__URL sets a parameter after ? that is not one of"
                f" {', '.join(sorted(_DRIVER_OWN | _PLACES))}: correct or remove it"
            )
        else:
            yield name, unquote(value)


def _checked(parameters: Mapping[str, str]) -> dict[str, str]:
    """The parameters that the driver gets; raises `SettingsError` for a wrong value or an unreadable file."""
    for name, possible in _CHOICES.items():
        if name in parameters and parameters[name] not in possible:
            raise SettingsError(
                f"{name} in SQLASSAY_DATABASE__URL has a value that is not possible: write {' or '.join(possible)}"
            )
    if not re.fullmatch(r"\d{0,4}", parameters.get("connect_timeout", ""), re.ASCII):
        raise SettingsError("connect_timeout in SQLASSAY_DATABASE__URL is not a number of seconds: write 10, or so")
    kept = {name: value for name, value in parameters.items() if name in _DRIVER_OWN and value}
    if authorities := kept.get("sslrootcert") or os.environ.get("PGSSLROOTCERT"):
        kept["sslrootcert"] = authorities
    if kept.get("sslrootcert") == SYSTEM:
        kept.setdefault("sslmode", "verify-full")
    _check_tls(kept)
    _check_files(kept)
    return kept


def _check_tls(kept: Mapping[str, str]) -> None:
    mode, authorities = kept.get("sslmode"), kept.get("sslrootcert")
    if kept.get("sslnegotiation") == "direct" and mode not in {"require", "verify-ca", "verify-full"}:
        raise SettingsError("sslnegotiation=direct in SQLASSAY_DATABASE__URL needs sslmode=require or verify-full")
    if authorities == SYSTEM and mode != "verify-full":
        raise SettingsError("sslrootcert=system in SQLASSAY_DATABASE__URL needs sslmode=verify-full")
    if mode in {"verify-ca", "verify-full"} and not authorities and not _default_authorities():
        raise SettingsError(
            f"sslmode={mode} in SQLASSAY_DATABASE__URL needs the certificates to trust: add sslrootcert=FILE,"
            " or sslrootcert=system"
        )


def _default_authorities() -> bool:
    """Whether the file exists that libpq reads where `sslrootcert` is not set."""
    return (Path("~").expanduser() / ".postgresql" / "root.crt").exists()


def _check_files(parameters: Mapping[str, str]) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    for name in ("sslrootcert", "sslcrl"):
        if (path := parameters.get(name, SYSTEM)) == SYSTEM:
            continue
        try:
            context.load_verify_locations(path)
        except OSError as error:
            raise SettingsError(f"{name} {path} of SQLASSAY_DATABASE__URL cannot be read: {error}") from None
    certificate, key = parameters.get("sslcert"), parameters.get("sslkey")
    if certificate and key:
        try:
            # without a password here, OpenSSL would ask for one at the terminal
            context.load_cert_chain(certificate, key, password=parameters.get("sslpassword", ""))
        except OSError as error:
            raise SettingsError(
                f"sslcert {certificate} with sslkey {key} of SQLASSAY_DATABASE__URL cannot be read: {error}"
            ) from None
