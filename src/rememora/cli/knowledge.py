"""`rememora remember, memories, correct, forget, suppress, restore, timeline, explain, export`: what is known."""

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
from rememora.errors import InvalidInput
from rememora.handles.user import UserMemory

EXIT_NOT_KEPT = 3
RESTS_ON: Mapping[Tie, str] = {
    "rule": "the rule that made it so",
    "doubt": "the change that puts it in doubt",
    "part": "what it changed a part of",
}
DEPENDS: Mapping[Tie, str] = {
    "rule": "holds because of this rule",
    "doubt": "in doubt because of this change",
    "part": "changed a part of this",
}


def remember(
    key: Annotated[str, typer.Argument(help="A dotted key, as in `user.name`.")],
    value: Annotated[str, typer.Argument(help="The value; JSON is taken as JSON.")],
    tenant: TenantName = None,
    user: UserName = None,
    category: Annotated[str | None, typer.Option(help="The category, where the key does not say it.")] = None,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Keep a fact, if the gate lets it; exit code 3 says that it did not."""
    about: dict[str, Any] = {} if category is None else {"category": category}
    outcome = of_user(url, tenant, user, lambda ana: ana.remember(key, value_of(value), **about), new=True)
    _show_outcome(outcome, as_json=as_json)
    if not outcome.memories:
        raise typer.Exit(EXIT_NOT_KEPT)


def memories(
    tenant: TenantName = None,
    user: UserName = None,
    prefix: Annotated[str | None, typer.Option(help="Only keys under these segments.")] = None,
    category: Annotated[str | None, typer.Option(help="Only this category.")] = None,
    every: Annotated[bool, typer.Option("--all", help="Include replaced and forgotten memories.")] = False,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """List what is known of a person."""
    tenant, user = named(url, tenant, user)
    status = None if every else "active"
    found = of_user(url, tenant, user, lambda ana: _every(ana, prefix=prefix, category=category, status=status))
    if as_json:
        print_json(found)
    elif found:
        _show_memories(found, every=every)
    else:
        print(f"Nothing is known of {user} at {tenant} that fits.")


def correct(
    target: Annotated[str, typer.Argument(help="An id, a key, or words that name the memory.")],
    value: Annotated[str, typer.Argument(help="The right value.")],
    tenant: TenantName = None,
    user: UserName = None,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Put the right value in place of a wrong one."""
    outcome = of_user(url, tenant, user, lambda ana: ana.memories.correct(target, value_of(value)))
    _show_outcome(outcome, as_json=as_json)


def forget(
    target: Annotated[str, typer.Argument(help="An id, a key, words, or `all`.")],
    tenant: TenantName = None,
    user: UserName = None,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Forget a memory so that it can be restored; `erase` is permanent."""
    outcome = of_user(url, tenant, user, lambda ana: ana.forget(target))
    _show_outcome(outcome, as_json=as_json)


def suppress(
    target: Annotated[str, typer.Argument(help="An id, a key, or words.")],
    tenant: TenantName = None,
    user: UserName = None,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Keep it and never mention it, until `restore`."""
    outcome = of_user(url, tenant, user, lambda ana: ana.memories.suppress(target))
    if as_json or not outcome.memories:
        _show_outcome(outcome, as_json=as_json)
    for memory in () if as_json else outcome.memories:
        print(f"suppressed: {memory.key}")


def restore(
    target: Annotated[str, typer.Argument(help="An id or a key.")],
    tenant: TenantName = None,
    user: UserName = None,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Let what was forgotten, replaced or suppressed be known and mentioned again."""
    memory = of_user(url, tenant, user, lambda ana: ana.memories.restore(target))
    print_json(memory) if as_json else print(f"{memory.status}: {memory.key} = {memory.value}")


def timeline(
    target: Annotated[str, typer.Argument(help="An id, a key, or a subject with --attribute.")],
    attribute: Annotated[str | None, typer.Option(help="Attribute of the subject, such as price.")] = None,
    tenant: TenantName = None,
    user: UserName = None,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Show every value that a memory has had, and when each held."""
    held = of_user(url, tenant, user, lambda ana: ana.memories.timeline(target, attribute))
    if as_json:
        print_json(held)
        return
    rows = [(_day(each.since), _day(each.until), str(each.value)) for each in held]
    print_rows(("since", "until", "value"), rows)


def explain(
    target: Annotated[str, typer.Argument(help="An id or a key.")],
    tenant: TenantName = None,
    user: UserName = None,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Show where a memory comes from, what it rests on and what rests on it."""
    told = of_user(url, tenant, user, lambda ana: ana.memories.explain(target))
    if as_json:
        print_json(told)
        return
    _show_explanation(told)


def _show_explanation(explanation: Explanation) -> None:
    memory = explanation.memory
    near = {each.id: each for each in (*explanation.rests_on, *explanation.dependents)}
    print(f"{memory.key} = {memory.value}")
    print(
        f"  {memory.source}, {memory.status}, confidence {memory.confidence:.2f}, since {_day(memory.created_at)}"
    )
    if memory.evidence:
        print(f"  said: {memory.evidence}")
    for held in explanation.timeline[:-1]:
        print(f"  was: {held.value} ({_day(held.since)} to {_day(held.until)})")
    for link in explanation.links:
        if link.dependent == memory.id:
            print(f"  rests on: {near[link.rests_on].value} ({RESTS_ON[link.tie]})")
        else:
            print(f"  rests on this: {near[link.dependent].value} ({DEPENDS[link.tie]})")
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
    """Write all that is held about a person as JSON."""
    document = of_user(url, tenant, user, lambda ana: ana.archive.export())
    written = msgspec.json.format(msgspec.json.encode(document), indent=2)
    if file is None:
        print_json(document) if as_json else print(written.decode())
    else:
        private_files.write(file, written)
        count = len(document["memories"])
        print_json({"file": str(file), "memories": count}) if as_json else print(f"{count} memories in {file}")


def value_of(text: str) -> Any:
    """A value typed at the terminal: JSON where it is JSON, else the text itself."""
    try:
        return msgspec.json.decode(text)
    except msgspec.DecodeError:
        return text


def read_json(file: Path) -> dict[str, Any]:
    """A JSON object in a file."""
    try:
        return msgspec.json.decode(file.read_bytes(), type=dict[str, Any])
    except (OSError, msgspec.DecodeError) as error:
        raise InvalidInput("file", str(error)) from None


async def _every(ana: UserMemory, **filters: Any) -> list[Memory]:
    found: list[Memory] = []
    after: str | None = None
    while True:
        page = await ana.memories.list(limit=1000, after=after, **filters)
        found += page.items
        after = page.next
        if after is None:
            return found


def _show_outcome(outcome: Outcome, *, as_json: bool) -> None:
    if as_json:
        print_json(outcome)
        return
    for memory in outcome.memories:
        print(f"{memory.status}: {memory.key} = {memory.value}")
    for proposal in outcome.proposals:
        print(proposal.question("en"))
    if outcome.verdict is None and not outcome.memories and not outcome.proposals:
        print("Nothing like that is known; `rememora memories` lists what is.")
    if outcome.verdict is not None and not outcome.memories:
        print(f"{outcome.verdict.label}: {outcome.verdict.why.en} ({outcome.verdict.reason})")


def _show_memories(memories: list[Memory], *, every: bool) -> None:
    heads = ["key", "value", "category", "status", "said by", "since"]
    rows = [
        (memory.key, memory.value, memory.category, memory.status, memory.source, memory.created_at.date())
        for memory in memories
    ]
    # Of what is known now the status says nothing; who said it gives way before a value does.
    print_rows(heads, rows, spare=("said by",) if every else ("status", "said by"))
