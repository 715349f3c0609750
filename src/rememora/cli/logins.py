"""`rememora logins`: accounts that may sign in to the pages."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
import typer

from rememora.cli.opened import ACTING, Json, Url, print_json, print_rows, run, settings_of
from rememora.cli.tenants import page_address
from rememora.domain.login import LOGIN_ROLES, IssuedInvitation, Login

logins = typer.Typer(help="Accounts for the pages.", no_args_is_help=True)
Of = Annotated[str | None, typer.Option("--tenant", help="Tenant; all tenants by default.")]


@logins.command("list")
def list_logins(tenant: Of = None, url: Url = None, as_json: Json = False) -> None:
    """List accounts, without passwords."""
    accounts: list[Login] = run(url, lambda rememora: _access(rememora, tenant).logins())
    if as_json:
        print_json(accounts)
        return
    rows = ((login.id, login.name, login.role, login.user or "-", _day(login.used_at)) for login in accounts)
    print_rows(("id", "name", "role", "user", "last used"), rows)


@logins.command()
def invite(
    role: Annotated[str, typer.Argument(help="owner, operator, auditor, support or person.")],
    tenant: Of = None,
    user: Annotated[str | None, typer.Option(help="User, for a person's page.")] = None,
    name: Annotated[str, typer.Option(help="Existing account that gets a new password.")] = "",
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Print a single-use link for opening an account."""
    if role not in LOGIN_ROLES:
        raise typer.BadParameter(f"must be one of {', '.join(LOGIN_ROLES)}", param_hint="ROLE")
    issued: IssuedInvitation = run(
        url, lambda rememora: _access(rememora, tenant).invite(role, user=user, name=name)
    )
    address = page_address(settings_of(url), f"/invitation?token={issued.token}")
    if as_json:
        print_json({**msgspec.to_builtins(issued.invitation), "address": address})
        return
    until = issued.invitation.expires_at.isoformat(" ", "minutes")
    print(f"{address}\nfor one {role}, until {until}; `rememora serve` has to be running at that address")


@logins.command()
def end(
    id: Annotated[str, typer.Argument(help="The account's id.")],
    tenant: Of = None,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Remove an account and end its sessions at once."""
    run(url, lambda rememora: _access(rememora, tenant).end_login(id))
    if as_json:
        print_json({"ended": id})
    else:
        print(f"{id} is removed, and its sessions have ended.")


def _access(rememora: Any, tenant: str | None) -> Any:
    if tenant is None:
        return rememora.operator(acting=ACTING).access
    return rememora.tenant(tenant, acting=ACTING).access


def _day(moment: Any) -> str:
    return "-" if moment is None else str(moment.isoformat(" ", "minutes"))
