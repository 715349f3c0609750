"""The place of the value of an attribute comes and goes with its version; the statement stays."""

from __future__ import annotations

from tests.migrations.test_moves import Kept

from rememora import Rememora

BELOW = "0031"
SAID = "O plano básico custa R$ 89 por mês"


async def test_down_and_up_again_with_a_value(kept: Kept) -> None:
    """Down, the place is gone and every word stays; up, nothing is guessed, and what is said then has one."""
    async with Rememora.open(settings=kept.settings, background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        (first,) = (await ana.gate.note(SAID)).memories
        await ana.remember("user.location", "Recife")
    columns = "key, value, subject, attribute"
    query = f"SELECT {columns} FROM memories ORDER BY key"
    places = "SELECT attribute_start, attribute_end FROM memories WHERE key <> 'user.location'"
    before, placed = kept.asked(query), kept.asked(places)
    kept.move(BELOW)
    below = kept.asked(query)
    kept.move()
    async with Rememora.open(settings=kept.settings, background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        known = {memory.key: memory for memory in (await ana.memories.list()).items}
        (later,) = (await ana.gate.note("O plano ouro custa R$ 250 por mês")).memories

        assert first.attribute_span is not None
        assert [(first.attribute_span.start, first.attribute_span.end)] == [tuple(row) for row in placed]
        assert [tuple(row) for row in before] == [tuple(row) for row in below]
        assert (SAID, None) == (known[first.key].value, known[first.key].attribute_value)
        assert "Recife" == known["user.location"].attribute_value
        assert str(later.attribute_value).startswith("R$ 250")
