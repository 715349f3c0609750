"""The contract of features: kept beside entries, read instead of texts, and gone with what they are made of."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
from tests.clock import MIDDAY
from tests.contract.knowing import known
from tests.contract.making import ANA, RUN
from tests.contract.test_episodes import episode_of
from tests.contract.test_index import OTHERS, VECTOR, indexed

from rememora.domain.hit import ItemKey
from rememora.domain.memory import Memory
from rememora.domain.scope import Scope
from rememora.ports.index import Embedded, IndexChanges, MemoryFacts
from rememora.ports.store import Store, UnitOfWork

MARK, OLD = b"\x01", b"\x00"
MADE = MARK + b"words"


async def settled(store: Store, scope: Scope, *contents: str, features: bytes | None = MADE) -> list[ItemKey]:
    """Messages said, embedded, and read for the ranking."""
    keys = await indexed(store, scope, *contents)
    items = await store.read(scope, lambda work: work.index.waiting(scope, limit=100))
    embedded = [Embedded(key=item.key, number=item.number, vector=VECTOR, features=features) for item in items]
    await store.write(scope, lambda work: work.index.embed(scope, embedded, run=RUN))
    return keys


async def loaded(store: Store, scope: Scope, after: int = 0, limit: int = 100) -> IndexChanges:
    return await store.read(scope, lambda work: work.index.load(scope, after=after, limit=limit, mark=MARK))


async def kept(store: Store, scope: Scope = ANA) -> dict[str, bytes | None]:
    """The features of each entry, by its id."""
    return {entry[2]: entry[5] for entry in (await loaded(store, scope)).entries}


async def test_what_has_features_is_loaded_without_its_text(store: Store) -> None:
    """Features and vector stand for the item; no text is read."""
    (um,) = await settled(store, ANA, "um")
    result = await loaded(store, ANA)

    assert () == result.items
    assert [("message", "c1", um.id, "embedded", MADE, VECTOR)] == [(*e[:3], *e[4:]) for e in result.entries]
    assert result.newest == result.entries[-1][3]


async def test_what_was_made_of_messages_is_told_by_its_features(store: Store) -> None:
    """An episode is read like a message, by what is kept of it."""
    await settled(store, ANA, "um")
    await store.write(ANA, lambda work: work.episodes.add(ANA, episode_of(ANA, 10, id="e1")))
    await store.write(ANA, lambda work: work.index.put(ANA, [ItemKey("episode", "e1", "c1")]))
    (item,) = await store.read(ANA, lambda work: work.index.waiting(ANA, limit=9))
    made = Embedded(key=item.key, number=item.number, vector=VECTOR, features=MADE)
    await store.write(ANA, lambda work: work.index.embed(ANA, [made], run=RUN))
    result = await loaded(store, ANA)

    assert () == result.items
    assert ["message", "episode"] == [entry[0] for entry in result.entries]


async def settled_memories(store: Store, *memories: Memory, features: bytes | None = MADE) -> None:
    """Have memories of Ana's that are embedded, and read for the ranking."""

    def add(work: UnitOfWork) -> None:
        for memory in memories:
            work.memories.add(ANA, memory)
        work.index.put(ANA, [ItemKey("memory", memory.id) for memory in memories if memory.status == "active"])

    await store.write(ANA, add)
    items = await store.read(ANA, lambda work: work.index.waiting(ANA, limit=9))
    made = [Embedded(key=item.key, number=item.number, vector=VECTOR, features=features) for item in items]
    await store.write(ANA, lambda work: work.index.embed(ANA, made, run=RUN))


async def test_a_memory_with_features_is_loaded_with_its_facts_alone(store: Store) -> None:
    """Load the facts that the ranking needs beside features; the value only where it tells a time zone."""
    zone = msgspec.structs.replace(known(ANA, id="k2", key="user.timezone"), value="Europe/Lisbon")
    unsure = msgspec.structs.replace(known(ANA), source="inferred", confidence=0.5)
    await settled_memories(store, unsure, zone)
    result = await loaded(store, ANA)

    assert () == result.items
    assert {
        "k1": MemoryFacts(category="identity", importance=0.25, at=MIDDAY, key="user.name"),
        "k2": MemoryFacts(
            category="identity", importance=1, at=MIDDAY, key="user.timezone", value="Europe/Lisbon"
        ),
    } == result.memories


async def test_a_memory_without_features_is_loaded_with_what_it_says(store: Store) -> None:
    """Nothing is missing before the worker has been there."""
    await settled_memories(store, known(ANA), features=None)
    (item,) = (await loaded(store, ANA)).items

    assert ("k1", "Ana") == (item.key.id, item.metadata["value"])


async def test_messages_whose_facts_were_all_replaced_are_told(store: Store) -> None:
    """One that still says something that holds is not among them, nor one that something was inferred from."""
    um, dois, tres = await settled(store, ANA, "um", "dois", "três")
    replaced = msgspec.structs.replace(known(ANA), status="deprecated")
    await settled_memories(
        store,
        msgspec.structs.replace(replaced, source_ref=um.id),
        msgspec.structs.replace(replaced, id="k2", source_ref=dois.id),
        msgspec.structs.replace(known(ANA, id="k3"), source_ref=dois.id),
        msgspec.structs.replace(replaced, id="k4", source_ref=tres.id, source="inferred"),
    )

    assert {um.id} == (await loaded(store, ANA)).superseded


@pytest.mark.parametrize("features", [None, OLD + b"words"])
async def test_what_has_none_of_this_version_is_read(store: Store, features: bytes | None) -> None:
    """Nothing is missing: such an item comes with its text, beside its entry."""
    await settled(store, ANA, "um", features=features)
    await indexed(store, ANA, "dois")
    result = await loaded(store, ANA)

    assert ["um", "dois"] == [item.text for item in result.items]
    assert [entry[3] for entry in result.entries] == [item.number for item in result.items]


async def test_a_load_comes_in_pages(store: Store) -> None:
    await settled(store, ANA, *"abcde")
    first = await loaded(store, ANA, limit=3)
    rest = await loaded(store, ANA, after=first.newest, limit=6)

    assert (True, False) == (first.more, rest.more)
    # The owner's numbers begin with an entry that tells of it.
    assert 5 == len(first.entries) + len(rest.entries)


async def test_a_user_is_known_to_have_more_than_so_many(store: Store) -> None:
    """The entry that the numbers begin with counts too."""
    await settled(store, ANA, *"abc")
    await settled(store, OTHERS[0], "a")

    more_than_three = await store.read(ANA, lambda work: work.index.exceeds(ANA, 3))
    more_than_four = await store.read(ANA, lambda work: work.index.exceeds(ANA, 4))

    assert (True, False) == (more_than_three, more_than_four)


async def test_nothing_is_read_of_who_has_too_much_to_be_read_whole(store: Store) -> None:
    """Who asks for all or nothing is told that there is more, and one less than that is all."""
    await settled(store, ANA, *"abc")

    def load(limit: int) -> Callable[[UnitOfWork], IndexChanges]:
        return lambda work: work.index.load(ANA, after=0, limit=limit, mark=MARK, whole=True)

    some, all_of_it = await store.read(ANA, load(3)), await store.read(ANA, load(4))

    assert (True, 0, False, 3) == (some.more, len(some.entries), all_of_it.more, len(all_of_it.entries))


async def test_a_new_text_takes_the_features_of_the_old_one_away(store: Store) -> None:
    (um,) = await settled(store, ANA, "um")
    await store.write(ANA, lambda work: work.index.put(ANA, [um]))

    assert {um.id: None} == await kept(store)


async def test_to_be_told_of_again_keeps_them(store: Store) -> None:
    (um,) = await settled(store, ANA, "um")
    await store.write(ANA, lambda work: work.index.touch(ANA, um))

    assert {um.id: MADE} == await kept(store)


async def test_features_go_with_their_item(store: Store) -> None:
    """Whatever takes an item away leaves no word of it behind, and nothing of anybody else's is touched."""
    for scope in OTHERS:
        await settled(store, scope, "um")
    um, _ = await settled(store, ANA, "um", "dois")
    await settled(store, ANA.within("c2"), "três")

    def drop(work: UnitOfWork) -> None:
        work.index.drop(ANA, [um])
        work.index.drop_conversation(ANA.within("c2"))

    await store.write(ANA, drop)
    left = await kept(store)
    await store.write(ANA, lambda work: work.index.clear(ANA))

    assert [MADE] == list(left.values())
    assert {} == await kept(store)
    assert [[MADE]] * len(OTHERS) == [list((await kept(store, scope)).values()) for scope in OTHERS]


async def test_items_without_features_are_found_and_given_theirs(store: Store) -> None:
    """Only what is settled is looked for, once: an item that may not be read now is marked."""
    (um,) = await settled(store, ANA, "um", features=None)
    (dois,) = await settled(store, ANA, "dois", features=None)
    await indexed(store, ANA, "waits")
    hidden = ANA
    await store.write(hidden, lambda work: work.messages.hide(hidden, dois.id, "secret"))
    scopes = await store.index(lambda keeper: keeper.scopes_featureless(limit=9), reading=True)
    result = await store.read(ANA, lambda work: work.index.featureless(ANA, limit=9))
    made = [(number, None if item is None else MADE) for number, item in result]
    await store.write(ANA, lambda work: work.index.put_features(ANA, made))
    again = await store.index(lambda keeper: keeper.scopes_featureless(limit=9), reading=True)
    await store.write(ANA, lambda work: work.index.touch(ANA, dois))

    assert [ANA.person()] == scopes
    assert ["um", None] == [None if item is None else item.text for _, item in result]
    assert [] == again
    assert MADE == (await kept(store))[um.id]
    # Told of again, it is looked for again.
    assert [ANA.person()] == await store.index(lambda keeper: keeper.scopes_featureless(limit=9), reading=True)


async def test_features_of_an_item_that_changed_meanwhile_are_not_kept(store: Store) -> None:
    (um,) = await settled(store, ANA, "um", features=None)
    result = await store.read(ANA, lambda work: work.index.featureless(ANA, limit=9))
    await store.write(ANA, lambda work: work.index.put(ANA, [um]))
    await store.write(ANA, lambda work: work.index.put_features(ANA, [(result[0][0], MADE)]))

    assert {um.id: None} == await kept(store)


async def test_another_version_takes_the_features_of_all_others_away_once(store: Store) -> None:
    """A program that makes others notes it: what is older is made anew, what is its own stays."""
    await store.index(lambda keeper: keeper.note_features(OLD))
    (old,) = await settled(store, ANA, "um", features=OLD + b"words")
    (new,) = await settled(store, ANA, "dois")
    await store.index(lambda keeper: keeper.note_features(MARK))
    first = await kept(store)
    (late,) = await settled(store, ANA, "três", features=OLD)
    await store.index(lambda keeper: keeper.note_features(MARK))

    assert {old.id: None, new.id: MADE} == first
    assert OLD == (await kept(store))[late.id]
