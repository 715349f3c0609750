"""Erases a whole tenant: every row of it in every table, its bytes in the files, and its way in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime

import msgspec

from rememora.domain.ids import new_id
from rememora.domain.receipt import Doomed, Receipt
from rememora.domain.rights import Actor
from rememora.domain.scope import Scope
from rememora.domain.tenancy import EVERY_TENANT, check_tenant
from rememora.errors import InvalidInput, NotFound, RememoraError
from rememora.knowledge.desk import Desk, Hand
from rememora.knowledge.erase import Onward, not_driven_out, nothing_beyond

KIND = "tenant"
PASSES = 2
"""What was being written while the first went through is met by the second."""


Beside = Callable[[], Awaitable[Mapping[str, int]]]
"""Erases what other engines hold of the tenant; says how much that was."""


async def erase_tenant(
    desk: Desk,
    tenant: str,
    *,
    confirm: str,
    actor: Actor,
    beside: Beside,
    onward: Onward = nothing_beyond,
    why: str = "",
) -> Receipt:
    """Remove a tenant for good; that it was done stays in the operators' chain, and nothing of the tenant does."""
    check_tenant(tenant)
    if confirm != tenant:
        raise InvalidInput("confirm", "must repeat the tenant's id: this cannot be undone")
    await desk.note_erasure(Scope(tenant, actor.id), None)
    # First: should an engine be away, nothing is done yet, and all of it can be tried again.
    counts = Counter(await beside())
    remains: tuple[str, ...] = ()
    for _ in range(PASSES):
        gone = Counter(await desk.store.accounts(lambda view: view.erase(tenant)))
        if gone.total() and not remains:
            remains = await _scrub(desk, Scope(tenant, actor.id))
        counts += gone
    beyond = await onward(Doomed(person=True, history=True))
    counts += Counter(beyond.counts)
    if not counts.total():
        raise NotFound("tenant", tenant)
    receipt = await _receipt(desk, tenant, counts, actor=actor, why=why)
    return desk.signed(msgspec.structs.replace(receipt, remains=(*remains, *beyond.remains)))


async def _scrub(desk: Desk, scope: Scope) -> tuple[str, ...]:
    try:
        return await desk.store.scrub(scope, rebuild=True)
    except (RememoraError, OSError) as error:
        return (not_driven_out(error),)


async def _receipt(desk: Desk, tenant: str, counts: Counter[str], *, actor: Actor, why: str) -> Receipt:
    id = new_id()

    def record(hand: Hand) -> tuple[int, datetime]:
        return hand.record("erase", why=why, after={"receipt": id, "tenant": tenant}), hand.now

    position, at = await desk.write(Scope(EVERY_TENANT, actor.id), actor, record)
    return Receipt(
        id=id,
        tenant=tenant,
        kind=KIND,
        at=at,
        counts=dict(sorted(counts.items())),
        audit_position=position,
        fingerprints=(),
        elsewhere=0,
        public_key=desk.signer.public_key.hex(),
    )
