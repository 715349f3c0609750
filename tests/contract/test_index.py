"""The contract of the index: numbers only grow, readers learn of everything, and nothing crosses a scope."""

from __future__ import annotations

from tests.contract.making import ANA, NEXT, RUN, moment, said, spoken

from rememora.adapters.sql.store import SqlStore
from rememora.domain.hit import ItemKey
from rememora.domain.scope import Scope
from rememora.ports.index import Embedded, EmbeddingRun, IndexChanges, IndexKeeper
from rememora.ports.store import Store, UnitOfWork

OTHERS = (
    Scope("acme", "bia", "c1"),
    Scope("acme2", "ana", "c1"),
    Scope("ACME", "ana", "c1"),
    Scope("acm_", "ana", "c1"),
)

VECTOR, OTHER = b"\x00\x00\x80?", b"\x00\x00\x00@"


def key(id: str, conversation: str = "c1") -> ItemKey:
    return ItemKey("message", id, conversation)


async def indexed(store: Store, scope: Scope, *contents: str) -> list[ItemKey]:
    """Messages said and put into the index."""
    messages = await spoken(store, scope, contents)
    keys = [key(message.id, message.conversation) for message in messages]
    await store.write(scope, lambda work: work.index.put(scope, keys))
    return keys


async def changes(
    store: Store, scope: Scope, after: int = 0, limit: int = 100, *, vectors: bool = True
) -> IndexChanges:
    return await store.read(
        scope, lambda work: work.index.changes(scope, after=after, limit=limit, vectors=vectors)
    )


async def embed_all(store: Store, scope: Scope, vector: bytes | None = VECTOR) -> int:
    items = await store.read(scope, lambda work: work.index.waiting(scope, limit=100))
    embedded = [Embedded(key=item.key, number=item.number, vector=vector) for item in items]
    return await store.write(scope, lambda work: work.index.embed(scope, embedded, run=RUN))


async def test_a_reader_sees_what_came_after_its_number(store: Store) -> None:
    """Changes after a number are those and no others, each with its text."""
    await indexed(store, ANA, "um", "dois")
    seen = await changes(store, ANA)
    await indexed(store, ANA, "três")
    later = await changes(store, ANA, after=seen.newest)

    assert ["um", "dois"] == [item.text for item in seen.items]
    assert ["três"] == [item.text for item in later.items]
    assert [3] == [item.position for item in later.items]


async def test_messages_are_put_by_their_places(store: Store) -> None:
    """Turns between two places come after every change before them, each once; the system's words stay out."""
    for scope in (*OTHERS, ANA.within("c2"), ANA):
        await indexed(store, scope, "um")
    before = {scope: (await changes(store, scope)).newest for scope in OTHERS}
    seen = await changes(store, ANA)
    rest = [said(ANA, seq, content=f"<{seq}>", role="system" if seq == 3 else "user") for seq in range(2, 6)]

    def put(work: UnitOfWork) -> None:
        work.messages.add(ANA, rest)
        work.index.put_messages(ANA, rest[:3])

    await store.write(ANA, put)
    once = await changes(store, ANA, after=seen.newest)
    await store.write(ANA, lambda work: work.index.put_messages(ANA, rest))
    again = await changes(store, ANA, after=once.newest)

    assert ["<2>", "<4>"] == [item.text for item in once.items]
    assert ["<2>", "<4>", "<5>"] == [item.text for item in again.items]
    assert before == {scope: (await changes(store, scope)).newest for scope in OTHERS}


async def test_changes_come_in_pages(store: Store) -> None:
    """A page says that more follows, and its newest number opens the next one."""
    await indexed(store, ANA, *"abcde")
    texts, after, more = [], 0, True
    while more:
        page = await changes(store, ANA, after=after, limit=2)
        texts += [item.text for item in page.items]
        after, more = page.newest, page.more

    assert list("abcde") == texts


async def test_an_embedded_item_is_a_change(store: Store) -> None:
    """A vector that arrives is told to readers, and the item waits no more."""
    await indexed(store, ANA, "um")
    seen = await changes(store, ANA)
    stored = await embed_all(store, ANA)
    later = await changes(store, ANA, after=seen.newest)
    waiting = await store.read(ANA, lambda work: work.index.waiting(ANA, limit=10))

    assert stored == 1
    assert [VECTOR] == [item.vector for item in later.items]
    assert [] == waiting


async def test_a_vector_of_an_older_text_is_not_stored(store: Store) -> None:
    """What changed while it was being embedded waits for the vector of what it says now."""
    (um,) = await indexed(store, ANA, "um")
    items = await store.read(ANA, lambda work: work.index.waiting(ANA, limit=10))
    await store.write(ANA, lambda work: work.index.put(ANA, [um]))
    old = [Embedded(key=um, number=items[0].number, vector=VECTOR)]
    stored = await store.write(ANA, lambda work: work.index.embed(ANA, old, run=RUN))

    assert stored == 0
    assert [None] == [item.vector for item in (await changes(store, ANA)).items]


async def test_a_vector_that_comes_after_deletion_is_not_stored(store: Store) -> None:
    """Nothing of a deleted item comes back through a late vector."""
    (um,) = await indexed(store, ANA, "um")
    items = await store.read(ANA, lambda work: work.index.waiting(ANA, limit=10))
    await store.write(ANA, lambda work: work.index.drop(ANA, [um]))
    late = [Embedded(key=um, number=items[0].number, vector=VECTOR)]
    stored = await store.write(ANA, lambda work: work.index.embed(ANA, late, run=RUN))

    assert stored == 0
    assert () == (await changes(store, ANA)).items


async def test_an_item_that_cannot_be_embedded_waits_no_more(store: Store) -> None:
    """A text no model takes stays findable by words and holds nothing up."""
    await indexed(store, ANA, "um")
    await embed_all(store, ANA, vector=None)

    assert [] == await store.read(ANA, lambda work: work.index.waiting(ANA, limit=10))
    assert ["um"] == [item.text for item in (await changes(store, ANA)).items]


async def test_dropped_items_are_told(store: Store) -> None:
    """A reader learns which items are gone, and how many vectors went is counted."""
    um, dois = await indexed(store, ANA, "um", "dois")
    await embed_all(store, ANA)
    seen = await changes(store, ANA)
    vectors = await store.write(ANA, lambda work: work.index.drop(ANA, [um]))
    later = await changes(store, ANA, after=seen.newest)

    assert vectors == 1
    assert (um,) == later.gone
    assert [dois] == [item.key for item in (await changes(store, ANA)).items]


async def test_a_dropped_conversation_is_told_as_one(store: Store) -> None:
    """Its entries and vectors are gone; other conversations of the user stay."""
    other = ANA.within("c2")
    await indexed(store, ANA, "um", "dois")
    await indexed(store, other, "fica")
    await embed_all(store, ANA)
    seen = await changes(store, ANA)
    vectors = await store.write(ANA, lambda work: work.index.drop_conversation(ANA))
    later = await changes(store, ANA, after=seen.newest)

    assert vectors == 2
    assert ("c1",) == later.gone_conversations
    assert ["fica"] == [item.text for item in (await changes(store, ANA)).items]


async def test_a_cleared_user_is_told_as_a_reset(store: Store) -> None:
    """After a reset nothing of the user is left, not even a key, and numbers go on growing."""
    await indexed(store, ANA, "um", "dois")
    await embed_all(store, ANA)
    seen = await changes(store, ANA)
    vectors = await store.write(ANA, lambda work: work.index.clear(ANA))
    later = await changes(store, ANA, after=seen.newest)

    assert vectors == 2
    assert seen.newest < later.reset
    assert later.newest > seen.newest
    assert () == (await changes(store, ANA)).items


async def test_nothing_crosses_a_scope(store: Store) -> None:
    """Two tenants and two users with the same ids: each reads, drops and clears only its own."""
    for scope in (ANA, *OTHERS):
        await indexed(store, scope, f"{scope.tenant}/{scope.user}")
        await embed_all(store, scope)
    await store.write(ANA, lambda work: work.index.drop(ANA, [key("m1")]))
    await store.write(ANA, lambda work: work.index.drop_conversation(ANA))
    await store.write(ANA, lambda work: work.index.clear(ANA))

    assert () == (await changes(store, ANA)).items
    for scope in OTHERS:
        items = (await changes(store, scope)).items
        assert [(f"{scope.tenant}/{scope.user}", VECTOR)] == [(item.text, item.vector) for item in items]


async def test_the_keeper_sees_who_waits(store: Store) -> None:
    """The operator's view names the users with items that wait, and counts the items."""
    await indexed(store, ANA, "um", "dois")
    await indexed(store, OTHERS[0], "três")
    await embed_all(store, OTHERS[0])
    waiting = await store.index(lambda keeper: keeper.scopes_waiting(limit=10), reading=True)
    lag = await store.index(lambda keeper: keeper.lag(), reading=True)
    few = await store.index(lambda keeper: keeper.lag(most=1), reading=True)

    assert [Scope("acme", "ana")] == waiting
    assert (2, 1) == (lag, few)


async def test_one_process_embeds_at_a_time(store: Store) -> None:
    """A lease is held by one owner until it ends or is given back."""

    async def claim(owner: str, now: float, until: float) -> bool:
        return await store.index(lambda keeper: keeper.claim(owner=owner, now=moment(now), until=moment(until)))

    assert await claim("a", 0, 10)
    assert not await claim("b", 5, 15)
    assert await claim("a", 5, 15)
    assert await claim("b", 16, 20)
    await store.index(lambda keeper: keeper.release(owner="b"))
    assert await claim("a", 17, 20)


async def embed_beside(store: Store, scope: Scope, vector: bytes | None = OTHER) -> int:
    """The next run settles what the first has settled."""
    items = await store.read(scope, lambda work: work.index.settled(scope, run=NEXT, after=0, limit=100))
    embedded = [Embedded(key=item.key, number=item.number, vector=vector) for item in items]
    return await store.write(scope, lambda work: work.index.embed_beside(scope, embedded, run=NEXT))


async def vectors(store: Store, scope: Scope) -> list[list[bytes | None]]:
    """What a reader of either model sees."""
    assert isinstance(store, SqlStore)
    other = SqlStore(store._database, model=NEXT.model.key)
    pages = [await changes(item, scope) for item in (store, other)]
    return [[item.vector for item in page.items] for page in pages]


async def test_a_reader_sees_the_vectors_of_its_model(store: Store) -> None:
    """Two models' vectors stand side by side; no reader is told of the next one's, and none asked for is none."""
    await indexed(store, ANA, "um", "dois")
    await embed_all(store, ANA)
    seen = await changes(store, ANA)
    stored = await embed_beside(store, ANA)

    assert stored == 2
    assert [[VECTOR] * 2, [OTHER] * 2] == await vectors(store, ANA)
    assert [None, None] == [item.vector for item in (await changes(store, ANA, vectors=False)).items]
    assert seen.newest == (await changes(store, ANA)).newest


async def test_what_waits_or_changed_is_not_made_beside(store: Store) -> None:
    """The next run follows the one in use: what that has not settled is not its turn yet."""
    um, dois = await indexed(store, ANA, "um", "dois")
    nothing = await embed_beside(store, ANA)
    await embed_all(store, ANA)
    items = await store.read(ANA, lambda work: work.index.settled(ANA, run=NEXT, after=0, limit=100))
    late = [Embedded(key=item.key, number=item.number, vector=OTHER) for item in items]
    await store.write(ANA, lambda work: work.index.put(ANA, [um]))
    await store.write(ANA, lambda work: work.index.drop(ANA, [dois]))
    stored = await store.write(ANA, lambda work: work.index.embed_beside(ANA, late, run=NEXT))
    again = await embed_all(store, ANA)

    assert (0, 0, 1, 1) == (nothing, stored, again, await embed_beside(store, ANA))


async def test_what_goes_goes_from_both(store: Store) -> None:
    """An item, a conversation or a user that is gone leaves no vector of either model."""
    for scope in (ANA, *OTHERS):
        await indexed(store, scope, "um", "dois")
        await indexed(store, scope.within("c2"), "três")
        await embed_all(store, scope)
        await embed_beside(store, scope)
    dropped = await store.write(ANA, lambda work: work.index.drop(ANA, [key("m1")]))
    left = await store.write(ANA, lambda work: work.index.drop_conversation(ANA))
    rest = await store.write(ANA, lambda work: work.index.clear(ANA))

    assert (2, 2, 2) == (dropped, left, rest)
    for scope in OTHERS:
        assert [[VECTOR] * 3, [OTHER] * 3] == await vectors(store, scope)


async def test_one_models_vectors_can_go(store: Store) -> None:
    """Of one user, counted, and no other model's."""
    for scope in (ANA, *OTHERS):
        await indexed(store, scope, "um")
        await embed_all(store, scope)
        await embed_beside(store, scope)
    dropped = await store.write(ANA, lambda work: work.index.drop_model(ANA, RUN.model.key))

    assert dropped == 1
    assert [[None], [OTHER]] == await vectors(store, ANA)
    for scope in OTHERS:
        assert [[VECTOR], [OTHER]] == await vectors(store, scope)


async def test_the_keeper_leads_through_a_run(store: Store) -> None:
    """Who is left, page by page and as a number; whose vectors a model made; and what waits for a run."""
    users = sorted([Scope("acme", "ana"), *(Scope(other.tenant, other.user) for other in OTHERS)], key=repr)
    for scope in (ANA, *OTHERS):
        await indexed(store, scope, "um")
        await embed_all(store, scope)
    await embed_beside(store, OTHERS[0])
    left = [user for user in users if user != Scope("acme", "bia")]
    first = await store.index(lambda keeper: keeper.scopes_settled(NEXT, after=None, limit=2), reading=True)
    last = await store.index(lambda keeper: keeper.scopes_settled(NEXT, after=first[-1], limit=9), reading=True)
    made = await store.index(lambda keeper: keeper.scopes_of(NEXT.model.key, after=None, limit=9), reading=True)
    counts = await store.index(lambda keeper: (keeper.items(), keeper.unsettled(NEXT)), reading=True)
    waiting = await store.index(lambda keeper: keeper.wait_for(NEXT))

    assert (2, left) == (len(first), sorted(first + last, key=repr))
    assert [Scope("acme", "bia")] == made
    assert (len(users), len(left)) == counts
    assert len(left) == waiting == await store.index(lambda keeper: keeper.lag(), reading=True)


async def test_runs_are_remembered(store: Store) -> None:
    """A run is added once under its number, changes its state, and is gone when nothing is left of it."""
    other = EmbeddingRun(number=1, model=NEXT.model, state="current")

    def add(keeper: IndexKeeper) -> None:
        for run in (NEXT, RUN, other):
            keeper.add_run(run)

    await store.index(add)
    both = await store.index(lambda keeper: keeper.runs(), reading=True)
    await store.index(lambda keeper: keeper.change_run(1, "old"))
    await store.index(lambda keeper: keeper.drop_run(2))

    assert [RUN, NEXT] == both
    assert [EmbeddingRun(number=1, model=RUN.model, state="old")] == await store.index(
        lambda keeper: keeper.runs(), reading=True
    )


async def test_an_item_is_read_by_the_number_of_its_last_change(store: Store) -> None:
    """Those asked for and no others, each with its text; a number that was left behind gives nothing."""
    await indexed(store, ANA, "um", "dois", "três")
    for scope in OTHERS:
        await indexed(store, scope, "deles")
    before = [item.number for item in (await changes(store, ANA)).items]
    await embed_all(store, ANA)
    numbers = {item.text: item.number for item in (await changes(store, ANA)).items}
    result = await store.read(
        ANA, lambda work: work.index.standing(ANA, [("message", numbers["dois"]), ("message", numbers["um"])])
    )
    stale = await store.read(
        ANA, lambda work: work.index.standing(ANA, [("message", number) for number in before])
    )

    assert {"dois", "um"} == {item.text for item in result}
    assert 2 == len(result)
    assert [] == [item for item in stale if item.number not in numbers.values()]


async def test_changes_without_vectors_say_who_has_one(store: Store) -> None:
    """The vector itself is left where it is."""
    await indexed(store, ANA, "um")
    await embed_all(store, ANA)
    await indexed(store, ANA, "dois")
    result = await store.read(ANA, lambda work: work.index.changes(ANA, after=0, limit=9, vectors=False))

    assert {"um": True, "dois": False} == {item.text: item.embedded for item in result.items}
    assert {None} == {item.vector for item in result.items}


async def test_large_users_are_known_to_the_keeper(store: Store) -> None:
    """Users with more items than a number, of every tenant."""
    await indexed(store, ANA, "um", "dois", "três")
    await indexed(store, OTHERS[0], "um")
    result = await store.index(lambda keeper: keeper.scopes_above(rows=2), reading=True)

    assert [Scope(ANA.tenant, ANA.user)] == result


async def test_a_touched_message_is_told_of_again_as_it_stands(store: Store) -> None:
    """Its number moves, its vector stays, and nobody else's message of that id is touched."""
    (mine, _) = await indexed(store, ANA, "um", "dois")
    for scope in OTHERS:
        await indexed(store, scope, "um")
    await embed_all(store, ANA)
    seen = await changes(store, ANA)
    nobody = ItemKey("message", "nobody's", mine.conversation)
    touched = await store.write(ANA, lambda work: work.index.touch(ANA, mine))
    later = await changes(store, ANA, after=seen.newest)
    unknown = await store.write(ANA, lambda work: work.index.touch(ANA, nobody))

    assert [1, 0] == [touched, unknown]
    assert [(mine, True, False)] == [(item.key, item.embedded, item.superseded) for item in later.items]
    assert [] == await store.read(ANA, lambda work: work.index.waiting(ANA, limit=10))
