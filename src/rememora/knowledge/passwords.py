"""Change of one's own password: verified by the old one, and recorded in the same transaction."""

from __future__ import annotations

from rememora.domain.login import SignInAttempt, check_password
from rememora.domain.rights import Actor
from rememora.domain.scope import SHARED, Scope
from rememora.errors import InvalidInput
from rememora.knowledge.base import KnowledgeBase, KnowledgeWriter
from rememora.ports.outside import Passwords
from rememora.tenancy import logins


async def change_password(
    knowledge: KnowledgeBase, passwords: Passwords, token: str, *, tried: SignInAttempt, new: str, acting: str
) -> str:
    """Change the password of a session's account; its sessions end, and the token of a new one is returned.

    `tried` holds the current password, and `acting` is recorded; too many wrong ones are refused.
    """
    if check_password(new) == tried.password:
        raise InvalidInput("password", "must be another one")
    proven = await logins.prove(
        knowledge.store, passwords, token, tried=tried, settings=knowledge.settings.access, clock=knowledge.clock
    )
    login, hashed = proven.login, await passwords.hash(new)

    def renew(writer: KnowledgeWriter) -> str:
        writer.record("password", after={"login": login.name})
        return logins.renew(writer.work, proven, hashed, now=writer.now)

    return await knowledge.write(Scope(login.tenant, login.user or SHARED), Actor(acting), renew)
