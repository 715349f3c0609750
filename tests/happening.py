"""Something to be told of: a conversation that comes and goes is one event."""

from __future__ import annotations

from rememora import Rememora


async def happen(rememora: Rememora, *conversations: str, user: str = "ana", tenant: str = "acme") -> None:
    """One event in each of these conversations, in this order."""
    for name in conversations:
        chat = rememora.user(user, tenant=tenant).conversation(name)
        await chat.append("user", "oi")
        await chat.delete()
