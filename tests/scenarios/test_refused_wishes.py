"""Bad input to the verbs of knowledge is refused with a typed error that names the field; nothing is written."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from operator import attrgetter
from typing import Any

import pytest

from rememora import Rememora, Tenant, UserMemory
from rememora.errors import InvalidInput, RememoraError

HALF = "half \ud83d pair"
ABOUT: list[tuple[str, Any]] = [
    ("origin", "user_said"),
    ("origin", None),
    ("evidence", HALF),
    ("evidence", "a\x00b"),
    ("evidence", 7),
    ("evidence", "x" * 65_537),
]
CALLS: list[tuple[str, Callable[[Any, Any], Awaitable[Any]]]] = [
    *[
        (field, lambda ana, _, verb=verb, args=args, named=named: attrgetter(verb)(ana)(*args, **named))
        for field, verb, args, named in (
            ("target", "forget", [""], {}),
            ("target", "forget", [7], {}),
            ("target", "forget", [HALF], {}),
            ("target", "memories.suppress", [None], {}),
            ("target", "memories.restore", [HALF], {}),
            ("target", "memories.correct", [None, "x"], {}),
            ("why", "forget", ["user.name"], {"why": HALF}),
            ("why", "memories.suppress", ["user.name"], {"why": 7}),
            ("why", "memories.restore", ["user.name"], {"why": "x" * 2001}),
            ("why", "memories.correct", ["user.name", "Eva"], {"why": HALF}),
            ("name", "memories.get", [HALF], {}),
            ("after", "memories.list", [], {"after": 7}),
            ("after", "memories.list", [], {"after": f"user.name~{HALF}"}),
            ("limit", "memories.list", [], {"limit": 2.5}),
            ("limit", "entities.list", [], {"limit": 2.5}),
            ("suppressed", "memories.list", [], {"suppressed": "no"}),
            ("category", "memories.list", [], {"category": 7}),
            ("conversation", "memories.list", [], {"conversation": HALF}),
            ("origin", "gate.judge", ["oi"], {"origin": "user_said"}),
            ("origin", "gate.note", ["me chamo Eva"], {"origin": "nobody"}),
            ("source_ref", "gate.note", ["me chamo Eva"], {"ref": HALF}),
            ("proposal", "proposals.answer", [HALF, "sim"], {}),
            ("reply", "proposals.answer", ["p1", HALF], {}),
            ("document", "archive.load", [None], {}),
            ("document", "archive.load", [[]], {}),
            ("profile", "profile.seed", [7], {}),
            ("profile", "profile.seed", [{7: "Eva"}], {}),
            ("person", "erase", [], {"person": "yes"}),
            ("history", "erase", [], {"person": True, "history": "no"}),
        )
    ],
    ("limit", lambda _, tenant: tenant.quarantine.list(limit=2.5)),
    ("status", lambda _, tenant: tenant.quarantine.list(status="odd")),
    ("quarantined", lambda _, tenant: tenant.quarantine.reject(HALF)),
    ("why", lambda _, tenant: tenant.quarantine.reject("q1", why=HALF)),
    ("limit", lambda _, tenant: tenant.audit.list(limit=0)),
    ("after", lambda _, tenant: tenant.audit.list(after="x")),
]


@pytest.fixture
async def ana(rememora: Rememora) -> UserMemory:
    """A user of whom one thing is known."""
    result = rememora.user("ana", tenant="acme")
    await result.remember("user.name", "Ana")
    return result


@pytest.fixture
def tenant(rememora: Rememora) -> Tenant:
    """Her company."""
    return rememora.tenant("acme", acting="boss")


@pytest.mark.parametrize(("field", "value"), ABOUT)
async def test_a_wish_with_a_bad_field_writes_nothing(ana: UserMemory, field: str, value: Any) -> None:
    """Whatever is said about a wish is checked before the gate is asked."""
    about: Any = {field: value}
    with pytest.raises(InvalidInput) as refusal:
        await ana.remember("user.city", "Recife", **about)

    assert field == refusal.value.field
    assert ["user.name"] == [memory.key for memory in (await ana.memories.list()).items]


@pytest.mark.parametrize(("field", "call"), CALLS)
async def test_every_verb_names_the_field_it_refuses(
    ana: UserMemory, tenant: Tenant, field: str, call: Callable[[Any, Any], Awaitable[Any]]
) -> None:
    """No error of the language or the engine comes through, and the chain is as it was."""
    before = await tenant.audit.list()
    with pytest.raises(RememoraError) as refusal:
        await call(ana, tenant)

    assert field == getattr(refusal.value, "field", refusal.value)
    assert before == await tenant.audit.list()


@pytest.mark.parametrize("value", [("a", "b"), {"b": ("c",)}, frozenset({"a"})])
async def test_a_value_is_kept_as_it_reads_when_it_comes_back(ana: UserMemory, value: Any) -> None:
    """The same value given twice is the same: nothing is replaced."""
    first = (await ana.remember("prefs.channels_enabled", value)).memory
    again = await ana.remember("prefs.channels_enabled", value)

    assert first == await ana.memories.get("prefs.channels_enabled")
    assert ((first,), ()) == (again.memories, again.replaced)
