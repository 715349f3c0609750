"""`rememora tasks`: hand work to a module, show its state, and do a module's work by hand."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from rememora.cli.knowledge import value_of
from rememora.cli.opened import Json, TenantName, Url, UserName, of_tenant, of_user, print_json, print_rows
from rememora.domain.task import HeldTask, Task, TaskFilter
from rememora.errors import InvalidInput

app = typer.Typer(help="Work handed to modules.", no_args_is_help=True)
TaskId = Annotated[str, typer.Argument(help="The task's id.")]
ModuleName = Annotated[str, typer.Argument(help="The module, as in `mod-02-whatsapp-crm`.")]
Lease = Annotated[str, typer.Option(help="Lease that `claim` returned.")]


@app.command()
def delegate(
    module: ModuleName,
    kind: Annotated[str, typer.Argument(help="The kind of work, as in `message.send`.")],
    payload: Annotated[str, typer.Argument(help="Payload, as a JSON object.")],
    tenant: TenantName = None,
    user: UserName = None,
    correlation: Annotated[str | None, typer.Option(help="Correlation id of the task's events.")] = None,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Hand work to a module."""
    about = _object(payload)
    made = of_user(url, tenant, user, lambda ana: ana.tasks.delegate(module, kind, about, correlation=correlation))
    _show(made, as_json=as_json)


@app.command("list")
def list_tasks(
    tenant: TenantName = None,
    user: Annotated[str | None, typer.Option(help="User; by default all users, without content.")] = None,
    status: Annotated[str | None, typer.Option(help="waiting, running, completed, failed or cancelled.")] = None,
    module: Annotated[str | None, typer.Option(help="Only tasks of this module.")] = None,
    limit: Annotated[int, typer.Option(help="Maximum number of tasks.")] = 50,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """List tasks, newest first."""
    options: Any = {"limit": limit, "status": status, "module": module}
    TaskFilter(status=options["status"], module=module)
    if user is None:
        tasks = of_tenant(url, tenant, lambda company: company.tasks.list(**options)).items
    else:
        tasks = of_user(url, tenant, user, lambda ana: ana.tasks.list(**options)).items
    if as_json:
        print_json(tasks)
    else:
        print_rows(("id", "user", "module", "kind", "status", "tries", "error"), map(_row, tasks))


@app.command()
def show(
    id: TaskId, tenant: TenantName = None, user: UserName = None, url: Url = None, as_json: Json = False
) -> None:
    """Show one task."""
    _show(of_user(url, tenant, user, lambda ana: ana.tasks.get(id)), as_json=as_json)


@app.command()
def cancel(
    id: TaskId, tenant: TenantName = None, user: UserName = None, url: Url = None, as_json: Json = False
) -> None:
    """Cancel a task; a finished one stays as it is."""
    _show(of_user(url, tenant, user, lambda ana: ana.tasks.cancel(id)), as_json=as_json)


@app.command()
def claim(
    module: ModuleName,
    tenant: TenantName = None,
    seconds: Annotated[float | None, typer.Option(help="Length of the lease.")] = None,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Claim a module's longest waiting task, under a lease."""
    held: HeldTask | None = of_tenant(url, tenant, lambda company: company.tasks.claim(module, seconds=seconds))
    if as_json:
        print_json(held)
    elif held is None:
        print(f"Nothing waits for {module}.")
    else:
        print(f"lease {held.lease}, until {held.until.isoformat(' ', 'seconds')}")
        _show(held.task, as_json=False)


@app.command()
def complete(
    id: TaskId,
    lease: Lease,
    tenant: TenantName = None,
    summary: Annotated[str, typer.Option(help="One line of text for the event.")] = "",
    result: Annotated[str | None, typer.Option(help="Result that stays with the task; JSON is parsed.")] = None,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Report that the work is done."""
    value = None if result is None else value_of(result)
    done = of_tenant(
        url, tenant, lambda company: company.tasks.complete(id, lease=lease, summary=summary, result=value)
    )
    _show(done, as_json=as_json)


@app.command()
def fail(
    id: TaskId,
    lease: Lease,
    error: Annotated[str, typer.Option(help="Error code.")],
    tenant: TenantName = None,
    retry: Annotated[bool, typer.Option(help="Let the task be tried again later.")] = False,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Report that the work has failed."""
    ended = of_tenant(url, tenant, lambda company: company.tasks.fail(id, lease=lease, error=error, retry=retry))
    _show(ended, as_json=as_json)


def _object(text: str) -> dict[str, Any]:
    value = value_of(text)
    if not isinstance(value, dict):
        raise InvalidInput("payload", "must be a JSON object")
    return value


def _show(task: Task, *, as_json: bool) -> None:
    if as_json:
        print_json(task)
        return
    error = f" ({task.error})" if task.error else ""
    print(f"{task.id}: {task.module} {task.kind}, {task.status}{error}")


def _row(task: Task) -> tuple[object, ...]:
    return task.id, task.user, task.module, task.kind, task.status, task.attempts, task.error
