"""Bad input to the verbs of knowledge is refused with a typed error that names the field; nothing is written."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
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
        (field, lambda ana, _, verb=verb, args=args, named=named: getattr(ana, verb)(*args, **named))
        for field, verb, args, named in (
            ("target", "forget", [""], {}),
            ("target", "forget", [7], {}),
            ("target", "forget", [HALF], {}),
            ("target", "suppress", [None], {}),
            ("target", "restore", [HALF], {}),
            ("target", "correct", [None, "x"], {}),
            ("why", "forget", ["user.name"], {"why": HALF}),
            ("why", "suppress", ["user.name"], {"why": 7}),
            ("why", "restore", ["user.name"], {"why": "x" * 2001}),
            ("why", "correct", ["user.name", "Eva"], {"why": HALF}),
            ("name", "memory", [HALF], {}),
            ("after", "memories", [], {"after": 7}),
            ("after", "memories", [], {"after": f"user.name~{HALF}"}),
            ("limit", "memories", [], {"limit": 2.5}),
            ("limit", "entities", [], {"limit": 2.5}),
            ("suppressed", "memories", [], {"suppressed": "no"}),
            ("category", "memories", [], {"category": 7}),
            ("conversation", "memories", [], {"conversation": HALF}),
            ("origin", "judge", ["oi"], {"origin": "user_said"}),
            ("origin", "note", ["me chamo Eva"], {"origin": "nobody"}),
            ("source_ref", "note", ["me chamo Eva"], {"ref": HALF}),
            ("proposal", "answer", [HALF, "sim"], {}),
            ("reply", "answer", ["p1", HALF], {}),
            ("document", "import_", [None], {}),
            ("document", "import_", [[]], {}),
            ("profile", "seed_profile", [7], {}),
            ("profile", "seed_profile", [{7: "Eva"}], {}),
            ("person", "erase", [], {"person": "yes"}),
            ("history", "erase", [], {"person": True, "history": "no"}),
        )
    ],
    ("limit", lambda _, tenant: tenant.quarantined(limit=2.5)),
    ("status", lambda _, tenant: tenant.quarantined(status="odd")),
    ("quarantined", lambda _, tenant: tenant.reject(HALF)),
    ("why", lambda _, tenant: tenant.reject("q1", why=HALF)),
    ("limit", lambda _, tenant: tenant.audit(limit=0)),
    ("after", lambda _, tenant: tenant.audit(after="x")),
]


@pytest.fixture
async def ana(rememora: Rememora) -> UserMemory:
    """A user of whom one thing is known."""
    found = rememora.user("ana", tenant="acme")
    await found.remember("user.name", "Ana")
    return found


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
    assert ["user.name"] == [memory.key for memory in (await ana.memories()).items]


@pytest.mark.parametrize(("field", "call"), CALLS)
async def test_every_verb_names_the_field_it_refuses(
    ana: UserMemory, tenant: Tenant, field: str, call: Callable[[Any, Any], Awaitable[Any]]
) -> None:
    """No error of the language or the engine comes through, and the chain is as it was."""
    before = await tenant.audit()
    with pytest.raises(RememoraError) as refusal:
        await call(ana, tenant)

    assert field == getattr(refusal.value, "field", refusal.value)
    assert before == await tenant.audit()


@pytest.mark.parametrize("value", [("a", "b"), {"b": ("c",)}, frozenset({"a"})])
async def test_a_value_is_kept_as_it_reads_when_it_comes_back(ana: UserMemory, value: Any) -> None:
    """The same value given twice is the same: nothing is replaced."""
    first = (await ana.remember("prefs.channels_enabled", value)).memory
    again = await ana.remember("prefs.channels_enabled", value)

    assert first == await ana.memory("prefs.channels_enabled")
    assert ((first,), ()) == (again.memories, again.replaced)
