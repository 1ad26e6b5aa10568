"""The name of a tenant: it stands in the path of its rules, in tokens, keys and labels, so it must be plain to read."""

from __future__ import annotations

from typing import Annotated, TypeAlias

from pydantic import Field, TypeAdapter, ValidationError

_REFUSED = r"\x00-\x1f\x7f-\x9f*/\\?#%\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\uffff"
"""Control characters, `*`, what has a meaning in a path, and what cannot be seen."""
_SPACES = r"\x20\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
TENANT_PATTERN = f"^[^.{_SPACES}{_REFUSED}]([^{_REFUSED}]*[^{_SPACES}{_REFUSED}])?$"
TENANT_RULE = (
    "a tenant's name has 1 to 128 characters, none of / \\ ? # % * or invisible, begins with no dot and has no space"
    " at its ends"
)
TenantName: TypeAlias = Annotated[str, Field(strict=True, min_length=1, max_length=128, pattern=TENANT_PATTERN)]
_TENANTS: TypeAdapter[str] = TypeAdapter(TenantName)


def is_tenant(text: str) -> bool:
    """Whether the text is a valid name of a tenant.

    >>> [is_tenant(each) for each in ("meridian-retail", "Ærø Bøger", "a/b", "..", "*", "a%2Fb", " a", "")]
    [True, True, False, False, False, False, False, False]
    """
    try:
        _TENANTS.validate_python(text)
    except ValidationError:
        return False
    return True
