"""The value of an attribute beside the statement that says it: kept, moved with a change, never a stale one."""

from __future__ import annotations

from typing import Any

import pytest
from tests.behind import behind

from rememora import Memory, Rememora, Settings, UserMemory
from rememora.domain.value_span import value_of_attribute
from rememora.errors import InvalidInput

PLAN = "O plano básico custa R$ 89 por mês"


async def said(ana: UserMemory, text: str) -> Memory:
    """The one memory that a message leaves behind."""
    (memory,) = (await ana.gate.note(text)).memories
    return memory


async def known(ana: UserMemory) -> list[Memory]:
    return list((await ana.memories.list()).items)


@pytest.mark.parametrize(
    ("text", "attribute", "value"),
    [
        (PLAN, "price", "R$ 89 por mês"),
        ("My rent is £1,250 a month", "price", "£1,250 a month"),
        ("A Marta atende no telefone 81 99888-1234", "phone", "81 99888-1234"),
    ],
)
async def test_a_statement_has_the_value_of_its_attribute(
    ana: UserMemory, text: str, attribute: str, value: str
) -> None:
    """Beside the whole statement, which keeps every word."""
    memory = await said(ana, text)

    assert (text, attribute, value) == (memory.value, memory.attribute, memory.attribute_value)
    assert memory == await ana.memories.get(memory.id)


async def test_a_slot_is_its_value(ana: UserMemory) -> None:
    """All of it, as text; and no place is kept for it."""
    values: dict[str, Any] = {
        "user.city": "Recife",
        "user.age": 41,
        "prefs.no_emojis": True,
        "user.tags": ["a", "b"],
    }
    for key, value in values.items():
        await ana.remember(key, value)
    memories = {memory.key: memory for memory in await known(ana)}

    assert {"user.city": "Recife", "user.age": "41", "prefs.no_emojis": "true", "user.tags": '["a","b"]'} == {
        key: memory.attribute_value for key, memory in memories.items()
    }
    assert {None} == {memory.attribute_span for memory in memories.values()}


async def test_what_is_not_sure_has_no_value(ana: UserMemory) -> None:
    """Two prices in one statement, and an attribute whose values have no form of their own."""
    several = await said(ana, "A tábua de frios sai R$ 89 a pequena e R$ 149 a grande")
    taste = await said(ana, "Frances coleciona selos")

    assert [None, None] == [several.attribute_value, taste.attribute_value]


async def test_a_change_moves_the_value(ana: UserMemory) -> None:
    """The newest part says it, and the timeline has each."""
    first = await said(ana, "A Marta atende no telefone 81 99888-1234")
    memory = await said(ana, "o telefone da Marta mudou, agora é 81 97777-0000")
    values = [held.attribute_value for held in await ana.memories.timeline(memory.id)]

    assert str(memory.value).startswith(f"{first.value} → ")
    assert "81 97777-0000" == memory.attribute_value
    assert ["81 99888-1234", "81 97777-0000"] == values


async def test_a_change_that_says_no_value_leaves_none(ana: UserMemory) -> None:
    """The old one is never taken for what holds now; undone, it is back."""
    first = await said(ana, PLAN)
    memory = await said(ana, "o plano básico agora tem suporte por chat")

    assert str(memory.value).startswith(f"{PLAN} → ")
    assert memory.attribute_value is None

    back = await ana.memories.restore(first.id)

    assert "R$ 89 por mês" == back.attribute_value


async def test_a_corrected_statement_is_read_again(ana: UserMemory) -> None:
    """The words that were put right, wherever they stand now; other words have another value or none."""
    first = await said(ana, PLAN)
    (right,) = (
        await ana.memories.correct(first.id, "O plano básico, o mais vendido, custa R$ 95 por mês")
    ).memories
    (other,) = (await ana.memories.correct(right.id, "O plano básico não existe mais")).memories

    assert "R$ 95 por mês" == right.attribute_value
    assert (None, "price") == (other.attribute_value, other.attribute)


async def test_a_value_put_right_inside_a_statement_is_the_new_one(ana: UserMemory) -> None:
    """A correction that rewrites the wrong value leaves the right one as the value."""
    await said(ana, "A Marta atende no telefone 81 99888-1234")
    memory = await said(ana, "não, o telefone da Marta é 81 99888-4321, não 81 99888-1234")

    assert "99888-1234" not in str(memory.value)
    assert memory.attribute_value in (None, "81 99888-4321")
    assert memory.attribute_value == value_of_attribute(memory.key, memory.value, memory.attribute_span)


async def test_an_export_brings_the_value_back(rememora: Rememora, ana: UserMemory) -> None:
    """The place travels; words that a document claims for it are not believed; an old export has neither."""
    first = await said(ana, PLAN)
    document = await ana.archive.export()
    (held,) = document["memories"]
    held["memory"]["attribute_value"] = "R$ 1"
    eva, old = (rememora.user(name, tenant="other") for name in ("eva", "old"))
    await eva.archive.load(document)
    for field in ("attribute_span", "attribute_value"):
        del held["memory"][field]
    await old.archive.load(document)

    assert [(PLAN, first.attribute_span, "R$ 89 por mês")] == [
        (memory.value, memory.attribute_span, memory.attribute_value) for memory in await known(eva)
    ]
    assert [(PLAN, None)] == [(memory.value, memory.attribute_value) for memory in await known(old)]


@pytest.mark.parametrize(
    "span", [{"start": 0, "end": 4000}, {"start": -1, "end": 4}, {"start": 5, "end": 5}, {"start": 9, "end": 2}]
)
async def test_a_place_outside_of_its_value_is_refused(
    rememora: Rememora, ana: UserMemory, span: dict[str, int]
) -> None:
    """The error names the field, and nothing of the document is imported."""
    await said(ana, PLAN)
    document = await ana.archive.export()
    document["memories"][0]["memory"]["attribute_span"] = span
    eva = rememora.user("eva", tenant="other")
    with pytest.raises(InvalidInput, match="attribute_span"):
        await eva.archive.load(document)

    assert [] == await known(eva)


async def test_a_place_for_a_slot_is_refused(rememora: Rememora, ana: UserMemory) -> None:
    await ana.remember("user.city", "Recife")
    document = await ana.archive.export()
    document["memories"][0]["memory"]["attribute_span"] = {"start": 0, "end": 3}
    with pytest.raises(InvalidInput, match="attribute_span"):
        await rememora.user("eva", tenant="other").archive.load(document)


async def test_no_column_holds_the_words_again(rememora: Rememora, settings: Settings, ana: UserMemory) -> None:
    """Beside the statement there are two numbers; erased, nothing of the value is left."""
    first = await said(ana, PLAN)
    (row,) = behind(
        settings.store.url,
        "SELECT attribute_start, attribute_end, (attribute || subject || key) LIKE '%89%' FROM memories",
    )
    receipt = await ana.erase(memory=first.key)
    ((left,),) = behind(settings.store.url, "SELECT COUNT(*) FROM memories")

    assert first.attribute_span is not None
    assert (first.attribute_span.start, first.attribute_span.end) == tuple(row)[:2]
    assert not row[2]
    assert 0 == left
    assert 1 == receipt.counts["memories"]


async def test_a_place_that_does_not_fit_shows_nothing(
    rememora: Rememora, settings: Settings, ana: UserMemory
) -> None:
    """A row that was changed behind the program's back is read without the value, and does not fail."""
    first = await said(ana, PLAN)
    behind(settings.store.url, "UPDATE memories SET attribute_end = 4000")

    assert [(PLAN, None)] == [(memory.value, memory.attribute_value) for memory in await known(ana)]
    assert first.key == (await ana.memories.get(first.id)).key
