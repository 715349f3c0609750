"""`rememora demo`: short conversations in two languages that show memory at work, then yours."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from typing import Annotated

import typer
from rich.console import Console
from rich.panel import Panel
from rich.table import Table

from rememora.app import Rememora
from rememora.domain.context import Reply
from rememora.domain.message import Message, Role
from rememora.handles.conversation import Conversation
from rememora.handles.user import UserMemory
from rememora.settings import Settings

SCRIPT: tuple[tuple[Role, str], ...] = (
    ("user", "Oi! Sou a Ana, da Padaria Sol. Prefiro respostas curtas."),
    ("assistant", "Oi, Ana! Respostas curtas, combinado."),
    ("user", "A reunião com o fornecedor ficou para quinta às 10h."),
    ("assistant", "Anotado: quinta, 10h, fornecedor."),
    ("user", "By the way, our English-speaking partner is Kevin."),
    ("assistant", "Got it: Kevin is the partner who speaks English."),
    ("user", "ok"),
    ("assistant", "Posso ajudar em mais alguma coisa?"),
)
QUESTIONS = (
    "Oi!",
    "Quando é a reunião com o fornecedor?",
    "Who is our partner?",
    "Salva que prefiro relatórios em PDF",
    "Esquece isso",
    "ok",
    "O que você sabe sobre mim?",
)
WINDOW = 4
console = Console()


def demo(
    url: Annotated[
        str | None, typer.Option(help="Keep the memory in this folder instead of a passing one.")
    ] = None,
    ask: Annotated[bool, typer.Option(help="Afterwards, take what you type.")] = True,
) -> None:
    """Show memory at work in the terminal: no key, no server."""
    if url is not None:
        asyncio.run(_demo(url, ask=ask))
        return
    with tempfile.TemporaryDirectory(prefix="rememora-") as folder:
        asyncio.run(_demo(folder, ask=ask))


async def _demo(url: str, *, ask: bool) -> None:
    settings = Settings.load({"store.url": url})
    async with Rememora.open(settings=settings) as rememora:
        ana = rememora.user("ana", tenant="padaria-sol")
        chat = ana.conversation("demo")
        console.rule("Rememora")
        console.print("Two writers append at once; every message gets its own place.\n")
        await _talk(chat)
        await _race(chat)
        await _show(ana, chat)
        await _remember(ana)
        if ask and sys.stdin.isatty():
            await _listen(ana.conversation("yours"))


async def _talk(chat: Conversation) -> None:
    for role, content in SCRIPT:
        _print(await chat.append(role, content))


async def _race(chat: Conversation) -> None:
    voices = [
        chat.append("user", f"(voz {number}) mensagem simultânea", modality="voice") for number in range(1, 4)
    ]
    for message in await asyncio.gather(*voices):
        _print(message)


async def _show(ana: UserMemory, chat: Conversation) -> None:
    turns = await chat.last_turns(WINDOW)
    lines = "\n".join(f"{turn.seq:>3}  {turn.role}: {turn.content}" for turn in turns)
    console.print(Panel(lines, title=f"The window: last {WINDOW} turns, in order", expand=False))
    table = Table(title="Conversations of ana")
    for column in ("id", "channel", "messages", "updated"):
        table.add_column(column)
    for record in (await ana.conversations()).items:
        table.add_row(record.id, record.channel, str(record.messages), record.updated_at.isoformat(" ", "seconds"))
    console.print(table)


async def _remember(ana: UserMemory) -> None:
    """Another conversation, answered from memory alone: what is kept, corrected and forgotten, and why."""
    console.rule("Another conversation, days later")
    await ana.seed_profile(name="Ana", company="Padaria Sol")
    later = ana.conversation("later")
    for text in QUESTIONS:
        reply = await later.reply(text)
        _print(reply.asked)
        _print(reply.answer)
        _because(reply)


async def _listen(chat: Conversation) -> None:
    console.print("\nYour turn; an empty line ends. / Sua vez; linha vazia encerra.")
    while text := (await asyncio.to_thread(console.input, "[bold]you › [/]")).strip():
        console.print("[green]›[/] ", end="")
        async for piece in chat.stream(text):
            console.print(piece.text, end="", markup=False, highlight=False)
            if piece.reply is not None:
                console.print()
                _because(piece.reply)


def _because(reply: Reply) -> None:
    """Which memories an answer rests on, and what was done about memory."""
    used = [item for item in reply.pack.items if item.id in reply.used_memories] if reply.pack else []
    told = [f"{item.key} = {item.text}" for item in used] + [deed.kind for deed in reply.deeds]
    if told:
        console.print("      why: " + "; ".join(told), style="dim", markup=False, highlight=False)


def _print(message: Message) -> None:
    style = "cyan" if message.role == "user" else "green"
    console.print(f"{message.seq:>3}  [{style}]{message.role:<9}[/] ", end="")
    console.print(message.content, markup=False, highlight=False)
