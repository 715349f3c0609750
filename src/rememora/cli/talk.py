"""`rememora chat, context, conversations, judge, policy, missions`: talk, and see the grounds of answers."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Annotated

import typer
from rich.panel import Panel

from rememora.app import Rememora
from rememora.cli.opened import (
    Json,
    TenantName,
    Url,
    UserName,
    console,
    memory_of,
    of_user,
    opening,
    print_json,
    print_rows,
    run,
    whose,
)
from rememora.domain.context import ContextPack, Item, Reply
from rememora.domain.memory import Outcome
from rememora.domain.mission import Mission
from rememora.errors import RememoraError
from rememora.handles.user import UserMemory
from rememora.language import detect
from rememora.turn import ReplyOptions

HELP = "/why  /memories  /forget WHAT  /help; an empty line ends. / linha vazia encerra."


def chat(
    tenant: TenantName = None,
    user: UserName = None,
    conversation: Annotated[str, typer.Option(help="Conversation id.")] = "terminal",
    say: Annotated[str | None, typer.Option(help="Send one message, print the answer and exit.")] = None,
    mission: Annotated[
        str | None, typer.Option(help="With --say: the mission that the message belongs to.")
    ] = None,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Chat with memory. `/why` shows what the last answer is based on."""
    if say is not None:
        wishes: ReplyOptions = {} if mission is None else {"mission": mission}
        talk = partial(_reply, conversation=conversation, text=say, wishes=wishes)
        reply = of_user(url, tenant, user, talk, new=True)
        if as_json:
            print_json(reply)
        else:
            console.print(reply.text, markup=False)
            _show_receipts(reply)
        return
    asyncio.run(_talk(url, tenant, user, conversation))


def context(
    query: Annotated[str, typer.Argument(help="Question for the model.")],
    tenant: TenantName = None,
    user: UserName = None,
    conversation: Annotated[str, typer.Option(help="Conversation id.")] = "terminal",
    budget: Annotated[int | None, typer.Option(help="Token budget of the context.")] = None,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Show what a model would be given for a query. Each item has its origin and reason."""
    pack = of_user(url, tenant, user, lambda ana: ana.conversation(conversation).context(query, budget=budget))
    if as_json:
        print_json(pack)
    else:
        _show_pack(pack)


def conversations(
    tenant: TenantName = None,
    user: UserName = None,
    limit: Annotated[int, typer.Option(help="Maximum number of conversations.")] = 20,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """List a user's conversations, newest first."""
    records = of_user(url, tenant, user, lambda ana: ana.conversations.list(limit=limit)).items
    if as_json:
        print_json(records)
        return
    rows = (
        (record.id, record.channel, record.messages, record.updated_at.isoformat(" ", "seconds"))
        for record in records
    )
    print_rows(("id", "channel", "messages", "updated"), rows)


def gate(
    text: Annotated[str, typer.Argument(help="Message to judge.")],
    insists: Annotated[bool, typer.Option(help="Judge as if the person insists.")] = False,
    as_json: Json = False,
) -> None:
    """Show how the gate judges a message; nothing is stored."""
    verdict = of_user(":memory:", "nobody", "nobody", lambda ana: ana.gate.judge(text, insists=insists))
    if as_json:
        print_json(verdict)
        return
    console.print(f"[bold]{verdict.label}[/] ({verdict.reason}, confidence {verdict.confidence:.2f})")
    console.print(f"{verdict.why.pt}\n{verdict.why.en}", markup=False)
    for fact in verdict.facts:
        console.print(f"  {fact.key} = {fact.value}", markup=False)


def policy(as_json: Json = False) -> None:
    """Print the policy of the gate."""
    document = run(":memory:", _policy)
    if as_json:
        print_json(document)
        return
    categories = document["policy"]["categories"]
    rows = (
        (name, category["en"], category["scope"], ", ".join(category["namespaces"]))
        for name, category in categories.items()
    )
    print_rows(("category", "what", "whose", "keys under"), rows)


def missions(
    tenant: TenantName = None,
    user: UserName = None,
    begin: Annotated[str | None, typer.Option(help="Open a mission for this query first.")] = None,
    session: Annotated[str | None, typer.Option(help="Session of the missions, or of the new one.")] = None,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """List the active missions of a user, or open one."""

    async def listed(ana: UserMemory) -> list[Mission]:
        if begin is not None:
            return [await ana.missions.create(begin, session=session)]
        return await ana.missions.active(session=session)

    records = of_user(url, tenant, user, listed)
    if as_json:
        print_json(records)
        return
    rows = (
        (
            record.id,
            record.session,
            record.status,
            record.intake.query,
            record.created_at.isoformat(" ", "seconds"),
        )
        for record in records
    )
    print_rows(("id", "session", "status", "query", "since"), rows)


async def _reply(ana: UserMemory, *, conversation: str, text: str, wishes: ReplyOptions) -> Reply:
    return await ana.conversation(conversation).reply(text, **wishes)


async def _policy(rememora: Rememora) -> dict[str, dict[str, dict[str, dict[str, str]]]]:
    return dict(rememora.policy)


async def _talk(url: str | None, tenant: str | None, user: str | None, conversation: str) -> None:
    async with opening(url, new=True, background=True) as rememora:
        ana = memory_of(rememora, *await whose(rememora, tenant, user))
        last: Reply | None = None
        console.print(HELP, style="dim", markup=False)
        while text := await _heard():
            try:
                if text.startswith("/"):
                    await _obey(ana, text, last)
                else:
                    last = await _said(ana, conversation, text)
            except RememoraError as error:
                # A refusal ends one command, not the talk.
                console.print(f"{error.code}: {error.message}", style="red", markup=False)


async def _heard() -> str:
    """Return the next line; empty when the input has ended."""
    try:
        return (await asyncio.to_thread(console.input, "[bold]you › [/]")).strip()
    except EOFError:
        console.print()
        return ""


async def _said(ana: UserMemory, conversation: str, text: str) -> Reply | None:
    """Send a message, and print the answer as it arrives."""
    last: Reply | None = None
    async for piece in ana.conversation(conversation).stream(text):
        console.print(piece.text, end="", markup=False, highlight=False, style="green")
        last = piece.reply or last
    console.print()
    _show_receipts(last)
    return last


def _show_receipts(reply: Reply | None) -> None:
    """Print the receipts of erasures, one per line; they are stored nowhere else."""
    for receipt in () if reply is None else (receipt for deed in reply.deeds for receipt in deed.receipts):
        console.print(
            "Save this line as receipt.json; `rememora erase --verify receipt.json` checks it:", style="dim"
        )
        print_json(receipt)


async def _obey(ana: UserMemory, text: str, last: Reply | None) -> None:
    command, _, rest = text.partition(" ")
    if command == "/memories":
        known = (await ana.memories.list()).items
        for memory in known:
            console.print(f"  {memory.key} = {memory.value}", markup=False)
        if not known:
            console.print("  nothing is known yet / nada se sabe ainda", markup=False)
    elif command == "/forget" and rest.strip():
        _show_forgotten(await ana.forget(rest.strip()), last)
    elif command == "/why":
        _show_why(last)
    else:
        console.print(HELP, style="dim", markup=False)


def _show_forgotten(outcome: Outcome, last: Reply | None) -> None:
    language = "en" if last is None else detect(last.asked.content)
    for memory in outcome.memories:
        console.print(f"  forgotten: {memory.key}", markup=False)
    for question in outcome.proposals:
        console.print(f"  {question.question(language)}", markup=False)
    if not outcome.memories and not outcome.proposals:
        console.print("  nothing like that is known; /memories lists what is", markup=False)


def _show_why(last: Reply | None) -> None:
    """Print the memories behind the last answer, then everything the model was given for it."""
    if last is None or last.pack is None:
        console.print("  there is no answer yet", style="dim", markup=False)
        return
    for deed in last.deeds:
        console.print(f"  done: {deed.text}", markup=False)
    for item in last.pack.items:
        if item.id in last.used_memories and item.kind == "memory":
            console.print(f"  based on: {_shown(item)}", markup=False)
    _show_pack(last.pack)


def _show_pack(pack: ContextPack) -> None:
    for section, items in pack.sections.items():
        lines = "\n".join(f"{_shown(item)}  [{item.reason or item.kind}]" for item in items)
        console.print(Panel(lines.replace("[", r"\["), title=section, expand=False))
    left = f", {len(pack.left_out)} left out" if pack.left_out else ""
    console.print(f"{pack.tokens} of {pack.budget} tokens{left}", style="dim")


def _shown(item: Item) -> str:
    return item.text if item.key is None else f"{item.key}: {item.text}"
