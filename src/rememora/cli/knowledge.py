"""`rememora remember, memories, correct, forget, suppress, restore, timeline, explain, export`: memories."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from rememora.adapters import private_files
from rememora.cli.opened import Json, TenantName, Url, UserName, named, of_user, print_json, print_rows
from rememora.domain.explanation import Explanation, Tie
from rememora.domain.memory import Memory, Outcome
from rememora.domain.message import every_item
from rememora.errors import InvalidInput
from rememora.handles.user import UserMemory

EXIT_NOT_KEPT = 3
UNKNOWN = "unknown"
"""The subject of a memory of which nobody read whom or what it is about."""
# Why one memory rests on another, seen from the memory that is explained …
RESTS_ON: Mapping[Tie, str] = {
    "rule": "the rule that set it",
    "doubt": "the change that puts it in doubt",
    "part": "the memory that it changed in part",
}
# … and seen from the other end: what depends on it.
DEPENDS: Mapping[Tie, str] = {
    "rule": "holds because of this rule",
    "doubt": "in doubt because of this change",
    "part": "changed this in part",
}


def remember(
    key: Annotated[str, typer.Argument(help="A dotted key, as in `user.name`.")],
    value: Annotated[str, typer.Argument(help="The value; valid JSON is parsed.")],
    tenant: TenantName = None,
    user: UserName = None,
    category: Annotated[str | None, typer.Option(help="Category, if the key does not imply it.")] = None,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Save a fact, if the gate allows it. Exit code 3 if it does not."""
    about: dict[str, Any] = {} if category is None else {"category": category}
    outcome = of_user(url, tenant, user, lambda ana: ana.remember(key, value_of(value), **about), new=True)
    _show_outcome(outcome, as_json=as_json)
    if not outcome.memories:
        raise typer.Exit(EXIT_NOT_KEPT)


def memories(
    tenant: TenantName = None,
    user: UserName = None,
    prefix: Annotated[str | None, typer.Option(help="Only keys with this prefix.")] = None,
    category: Annotated[str | None, typer.Option(help="Only this category.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Include replaced and forgotten memories.")] = False,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """List the memories of a person."""
    tenant, user = named(url, tenant, user)
    status = None if every else "active"
    listed = of_user(url, tenant, user, lambda ana: _every(ana, prefix=prefix, category=category, status=status))
    if as_json:
        print_json(listed)
    elif listed:
        _show_memories(listed, every=every)
    else:
        print(f"No memory of {user} at {tenant} matches.")


def correct(
    target: Annotated[str, typer.Argument(help="Id, key, or a description of the memory.")],
    value: Annotated[str, typer.Argument(help="The correct value.")],
    tenant: TenantName = None,
    user: UserName = None,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Replace a wrong value with the correct one."""
    outcome = of_user(url, tenant, user, lambda ana: ana.memories.correct(target, value_of(value)))
    _show_outcome(outcome, as_json=as_json)


def forget(
    target: Annotated[str, typer.Argument(help="Id, key, a description, or `all`.")],
    tenant: TenantName = None,
    user: UserName = None,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Forget a memory. It can be restored; `erase` is permanent."""
    outcome = of_user(url, tenant, user, lambda ana: ana.forget(target))
    _show_outcome(outcome, as_json=as_json)


def suppress(
    target: Annotated[str, typer.Argument(help="Id, key, or a description.")],
    tenant: TenantName = None,
    user: UserName = None,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Keep a memory but never mention it, until `restore`."""
    outcome = of_user(url, tenant, user, lambda ana: ana.memories.suppress(target))
    if as_json or not outcome.memories:
        _show_outcome(outcome, as_json=as_json)
    for memory in () if as_json else outcome.memories:
        print(f"suppressed: {memory.key}")


def restore(
    target: Annotated[str, typer.Argument(help="Id or key.")],
    tenant: TenantName = None,
    user: UserName = None,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Restore a forgotten, replaced or suppressed memory."""
    memory = of_user(url, tenant, user, lambda ana: ana.memories.restore(target))
    print_json(memory) if as_json else print(f"{memory.status}: {memory.key} = {memory.value}")


def timeline(
    target: Annotated[str, typer.Argument(help="Id, key, or a subject with --attribute.")],
    attribute: Annotated[str | None, typer.Option(help="Attribute of the subject, such as price.")] = None,
    tenant: TenantName = None,
    user: UserName = None,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Show every value that a memory has had, with its dates."""
    held = of_user(url, tenant, user, lambda ana: ana.memories.timeline(target, attribute))
    if as_json:
        print_json(held)
        return
    rows = [(_day(value.since), _day(value.until), str(value.value)) for value in held]
    print_rows(("since", "until", "value"), rows)


def explain(
    target: Annotated[str, typer.Argument(help="Id or key.")],
    tenant: TenantName = None,
    user: UserName = None,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Explain a memory. Show its origin, what it is based on, and what is based on it."""
    explanation = of_user(url, tenant, user, lambda ana: ana.memories.explain(target))
    if as_json:
        print_json(explanation)
        return
    _show_explanation(explanation)


def _show_explanation(explanation: Explanation) -> None:
    memory = explanation.memory
    near = {other.id: other for other in (*explanation.rests_on, *explanation.dependents)}
    print(f"{memory.key} = {memory.value}")
    print(
        f"  {memory.source}, {memory.status}, confidence {memory.confidence:.2f}, since {_day(memory.created_at)}"
    )
    if memory.attribute_span is not None:
        print(f"  {memory.attribute}: {memory.attribute_value}")
    if memory.evidence:
        print(f"  said: {memory.evidence}")
    # The last value is the current one, printed above.
    for held in explanation.timeline[:-1]:
        print(f"  was: {held.value} ({_day(held.since)} to {_day(held.until)})")
    for link in explanation.links:
        if link.dependent == memory.id:
            print(f"  based on: {near[link.rests_on].value} ({RESTS_ON[link.tie]})")
        else:
            print(f"  basis of: {near[link.dependent].value} ({DEPENDS[link.tie]})")
    for entry in explanation.history:
        print(f"  {_day(entry.at)} {entry.action} by {entry.actor}" + (f": {entry.why}" if entry.why else ""))


def _day(moment: datetime | None) -> str:
    return "now" if moment is None else moment.date().isoformat()


def export(
    tenant: TenantName = None,
    user: UserName = None,
    file: Annotated[Path | None, typer.Option(help="Output file; standard output by default.")] = None,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Export everything that is stored about a person as JSON."""
    document = of_user(url, tenant, user, lambda ana: ana.archive.export())
    written = msgspec.json.format(msgspec.json.encode(document), indent=2)
    if file is None:
        print_json(document) if as_json else print(written.decode())
    else:
        private_files.write(file, written)
        count = len(document["memories"])
        print_json({"file": str(file), "memories": count}) if as_json else print(f"{count} memories in {file}")


def value_of(text: str) -> Any:
    """Parse a value typed at the terminal: JSON if it is valid JSON, else plain text."""
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text


def read_json(file: Path) -> dict[str, Any]:
    """Read a JSON object from a file."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.DecodeError) as error:
        raise InvalidInput("file", str(error)) from None


async def _every(ana: UserMemory, **filters: Any) -> list[Memory]:
    return [memory async for memory in every_item(ana.memories.list, limit=1000, **filters)]


def _show_outcome(outcome: Outcome, *, as_json: bool) -> None:
    if as_json:
        print_json(outcome)
        return
    for memory in outcome.memories:
        print(f"{memory.status}: {memory.key} = {memory.value}")
    for proposal in outcome.proposals:
        print(proposal.question("en"))
    if outcome.verdict is None and not outcome.memories and not outcome.proposals:
        print("No memory matches; `rememora memories` lists all.")
    if (refusal := outcome.refusal) is not None:
        print(f"{refusal.label}: {refusal.why.en} ({refusal.reason})")


def _show_memories(memories: list[Memory], *, every: bool) -> None:
    heads = ["key", "subject", "attribute", "value", "category", "status", "source", "since"]
    rows = [
        (
            memory.key,
            memory.subject or UNKNOWN,
            memory.attribute,
            memory.value,
            memory.category,
            memory.status,
            memory.source,
            memory.created_at.date(),
        )
        for memory in memories
    ]
    # Of what is known now the status says nothing. The category, which the key tells, gives way before a value.
    spare = ("source", "category", "since")
    print_rows(heads, rows, spare=spare if every else ("status", *spare))
