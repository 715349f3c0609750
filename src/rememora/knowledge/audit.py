"""The audit chain: h(n) = SHA-256(h(n-1) || entry n), with a signed head.

An entry is hashed through a salted digest of its content. Erasing a person removes content and salt and leaves the
digest, so that the chain stays valid; the entry that records the erasure names the emptied positions.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime
from functools import partial
from itertools import pairwise
from typing import Any

import msgspec

from rememora.domain.audit import Act, AuditEntry, ChainReport, Fault, Head, Link
from rememora.domain.check import check_whole
from rememora.domain.memory import MemoryFilter, is_key
from rememora.domain.moment import to_micros, to_moment
from rememora.domain.scope import SHARED, Scope
from rememora.domain.tenancy import SERVICE_NAME
from rememora.errors import SigningKeyChanged
from rememora.ports.outside import Signer
from rememora.ports.store import Store, UnitOfWork

SALT_BYTES = 16
PAGE = 1000
LAST_PLACE = 2**62
"""A position after every entry of a chain."""
REKEY = "rememora audit rekey"
_decode = msgspec.json.Decoder().decode
Check = Callable[[bytes, bytes], bool]
Shown = Callable[[str], str]
"""Function that shows a key to others than its owner."""


def record(work: UnitOfWork, scope: Scope, act: Act, *, signer: Signer, at: datetime) -> int:
    """Append an action to the tenant's chain, in the transaction of that action; returns its position.

    Raises `SigningKeyChanged` if another key signed the chain so far: signing over it would hide that.
    """
    if not is_ours(work, scope, signer):
        raise SigningKeyChanged(
            f"the audit chain of tenant {scope.tenant!r} was last signed with another key; "
            "restore that key, or accept the current one",
            REKEY,
        )
    return _add(work, scope, act, signer=signer, at=at)


def is_ours(work: UnitOfWork, scope: Scope, signer: Signer) -> bool:
    """Return whether a tenant's chain is empty or ends with a signature of this key; checked once per process."""
    if scope.tenant in signer.vouched:
        return True
    head = work.audit.head(scope)
    if head is not None and not signer.verify(head_bytes(head.tenant, head.position, head.hash), head.signature):
        return False
    signer.vouched.add(scope.tenant)
    return True


async def rekey(store: Store, *, acting: str, why: str, signer: Signer, at: datetime) -> list[str]:
    """Continue every chain that another key signed with this key; returns their tenants. For operators.

    An entry in each chain records its head and that head's signature.
    """
    scopes = [Scope(tenant, acting) for tenant in await store.tenants()]
    return [
        scope.tenant
        for scope in scopes
        if await store.write(scope, partial(_rekey, scope=scope, why=why, signer=signer, at=at))
    ]


def _rekey(work: UnitOfWork, scope: Scope, why: str, signer: Signer, at: datetime) -> bool:
    head = work.audit.head(scope)
    if head is None or is_ours(work, scope, signer):
        return False
    before = {"position": head.position, "hash": head.hash.hex(), "signature": head.signature.hex()}
    after = {"public_key": signer.public_key.hex()}
    act = Act(action="rekey", actor=scope.user, owner=SHARED, why=why, before=before, after=after)
    _add(work, scope, act, signer=signer, at=at)
    signer.vouched.add(scope.tenant)
    return True


async def check_key(store: Store, *, acting: str, signer: Signer) -> None:
    """Raise `SigningKeyChanged` if the chain of the first tenant was signed with another key."""
    tenant = await store.accounts(lambda view: view.first_chain(), reading=True)
    if tenant is not None:
        scope = Scope(tenant, acting)
        if not await store.read(scope, partial(is_ours, scope=scope, signer=signer)):
            raise SigningKeyChanged("the audit chain of this store was signed with another signing key", REKEY)


def _add(work: UnitOfWork, scope: Scope, act: Act, *, signer: Signer, at: datetime) -> int:
    position, previous = work.audit.follow(scope)
    link = forge(act, tenant=scope.tenant, position=position, previous=previous, at=to_micros(at))
    work.audit.add(scope, link, signature=signer.sign(head_bytes(link.tenant, position, link.hash)))
    return position


def forge(act: Act, *, tenant: str, position: int, previous: bytes, at: int) -> Link:
    """Build the next link of a chain."""
    link = Link(
        tenant=tenant,
        position=position,
        at=at,
        action=act.action,
        actor=act.actor,
        owner=act.owner,
        memory=act.memory,
        key=act.key,
        why=act.why,
        before=_text(act.before),
        after=_text(act.after),
        salt=secrets.token_bytes(SALT_BYTES),
        digest=b"",
        hash=b"",
    )
    link = msgspec.structs.replace(link, digest=digest_of(link))
    return msgspec.structs.replace(link, hash=hash_of(link, previous))


def digest_of(link: Link) -> bytes:
    """Return the digest that represents an entry's content; without its salt it cannot be guessed."""
    content = [link.actor, link.owner, link.memory, link.key, link.why, link.before, link.after]
    return hashlib.sha256((link.salt or b"") + msgspec.json.encode(content)).digest()


def hash_of(link: Link, previous: bytes) -> bytes:
    """Return the hash that links an entry to all entries before it."""
    entry = msgspec.json.encode([link.tenant, link.position, link.at, link.action, link.digest])
    return hashlib.sha256(previous + entry).digest()


def head_bytes(tenant: str, position: int, hash: bytes) -> bytes:
    """Return the bytes that the signature of a chain's head covers."""
    return msgspec.json.encode(["rememora audit head", tenant, position, hash])


class Walk:
    """Walks a chain link by link, and records faults."""

    def __init__(self, tenant: str) -> None:
        self.tenant = tenant
        self.position = 0
        self.hash = b""
        self.faults: list[Fault] = []
        self._emptied: set[int] = set()
        self._erased: set[int] = set()

    def step(self, link: Link) -> None:
        """Check one more link against the one before it."""
        if link.position != self.position + 1:
            self._fault(self.position + 1, "an entry is missing")
        if link.hash != hash_of(link, self.hash):
            self._fault(link.position, "the entry does not follow from the one before it")
        self._check_content(link)
        self.position, self.hash = link.position, link.hash

    def finish(self, head: Head | None, *, unaudited: int, check: Check) -> None:
        """Check the head of the chain, and that every emptied or added entry is recorded."""
        # Content may be emptied, but only by an erasure that the chain itself records.
        for position in sorted(self._emptied - self._erased):
            self._fault(position, "the content is gone and no erasure says so")
        if unaudited:
            self._fault(0, f"{unaudited} memories have no entry")
        # The signed head tells where the chain ends: without it, cutting off the newest entries would leave a
        # valid chain.
        if head is None:
            if self.position:
                self._fault(self.position, "the signed end is missing")
            return
        if not check(head_bytes(self.tenant, head.position, head.hash), head.signature):
            self._fault(head.position, "the signature of the end is not ours")
        if (head.position, head.hash) != (self.position, self.hash):
            self._fault(head.position, "the chain does not end where its signed end says")

    def _check_content(self, link: Link) -> None:
        # Hashes cover a salted digest of the content. An erasure removes content and salt: the chain still
        # holds, and nobody can guess the content from the digest.
        if link.salt is not None:
            if link.digest != digest_of(link):
                self._fault(link.position, "the content was changed")
            elif link.action == "erase":
                self._erased |= erased_places(link.after)
            return
        self._emptied.add(link.position)
        texts = (link.actor, link.owner, link.memory, link.key, link.why)
        if any(texts) or link.before is not None or link.after is not None:
            self._fault(link.position, "content was put where it had been erased")

    def _fault(self, position: int, what: str) -> None:
        self.faults.append(Fault(tenant=self.tenant, position=position, what=what))


def erased_places(after: str | None) -> set[int]:
    """Return the positions that an erasure's entry says it emptied."""
    ranges = _decode(after).get("emptied", []) if after else []
    return {place for first, last in ranges for place in range(first, last + 1)}


def ranges_of(places: Iterable[int]) -> list[list[int]]:
    """Return positions as first and last of each unbroken run."""
    ordered = sorted(places)
    if not ordered:
        return []
    cuts = [index for index, (left, right) in enumerate(pairwise(ordered), 1) if right != left + 1]
    bounds = [0, *cuts, len(ordered)]
    return [[ordered[start], ordered[end - 1]] for start, end in pairwise(bounds)]


async def verify(store: Store, scope: Scope, *, signer: Signer, anchor: str | None = None) -> ChainReport:
    """Verify a tenant's whole chain; `anchor` is an earlier head (`position:hash`) that it must contain."""
    return await store.read(scope, lambda work: _verify(work, scope, signer.verify, anchor))


async def verify_all(store: Store, *, acting: str, signer: Signer) -> list[ChainReport]:
    """Verify the chain of every tenant; for operators."""
    tenants = await store.tenants()
    return [await verify(store, Scope(tenant, acting), signer=signer) for tenant in tenants]


async def history(store: Store, scope: Scope, name: str) -> list[AuditEntry]:
    """List everything that happened to one readable memory, or to all under a key, oldest first."""
    links = await store.read(scope, lambda work: _history(work, scope, name))
    return [entry_of(link) for link in links if link.owner in (scope.user, SHARED)]


def _history(work: UnitOfWork, scope: Scope, name: str) -> list[Link]:
    if not is_key(name):
        return work.audit.of_memory(scope, name)
    under = work.memories.page(scope, MemoryFilter(status=None, prefix=name), limit=PAGE)
    links = [link for memory in under if memory.key == name for link in work.audit.of_memory(scope, memory.id)]
    return sorted(links, key=lambda link: link.position)


async def page(
    store: Store, scope: Scope, *, after: int, limit: int, owners: Collection[str], shown: Shown
) -> list[AuditEntry]:
    """List a tenant's chain after a position, oldest first, without personal data of others than `owners`."""
    check_whole("after", after, 0, 2**62)
    check_whole("limit", limit, 1, PAGE)
    links = await store.read(scope, lambda work: work.audit.after(scope, position=after, limit=limit))
    return [entry_of(link if link.owner in owners else covered(link, shown)) for link in links]


async def newest_page(
    store: Store, scope: Scope, *, before: int | None, limit: int, owners: Collection[str], shown: Shown
) -> list[AuditEntry]:
    """List a tenant's chain before a position, newest first, without personal data of others than `owners`."""
    end = LAST_PLACE if before is None else before
    check_whole("before", end, 1, LAST_PLACE)
    check_whole("limit", limit, 1, PAGE)
    links = await store.read(scope, lambda work: work.audit.newest(scope, before=end, limit=limit))
    return [entry_of(link if link.owner in owners else covered(link, shown)) for link in links]


async def whole_page(store: Store, scope: Scope, *, after: int, limit: int) -> list[AuditEntry]:
    """List a tenant's chain after a position, oldest first, with all content."""
    check_whole("after", after, 0, 2**62)
    check_whole("limit", limit, 1, PAGE)
    links = await store.read(scope, lambda work: work.audit.after(scope, position=after, limit=limit))
    return [entry_of(link) for link in links]


def covered(link: Link, shown: Shown) -> Link:
    """Return an entry without values, words of the person, or keys made from those."""
    own_words = link.actor == link.owner or link.actor.startswith(SERVICE_NAME)
    why = "" if own_words else link.why
    return msgspec.structs.replace(link, key=shown(link.key), why=why, before=None, after=None)


def entry_of(link: Link) -> AuditEntry:
    """Convert a link for readers."""
    return AuditEntry(
        tenant=link.tenant,
        position=link.position,
        at=to_moment(link.at),
        action=link.action,
        actor=link.actor,
        owner=link.owner,
        memory=link.memory,
        key=link.key,
        why=link.why,
        before=_decode(link.before) if link.before else None,
        after=_decode(link.after) if link.after else None,
        redacted=link.salt is None,
    )


def _verify(work: UnitOfWork, scope: Scope, check: Check, anchor: str | None) -> ChainReport:
    walk = Walk(scope.tenant)
    count, seen = 0, anchor is None
    # From -1: an entry that was slipped in before the first one has to be seen as well.
    while links := work.audit.after(scope, position=walk.position if count else -1, limit=PAGE):
        for link in links:
            walk.step(link)
            seen = seen or anchor == _anchor(link.position, link.hash)
        count += len(links)
    walk.finish(work.audit.head(scope), unaudited=work.audit.unaudited(scope), check=check)
    faults: Sequence[Fault] = walk.faults
    if not seen:
        faults = [*faults, Fault(tenant=scope.tenant, position=walk.position, what="the noted end is not in it")]
    return ChainReport(
        tenant=scope.tenant, entries=count, head=_anchor(walk.position, walk.hash), faults=tuple(faults)
    )


def _anchor(position: int, hash: bytes) -> str:
    return f"{position}:{hash.hex()}"


def _text(value: Any) -> str | None:
    return None if value is None else msgspec.json.encode(value).decode()


async def requests(store: Store, scope: Scope, *, limit: int) -> list[AuditEntry]:
    """List a tenant's newest erasures and accesses, newest first; an erasure's entry names its receipt."""
    check_whole("limit", limit, 1, PAGE)
    links = await store.read(scope, lambda work: work.audit.newest_requests(scope, limit=limit))
    return [entry_of(link) for link in links]
