"""LangGraph's store over Rememora: what its own suite does not ask of a store that serves tenants and people."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.graph import END, START, StateGraph
from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    SearchOp,
    validate_op_namespace,
)
from langgraph.store.memory import InMemoryStore
from tests.clock import SetClock

from rememora import Rememora, Settings, SyncRememora, UserMemory
from rememora.errors import InvalidInput
from rememora.integrations.langgraph_match import beginning_of, meets, name_of, namespaces_of
from rememora.integrations.langgraph_store import RememoraStore
from rememora.integrations.vectors import packed

LABEL = st.text("abx_%*", min_size=1, max_size=3)


def store_of(rememora: Rememora, **how: Any) -> RememoraStore:
    """A store of one tenant."""
    return RememoraStore(rememora, tenant=how.pop("tenant", "acme"), **how)


async def test_a_graph_uses_it(rememora: Rememora) -> None:
    """A node of a compiled graph gets the store, and what it puts is there for the next run."""

    class State(TypedDict):
        seen: list[str]

    async def remember(state: State, *, store: BaseStore) -> State:
        before = await store.asearch(("notes",))
        await store.aput(("notes",), f"n{len(before)}", {"text": "hello"})
        return {"seen": [item.key for item in before]}

    graph = StateGraph(State)
    graph.add_node("remember", remember)
    graph.add_edge(START, "remember")
    graph.add_edge("remember", END)
    compiled = graph.compile(store=store_of(rememora))

    assert [] == (await compiled.ainvoke({"seen": []}))["seen"]
    assert ["n0"] == (await compiled.ainvoke({"seen": []}))["seen"]


NAMESPACES: list[Any] = [
    ("a", "b"),
    ("a_b", "c%"),
    ("ção", "日本"),
    (),
    ("",),
    ("a", ""),
    ("a.b",),
    ("a", "b.c"),
    ("langgraph", "a"),
    ("a", "langgraph"),
    (7,),
    ("a", None),
    ("a\x00b",),
]
CALLS: dict[str, Callable[[BaseStore, Any], Awaitable[Any]]] = {
    "put": lambda store, place: store.aput(place, "k", {"n": 1}),
    "get": lambda store, place: store.aget(place, "k"),
    "search": lambda store, place: store.asearch(place),
    "delete": lambda store, place: store.adelete(place, "k"),
    "list": lambda store, place: store.alist_namespaces(prefix=place),
}
OPERATIONS: list[Callable[[Any], Op]] = [
    lambda place: PutOp(place, "k", {"n": 1}),
    lambda place: GetOp(place, "k"),
    SearchOp,
    lambda place: ListNamespacesOp((MatchCondition("prefix", place),)),
]


async def refusal_of(work: Awaitable[Any]) -> str | None:
    """The kind of error that a call ends with; None for one that goes through."""
    try:
        await work
    except (ValueError, TypeError) as error:
        return type(error).__name__
    return None


@pytest.mark.parametrize("call", CALLS)
async def test_namespaces_are_refused_as_in_the_frameworks_own_store(rememora: Rememora, call: str) -> None:
    """Each call, with each namespace, ends like in `InMemoryStore`."""
    ours, theirs = store_of(rememora), InMemoryStore()
    result = {str(place): await refusal_of(CALLS[call](ours, place)) for place in NAMESPACES}
    expected = {str(place): await refusal_of(CALLS[call](theirs, place)) for place in NAMESPACES}

    assert expected == result


async def test_operations_of_a_batch_are_validated_as_the_framework_asks(rememora: Rememora) -> None:
    """`batch` itself refuses what `validate_op_namespace` refuses, by the same error, and nothing more."""
    store = store_of(rememora)
    for make in OPERATIONS:
        for place in NAMESPACES:
            try:
                validate_op_namespace(make(place))
            except InvalidNamespaceError as error:
                expected: str | None = type(error).__name__
            else:
                expected = None

            assert (place, expected) == (place, await refusal_of(store.abatch([make(place)])))


async def test_reads_of_a_batch_see_what_stood_before(rememora: Rememora) -> None:
    """Whatever the order of the operations; the last write of a key wins."""
    store = store_of(rememora)
    await store.aput(("a",), "k", {"n": 1})
    put, again = PutOp(("a",), "k", {"n": 2}), PutOp(("a",), "k", {"n": 3})
    got = await store.abatch([put, GetOp(("a",), "k"), again, SearchOp(("a",))])

    assert (None, {"n": 1}, None) == (got[0], got[1].value, got[2])  # type: ignore[union-attr]
    assert [{"n": 1}] == [item.value for item in got[3]]  # type: ignore[union-attr]
    assert {"n": 3} == (await store.aget(("a",), "k")).value  # type: ignore[union-attr]


async def test_tenants_and_people_are_apart(rememora: Rememora) -> None:
    """Another tenant, and another person where the namespace names one, see nothing; who names none is refused."""
    acme, other = store_of(rememora, user_label=1), store_of(rememora, user_label=1, tenant="acme2")
    await acme.aput(("memories", "ana"), "k", {"text": "mine"})

    assert await other.aget(("memories", "ana"), "k") is None
    assert [] == await acme.asearch(("memories", "bia"))
    assert 1 == len(await acme.asearch(("memories", "ana")))
    assert [("memories", "ana")] == await acme.alist_namespaces(prefix=("memories", "ana"))
    for call in (
        acme.asearch(("memories",)),
        acme.alist_namespaces(),
        acme.alist_namespaces(prefix=("memories", "*")),
        acme.aput(("memories",), "k", {"n": 1}),
    ):
        with pytest.raises(InvalidInput, match="name the person"):
            await call
    # A sweeper that could only fail later, where nobody looks, is not started.
    with pytest.raises(InvalidInput, match="worker"):
        await acme.astart_ttl_sweeper()


async def test_a_persons_erasure_reaches_the_documents(rememora: Rememora, ana: UserMemory) -> None:
    """What stands under a person's label is exported and erased with them."""
    store = store_of(rememora, user_label=0)
    await store.aput(("ana", "notes"), "k", {"text": "zebra-4711"})

    assert "zebra-4711" in str(await ana.archive.export())
    await ana.erase(person=True)
    assert await store.aget(("ana", "notes"), "k") is None
    assert "zebra-4711" not in str(await ana.archive.export())


async def test_documents_are_not_told_as_memory(rememora: Rememora, ana: UserMemory) -> None:
    """They are the host's data: no search, context or list of memories of the person holds them."""
    store = store_of(rememora, user="ana")
    await store.aput(("notes",), "k", {"text": "I prefer aisle seats"})
    await rememora.settle()

    assert [] == await ana.recall("aisle seats")
    assert () == (await ana.memories.list()).items
    assert "aisle" not in str((await ana.conversation("c").context("which seats?")).items)


async def test_it_is_there_after_a_restart(settings: Settings, clock: SetClock) -> None:
    """Values, times and vectors; a long or odd key too."""
    long = ("k" * 400, "new\nline", "ponto e vírgula; ç")
    async with Rememora.open(settings=settings, clock=clock, background=False) as first:
        for key in long:
            await store_of(first).aput(("a",), key, {"n": 1, "deep": {"list": [1, None, "x"]}})
    async with Rememora.open(settings=settings, clock=clock, background=False) as second:
        items = [await store_of(second).aget(("a",), key) for key in long]

    assert [{"n": 1, "deep": {"list": [1, None, "x"]}}] * 3 == [item.value for item in items if item is not None]


async def test_an_update_keeps_when_it_was_created(rememora: Rememora, clock: SetClock) -> None:
    """Only the time of the change moves on."""
    store = store_of(rememora)
    await store.aput(("a",), "k", {"n": 1})
    first = await store.aget(("a",), "k")
    clock.advance(60)
    await store.aput(("a",), "k", {"n": 2})
    second = await store.aget(("a",), "k")

    assert first is not None
    assert second is not None
    assert (first.created_at, True) == (second.created_at, second.updated_at > first.updated_at)


async def test_without_an_index_words_order_what_is_found(rememora: Rememora) -> None:
    """A query without an index loses nothing, and puts first what shares its words."""
    store = store_of(rememora)
    await store.aput(("a",), "tea", {"text": "drinks green tea"})
    await store.aput(("a",), "seat", {"text": "sits at the window"})
    result = await store.asearch(("a",), query="which tea?")

    assert ["tea", "seat"] == [item.key for item in result]


async def test_by_meaning_with_an_index(rememora: Rememora) -> None:
    """The nearest first, by the cosine of the vectors that the host's function makes; what has none comes last."""

    def embed(texts: Sequence[str]) -> list[list[float]]:
        return [[float(text.count(letter)) for letter in "abcde"] for text in texts]

    store = store_of(rememora, index={"dims": 5, "embed": embed, "fields": ["text"]})
    await store.aput(("a",), "near", {"text": "aab"})
    await store.aput(("a",), "far", {"text": "ddda"})
    await store.aput(("a",), "none", {"text": "aab"}, index=False)
    result = await store.asearch(("a",), query="aab")

    assert ["near", "far", "none"] == [item.key for item in result]
    assert result[0].score == pytest.approx(1.0, abs=1e-3)
    assert result[2].score is None


async def test_expired_documents_are_left_out_where_wanted(rememora: Rememora) -> None:
    """`omit_expired` hides them before a sweep removes them."""
    plain = store_of(rememora)
    strict = store_of(rememora, ttl={"omit_expired": True})
    await plain.aput(("a",), "k", {"n": 1}, ttl=-1)
    seen = [await plain.aget(("a",), "k"), await strict.aget(("a",), "k"), *await strict.asearch(("a",))]

    assert [True, False] == [item is not None for item in seen]
    assert (1, 0) == (await plain.asweep_ttl(), await plain.asweep_ttl())


async def test_plain_calls_in_the_loop_of_the_memory_say_what_to_do(rememora: Rememora) -> None:
    """They would wait for themselves; from another thread they work."""
    store = store_of(rememora)
    with pytest.raises(asyncio.InvalidStateError, match="await"):
        store.put(("a",), "k", {"n": 1})
    await asyncio.to_thread(store.put, ("a",), "k", {"n": 1})

    assert {"n": 1} == (await asyncio.to_thread(store.get, ("a",), "k")).value  # type: ignore[union-attr]


def test_without_a_loop(settings: Settings) -> None:
    """Over SyncRememora plain calls work anywhere, and awaited ones from any loop."""
    with SyncRememora.open(settings=settings, background=False) as memory:
        store = RememoraStore(memory, tenant="acme")
        store.put(("a",), "k", {"n": 1})
        item = asyncio.run(store.aget(("a",), "k"))

    assert item is not None
    assert {"n": 1} == item.value


async def test_a_value_too_large_is_refused(rememora: Rememora) -> None:
    """With the limit, and nothing is stored."""
    store = store_of(rememora)
    with pytest.raises(InvalidInput, match="65536"):
        await store.aput(("a",), "k", {"text": "x" * 70_000})

    assert await store.aget(("a",), "k") is None


@given(path=st.lists(LABEL, max_size=4).map(tuple), prefix=st.lists(LABEL, max_size=3).map(tuple))
def test_a_prefix_is_whole_labels(path: tuple[str, ...], prefix: tuple[str, ...]) -> None:
    """No label is a pattern, and none is half matched."""
    result = name_of(path, "key").startswith(beginning_of(prefix))

    assert result is (path[: len(prefix)] == prefix)


def test_a_star_is_one_label() -> None:
    """In conditions of `list_namespaces` alone."""
    condition = type("Condition", (), {"match_type": "prefix", "path": ("a", "*")})
    namespaces = namespaces_of([("a",), ("a", "b"), ("a", "b", "c"), ("b", "c")], [condition], None)

    assert [("a", "b"), ("a", "b", "c")] == namespaces


@pytest.mark.parametrize(
    ("overrides", "met"),
    [
        ({"n": 3}, True),
        ({"n": True}, False),
        ({"n": {"$gte": 3, "$lt": 4}}, True),
        ({"n": {"$gt": "x"}}, False),
        ({"deep.word": "sky"}, True),
        ({"deep": {"word": {"$ne": "sky"}}}, False),
        ({"list": [1, 2]}, True),
        ({"none": None}, True),
    ],
)
def test_filters(overrides: dict[str, Any], met: bool) -> None:
    """Equality by type, comparison of numbers, names inside names."""
    assert met is meets({"n": 3, "deep": {"word": "sky"}, "list": [1, 2]}, overrides)


def test_a_vector_of_any_length_is_packed() -> None:
    """Four numbers in one, also where they do not come out even, and a vector without length."""
    assert (1, 2) == (len(packed([0.5, 0.5])), len(packed([0.0] * 5)))
