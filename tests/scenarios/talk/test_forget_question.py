"""Likely wishes to forget are silent from the question on, until a no, another choice, or an undo."""

from __future__ import annotations

import pytest

from rememora import Conversation, Rememora, UserMemory

PHONES = {"lia": "81 98888-7777", "rute": "81 97777-6666"}


async def told(ana: UserMemory) -> str:
    """All that a model would be told in another conversation."""
    pack = await ana.conversation("elsewhere").context("Quais são os telefones da Lia e da Rute?", budget=2_000)
    return "\n".join(item.text for item in pack.items)


async def asked(rememora: Rememora, ana: UserMemory, chat: Conversation) -> None:
    """Tell two numbers, and wish one of them gone without saying which."""
    for name, phone in PHONES.items():
        await ana.remember(f"people.{name}.phone", phone)
    reply = await chat.reply("esquece o telefone")
    await rememora.settle()
    assert ["asked"] == [deed.kind for deed in reply.deeds]
    assert all(phone in reply.text for phone in PHONES.values())


async def test_what_is_asked_about_is_not_told(rememora: Rememora, ana: UserMemory, chat: Conversation) -> None:
    """Neither the memories nor the question that repeats them."""
    await asked(rememora, ana, chat)
    said = await told(ana)
    texts = [hit.content for hit in await ana.recall("telefone 98888-7777 97777-6666")]

    assert {("active", True)} == {
        (memory.status, memory.suppressed) for memory in (await ana.memories.list()).items
    }
    assert not [phone for phone in PHONES.values() if phone in said or any(phone in text for text in texts)]


async def test_a_choice_forgets_it_and_the_other_is_told_again(
    rememora: Rememora, ana: UserMemory, chat: Conversation
) -> None:
    """The answer does what was asked, and nothing more."""
    await asked(rememora, ana, chat)
    done = await chat.reply("a segunda")
    await rememora.settle()
    left = [memory for memory in (await ana.memories.list()).items if memory.status == "active"]

    assert ["forgotten"] == [deed.kind for deed in done.deeds]
    assert [False] == [memory.suppressed for memory in left]
    said = await told(ana)
    assert {True, False} == {phone in said for phone in PHONES.values()}


@pytest.mark.parametrize("answer", ["não", "nenhuma", "desfaz isso"])
async def test_no_and_undo_let_all_be_told_again(
    rememora: Rememora, ana: UserMemory, chat: Conversation, answer: str
) -> None:
    """Nothing is lost by a question."""
    await asked(rememora, ana, chat)
    await chat.reply(answer)
    await rememora.settle()

    assert not [memory for memory in (await ana.memories.list()).items if memory.suppressed]
    said = await told(ana)
    assert all(phone in said for phone in PHONES.values())


async def test_without_an_answer_it_stays_silent_and_can_be_restored(
    rememora: Rememora, ana: UserMemory, chat: Conversation
) -> None:
    """The last that the person said of it was that it should go."""
    await asked(rememora, ana, chat)
    await chat.reply("Hoje está chovendo muito.")

    assert PHONES["lia"] not in await told(ana)
    await ana.memories.restore("people.lia.phone")
    await rememora.settle()
    assert PHONES["lia"] in await told(ana)


async def test_what_the_person_had_silenced_stays_so(ana: UserMemory, chat: Conversation) -> None:
    """A question about it suppresses nothing, so that a "no" brings nothing back."""
    kept = await ana.remember("user.marital_status", "divórcio em andamento")
    assert kept.memory is not None
    await ana.memories.suppress(kept.memory.id)
    await chat.reply("esquece aquilo do divórcio, por favor")
    await chat.reply("não")

    assert (await ana.memories.get(kept.memory.id)).suppressed


async def test_words_that_hardly_ask_to_forget_suppress_nothing(ana: UserMemory, chat: Conversation) -> None:
    """A verb of deleting beside a known word is at most a question."""
    await ana.remember("prefs.vela", "de cera de abelha")
    await chat.reply("Apague a vela antes de dormir, dizia minha avó.")

    assert not (await ana.memories.get("prefs.vela")).suppressed


SUPPLIERS = "meus fornecedores: camarão do Elielson, jambu da dona Nazaré e tucupi do Tonho"


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        ("a dona Nazaré", ["Elielson", "Tonho"]),
        ("o primeiro", ["Nazaré", "Tonho"]),
        ("1 e 3", ["Nazaré"]),
        ("o último", ["Elielson", "Nazaré"]),
        ("todos", []),
        ("nenhum", ["Elielson", "Nazaré", "Tonho"]),
    ],
)
async def test_one_of_several_is_asked_for_by_name(
    rememora: Rememora, ana: UserMemory, chat: Conversation, answer: str, kept: list[str]
) -> None:
    """No guess, and the answer takes nothing but what it picks, which is not told again."""
    await chat.reply(SUPPLIERS)
    done = await chat.reply("tira um dos fornecedores da lista")
    assert ["asked"] == [deed.kind for deed in done.deeds]
    assert [True] * 3 == [name in done.text for name in ("Elielson", "Nazaré", "Tonho")]

    await chat.reply(answer)
    await rememora.settle()
    left = " ".join(str(memory.value) for memory in (await ana.memories.list()).items)
    pack = await ana.conversation("elsewhere").context("Quem são meus fornecedores?", budget=2_000)
    in_pack = "\n".join(item.text for item in pack.items)

    assert kept == [name for name in ("Elielson", "Nazaré", "Tonho") if name in left]
    assert kept == [name for name in ("Elielson", "Nazaré", "Tonho") if name in in_pack]


@pytest.mark.parametrize("answer", ["sim", "e o prazo do IPTU?", "hoje choveu"])
async def test_no_choice_leaves_the_list_whole(ana: UserMemory, chat: Conversation, answer: str) -> None:
    """A yes does not say which."""
    await chat.reply(SUPPLIERS)
    await chat.reply("tira um dos fornecedores da lista")
    await chat.reply(answer)

    assert SUPPLIERS in [memory.value for memory in (await ana.memories.list()).items]


async def test_the_heading_of_a_list_is_none_of_its_things(ana: UserMemory, chat: Conversation) -> None:
    """Without it, nobody knows what is listed."""
    await chat.reply(SUPPLIERS)
    done = await chat.reply("tira o tucupi da lista de fornecedores")
    [left] = [str(memory.value) for memory in (await ana.memories.list()).items]

    assert ["taken_off"] == [deed.kind for deed in done.deeds]
    assert left.startswith("meus fornecedores: ")
    assert "Tonho" not in left


async def test_a_wish_behind_a_statement_is_asked_about_and_silent(
    rememora: Rememora, ana: UserMemory, chat: Conversation
) -> None:
    """The message as a whole asks for it, though half of it tells something; a "no" brings it back."""
    await chat.reply("a Priscila da festa do Enzo pediu 2 centos pra sábado")
    done = await chat.reply("a Priscila me deu calote, apaga ela daí")
    await rememora.settle()
    [asked_about] = (await ana.memories.list()).items

    assert ["asked"] == [deed.kind for deed in done.deeds]
    assert asked_about.suppressed
    await chat.reply("não")
    assert not (await ana.memories.get(asked_about.id)).suppressed


async def test_several_of_a_list_without_a_colon_go_at_once(ana: UserMemory, chat: Conversation) -> None:
    """The rest has no "and" after the first is gone, and is a list all the same."""
    await chat.reply("meus fornecedores são a Alfa Tintas, a Beta Cal e a Gama Telhas")
    done = await chat.reply("tira um dos fornecedores da lista")
    assert "meus fornecedores" not in done.text

    await chat.reply("1 e 2")
    [left] = [str(memory.value) for memory in (await ana.memories.list()).items if memory.status == "active"]

    assert "meus fornecedores são a Gama Telhas" == left
