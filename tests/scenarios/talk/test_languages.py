"""Talk in Spanish is read, answered and controlled by words; talk in a language without a pack is kept."""

from __future__ import annotations

from rememora import Rememora

FRENCH = "Je m'appelle Claire et je travaille chez Renault"


async def test_a_conversation_in_spanish(rememora: Rememora) -> None:
    """What is told is known, what is asked is answered, and what is to be forgotten is, all in Spanish."""
    carmen = rememora.user("carmen", tenant="acme")
    thread = carmen.conversation("c1")
    await thread.reply("Me llamo Carmen y trabajo en Telefónica")
    await thread.reply("mi número es 612 345 678")
    known = {memory.key: memory.value for memory in (await carmen.memories.list()).items}
    reply = await thread.reply("¿cómo me llamo?")
    forgotten = await thread.reply("olvida mi teléfono")
    left = {memory.key for memory in (await carmen.memories.list()).items}

    assert {"user.name": "Carmen", "tenant.name": "Telefónica", "user.phone": "612 345 678"} == known
    assert "Por lo que recuerdo: tu nombre es Carmen." == reply.text
    assert "Olvidé: tu teléfono." == forgotten.text
    assert {"user.name", "tenant.name"} == left


async def test_a_text_in_a_language_without_a_pack(rememora: Rememora) -> None:
    """It becomes no memory, stays in history, and is answered in the language the person spoke before."""
    claire = rememora.user("claire", tenant="acme")
    thread = claire.conversation("c1")
    await thread.reply("good morning, how are you?")
    reply = await thread.reply(FRENCH)
    verdict = (await claire.gate.note(FRENCH)).verdict

    assert [] == list((await claire.memories.list()).items)
    assert FRENCH in [message.content for message in (await thread.messages()).items]
    assert reply.text.startswith("Understood")
    assert verdict is not None
    assert "refuse.unread_language" == verdict.reason
