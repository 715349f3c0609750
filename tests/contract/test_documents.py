"""Documents of frameworks: scope first, one row for each key of a space, versions counted by the store."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any

import pytest
from tests.contract.apart import apart
from tests.contract.making import moment
from tests.contract.test_scope import PAIRS
from tests.looped import looped

from rememora.domain.document import NewDocument, StoredDocument
from rememora.domain.receipt import ErasurePlan
from rememora.domain.scope import Scope
from rememora.ports.documents import Documents
from rememora.ports.store import Store, UnitOfWork

ANA = Scope("acme", "ana")
PERSON = ErasurePlan(person=True)
Act = Callable[[UnitOfWork, Scope], Any]
NEW = NewDocument(key="k1", value={"n": 2})

READINGS: dict[str, Act] = {
    "documents.get": lambda work, scope: (
        [document] if (document := work.documents.get(scope, "notes", "k1")) else []
    ),
    "documents.page": lambda work, scope: work.documents.page(scope, "notes", limit=9),
    "documents.every": lambda work, scope: work.documents.every(scope),
}
TEXTS: dict[str, Act] = {"documents.texts": lambda work, scope: work.documents.texts(scope, PERSON)}
WRITINGS: dict[str, Act] = {
    "documents.put": lambda work, scope: work.documents.put(scope, "notes", NEW, at=moment(5)),
    "documents.add": lambda work, scope: work.documents.add(scope, document_of(scope, "k9")),
    "documents.prolong": lambda work, scope: work.documents.prolong(scope, "notes", "k1", moment(9)),
    "documents.remove": lambda work, scope: work.documents.remove(scope, "notes", "k1"),
    "documents.expire": lambda work, scope: work.documents.expire(scope, "notes", now=moment(99)) == 1,
    "documents.erase": lambda work, scope: work.documents.erase(scope, PERSON) == 2,
}


def document_of(scope: Scope, key: str = "k1", *, expires: datetime | None = None) -> StoredDocument:
    """A document as another store had it."""
    return StoredDocument(
        tenant=scope.tenant,
        user=scope.user,
        space="notes",
        key=key,
        value={"of": f"{scope.tenant} {scope.user}", "ação": [1, 2.5, None, True]},
        version=3,
        created_at=moment(),
        updated_at=moment(2),
        expires_at=expires,
    )


def fill(work: UnitOfWork, scope: Scope) -> None:
    """Two documents of an owner, one of which expires."""
    work.documents.add(scope, document_of(scope, "k1"))
    work.documents.add(scope, document_of(scope, "k2", expires=moment(9)))


async def filled(store: Store, *scopes: Scope) -> None:
    """The same documents for each owner."""
    for scope in scopes:
        await store.write(scope, partial(fill, scope=scope))


@looped("name", [*READINGS, *TEXTS])
@looped("pair", PAIRS.values(), ids=PAIRS, fresh=apart)
async def test_a_reading_sees_only_its_own(store: Store, pair: tuple[Scope, Scope], name: str) -> None:
    """Documents of another owner under the same keys are not there for me."""
    mine, theirs = pair
    act = {**READINGS, **TEXTS}[name]
    await filled(store, theirs)

    assert [] == await store.read(mine, lambda work: act(work, mine))

    await filled(store, mine)
    result = await store.read(mine, lambda work: act(work, mine))

    assert result
    assert all(
        (item.tenant, item.user) == (mine.tenant, mine.user) for item in result if not isinstance(item, str)
    )


@looped("name", WRITINGS)
@looped("pair", PAIRS.values(), ids=PAIRS, fresh=apart)
async def test_a_writing_touches_only_its_own(store: Store, pair: tuple[Scope, Scope], name: str) -> None:
    """What I change under my keys leaves the same keys of another owner as they were."""
    mine, theirs = pair
    await filled(store, mine, theirs)
    before = await store.read(theirs, lambda work: work.documents.every(theirs))

    assert await store.write(mine, lambda work: WRITINGS[name](work, mine))
    assert before == await store.read(theirs, lambda work: work.documents.every(theirs))


def test_every_repository_method_is_proven_here() -> None:
    """A method added to the port without a case above fails this test."""
    methods = {f"documents.{name}" for name in dir(Documents) if not name.startswith("_")}

    assert methods == {*READINGS, *TEXTS, *WRITINGS}


@pytest.mark.parametrize("key", ["k", "chave com espaço", "a" * 5_000, "line\nbreak", '["a","b"]', "日本語"])
async def test_a_document_comes_back_as_it_was_written(store: Store, key: str) -> None:
    """Every field, whatever the key looks like and however long it is."""
    document = document_of(ANA, key, expires=moment(7))
    await store.write(ANA, lambda work: work.documents.add(ANA, document))

    assert document == await store.read(ANA, lambda work: work.documents.get(ANA, "notes", key))
    assert [document] == await store.read(ANA, lambda work: work.documents.every(ANA))


async def test_a_write_counts_the_version(store: Store) -> None:
    """The time of its making stays, value, time of change and expiry are the new ones; other spaces are others."""

    def write(work: UnitOfWork) -> list[StoredDocument]:
        return [
            work.documents.put(
                ANA, "notes", NewDocument(key="k", value={"n": 1}, expires_at=moment(9)), at=moment()
            ),
            work.documents.put(ANA, "notes", NewDocument(key="k", value={}), at=moment(5)),
            work.documents.put(ANA, "files", NewDocument(key="k", value={"n": 3}), at=moment(6)),
        ]

    first, second, other = await store.write(ANA, write)

    assert (1, 2, 1) == (first.version, second.version, other.version)
    assert (moment(), moment(5), {}, None) == (
        second.created_at,
        second.updated_at,
        second.value,
        second.expires_at,
    )
    assert moment(9) == first.expires_at


async def test_pages_go_through_all_of_a_prefix(store: Store) -> None:
    """In order of ids, from after one on; a prefix is no pattern."""
    keys = ["a%", "a/1", "a/2", "a/3", "a_1", "b", "é"]

    def write(work: UnitOfWork) -> None:
        for key in keys:
            work.documents.add(ANA, document_of(ANA, key))

    await store.write(ANA, write)

    async def found(**how: Any) -> list[str]:
        page = await store.read(ANA, lambda work: work.documents.page(ANA, "notes", **{"limit": 9, **how}))
        return [item.key for item in page]

    assert keys == await found()
    assert ["a/1", "a/2"] == await found(prefix="a/", limit=2)
    assert ["a/3"] == await found(prefix="a/", after="a/2")
    assert ["a_1"] == await found(prefix="a_")
    assert ["a%"] == await found(prefix="a%")


async def test_only_what_is_over_expires(store: Store) -> None:
    """In its own space; what has no end stays."""
    await filled(store, ANA)
    other = NewDocument(key="k2", value={}, expires_at=moment(1))
    await store.write(ANA, lambda work: work.documents.put(ANA, "files", other, at=moment()))

    assert 0 == await store.write(ANA, lambda work: work.documents.expire(ANA, "notes", now=moment(8)))
    assert 1 == await store.write(ANA, lambda work: work.documents.expire(ANA, "notes", now=moment(9)))
    left = await store.read(ANA, lambda work: work.documents.every(ANA))
    assert [("files", "k2"), ("notes", "k1")] == [(item.space, item.key) for item in left]


async def test_a_memory_takes_what_is_named_after_it_along(store: Store) -> None:
    """An erased memory's own document goes, and no other one."""
    await filled(store, ANA)
    plan = ErasurePlan(memories=("k1", "k7"))
    texts = await store.read(ANA, lambda work: work.documents.texts(ANA, plan))

    assert 1 == len(texts)
    assert 1 == await store.write(ANA, lambda work: work.documents.erase(ANA, plan))
    assert ["k2"] == [item.key for item in await store.read(ANA, lambda work: work.documents.every(ANA))]


async def test_everybody_with_something_over_is_told(store: Store) -> None:
    """Once for each person and space, and nobody whose documents live on."""
    bia = Scope("globex", "bia")
    for scope, key, end in ((ANA, "k1", 1), (ANA, "k2", 1), (bia, "k1", 1), (Scope("acme", "eva"), "k1", 9)):
        over = NewDocument(key=key, value={}, expires_at=moment(end))
        await store.write(scope, partial(_put, scope=scope, document=over))
    chores = await store.chores(lambda view: view.expired_documents(now=moment(8), limit=9))

    assert {(ANA, "notes"), (bia, "notes")} == set(chores)
    assert 2 == len(chores)
    assert 1 == len(await store.chores(lambda view: view.expired_documents(now=moment(8), limit=1)))


def _put(work: UnitOfWork, *, scope: Scope, document: NewDocument) -> StoredDocument:
    return work.documents.put(scope, "notes", document, at=moment())
