"""The name of a tenant: it stands in the path of its rules, in tokens, keys and labels, so it must be plain to read."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import BeforeValidator, Field, TypeAdapter, ValidationError

from consumers.wire.texts import INVISIBLE, one_form

_REFUSED = rf"\x00-\x1f\x7f-\x9f*/\\?#%{INVISIBLE}"
"""Control characters, `*`, what has a meaning in a path, and what cannot be seen."""
_SPACES = r"\x20\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
TENANT_PATTERN = f"^[^.{_SPACES}{_REFUSED}]([^{_REFUSED}]*[^{_SPACES}{_REFUSED}])?$"
TENANT_RULE = (
    "a tenant's name has 1 to 128 characters, none of / \\ ? # % * or invisible, begins with no dot and has no space"
    " at its ends"
)
TenantName: TypeAlias = Annotated[
    str, Field(strict=True, min_length=1, max_length=128, pattern=TENANT_PATTERN), BeforeValidator(one_form)
]
_TENANTS: TypeAdapter[str] = TypeAdapter(TenantName)


def is_tenant(text: str) -> bool:
    """Whether the text is a valid name of a tenant, in the form in which events have it.

    >>> [is_tenant(each) for each in ("meridian-retail", "Ærø Bøger", "a/b", "..", "*", "a%2Fb", " a", "")]
    [True, True, False, False, False, False, False, False]
    """
    try:
        return _TENANTS.validate_python(text) == text
    except ValidationError:
        return False
