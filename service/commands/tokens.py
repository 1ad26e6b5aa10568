"""`sqlassay tokens`: creates, lists and revokes access tokens."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime, timedelta

from service.commands.command_context import check_tenant, with_database
from service.commands.exits import answer_no, refuse
from service.commands.options import TokenOptions
from service.settings.access_settings import AccessScope
from service.storage.token_store import NewToken, PostgresTokens, StoredToken, TokenNameTaken


def create_token(options: TokenOptions) -> None:
    """Creates a token and prints it. It cannot be shown again."""
    new = NewToken(
        tenant=_tenant(options.tenant, all_tenants=options.all_tenants),
        scopes=frozenset(_scope(each) for each in options.scopes),
        name=_name(options.name),
        expires_at=datetime.now(UTC) + timedelta(days=options.days) if options.days is not None else None,
    )
    try:
        secret, stored = with_database(lambda engine: PostgresTokens(engine).create(new))
    except TokenNameTaken as error:
        refuse(f"there is, or was, a token named {str(error)!r}: choose another --name")
    print(f"sqlassay: {_line(stored)}; it is shown only now:", file=sys.stderr)
    print(secret)


def list_tokens(*, as_json: bool) -> None:
    """Prints every token, newest first, without its secret."""
    found = with_database(lambda engine: PostgresTokens(engine).all())
    now = datetime.now(UTC)
    for each in found:
        readable = sys.stdout.isatty() and not as_json
        print(f"{_line(each)}, {state_of(each, now)}" if readable else json.dumps(_document(each, now)))


def revoke_token(name: str) -> None:
    """Revokes a token. Exit code 1 where none in force has the name or id."""
    found = with_database(lambda engine: PostgresTokens(engine).revoke(name))
    if found is None:
        answer_no(f"no token in force has the name or id {name!r}")
    print(f"sqlassay: {_line(found)}; revoked", file=sys.stderr)


def _tenant(tenant: str | None, *, all_tenants: bool) -> str | None:
    if (tenant is None) != all_tenants:
        refuse("name one tenant with --tenant, or give access to all with --all-tenants")
    if tenant is not None:
        check_tenant(tenant)
    return tenant


def _scope(text: str) -> AccessScope:
    try:
        return AccessScope(text)
    except ValueError:
        refuse(f"--scope {text!r} is not one of {', '.join(AccessScope)}")


def _name(name: str | None) -> str | None:
    if name is not None and (not name.isprintable() or name != name.strip() or not 1 <= len(name) <= 128):
        refuse(f"--name {name!r}: use 1 to 128 visible characters")
    return name


def state_of(token: StoredToken, now: datetime) -> str:
    """Whether a token is `in force`, `expired` or `revoked`."""
    if token.revoked_at is not None:
        return "revoked"
    return "expired" if token.expires_at is not None and token.expires_at <= now else "in force"


def _line(token: StoredToken) -> str:
    tenant = "all tenants" if token.tenant is None else f"tenant {token.tenant}"
    return f"token {token.name} (id {token.id}) of {tenant} with {', '.join(sorted(token.scopes))}"


def _document(token: StoredToken, now: datetime) -> dict[str, object]:
    times = {"created_at", "expires_at", "revoked_at", "last_used_at"}
    shown = {name: getattr(token, name) for name in sorted(times)}
    return {
        "name": token.name,
        "id": token.id,
        "tenant": token.tenant,
        "scopes": sorted(token.scopes),
        "state": state_of(token, now),
        **{name: moment.isoformat() if moment else None for name, moment in shown.items()},
    }
