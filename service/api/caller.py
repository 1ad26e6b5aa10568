"""Who calls: what a request may access, once its sender is authenticated."""

from __future__ import annotations

from dataclasses import dataclass

from service.api.errors import ApiError
from service.settings.access_settings import AccessScope


@dataclass(frozen=True, slots=True)
class Caller:
    """The authenticated caller of a request."""

    tenant: str | None
    """The only tenant it may access. None means all tenants."""
    name: str | None = None
    """The name of its token, or of the person who is logged in."""
    scopes: frozenset[AccessScope] = frozenset()
    """What it may do."""

    def only(self, tenant: str | None) -> str | None:
        """Returns the tenant to restrict a query to. Raises a 403 when the caller may not access `tenant`."""
        if self.tenant is None:
            return tenant
        if tenant not in {None, self.tenant}:
            raise forbidden(f"this token does not give access to tenant {tenant!r}")
        return self.tenant


def forbidden(message: str) -> ApiError:
    """A 403 error."""
    return ApiError(403, "FORBIDDEN", message, "Use the token of that tenant.")
