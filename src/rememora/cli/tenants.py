"""`rememora tenants` and `rememora keys`: accounts, credentials and usage."""

from __future__ import annotations

from typing import Annotated, cast, get_args

import msgspec
import typer

from rememora.cli.erase import show_receipt
from rememora.cli.knowledge import value_of
from rememora.cli.opened import ACTING, Json, TenantName, Url, of_tenant, print_json, print_rows, run, settings_of
from rememora.domain.tenancy import EVERY_TENANT, ApiKey, IssuedKey, KeyRole, Standing, TenantAccount, Usage
from rememora.errors import UsageError
from rememora.settings import Settings
from rememora.tenancy.accounts import AnyPlan

tenants = typer.Typer(help="Tenants and their plans.", no_args_is_help=True)
keys = typer.Typer(help="API keys.", no_args_is_help=True)
PlanOption = Annotated[str, typer.Option(help="A plan by name (unlimited, free, pro) or spelled out as JSON.")]
Of = Annotated[str | None, typer.Option("--tenant", help="Tenant; by default the operators' own keys.")]


@tenants.command("list")
def list_tenants(url: Url = None, as_json: Json = False) -> None:
    """List every tenant's account."""
    accounts = run(url, lambda rememora: rememora.operator(acting=ACTING).tenants.list(limit=1000)).items
    if as_json:
        print_json(accounts)
    else:
        print_rows(("id", "name", "status", "plan", "since"), (_account_row(account) for account in accounts))


@tenants.command()
def create(
    id: Annotated[str, typer.Argument(help="The tenant's id.")],
    name: Annotated[str | None, typer.Option(help="Display name.")] = None,
    plan: PlanOption = "unlimited",
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Create an account."""
    made = run(
        url,
        lambda rememora: rememora.operator(acting=ACTING).tenants.create(id, name=name, plan=_plan(plan)),
        new=True,
    )
    _show_account(made, as_json=as_json)


@tenants.command()
def change(
    id: Annotated[str, typer.Argument(help="The tenant's id.")],
    name: Annotated[str | None, typer.Option(help="Display name.")] = None,
    plan: Annotated[str | None, typer.Option(help="A plan by name, or spelled out as JSON.")] = None,
    status: Annotated[str | None, typer.Option(help="active or suspended.")] = None,
    end_links: Annotated[bool, typer.Option(help="Invalidate every link issued so far.")] = False,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Change a tenant's name, plan or status."""
    if status is not None and status not in get_args(Standing):
        raise typer.BadParameter("must be active or suspended", param_hint="--status")
    new_status = cast("Standing | None", status)
    new_plan = None if plan is None else _plan(plan)
    changed = run(
        url,
        lambda rememora: rememora.operator(acting=ACTING).tenants.change(
            id, name=name, plan=new_plan, status=new_status, end_links=end_links
        ),
    )
    _show_account(changed, as_json=as_json)


@tenants.command()
def erase(
    id: Annotated[str, typer.Argument(help="The tenant's id.")],
    confirm: Annotated[str | None, typer.Option(help="The tenant's id again, to skip the prompt.")] = None,
    why: Annotated[str, typer.Option(help="Reason; it is recorded in the operators' audit chain.")] = "",
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Erase a whole tenant permanently, and print the receipt."""
    if confirm is None and as_json:
        raise UsageError("--json cannot ask for confirmation: add --confirm with the tenant's id")
    typed: str = confirm if confirm is not None else typer.prompt(f"This cannot be undone. Type {id} to erase it")
    operated = run(
        url, lambda rememora: rememora.operator(acting=ACTING).tenants.erase(id, confirm=typed, why=why)
    )
    show_receipt(operated, as_json=as_json)


@tenants.command()
def usage(tenant: TenantName = None, url: Url = None, as_json: Json = False) -> None:
    """Show how much of each quota a tenant has used."""
    meters: list[Usage] = of_tenant(url, tenant, lambda company: company.access.usage())
    if as_json:
        print_json(meters)
        return
    rows = ((u.meter, u.used, "-" if u.limit is None else u.limit, u.per, u.resets_at.isoformat()) for u in meters)
    print_rows(("meter", "used", "limit", "per", "resets at"), rows)


@tenants.command()
def link(
    user: Annotated[str, typer.Argument(help="User whose page the link opens.")],
    tenant: TenantName = None,
    minutes: Annotated[float | None, typer.Option(help="Lifetime of the link.")] = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="Allow reading only.")] = False,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Issue a temporary link to one person's own page."""
    issued = of_tenant(
        url, tenant, lambda company: company.access.link(user, minutes=minutes, read_only=read_only)
    )
    address = link_address(settings_of(url), issued.token)
    if as_json:
        print_json({**msgspec.to_builtins(issued), "address": address})
    else:
        until = issued.expires_at.isoformat(" ", "minutes")
        print(f"{address}\nfor {issued.user}, until {until}; `rememora serve` has to be running at that address")


@keys.command("list")
def list_keys(tenant: Of = None, url: Url = None, as_json: Json = False) -> None:
    """List keys, without their secrets."""
    issued = of_tenant(url, tenant or EVERY_TENANT, lambda company: company.access.keys())
    if as_json:
        print_json(issued)
    else:
        print_rows(("id", "role", "whose", "label", "since", "state", "last used"), map(_key_row, issued))


@keys.command()
def issue(
    role: Annotated[str, typer.Argument(help="user, service, admin, auditor, module, or operator.")],
    tenant: Of = None,
    user: Annotated[str | None, typer.Option(help="User, for a user's key.")] = None,
    module: Annotated[list[str] | None, typer.Option(help="Module, for a module's key; may be repeated.")] = None,
    label: Annotated[str, typer.Option(help="Purpose of the key.")] = "",
    days: Annotated[float | None, typer.Option(help="Days after which the key expires.")] = None,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Issue a key, and print its secret once."""
    chosen: KeyRole = _role(role)
    issued = of_tenant(
        url,
        tenant or EVERY_TENANT,
        lambda company: company.access.issue_key(chosen, user=user, modules=module or (), label=label, days=days),
    )
    _show_issued(issued, as_json=as_json)


@keys.command()
def rotate(
    id: Annotated[str, typer.Argument(help="The key's id.")],
    tenant: Of = None,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Issue a successor. The old key remains valid for a while."""
    issued = of_tenant(url, tenant or EVERY_TENANT, lambda company: company.access.rotate_key(id))
    _show_issued(issued, as_json=as_json)


@keys.command()
def revoke(
    id: Annotated[str, typer.Argument(help="The key's id.")],
    tenant: Of = None,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Revoke a key at once, in every process."""
    ended = of_tenant(url, tenant or EVERY_TENANT, lambda company: company.access.revoke_key(id))
    if as_json:
        print_json(ended)
    else:
        print(f"{ended.id} is revoked.")


def link_address(settings: Settings, token: str) -> str:
    """Return the full URL of a link."""
    return page_address(settings, f"/me?link={token}")


def page_address(settings: Settings, path: str) -> str:
    """Return the full URL of a page."""
    server = settings.server
    host = f"[{server.host}]" if ":" in server.host else server.host
    return (server.public_url.rstrip("/") or f"http://{host}:{server.port}") + path


def _role(text: str) -> KeyRole:
    if text not in get_args(KeyRole):
        raise typer.BadParameter("must be user, service, admin, auditor, module or operator", param_hint="ROLE")
    return cast("KeyRole", text)


def _plan(text: str) -> AnyPlan:
    plan: AnyPlan = value_of(text)
    return plan


def _account_row(account: TenantAccount) -> tuple[object, ...]:
    return account.id, account.name, account.status, account.plan.name, account.created_at.date()


def _show_account(account: TenantAccount, *, as_json: bool) -> None:
    if as_json:
        print_json(account)
    else:
        print(f"{account.id}: {account.name}, {account.status}, plan {account.plan.name}")


def _key_row(key: ApiKey) -> tuple[object, ...]:
    state = "revoked" if key.revoked_at else f"until {key.expires_at.date()}" if key.expires_at else "active"
    used = key.used_at.isoformat(" ", "minutes") if key.used_at else ""
    whose = key.user or ", ".join(key.modules)
    return key.id, key.role, whose, key.label, key.created_at.date(), state, used


def _show_issued(issued: IssuedKey, *, as_json: bool) -> None:
    if as_json:
        print_json(issued)
    else:
        print(f"{issued.secret}\n{issued.key.role} key {issued.key.id}; the secret is shown only once.")
