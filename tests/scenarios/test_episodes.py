"""Short memory becomes medium memory: when an episode is made, what it holds, and what is told of it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import pytest
from tests.clock import SetClock
from tests.scenarios.test_summaries import chat_of, say

from rememora import Conversation, Event, Rememora, Settings, SyncRememora, UserMemory
from rememora.domain.scope import Scope
from rememora.engines import open_store
from rememora.errors import Conflict, InvalidInput, NotFound
from rememora.history.episode_summary import summarise_due
from rememora.history.episodes import cut_due
from rememora.ports.store import UnitOfWork


async def told(rememora: Rememora) -> list[Event]:
    """The events of episodes, in order."""
    return await rememora.tenant("acme", acting="root").events.list(types=["memory.episode.created"], limit=1000)


async def ends(chat: Conversation) -> list[int]:
    """The turn counts that have an episode, in order."""
    return [episode.turns for episode in reversed(await chat.list_episodes(limit=1000))]


def newest_number(work: UnitOfWork, scope: Scope) -> int:
    """The number of the last change of the user's index."""
    return work.index.changes(scope, after=0, limit=1000).newest


async def test_the_answer_that_reaches_ten_makes_the_episode(rememora: Rememora) -> None:
    """It is there with its event when the append returns, under the user's first words, and told later."""
    chat = chat_of(rememora)
    await chat.append("system", "regra")
    await say(chat, 1, 9)

    assert [] == await chat.list_episodes()

    await say(chat, 10, 10)
    (episode,) = await chat.list_episodes()
    (event,) = await told(rememora)

    assert (10, 2, 11) == (episode.turns, episode.first_seq, episode.last_seq)
    assert ("O item <1> custa R$ 1,00 no pedido.", "") == (episode.title, episode.summary)
    assert {"tenant_id": "acme", "session_id": "c1", "turn_count": 10} == event.payload
    assert episode.id == event.subject
    assert ("acme", "ana", "c1") == (event.tenant, event.user, event.conversation)


async def test_an_episode_is_told_once_the_append_is_over(rememora: Rememora) -> None:
    """The worker gives it title and summary; it is the same episode, and nothing more is announced."""
    chat = chat_of(rememora)
    await chat.append("user", "  Bom\n dia!  ")
    await say(chat, 2, 10)
    (stored,) = await chat.list_episodes()
    await rememora.settle()
    (episode,) = await chat.list_episodes()

    assert ("Bom dia!", "") == (stored.title, stored.summary)
    assert "Bom dia!" != episode.title
    assert "<3>" in episode.summary
    assert stored == msgspec.structs.replace(episode, title=stored.title, summary=stored.summary)
    assert 1 == len(await told(rememora))


async def test_an_episode_is_found_by_its_title_and_then_by_its_summary(
    rememora: Rememora, ana: UserMemory, chat: Conversation
) -> None:
    """In the index it is there at once, and again when it is told."""
    await chat.append("user", "Bom dia, turma!")
    await say(chat, 2, 9)
    await chat.append("assistant", "O contrato com a Acme custa R$ 500 por ano.")
    early = [len(await ana.recall(query, kinds=["episode"])) for query in ("turma", "contrato")]
    await rememora.settle()
    late = [len(await ana.recall(query, kinds=["episode"])) for query in ("pedido", "contrato")]

    assert ([1, 0], [1, 1]) == (early, late)


async def test_workers_that_race_tell_an_episode_once(rememora: Rememora, settings: Settings) -> None:
    """Each of three stores tells what waits; one is heard, as the index shows, and then nothing waits."""
    chat = chat_of(rememora)
    await say(chat, 1, 20)
    stores = [await open_store(settings) for _ in range(3)]
    scope = chat.scope
    (before, *_) = [await store.read(scope, lambda work: newest_number(work, scope)) for store in stores]
    busy = await asyncio.gather(*(summarise_due(store, settings=settings.episodes) for store in stores))
    after = await stores[0].read(scope, lambda work: newest_number(work, scope))
    idle = await summarise_due(stores[0], settings=settings.episodes)
    for store in stores:
        await store.close()

    assert (True, False) == (any(busy), idle)
    assert before + 2 == after
    assert all(episode.summary for episode in await chat.list_episodes())


async def test_a_conversation_deleted_while_its_episode_is_told_stays_deleted(
    rememora: Rememora, settings: Settings
) -> None:
    """The same turns said again make an episode of their own, which the late teller leaves alone."""
    chat = chat_of(rememora)
    await say(chat, 1, 10)
    late = (await chat.list_episodes())[0]
    await chat.delete()
    gone = await chat.list_episodes()
    await say(chat, 1, 10)
    store = await open_store(settings)
    heard = await store.write(chat.scope, lambda work: work.episodes.tell(chat.scope, late))
    await store.close()

    assert ([], False) == (gone, heard)


async def test_what_is_said_by_hand_is_not_told_again(rememora: Rememora) -> None:
    """The worker tells only what nobody has told."""
    chat = chat_of(rememora)
    await say(chat, 1, 14)
    made = await chat.append_episode(title="Pedido")
    await rememora.settle()
    newest, oldest = await chat.list_episodes()

    assert made == newest
    assert "<11>" in made.summary
    assert oldest.summary


async def test_a_users_tenth_waits_for_the_answer(rememora: Rememora) -> None:
    """Both sides first: the episode comes with the next append, and covers ten turns all the same."""
    chat = chat_of(rememora)
    await say(chat, 1, 10, role="user")
    before = await ends(chat)
    await chat.append("system", "not a side of the talk")
    aside = await ends(chat)
    await say(chat, 11, 11, role="assistant")
    (episode,) = await chat.list_episodes()

    assert (before, aside) == ([], [])
    assert (10, 1, 10) == (episode.turns, episode.first_seq, episode.last_seq)
    assert 1 == len(await told(rememora))


async def test_an_answer_that_never_comes_is_not_waited_for_long(
    rememora: Rememora, settings: Settings, clock: SetClock
) -> None:
    """The background loop lets the grace pass; `settle()` does not wait."""
    chat = chat_of(rememora)
    await say(chat, 1, 10, role="user")
    store = await open_store(settings)
    clock.advance(59)
    early = await cut_due(store, settings=settings.episodes, clock=clock, patient=True)
    clock.advance(1)
    late = await cut_due(store, settings=settings.episodes, clock=clock, patient=True)
    await store.close()

    assert (False, True, [10]) == (early, late, await ends(chat))

    await say(chat, 11, 20, role="user")
    await rememora.settle()

    assert [10, 20] == await ends(chat)
    assert 2 == len(await told(rememora))


async def test_each_episode_has_a_grace_of_its_own(
    rememora: Rememora, settings: Settings, clock: SetClock
) -> None:
    """An episode that was answered leaves nothing due: the next one that waits gets its whole minute."""
    chat = chat_of(rememora)
    await say(chat, 1, 10, role="user")
    await say(chat, 11, 11, role="assistant")
    clock.advance(600)
    await say(chat, 12, 20, role="user")
    store = await open_store(settings)
    busy = await cut_due(store, settings=settings.episodes, clock=clock, patient=True)
    await store.close()

    assert (False, [10]) == (busy, await ends(chat))


async def test_an_import_makes_every_episode_it_passes(rememora: Rememora) -> None:
    """However many multiples one call passes, each has its episode, and together they cover every turn once."""
    chat = chat_of(rememora)
    await chat.append_many({"role": "assistant", "content": f"<{number}>"} for number in range(1, 1235))
    episodes = (await chat.list_episodes(limit=1000))[::-1]

    assert list(range(10, 1231, 10)) == [episode.turns for episode in episodes]
    assert [(end - 9, end) for end in range(10, 1231, 10)] == [
        (episode.first_seq, episode.last_seq) for episode in episodes
    ]
    assert [episode.id for episode in episodes] == [event.subject for event in await told(rememora)]


async def test_a_retried_append_makes_no_second_episode(rememora: Rememora) -> None:
    """The same messages under the same ids, again and again, are one episode."""
    chat = chat_of(rememora)
    for _ in range(3):
        for number in range(1, 11):
            await chat.append("assistant", f"<{number}>", id=f"m{number}")

    assert [10] == await ends(chat)
    assert 1 == len(await told(rememora))


async def test_the_summary_is_told_only_where_allowed(tmp_path: Path, clock: SetClock) -> None:
    """Events hold no content unless the setting says so."""
    settings = Settings.load({"store.url": str(tmp_path), "episodes.tell_summary": True}, environ={})
    async with Rememora.open(settings=settings, clock=clock, background=False) as rememora:
        chat = chat_of(rememora)
        await say(chat, 1, 10)
        (episode,) = await chat.list_episodes()
        (event,) = await told(rememora)

        assert episode.summary == event.payload["summary"] != ""


async def test_an_episode_can_be_appended_by_hand(rememora: Rememora) -> None:
    """It ends at the newest turn, asked twice it is one, and the next multiple goes on from it."""
    chat = chat_of(rememora)
    await say(chat, 1, 14)
    made = await chat.append_episode(title="Pedido", summary="Ana fechou o pedido.")
    again = await chat.append_episode()
    await say(chat, 15, 20)

    assert made == again
    assert (14, 11, 14, "Pedido") == (made.turns, made.first_seq, made.last_seq, made.title)
    assert [10, 14, 20] == await ends(chat)
    assert [10, 14, 20] == [event.payload["turn_count"] for event in await told(rememora)]


async def test_what_is_there_is_not_told_otherwise(rememora: Rememora) -> None:
    """An episode that stands is not silently rewritten, and a conversation without turns has none."""
    chat = chat_of(rememora)
    await say(chat, 1, 10)

    with pytest.raises(Conflict):
        await chat.append_episode(summary="outra história")
    with pytest.raises(NotFound):
        await chat_of(rememora, "nowhere").append_episode()
    with pytest.raises(InvalidInput, match="limit"):
        await chat.list_episodes(limit=0)


async def test_a_user_lists_all_episodes_or_one_conversations(rememora: Rememora, clock: SetClock) -> None:
    """Newest first over all conversations, none of another user's."""
    ana, bia = rememora.user("ana", tenant="acme"), rememora.user("bia", tenant="acme")
    for name in ("c1", "c2"):
        await say(ana.conversation(name), 1, 20)
        clock.advance(1)
    await say(bia.conversation("c1"), 1, 10)

    mine = [(episode.conversation, episode.turns) for episode in await ana.conversations.episodes()]

    assert [("c2", 20), ("c2", 10), ("c1", 20), ("c1", 10)] == mine
    assert [20, 10] == [episode.turns for episode in await ana.conversations.episodes(conversation="c1")]
    assert [20] == [episode.turns for episode in await ana.conversations.episodes(conversation="c2", limit=1)]


def test_plain_code_has_the_same_verbs(settings: Settings) -> None:
    """Summary and episodes without `await`."""
    with SyncRememora.open(settings=settings, background=False) as rememora:
        chat = rememora.user("ana", tenant="acme").conversation("c1")
        chat.append_many({"role": "assistant", "content": f"R$ {number},00 <{number}>"} for number in range(1, 26))
        rememora.settle()
        summary = chat.summary()

        assert summary is not None
        assert 15 == summary.covered
        assert [20, 10] == [episode.turns for episode in chat.list_episodes()]
        assert 25 == chat.append_episode().turns
