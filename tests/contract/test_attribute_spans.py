"""The place of the value of an attribute in a statement, on every engine, whichever query reads it."""

from __future__ import annotations

import msgspec
import pytest
from tests.contract.knowing import known
from tests.contract.making import moment

from rememora.domain.memory import Memory, MemoryFilter
from rememora.domain.scope import Scope
from rememora.domain.value_span import ValueSpan
from rememora.ports.store import Store, UnitOfWork

SCOPE = Scope("acme", "ana")
KEY = "user.price_s1a2b3c4"


def priced(id: str, **fields: object) -> Memory:
    """A statement with a price in it."""
    value = "Pago R$ 2 mil 🏠 de aluguel"
    about = {"key": KEY, "value": value, "attribute": "price", "attribute_span": ValueSpan(5, 13)}
    return msgspec.structs.replace(known(SCOPE, id=id), **{**about, **fields})


@pytest.mark.parametrize("span", [ValueSpan(5, 13), None])
async def test_every_query_reads_the_place(store: Store, span: ValueSpan | None) -> None:
    """Written once, each reading has it; a memory without one has none."""
    memory = priced("k1", attribute_span=span)
    later = priced("k2", key="user.price_s7654321", supersedes="k1", doubted_by="k1", doubted_at=moment(1))

    def work(unit: UnitOfWork) -> list[list[Memory]]:
        memories = unit.memories
        for one in (memory, later):
            memories.add(SCOPE, one)
        return [
            [one for one in (memories.get(SCOPE, "k1"), memories.active(SCOPE, KEY, shared=False)) if one],
            [memories.with_ids(SCOPE, ["k1"])["k1"], *memories.of_key(SCOPE, KEY, shared=False)],
            memories.page(SCOPE, MemoryFilter(attribute="price", prefix=KEY), limit=9),
            [one for one in memories.newest(SCOPE, shared=False, limit=9) if one.id == "k1"],
            [one for one in memories.as_of(SCOPE, moment(99)) if one.id == "k1"],
        ]

    read = await store.write(SCOPE, work)
    following = await store.read(
        SCOPE, lambda unit: [*unit.memories.successors(SCOPE, memory), *unit.memories.resting_on(SCOPE, memory)]
    )

    assert [2, 2, 1, 1, 1] == [len(memories) for memories in read]
    assert all(one == memory for memories in read for one in memories)
    assert [later, later] == following
    assert ["R$ 2 mil" if span else None, "R$ 2 mil"] == [read[0][0].attribute_value, following[0].attribute_value]
