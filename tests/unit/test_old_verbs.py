"""Old verbs of the handles lead to the new ones, warn, and are listed once."""

from __future__ import annotations

import warnings
from collections.abc import Awaitable, Callable, Mapping
from operator import attrgetter
from typing import Any

import pytest
from tests.clock import SetClock

from rememora import Conversation, Operator, Rememora, SyncRememora, Tenant, UserMemory
from rememora.errors import RememoraError
from rememora.handles.deprecated import CONVERSATION, OPERATOR, STORE, TENANT, USER, OldCall

NOUNS: dict[str, tuple[str, ...]] = {
    "user": ("memories", "entities", "tasks", "conversations", "proposals"),
    "tenant": ("events", "tasks", "missions", "audit"),
    "operator": ("tenants",),
}
TABLES: dict[str, Mapping[str, str]] = {
    "conversation": CONVERSATION,
    "user": USER,
    "tenant": TENANT,
    "operator": OPERATOR,
    "store": STORE,
}
READS: dict[str, list[tuple[str, tuple[Any, ...], dict[str, Any]]]] = {
    "user": [
        ("acts", (), {"limit": 5}),
        ("attempts", (), {}),
        ("dependents", ("user.city",), {}),
        ("explain", ("user.city",), {}),
        ("export", (), {}),
        ("history", ("user.city",), {}),
        ("judge", ("moro em Recife",), {}),
        ("list_episodes", (), {"limit": 3}),
        ("memory", ("user.city",), {}),
        ("nearest", ("Recife",), {"limit": 2}),
        ("read", ("moro em Recife",), {}),
        ("related", ("onde moro?",), {}),
        ("sources", ("user.city",), {}),
        ("timeline", ("user.city",), {}),
    ],
    "tenant": [
        ("dead_letters", (), {}),
        ("deliveries", (), {}),
        ("masked_memories", ("ana",), {}),
        ("newest_audit", (), {"limit": 3}),
        ("newest_events", (), {"limit": 3}),
        ("quarantined", (), {}),
        ("requests", (), {}),
        ("trend", (), {"days": 3}),
        ("verdicts", (), {}),
        ("verify_audit", (), {}),
    ],
    "operator": [("people", (), {}), ("first_user", ("acme",), {})],
    "store": [("index_lag", (), {}), ("ask_engines", (), {}), ("check_integrity", (), {})],
}
"""Calls that write nothing, so that the old and the new name have to answer the same."""


@pytest.fixture
async def handles(clock: SetClock) -> Any:
    """Give one of each handle, over a store with something in it."""
    async with Rememora.open(":memory:", clock=clock, background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        await ana.remember("user.city", "Recife")
        await ana.conversation("c1").append("user", "Moro em Recife")
        await ana.entities.mention("product", "bolo", "de fubá")
        await rememora.settle()
        yield {
            "conversation": ana.conversation("c1"),
            "user": ana,
            "tenant": rememora.tenant("acme", acting="root"),
            "operator": rememora.operator(acting="root"),
            "store": rememora,
        }


@pytest.mark.parametrize("handle", TABLES)
async def test_an_old_verb_is_the_new_one(handles: dict[str, Any], handle: str) -> None:
    """It warns, names its successor, and is the same function of the same noun."""
    for old, new in TABLES[handle].items():
        with pytest.warns(DeprecationWarning, match=f"`{old}` is now `{new}`; 0.3 removes it"):
            result = getattr(handles[handle], old)
        verb = attrgetter(new)(handles[handle])

        assert verb.__func__ is result.__func__
        assert vars(verb.__self__) == vars(result.__self__)


@pytest.mark.parametrize("handle", READS)
async def test_an_old_verb_answers_as_the_new_one(handles: dict[str, Any], handle: str) -> None:
    """Asked the same, both say the same."""
    for old, args, options in READS[handle]:
        expected = await _said(attrgetter(TABLES[handle][old])(handles[handle]), args, options)
        with pytest.warns(DeprecationWarning, match="is now"):
            verb = getattr(handles[handle], old)

        assert (old, expected) == (old, await _said(verb, args, options))


@pytest.mark.parametrize(("handle", "noun"), [(handle, noun) for handle, nouns in NOUNS.items() for noun in nouns])
async def test_a_noun_with_the_name_of_a_verb_can_be_called(
    handles: dict[str, Any], handle: str, noun: str
) -> None:
    """`ana.memories(limit=3)` is `ana.memories.list(limit=3)`."""
    result = getattr(handles[handle], noun)
    expected = await (result.list() if noun == "proposals" else result.list(limit=3))
    with pytest.warns(DeprecationWarning, match="list"):
        listed = await (result() if noun == "proposals" else result(limit=3))

    assert isinstance(result, OldCall)
    assert expected == listed


async def test_a_tenants_memories_can_be_called(handles: dict[str, Any]) -> None:
    """The name of the person comes first, as it did."""
    with pytest.warns(DeprecationWarning, match="is now"):
        listed = await handles["tenant"].memories("ana", reason="ticket 42", limit=5)

    assert ["user.city"] == [memory.key for memory in listed]


def test_plain_code_has_the_old_verbs_too() -> None:
    """Without `await` they lead to the same nouns."""
    with SyncRememora.open(":memory:", background=False) as rememora:
        ana: Any = rememora.user("ana", tenant="acme")
        ana.remember("user.city", "Recife")
        with pytest.warns(DeprecationWarning, match="is now"):
            listed = ana.memories(limit=3)
        with pytest.warns(DeprecationWarning, match="is now"):
            result = ana.memory("user.city")

        assert ana.memories.list(limit=3) == listed
        assert ana.memories.get("user.city") == result


@pytest.mark.parametrize(
    ("kind", "table"),
    [(Conversation, CONVERSATION), (UserMemory, USER), (Tenant, TENANT), (Operator, OPERATOR), (Rememora, STORE)],
)
def test_an_old_name_hides_no_new_one(kind: type, table: Mapping[str, str]) -> None:
    """None is also a verb or a noun of its handle, which would be found first."""
    assert [] == [old for old in table if hasattr(kind, old)]


async def test_an_unknown_name_is_refused(handles: dict[str, Any]) -> None:
    """It raises as any attribute that is not there, and warns of nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for handle in handles.values():
            with pytest.raises(AttributeError, match="remember_all"):
                handle.remember_all()


async def _said(verb: Callable[..., Awaitable[Any]], args: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """The answer of a verb, or the code of its refusal."""
    try:
        return await verb(*args, **options)
    except RememoraError as error:
        return error.code
