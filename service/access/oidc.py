"""Login with OpenID Connect: the authorization code flow with state, nonce and PKCE, by Authlib."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from fastapi import Request
from fastapi.responses import Response

from consumers.errors import Unavailable
from service.access.access_tokens import Access
from service.access.identities import LoginRefused, claim_values, identity
from service.logs import log
from service.settings.login_settings import OidcSettings

_SECONDS = 10.0
_ALGORITHMS = frozenset("RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split())
"""Signatures of ID tokens that are believed: by a key that only the provider has."""


class ProviderUnavailable(Unavailable):
    """The provider does not answer, or answers nonsense."""


@dataclass(slots=True)
class OidcLogin:
    """Sends people to the provider, and reads who came back."""

    settings: OidcSettings
    app: Any
    """Authlib's client, which has no types."""

    async def begin(self, request: Request, redirect_uri: str) -> Response:
        """Redirects to the provider. What the answer must match is kept in the session."""
        await self._metadata()
        return cast("Response", await self._asked(self.app.authorize_redirect(request, redirect_uri)))

    async def finish(self, request: Request) -> Access:
        """The person who came back; raises `LoginRefused` and `ProviderUnavailable`."""
        error = request.query_params.get("error")
        if error is not None:
            raise LoginRefused(f"the provider refused the login: {_code(error)}")
        metadata = await self._metadata()
        options = {
            "iss": {"essential": True, "values": [metadata["issuer"]]},
            "aud": {"essential": True, "values": [self.settings.client_id]},
        }
        token = await self._asked(self.app.authorize_access_token(request, claims_options=options))
        claims = token.get("userinfo")
        if not claims:
            raise LoginRefused("the provider sent no ID token, which says who logged in")
        return self._person(await self._completed(dict(claims), token, metadata))

    def _person(self, claims: Mapping[str, object]) -> Access:
        settings = self.settings
        name = next(iter(claim_values(claims, settings.name_claim)), claims.get("sub"))
        tenants = None if settings.tenant_claim is None else claim_values(claims, settings.tenant_claim)
        roles = [] if settings.roles_claim is None else claim_values(claims, settings.roles_claim)
        return identity(name, settings, tenants=tenants, roles=roles)

    async def _completed(
        self, claims: dict[str, object], token: Mapping[str, Any], metadata: Mapping[str, Any]
    ) -> dict[str, object]:
        """The claims, with those that the provider gives at its userinfo endpoint only."""
        wanted = (self.settings.name_claim, self.settings.tenant_claim, self.settings.roles_claim)
        missing = [each for each in wanted if each is not None and not claim_values(claims, each)]
        if not missing or "userinfo_endpoint" not in metadata:
            return claims
        more = dict(await self._asked(self.app.userinfo(token=token)))
        if more.get("sub") != claims.get("sub"):
            raise LoginRefused("the provider's userinfo is about another person than its ID token")
        return {**more, **claims}

    async def _metadata(self) -> dict[str, Any]:
        """What the provider says of itself; raises `ProviderUnavailable`."""
        metadata: dict[str, Any] = await self._asked(self.app.load_server_metadata())
        said, expected = str(metadata.get("issuer")), str(self.settings.issuer)
        if said.rstrip("/") != expected.rstrip("/"):
            raise ProviderUnavailable(f"the provider calls itself {said[:80]!r}: correct SQLASSAY_OIDC__ISSUER")
        offered = metadata.get("id_token_signing_alg_values_supported") or ["RS256"]
        metadata["id_token_signing_alg_values_supported"] = sorted(_ALGORITHMS.intersection(offered)) or ["RS256"]
        return metadata

    async def _asked(self, asking: Any) -> Any:
        """What the provider answers, with its errors as ours."""
        from authlib.common.errors import AuthlibBaseError  # noqa: PLC0415 loaded where the login is set up
        from httpx2 import HTTPError, InvalidURL  # noqa: PLC0415 as above
        from joserfc.errors import JoseError  # noqa: PLC0415 as above

        try:
            return await asking
        except AuthlibBaseError as error:
            log.warning("oidc_login_refused", error=_code(error.error), detail=str(error)[:200])
            raise LoginRefused(_explained(_code(error.error))) from error
        except JoseError as error:
            log.warning("oidc_token_refused", error=type(error).__name__)
            raise LoginRefused(f"the ID token is not valid: {type(error).__name__}") from error
        except (HTTPError, InvalidURL, RuntimeError, ValueError, TypeError, AttributeError) as error:
            # Authlib raises the last four for answers that are no JSON, or that lack a field
            log.warning("oidc_provider_unavailable", error=type(error).__name__, detail=str(error)[:200])
            raise ProviderUnavailable(f"the provider does not answer as it should ({type(error).__name__})") from error


def open_oidc(settings: OidcSettings) -> OidcLogin | None:
    """The login, if the settings name a provider. It is asked when the first person logs in."""
    if settings.issuer is None:
        return None
    from authlib.integrations.starlette_client import OAuth  # noqa: PLC0415 slow to load, and most services need it not

    secret = settings.client_secret
    options: dict[str, object] = {"scope": settings.scopes, "code_challenge_method": "S256", "timeout": _SECONDS}
    if secret is None:
        options["token_endpoint_auth_method"] = "none"  # noqa: S105 a public client has no secret
    client: Any = cast("Any", OAuth()).register(
        "provider",
        client_id=settings.client_id,
        client_secret=secret.get_secret_value() if secret is not None else None,
        server_metadata_url=settings.issuer.rstrip("/") + "/.well-known/openid-configuration",
        client_kwargs=options,
    )
    return OidcLogin(settings, client)


def _code(text: object) -> str:
    return re.sub(r"[^a-z_]", "", str(text).lower())[:40] or "error"


def _explained(code: str) -> str:
    if code == "mismatching_state":
        return "the login was begun in another browser, or too long ago: begin again"
    return f"the login could not be finished ({code}): begin again"
