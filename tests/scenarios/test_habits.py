"""How a person talks becomes known: inferred, under the gate, with its evidence, and theirs to refuse."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.clock import SetClock

from rememora import Memory, Rememora, Settings, UserMemory

FIRST_MORNING = datetime(2026, 1, 5, 8, 10, tzinfo=UTC)
SAID = (
    "oi, quero ver as vendas de ontem",
    "mais curto, por favor",
    "e o estoque da loja, como está?",
    "manda o relatório de vendas da semana",
)
TALK_DAYS, TURNS_A_DAY = 10, 8


async def talk(
    rememora: Rememora, *, days: int = TALK_DAYS, start: datetime = FIRST_MORNING, anew: bool = False
) -> None:
    """Short messages in Portuguese, morning after morning, on WhatsApp; `anew` in a conversation a day."""
    ana = rememora.user("ana", tenant="acme")
    for day in range(days):
        said: list[dict[str, Any]] = []
        for turn in range(TURNS_A_DAY):
            at = start + timedelta(days=day, minutes=turn)
            content = SAID[(turn // 2) % len(SAID)] if turn % 2 == 0 else "Certo, já envio."
            said.append({"role": "user" if turn % 2 == 0 else "assistant", "content": content, "created_at": at})
        await ana.conversation(f"zap{day}" if anew else "zap", channel="whatsapp").append_many(said)


async def known(rememora: Rememora) -> dict[str, Memory]:
    page = await rememora.user("ana", tenant="acme").memories.list(limit=100)
    return {memory.key: memory for memory in page.items}


async def test_habits_are_learned_with_their_evidence(rememora: Rememora) -> None:
    """Language, length, hours, channel and topics, each inferred, each naming messages that show it."""
    await talk(rememora)
    await rememora.settle()
    result = await known(rememora)
    stored = await rememora.user("ana", tenant="acme").conversation("zap").messages(limit=1000)
    ids = {message.id for message in stored.items}

    assert "pt" == result["user.preferred_language"].value
    assert "whatsapp" == result["prefs.preferred_channel"].value
    assert result["prefs.short_answers"].value is True
    assert "08:00-09:00" == result["prefs.active_hours"].value
    assert "vendas" in result["prefs.topics"].value
    for memory in result.values():
        assert ("inferred", "personal") == (memory.source, memory.scope)
        assert 0.7 <= memory.confidence < 1
        assert memory.source_ref in ids
        assert memory.evidence is not None
        assert memory.source_ref in memory.evidence


async def test_terse_messages_teach_no_language_and_no_errand(rememora: Rememora, ana: UserMemory) -> None:
    """Words that tell no language are no Portuguese, and what is asked day by day is no topic."""
    await ana.remember("user.locale", "en-US")
    query = ("Send invoice Dana", "Need help", "Kids start school Monday", "Order printer toner")
    for day in range(TALK_DAYS):
        at = FIRST_MORNING + timedelta(days=day)
        await ana.conversation("c").append_many(
            [
                {"role": role, "content": content, "created_at": at}
                for text in query
                for role, content in (("user", text), ("assistant", "Done."))
            ]
        )
    await rememora.settle()
    result = await known(rememora)

    assert "user.preferred_language" not in result
    assert "dana" == result["prefs.topics"].value


async def test_short_conversations_show_habits_together(rememora: Rememora) -> None:
    """No conversation is long enough to tell anything alone."""
    await talk(rememora, anew=True)
    await rememora.settle()

    assert "whatsapp" == (await known(rememora))["prefs.preferred_channel"].value


@pytest.mark.parametrize("profile", [{"timezone": "America/Sao_Paulo"}, {"locale": "pt-BR"}])
async def test_hours_are_those_of_the_person(rememora: Rememora, profile: dict[str, str]) -> None:
    """Eight in the morning in Greenwich is five in São Paulo."""
    await rememora.user("ana", tenant="acme").profile.seed(profile)
    await talk(rememora)
    await rememora.settle()

    assert "05:00-06:00" == (await known(rememora))["prefs.active_hours"].value


async def test_nothing_changes_while_the_habits_stay(rememora: Rememora) -> None:
    """More of the same leaves the same memories, and no new entry in the chain."""
    await talk(rememora)
    await rememora.settle()
    before = await known(rememora)
    chain = await rememora.tenant("acme", acting="bia").audit.verify()
    await talk(rememora, start=FIRST_MORNING + timedelta(days=TALK_DAYS))
    await rememora.settle()

    assert before == await known(rememora)
    assert chain == await rememora.tenant("acme", acting="bia").audit.verify()


async def test_a_habit_that_changes_takes_the_place_of_the_old_one(rememora: Rememora, ana: UserMemory) -> None:
    """Who moves to another hour is known by the new one; what they said themselves stays."""
    await ana.remember("prefs.preferred_channel", "e-mail")
    await talk(rememora)
    await rememora.settle()
    later = FIRST_MORNING + timedelta(days=TALK_DAYS, hours=11)
    await talk(rememora, days=40, start=later)
    await rememora.settle()
    result = await known(rememora)

    assert "19:00-20:00" == result["prefs.active_hours"].value
    assert result["prefs.active_hours"].supersedes is not None
    assert ("e-mail", "explicit_user") == (
        result["prefs.preferred_channel"].value, result["prefs.preferred_channel"].source,
    )  # fmt: skip


async def test_what_the_person_forgot_is_not_learned_again(rememora: Rememora) -> None:
    """A habit that was forgotten stays forgotten while it is the same."""
    await talk(rememora)
    await rememora.settle()
    await rememora.user("ana", tenant="acme").forget("prefs.active_hours")
    await talk(rememora, start=FIRST_MORNING + timedelta(days=TALK_DAYS))
    await rememora.settle()

    assert "prefs.active_hours" not in await known(rememora)


async def test_little_is_said_and_nothing_is_learned(rememora: Rememora) -> None:
    """Forty turns are not a habit."""
    await talk(rememora, days=5)
    await rememora.settle()

    assert {} == await known(rememora)


async def test_a_habit_in_doubt_is_asked_about_in_words(rememora: Rememora, ana: UserMemory) -> None:
    """The question says what was counted as a sentence, and shows no key and no ids."""
    await talk(rememora, days=7)
    await talk(rememora, days=3, start=FIRST_MORNING + timedelta(days=7, hours=11))
    await rememora.settle()
    (question,) = [proposal for proposal in await ana.proposals.list() if proposal.key == "prefs.active_hours"]

    assert f"seu horário habitual é {question.value}" in question.question("pt")
    assert f"your usual hours are {question.value}" in question.question("en")
    assert "prefs." not in question.question("pt")


async def test_an_erasure_takes_the_habits_along(rememora: Rememora) -> None:
    """Nothing of what was learned stays, nor anything that would learn it again."""
    await talk(rememora)
    await rememora.settle()
    await rememora.user("ana", tenant="acme").erase(person=True, history=True)
    await rememora.settle()

    assert {} == await known(rememora)


@pytest.mark.parametrize("off", [{"layers.patterns": False}])
async def test_it_can_be_turned_off(settings: Settings, clock: SetClock, off: dict[str, Any]) -> None:
    """Where the layer is off nobody looks."""
    chosen = Settings.load({"store.url": settings.store.url, **off}, environ={})
    async with Rememora.open(settings=chosen, clock=clock, background=False) as rememora:
        await talk(rememora)
        await rememora.settle()

        assert {} == await known(rememora)
