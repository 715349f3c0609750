"""Whom and what a memory is about: read, never guessed, and the same wherever it is said."""

from __future__ import annotations

import pytest

from rememora import Conversation, Memory, Rememora, UserMemory, render
from rememora.dashboard.sentences import subject


async def kept(ana: UserMemory, words: str) -> Memory:
    """The one active memory that holds some words."""
    (memory,) = [item for item in (await ana.memories.list()).items if words in str(item.value)]
    return memory


@pytest.mark.parametrize("said", ["lá o aluguel é 3 mil", "o carro dele é um Onix"])
async def test_a_subject_that_nobody_read_is_not_the_person(
    ana: UserMemory, chat: Conversation, said: str
) -> None:
    """Unknown stays unknown, is shown as such, and stands on no timeline of the person's."""
    await chat.reply(said)
    memory = await kept(ana, said)

    assert memory.subject is None
    assert "Subject not known" == subject(memory, "en")
    assert memory.attribute is not None
    assert [] == await ana.memories.timeline("me", memory.attribute)
    assert memory not in (await ana.memories.list(subject="me")).items


async def test_one_project_has_one_subject(ana: UserMemory, chat: Conversation) -> None:
    """However a sentence leads up to it, a project stands under its name, with its own category."""
    await chat.reply("O prazo do projeto Aurora é 30 de setembro")
    await chat.reply("Projeto Aurora: o prazo mudou para 15 de outubro")
    deadline = await kept(ana, "15 de outubro")

    assert ("Aurora", "deadline", "projects") == (deadline.subject, deadline.attribute, deadline.category)
    assert deadline.key.startswith("projects.aurora.deadline_s")
    for name in ("Aurora", "do projeto aurora", "PROJETO AURORA"):
        values = [str(value.value) for value in await ana.memories.timeline(name, "deadline")]
        assert ["30 de setembro" in values[0], "15 de outubro" in values[1]] == [True, True]


async def test_a_projects_deadline_is_known_in_another_conversation(ana: UserMemory, chat: Conversation) -> None:
    """Knowledge of a project by name is not bound to the conversation it was told in."""
    await chat.reply("O prazo do projeto Aurora é 30 de setembro")
    pack = render(await ana.conversation("another").context("qual o prazo do Aurora?"), "markdown")

    assert (await kept(ana, "30 de setembro")).conversation is None
    assert "30 de setembro" in str(pack)


async def test_a_project_named_before_is_one_afterwards(ana: UserMemory, chat: Conversation) -> None:
    """The words that call it a project may stand in an earlier turn."""
    await chat.reply("The deadline of the Orion project is March 3rd.")
    await chat.reply("The budget of Orion is $40k.")

    assert "projects" == (await kept(ana, "$40k")).category


async def test_two_people_of_one_first_name_stay_two(ana: UserMemory, chat: Conversation) -> None:
    """ "João" and "João Pedro" each have a line of their own; a title makes nobody else of them."""
    await chat.reply("O João mora em Olinda")
    await chat.reply("O João Pedro mora em Recife")
    lines = {
        name: [str(value.value) for value in await ana.memories.timeline(name, "place")]
        for name in ("João", "joao pedro", "Dr. João")
    }

    assert ["O João mora em Olinda"] == lines["João"] == lines["Dr. João"]
    assert ["O João Pedro mora em Recife"] == lines["joao pedro"]


async def test_a_corrected_statement_keeps_its_subject(ana: UserMemory, chat: Conversation) -> None:
    """The right value is about whom the wrong one was about; what a project is stays under the project."""
    await chat.reply("O prazo do projeto Aurora é 30 de setembro")
    before = await kept(ana, "30 de setembro")
    await ana.memories.correct(before.id, "O prazo do projeto Aurora é 7 de outubro")
    after = await kept(ana, "7 de outubro")

    assert (before.subject, before.attribute) == (after.subject, after.attribute) == ("Aurora", "deadline")


async def test_a_host_says_whom_a_memory_is_about(ana: UserMemory) -> None:
    """Given subject and attribute are kept, and memories are found by them, page by page."""
    await ana.remember("tenant.fleet", "12 vans", subject="a Padaria Sol", attribute="quantity")
    await ana.remember("user.name", "Ana")
    await ana.remember("people.aurora.birthday", "05-03")
    (one,) = (await ana.memories.list(subject="padaria sol")).items

    assert ("Padaria Sol", "quantity") == (one.subject, one.attribute)
    assert [one.id] == [value.memory for value in await ana.memories.timeline("Padaria Sol", "quantity")]
    assert ["user.name"] == [item.key for item in (await ana.memories.list(attribute="name")).items]
    assert ["people.aurora.birthday"] == [item.key for item in (await ana.memories.list(subject="Aurora")).items]
    assert () == (await ana.memories.list(subject="projeto Aurora")).items


async def test_events_tell_subject_and_attribute_without_names(
    rememora: Rememora, ana: UserMemory, chat: Conversation
) -> None:
    """`me` and `company` are told as they are, a name as its digest, the same in every event of the tenant."""
    await ana.remember("user.name", "Ana")
    await chat.reply("O prazo do projeto Aurora é 30 de setembro")
    await chat.reply("lá o aluguel é 3 mil")
    await ana.forget("projects.aurora")
    events = await rememora.tenant("acme", acting="boss").events.list(limit=1000)
    changes = [event.payload for event in events if event.type in ("memory.updated", "memory.deleted")]
    attempts = [event.payload for event in events if event.type == "memory.save_attempt"]
    aurora = {payload.get("subject") for payload in changes if payload.get("attribute") == "deadline"}

    assert {("me", "name"), (None, "price")} <= {
        (payload.get("subject"), payload["attribute"]) for payload in changes
    }
    assert [1, True] == [len(aurora), all(str(name).startswith("#") for name in aurora)]
    assert {"me", *aurora} <= {payload.get("subject") for payload in attempts}
    assert "memory.deleted" in {event.type for event in events if event.payload.get("subject") in aurora}
    assert not any("urora" in str(event.payload.get("subject")) for event in events)


async def test_a_consequence_is_not_about_whom_its_rule_names(ana: UserMemory, chat: Conversation) -> None:
    """The rule is about Davi; what follows from it names nobody, and its subject is not known."""
    for said in (
        "se o Davi assumir a cozinha, o turno passa a começar às 7h15",
        "novidade: o Davi assumiu a cozinha",
    ):
        await chat.reply(said)
    (made,) = [item for item in (await ana.memories.list()).items if item.because]

    assert made.subject is None
    assert "Davi" == (await ana.memories.get(made.because or "")).subject
