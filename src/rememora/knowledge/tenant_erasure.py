"""Erases a whole tenant: its rows in every table, its bytes in the files, and its credentials."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime

import msgspec

from rememora.domain.ids import new_id
from rememora.domain.receipt import ErasurePlan, Receipt
from rememora.domain.rights import Actor
from rememora.domain.scope import Scope
from rememora.domain.tenancy import EVERY_TENANT, check_tenant
from rememora.errors import InvalidInput, NotFound, RememoraError
from rememora.knowledge.base import KnowledgeBase, KnowledgeWriter
from rememora.knowledge.erase import Onward, nothing_beyond, scrub_failure

KIND = "tenant"
PASSES = 2
"""Number of passes: the second removes what was being written during the first."""


Beside = Callable[[], Awaitable[Mapping[str, int]]]
"""Erases what other engines hold of the tenant; returns the counts."""


async def erase_tenant(
    knowledge: KnowledgeBase,
    tenant: str,
    *,
    confirm: str,
    actor: Actor,
    outside: Beside,
    onward: Onward = nothing_beyond,
    why: str = "",
) -> Receipt:
    """Erase a tenant permanently; the operators' chain records it, and nothing of the tenant remains."""
    check_tenant(tenant)
    if confirm != tenant:
        raise InvalidInput("confirm", "must repeat the tenant's id: this cannot be undone")
    await knowledge.note_erasure(Scope(tenant, actor.id), None)
    # First: should an engine be away, nothing is done yet, and all of it can be tried again.
    counts = Counter(await outside())
    remains: tuple[str, ...] = ()
    for _ in range(PASSES):
        gone = Counter(await knowledge.store.accounts(lambda view: view.erase(tenant)))
        if gone.total() and not remains:
            remains = await _scrub(knowledge, Scope(tenant, actor.id))
        counts += gone
    beyond = await onward(ErasurePlan(person=True, history=True))
    counts += Counter(beyond.counts)
    if not counts.total():
        raise NotFound("tenant", tenant)
    receipt = await _receipt(knowledge, tenant, counts, actor=actor, why=why)
    return knowledge.signed(msgspec.structs.replace(receipt, remains=(*remains, *beyond.remains)))


async def _scrub(knowledge: KnowledgeBase, scope: Scope) -> tuple[str, ...]:
    try:
        return await knowledge.store.scrub(scope, rebuild=True)
    except (RememoraError, OSError) as error:
        return (scrub_failure(error),)


async def _receipt(
    knowledge: KnowledgeBase, tenant: str, counts: Counter[str], *, actor: Actor, why: str
) -> Receipt:
    id = new_id()

    def record(writer: KnowledgeWriter) -> tuple[int, datetime]:
        return writer.record("erase", why=why, after={"receipt": id, "tenant": tenant}), writer.now

    position, at = await knowledge.write(Scope(EVERY_TENANT, actor.id), actor, record)
    return Receipt(
        id=id,
        tenant=tenant,
        kind=KIND,
        at=at,
        counts=dict(sorted(counts.items())),
        audit_position=position,
        fingerprints=(),
        elsewhere=0,
        public_key=knowledge.signer.public_key.hex(),
    )
