"""Authentication: tenant and user come from the credential; naming another one needs the right."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from urllib.parse import unquote

import msgspec

from rememora.app import Rememora
from rememora.domain.rights import ADMIN, OPERATOR, SERVICE, SUPPORT, USER, Rights
from rememora.domain.scope import Scope, owner_of
from rememora.domain.tenancy import Caller, Right, Role, check_tenant
from rememora.errors import ConfirmationNeeded, Forbidden, InvalidInput, KeyRejected, RightMissing
from rememora.handles.conversation import Conversation
from rememora.handles.tenant import Tenant
from rememora.handles.user import UserMemory
from rememora.server.routing import ApiOperation

TENANT_HEADER = "x-rememora-tenant"
USER_HEADER = "x-rememora-user"
AGENT_HEADER = "x-rememora-agent"
REASON_HEADER = "x-rememora-reason"
CONFIRM_HEADER = "x-rememora-confirm"
KEY_HEADER = "x-api-key"
MAY: Mapping[Role, Rights] = {
    "user": USER,
    "service": SERVICE,
    "auditor": USER,
    "module": USER,
    "admin": ADMIN,
    "operator": OPERATOR,
    "owner": ADMIN,
    "support": SUPPORT,
}
"""Rights of each role beyond the person's own memory."""

NOBODY = Caller(tenant="", role="user")


class ApiRequest:
    """One request: the caller, and the handles of its scope."""

    def __init__(self, rememora: Rememora, caller: Caller, headers: Mapping[str, str], tenant: str = "") -> None:
        self.rememora = rememora
        self.caller = caller
        self.headers = headers
        self.tenant = tenant
        self._on_record = False
        self.closing = asyncio.Event()

    @property
    def user(self) -> str:
        """Return the user whose memory is meant."""
        named = _named(self.headers, USER_HEADER)
        if self.caller.user is not None:
            if named not in (None, self.caller.user):
                raise RightMissing("tenant")
            return self.caller.user
        if named is None:
            raise InvalidInput(USER_HEADER, "must name the user this is about")
        return named

    @property
    def scope(self) -> Scope:
        """Return the scope: the tenant, and the user or the caller acting for the tenant."""
        if self.caller.user is None and _named(self.headers, USER_HEADER) is None:
            return Scope(self.tenant, self.caller.name)
        return Scope(self.tenant, owner_of(self.user, self.agent))

    @property
    def agent(self) -> str | None:
        """Return the agent whose own memory of the user is meant; None for the memory without an agent."""
        return _named(self.headers, AGENT_HEADER)

    @property
    def memory(self) -> UserMemory:
        """Return the user's memory, with the rights and the name of the caller."""
        return self._memory(MAY[self.caller.role])

    @property
    def voice(self) -> UserMemory:
        """Return the user's memory without rights to shared memory, whoever sends the request."""
        return self._memory(msgspec.structs.replace(MAY[self.caller.role], write_shared=False))

    def _memory(self, rights: Rights) -> UserMemory:
        acting = None if self.caller.user is not None else self.caller.name
        if self._on_record:
            rights = msgspec.structs.replace(rights, act_for_users=True)
        return self.rememora.user(
            self.user, tenant=self.tenant, agent=self.agent, rights=rights, acting=acting, reason=self._reason
        )

    @property
    def _reason(self) -> str:
        """Return the reason why an overseer acts for a person; owners and their applications need none."""
        return (_named(self.headers, REASON_HEADER) or "").strip() if self.caller.oversees else ""

    async def put_on_record(self, operation: ApiOperation) -> None:
        """Record an overseer's access to people's content, with its reason, before the content is returned."""
        if operation.content is None or not self.caller.oversees:
            return
        person = self.memory if operation.content == "person" else None
        # No reason, no content: the entry is written before the answer, so that a look cannot go unrecorded.
        if not self._reason:
            raise InvalidInput(REASON_HEADER, "must say why a person's memory is read by another")
        if person is None:
            await self.company.audit.note_access(reason=self._reason)
            return
        await person.audit.note_access()
        self._on_record = True

    async def confirm(self, act: bytes) -> None:
        """Let a link erase only what was just confirmed; the first request returns the confirmation token."""
        token = _named(self.headers, CONFIRM_HEADER)
        if token is not None:
            await self.rememora.credentials.confirm(self.scope, token, act)
            return
        confirmation = await self.rememora.credentials.ask_to_confirm(self.scope, act)
        raise ConfirmationNeeded(confirmation.token, confirmation.expires_at)

    @property
    def company(self) -> Tenant:
        """Return the handle of the whole tenant."""
        modules = self.caller.modules if self.caller.role == "module" else None
        return self.rememora.tenant(
            self.tenant, acting=self.caller.name, rights=MAY[self.caller.role], modules=modules
        )

    @property
    def repeat_key(self) -> str | None:
        """Return the Idempotency-Key, if any."""
        return _named(self.headers, "idempotency-key")

    def conversation(self, id: str, *, channel: str = "chat") -> Conversation:
        """Return one of the user's conversations."""
        return self.voice.conversation(id, channel=channel)


async def admit(rememora: Rememora, headers: Mapping[str, str], right: Right | None, *, reads: bool) -> ApiRequest:
    """Authenticate a request, before its body is read."""
    if right is None:
        return ApiRequest(rememora, NOBODY, headers)
    caller = await rememora.credentials.admit(credential_of(headers))
    if right not in caller.rights:
        raise RightMissing(right)
    if caller.read_only and not reads:
        raise Forbidden("this link only reads")
    return ApiRequest(rememora, caller, headers, await _tenant(rememora, caller, headers, right))


def credential_of(headers: Mapping[str, str]) -> str:
    """Return the key or link of a request."""
    scheme, _, bearer = headers.get("authorization", "").partition(" ")
    # `Token` is how mem0's client says it.
    if scheme.lower() in ("bearer", "token") and bearer:
        return bearer.strip()
    if key := headers.get(KEY_HEADER):
        return key
    raise KeyRejected


async def _tenant(rememora: Rememora, caller: Caller, headers: Mapping[str, str], right: Right) -> str:
    named = _named(headers, TENANT_HEADER)
    if caller.role != "operator":
        # A tenant's key works for its own tenant alone, whatever the header says.
        if named not in (None, caller.tenant):
            raise RightMissing("operate")
        return caller.tenant
    if right == "operate":
        return caller.tenant
    if named is None:
        raise InvalidInput(TENANT_HEADER, "must name the tenant this is about")
    return (await rememora.operator(acting=caller.name).tenants.get(check_tenant(named))).id


def _named(headers: Mapping[str, str], header: str) -> str | None:
    """Return a header's value, percent-decoded."""
    value = headers.get(header)
    return None if value is None else unquote(value)
