"""Recognizes the variables that Kubernetes writes into a Pod for each Service of its namespace.

A Service named `sqlassay`, or `sqlassay-…`, gives its variables the prefix of the settings.
"""

from __future__ import annotations

import re

_PROTOCOL = "tcp|udp|sctp"
_ADDRESS = r"[0-9.]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*"
_PORT = "[0-9]{1,5}"
_URL = rf"(?:{_PROTOCOL})://(?:[0-9.]+|\[[0-9a-fA-F:.]+\]):{_PORT}"
_SERVICE = "[A-Z][A-Z0-9_]*"
_LINK = rf"{_PORT}_(?:{_PROTOCOL.upper()})"
_FORMS = tuple(
    (re.compile(f"{_SERVICE}_{name}"), re.compile(value))
    for name, value in (
        ("SERVICE_HOST", _ADDRESS),
        ("SERVICE_PORT(?:_[A-Z0-9_]+)?", _PORT),
        ("PORT", _URL),
        (f"PORT_{_LINK}", _URL),
        (f"PORT_{_LINK}_PROTO", _PROTOCOL),
        (f"PORT_{_LINK}_PORT", _PORT),
        (f"PORT_{_LINK}_ADDR", _ADDRESS),
    )
)
"""What a name and its value look like, as the kubelet's package `envvars` writes them."""


def is_service_link(name: str, value: str) -> bool:
    """Whether the kubelet writes such a variable for a Service.

    >>> is_service_link("SQLASSAY_PORT", "tcp://10.96.0.7:80")
    True
    >>> is_service_link("SQLASSAY_HTTP_PORT", "8321")
    False
    """
    return any(form.fullmatch(name) and content.fullmatch(value) for form, content in _FORMS)
