"""The name of a tenant: it stands in the path of its rules, in tokens, keys and labels, so it must be plain to read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypeAlias

from pydantic import BeforeValidator, Field, TypeAdapter, ValidationError

from consumers.wire.texts import INVISIBLE, one_form, plain_name

_REFUSED = rf"\x00-\x1f\x7f-\x9f*/\\?#%{INVISIBLE}"
"""Control characters, `*`, what has a meaning in a path, and what cannot be seen."""
_SPACES = r"\x20\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
TENANT_PATTERN = f"^[^.{_SPACES}{_REFUSED}]([^{_REFUSED}]*[^{_SPACES}{_REFUSED}])?$"
TENANT_RULE = (
    "a tenant's name has 1 to 128 characters, none of / \\ ? # % * or invisible, begins with no dot and has no space"
    " at its ends"
)
_Known = Annotated[str, Field(strict=True, min_length=1, max_length=128, pattern=TENANT_PATTERN)]
TenantName: TypeAlias = Annotated[_Known, BeforeValidator(plain_name)]
"""As an event, a label or feedback may name it."""
_TENANTS: TypeAdapter[str] = TypeAdapter(Annotated[_Known, BeforeValidator(one_form)])
"""As it may be stored: an older release took more names, and what is of those can still be read."""


def tenant_fault(fault: Mapping[str, Any]) -> str:
    """What a validator's error says of a tenant's name."""
    if fault["type"] != "value_error":
        return TENANT_RULE
    return str(fault["msg"]).removeprefix("Value error, ").replace("a name", "a tenant's name", 1)


def is_tenant(text: str) -> bool:
    """Whether the text is a valid name of a tenant, in the form in which events have it.

    >>> [is_tenant(each) for each in ("meridian-retail", "Ærø Bøger", "a/b", "..", "*", "a%2Fb", " a", "")]
    [True, True, False, False, False, False, False, False]
    """
    try:
        return _TENANTS.validate_python(text) == text
    except ValidationError:
        return False
