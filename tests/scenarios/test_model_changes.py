"""Changes that a reading model may make: only of what it names, what agrees, and what nobody told outright."""

from __future__ import annotations

from typing import Any

import pytest
from tests.model_reads import NOTHING, Opening, answer, known, reasons, say, stated

from rememora.language.amended import newest
from rememora.testing import ScriptedModel


@pytest.fixture
def overrides() -> dict[str, object]:
    """Only the reader asks the model."""
    return {
        "reading.model": True,
        "layers.entity_memory": False,
        "layers.summarization": False,
        "recall.embedder": "none",
    }


ROLE_HINT = "me ajuda a escrever para a Rita, que cuida do estoque"
STOCK, SALES_ROLE = "a Rita, que cuida do estoque", "a Rita, que cuida das vendas"


def of_rita(statement: str, value: str, **more: Any) -> str:
    return answer(stated(statement, subject="Rita", value=value, relation="colega", **more))


@pytest.mark.parametrize("named", ["k1", "A Rita, que cuida do estoque"])
async def test_a_change_takes_the_place_of_the_known_statement_that_it_names(reading: Opening, named: str) -> None:
    """By its id or its words, where subject and attribute agree: it is put behind what it changes, and linked."""
    model = ScriptedModel(
        of_rita(STOCK, "cuida do estoque"), of_rita(SALES_ROLE, "cuida das vendas", action="change", changes=named)
    )
    async with reading(model) as ana:
        await say(ana, ROLE_HINT)
        before = (await known(ana))[STOCK]
        await say(ana, ROLE_HINT.replace("do estoque", "das vendas"))
        after = await known(ana)

        [(value, memory)] = [(value, memory) for value, memory in after.items() if SALES_ROLE in str(value)]
        assert before.id == memory.supersedes
        assert SALES_ROLE == newest(str(value))
        assert STOCK not in after


@pytest.mark.parametrize(
    "more",
    [
        {"action": "add", "changes": "k1"},
        {"action": "change", "changes": "k7"},
        {"action": "change", "changes": None},
        {"action": "change", "changes": "k1", "attribute": "place"},
        {"action": "change", "changes": "k1", "attribute": "other"},
    ],
)
async def test_in_doubt_the_known_and_the_new_both_stay(reading: Opening, more: dict[str, Any]) -> None:
    """No known statement goes that is not named, or that is of another attribute."""
    model = ScriptedModel(of_rita(STOCK, "cuida do estoque"), of_rita(SALES_ROLE, "cuida das vendas", **more))
    async with reading(model) as ana:
        await say(ana, ROLE_HINT)
        await say(ana, ROLE_HINT.replace("do estoque", "das vendas"))

        assert {STOCK, SALES_ROLE} <= set(await known(ana))


async def test_two_people_of_one_role_stand_side_by_side(reading: Opening) -> None:
    """Another subject is no change, whatever the model says."""
    other = STOCK.replace("Rita", "Paula")
    change = answer(stated(other, subject="Paula", value="cuida do estoque", action="change", changes="k1"))
    async with reading(ScriptedModel(of_rita(STOCK, "cuida do estoque"), change)) as ana:
        await say(ana, ROLE_HINT)
        await say(ana, ROLE_HINT.replace("Rita", "Paula"))

        assert {STOCK, other} <= set(await known(ana))


async def test_a_change_that_the_rules_kept_beside_the_old_ends_it(reading: Opening) -> None:
    """The rules keep both where they are not sure; the model names which of the two is over."""
    old, new = "o prazo do Falcon é 5 de maio", "o prazo do Falcon é 12 de maio, fechado"
    change = stated(new, subject="Falcon", attribute="deadline", value="12 de maio", action="change", changes="k1")
    async with reading(ScriptedModel(NOTHING, answer(change))) as ana:
        await say(ana, old)
        await say(ana, new, settle=False)
        before = [memory.value for memory in (await ana.memories.list(limit=100)).items]
        await ana._parts.worker.settle()
        after = [memory.value for memory in (await ana.memories.list(limit=100)).items]

        assert new in before
        assert [new] == after


@pytest.mark.parametrize(
    ("text", "attribute", "value", "key"),
    [
        ("me ajuda a escrever: sou arquiteta em Olinda", "role", "arquiteta", "user.role_title"),
        ("reescreve isso: moro em Olinda faz dez anos", "place", "Olinda", "user.location"),
    ],
)
async def test_a_slot_is_filled_with_the_authors_own_value(
    reading: Opening, text: str, attribute: str, value: str, key: str
) -> None:
    """Subject, attribute and a value that stands in the quote make a slot."""
    quote = text.partition(": ")[2]
    fact = stated(quote, subject="me", relation=None, attribute=attribute, value=value)
    async with reading(ScriptedModel(answer(fact))) as ana:
        await say(ana, text)
        memories = await known(ana)

        assert value == memories[key].value


@pytest.mark.parametrize(
    ("quote", "subject", "attribute", "value"),
    [
        ("minha esposa Ana é veterinária no Porto", "me", "role", "veterinária"),
        ("minha esposa Ana é veterinária no Porto", "Ana", "place", "Porto"),
        ("minha esposa Ana é veterinária no Porto", "me", "role", "arquiteta"),
        ("o aniversário da minha esposa Ana é 12 de março", "me", "birthday", "12 de março"),
    ],
)
async def test_what_is_told_of_others_fills_no_slot(
    reading: Opening, quote: str, subject: str, attribute: str, value: str
) -> None:
    """Neither on the model's word against the reader's, nor without the value in the quote."""
    fact = stated(quote, subject=subject, relation="esposa", attribute=attribute, value=value)
    async with reading(ScriptedModel(answer(fact))) as ana:
        await say(ana, f"me ajuda a escrever um convite, {quote}")

        assert not {"user.role_title", "user.location", "user.birthday"} & set(await known(ana))


async def test_what_was_told_outright_stands(reading: Opening) -> None:
    """Nothing that the person asked to keep changes on a model's word; the new statement stands beside it."""
    fact = stated("fico em Olinda", subject="me", attribute="place", value="Olinda", action="change", changes="k1")
    async with reading(ScriptedModel(answer(fact))) as ana:
        await ana.remember("user.location", "Recife")
        await say(ana, "me ajuda com um texto, fico em Olinda")

        assert "Recife" == (await known(ana))["user.location"].value
        assert "fico em Olinda" in await known(ana)
        assert "refuse.told_outright" in await reasons(ana)


@pytest.mark.parametrize(("changes", "value"), [(None, "Recife"), ("k1", "Olinda")])
async def test_a_slot_that_is_taken_changes_only_by_name(
    reading: Opening, changes: str | None, value: str
) -> None:
    """A value that was only inferred gives way to one that names it as changed; else both are kept."""
    fact = stated(
        "fico em Olinda", subject="me", attribute="place", value="Olinda", action="change", changes=changes
    )
    async with reading(ScriptedModel(NOTHING, answer(fact))) as ana:
        await say(ana, "moro em Recife")
        await say(ana, "me ajuda com um texto, fico em Olinda")

        assert value == (await known(ana))["user.location"].value
        assert (changes is None) == ("refuse.key_taken" in await reasons(ana))
