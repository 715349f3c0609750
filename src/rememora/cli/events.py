"""`rememora events`: list events or follow them, and print their schema."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from typing import Annotated

import typer

from rememora.app import Rememora
from rememora.cli.opened import (
    ACTING,
    Json,
    TenantName,
    Url,
    of_tenant,
    opening,
    print_json,
    print_rows,
    run,
    which_tenant,
)
from rememora.domain.event import SCHEMA, Event
from rememora.domain.event_versions import OLDEST, events_schema

app = typer.Typer(help="Events for subscribers.", no_args_is_help=True)
TAIL_SECONDS = 0.5
After = Annotated[int, typer.Option(help="Start after this position.")]


@app.callback()
def events() -> None:
    """Events for subscribers."""


@app.command()
def schema(
    version: Annotated[int, typer.Option(min=OLDEST, max=SCHEMA, help="Version of the schema.")] = SCHEMA,
    as_json: Json = False,
) -> None:
    """Print the JSON Schema that every event of a version follows."""
    print(json.dumps(events_schema(version), indent=None if as_json else 2))


@app.command("list")
def list_events(
    tenant: TenantName = None,
    after: After = 0,
    limit: Annotated[int, typer.Option(help="Maximum number of events.")] = 100,
    schema: Annotated[int | None, typer.Option(help="Version of the event schema.")] = None,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """List a tenant's events, oldest first."""
    events = of_tenant(url, tenant, lambda company: company.events.list(after=after, limit=limit, schema=schema))
    if as_json:
        print_json(events)
        return
    rows = ((e.position, e.occurred_at.isoformat(" ", "seconds"), e.type, e.user, e.conversation) for e in events)
    print_rows(("position", "at", "type", "user", "conversation"), rows)


@app.command()
def tail(
    tenant: TenantName = None,
    after: After = 0,
    follow: Annotated[bool, typer.Option(help="Keep printing new events until stopped.")] = True,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Print a tenant's events as they happen, one per line."""
    with suppress(KeyboardInterrupt):
        asyncio.run(_tail(url, tenant, after, follow=follow, show=print_json if as_json else _print_line))


@app.command()
def replay(
    name: Annotated[str, typer.Argument(help="The subscriber.")],
    tenant: TenantName = None,
    after: After = 0,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Deliver events to a subscriber again, dead letters included."""
    company = run(url, lambda rememora: which_tenant(rememora, tenant))
    run(url, lambda rememora: rememora.events.replay(name, tenant=company, after=after))
    if as_json:
        print_json({"subscriber": name, "tenant": company, "after": after})
    else:
        print(f"{name} receives the events of {company} after {after} again.")


@app.command()
def dead(
    tenant: TenantName = None,
    limit: Annotated[int, typer.Option(help="Maximum number of events.")] = 100,
    retry: Annotated[bool, typer.Option("--retry", help="Redeliver them, with a fresh set of tries.")] = False,
    subscriber: Annotated[str | None, typer.Option(help="With --retry: only those of this subscriber.")] = None,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """List a tenant's dead letters, newest first, or retry them."""
    if retry:
        again = of_tenant(url, tenant, lambda company: company.events.retry_dead_letters(subscriber=subscriber))
        print_json({"retried": again}) if as_json else print(f"{again} will be delivered again.")
        return
    deliveries = of_tenant(url, tenant, lambda company: company.events.dead_letters(limit=limit))
    if as_json:
        print_json(deliveries)
        return
    rows = ((p.event.position, p.event.id, p.event.type, p.subscriber, p.attempts, p.error) for p in deliveries)
    print_rows(("position", "event", "type", "subscriber", "tries", "error"), rows)


@app.command()
def consume(
    group: Annotated[str, typer.Option(help="Consumer group that shares the events.")],
    name: Annotated[str | None, typer.Option(help="Name of this consumer; it resumes where it stopped.")] = None,
    from_start: Annotated[bool, typer.Option(help="Let a new group read the whole stream.")] = False,
    follow: Annotated[bool, typer.Option(help="Keep printing new events until stopped.")] = True,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Print events of the Redis stream, one per line. A group's consumers share its events."""
    show = print_json if as_json else _print_line
    joined = partial(_join, group=group, name=name, from_start=from_start, show=show)
    with suppress(KeyboardInterrupt):
        asyncio.run(_consume(url, joined, follow=follow))


async def _join(
    rememora: Rememora, *, group: str, name: str | None, from_start: bool, show: Callable[[Event], None]
) -> None:
    async def hear(event: Event) -> None:
        show(event)

    await rememora.events.consume(group, hear, consumer=name, from_start=from_start)


async def _consume(url: str | None, join: Callable[[Rememora], Awaitable[None]], *, follow: bool) -> None:
    async with opening(url, background=follow) as rememora:
        await join(rememora)
        if follow:
            await asyncio.Event().wait()
        await rememora.settle()


def _print_line(event: Event) -> None:
    payload = " ".join(f"{name}={value}" for name, value in event.payload.items())
    at = event.occurred_at.isoformat(" ", "seconds")
    print(f"{event.position:>6} {at} {event.type} {event.user} {event.conversation or '-'} {payload}", flush=True)


async def _tail(
    url: str | None, tenant: str | None, after: int, *, follow: bool, show: Callable[[Event], None]
) -> None:
    async with opening(url) as rememora:
        company = rememora.tenant(await which_tenant(rememora, tenant), acting=ACTING)
        while True:
            events = await company.events.list(after=after)
            for event in events:
                after = event.position
                show(event)
            # Until the end is reached pages follow each other at once; waiting begins there.
            if not events and not follow:
                return
            if not events:
                await asyncio.sleep(TAIL_SECONDS)
