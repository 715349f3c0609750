"""Knowledge that evolves: timelines, rules that come true, what is put in doubt, and lists that lose one thing."""

from __future__ import annotations

import random
from datetime import timedelta
from pathlib import Path

import pytest
from tests.calm import CALM
from tests.clock import MIDDAY, SetClock

from rememora import Conversation, Rememora, Settings, UserMemory, render
from rememora.domain.verdict import Origin
from rememora.errors import NotFound
from rememora.language.amended import newest

RULES = [
    (
        "O turno da cozinha começa às 9h30",
        "se o Davi assumir a cozinha, o turno passa a começar às 7h15",
        "novidade: o Davi assumiu a cozinha ontem",
        ("9h30", "7h15"),
        "será que o Davi vai assumir a cozinha?",
    ),
    (
        "Deliveries for the bakery leave at 5:40 am.",
        "once Rosalind takes the morning route, deliveries leave at 4:50 am",
        "Rosalind took the morning route this Monday.",
        ("5:40", "4:50"),
        "do you think Rosalind will take the morning route?",
    ),
]
"""What holds, the rule, what makes it true, the old and the new value, and a question that makes nothing true."""


async def known(ana: UserMemory) -> str:
    return " | ".join(str(memory.value) for memory in (await ana.memories.list()).items)


@pytest.mark.parametrize(("holds", "rule", "trigger", "values", "question"), RULES)
async def test_a_rule_takes_effect_when_its_condition_comes_true(
    ana: UserMemory, holds: str, rule: str, trigger: str, values: tuple[str, str], question: str
) -> None:
    """Not when it is told, nor when its condition is asked about; then its consequence replaces what held."""
    old, new = values
    chat = ana.conversation("c1")
    for text in (holds, rule, question):
        await chat.reply(text)
    before = [memory for memory in (await ana.memories.list()).items if memory.because is not None]
    reply = await chat.reply(trigger)
    made = [memory for memory in (await ana.memories.list()).items if memory.because is not None]
    (ruling,) = [memory for memory in (await ana.memories.list()).items if memory.id == made[0].because]

    assert [] == before
    assert [new in str(memory.value) for memory in made] == [True]
    assert old not in newest(str(made[0].value))
    assert not [memory for memory in (await ana.memories.list()).items if str(memory.value) == holds]
    assert new in reply.text
    assert [made[0].id] == [memory.id for memory in await ana.memories.dependents(ruling.id)]
    assert new in str((await ana.memories.timeline(made[0].id))[-1].value)


async def test_a_memory_is_explained_by_what_it_rests_on(ana: UserMemory, chat: Conversation) -> None:
    """A rule and its consequence name each other; a rule that was forgotten is not told any more."""
    _, rule, trigger, (_, new), _ = RULES[0]
    for text in (rule, trigger):
        await chat.reply(text)
    (made,) = [memory for memory in (await ana.memories.list()).items if memory.because is not None]
    assert made.because is not None
    effect, cause = await ana.memories.explain(made.id), await ana.memories.explain(made.because)
    await ana.forget(made.because)
    after = await ana.memories.explain(made.id)

    assert [made.because] == [memory.id for memory in effect.rests_on]
    assert [made.id] == [memory.id for memory in cause.dependents]
    assert [(made.id, made.because, "rule")] == [
        (link.dependent, link.rests_on, link.tie) for link in effect.links
    ]
    assert effect.links == cause.links
    assert new in str(effect.timeline[-1].value)
    assert "create" in [entry.action for entry in effect.history]
    assert ([], []) == (after.rests_on, after.links)
    with pytest.raises(NotFound):
        await ana.memories.explain("nothing")


async def test_what_a_rule_did_can_be_undone(ana: UserMemory, chat: Conversation) -> None:
    """Undone, all stands as before, and the rule can come true again."""
    holds, rule, trigger, (old, _), _ = RULES[0]
    for text in (holds, rule):
        await chat.reply(text)
    before = sorted(memory.id for memory in (await ana.memories.list()).items)
    await chat.reply(trigger)
    await chat.reply("desfaz")

    assert before == sorted(memory.id for memory in (await ana.memories.list()).items)
    assert old in await known(ana)


async def test_no_document_makes_a_rule_true(ana: UserMemory, chat: Conversation) -> None:
    """Only what the person says first hand: a tool's or a document's words change nothing."""
    holds, rule, trigger, (old, _), _ = RULES[0]
    for text in (holds, rule):
        await chat.reply(text)
    for origin in (Origin.TOOL, Origin.DOCUMENT):
        await ana.gate.note(trigger, origin=origin)

    assert old in await known(ana)


async def test_what_rests_on_a_change_is_doubtful_until_it_is_confirmed(ana: UserMemory, clock: SetClock) -> None:
    """It stays, marked with the change and its day; confirmed, the mark is gone."""
    chat = ana.conversation("c1")
    await chat.reply("Vou a pé pra academia porque é na esquina de casa")
    await chat.reply("O cachorro se chama Thor")
    clock.now = MIDDAY + timedelta(days=30)
    await chat.reply("mudei ontem, agora tô morando na zona sul")
    doubted = [memory for memory in (await ana.memories.list()).items if memory.doubted_at is not None]
    pack = render(await ana.conversation("c2").context("como eu vou pra academia?"), "markdown")
    settled = await ana.memories.confirm(doubted[0].id)

    assert ["academia" in str(memory.value) for memory in doubted] == [True]
    assert "may no longer hold" in str(pack)
    assert (None, None) == (settled.doubted_at, settled.doubted_by)
    assert "doubt" in [entry.action for entry in await ana.memories.history(settled.id)]


async def test_what_rests_on_somebody_who_left_is_doubtful(ana: UserMemory, clock: SetClock) -> None:
    """What has nothing to do with them is not, and no line of a pack tells it without the mark."""
    chat = ana.conversation("c1")
    await chat.reply("guardo minhas ferramentas no depósito da Jussara, que é minha vizinha")
    await chat.reply("O cachorro se chama Thor")
    clock.now = MIDDAY + timedelta(days=30)
    await ana.conversation("c2").reply("a Jussara foi embora do prédio, se mudou pra Floripa")
    doubted = [str(memory.value) for memory in (await ana.memories.list()).items if memory.doubted_at is not None]
    pack = str(render(await ana.conversation("c3").context("onde eu guardo minhas ferramentas?"), "markdown"))
    lines = [line for line in pack.splitlines() if "depósito" in line]

    assert ["depósito" in item for item in doubted] == [True]
    assert lines
    assert ["may no longer hold since" in line for line in lines] == [True] * len(lines)


async def test_a_consequence_says_what_made_its_rule_true(ana: UserMemory, chat: Conversation) -> None:
    holds, rule, trigger, (_, new), _ = RULES[0]
    for text in (holds, rule, trigger):
        await chat.reply(text)
    pack = str(render(await ana.conversation("c2").context("a que horas começa o turno da cozinha?"), "markdown"))
    (reply,) = [line for line in pack.splitlines() if "by the rule told on" in line]

    assert new in reply
    assert f"which came true: “{trigger}”" in reply


@pytest.mark.parametrize(
    ("rule", "trigger", "new"),
    [
        ("as soon as the north tower opens, pickup goes to Bluepail",
         "Long day. The north tower opened last Friday, ribbon and all.", "Bluepail"),
        ("o combinado no contrato: assim que eu completar um ano de loja, a comissão sobe pra 4,5%",
         "hoje completei um ano de loja!", "4,5%"),
    ],
)  # fmt: skip
async def test_a_sentence_with_the_words_of_a_condition_makes_it_true(
    ana: UserMemory, rule: str, trigger: str, new: str
) -> None:
    """However long the message, and whatever the rule is called."""
    chat = ana.conversation("c1")
    await chat.reply(rule)
    await chat.reply(trigger)
    made = [str(memory.value) for memory in (await ana.memories.list()).items if memory.because is not None]

    assert [new in value for value in made] == [True]


async def test_an_answer_of_the_host_is_hidden_with_what_it_repeats(chat: Conversation) -> None:
    """It need not say which message it answers; one that repeats nothing stays."""
    await chat.reply("Names we like for the new litter: Bramble, Quill, Tansy and Pewter.")
    repeats = await chat.append("assistant", "Bramble, Quill, Tansy or Pewter. All of them sound like trouble.")
    await chat.reply("My dentist is Dr. Paulo.")
    plain = await chat.append("assistant", "Lovely, thanks.")
    await chat.reply("About the litter names: forget Quill, my wife hates it.")
    hidden = {message.id: message.hidden for message in (await chat.messages()).items}

    assert hidden[repeats.id] is not None
    assert hidden[plain.id] is None


async def test_a_secret_that_was_never_kept_is_hidden_whole(ana: UserMemory, chat: Conversation) -> None:
    """Its clauses are no list: no part of it comes back as what is left."""
    await chat.append(
        "user", "Confidencio-lhe um episódio: o senhor Evaristo, do 702, perdeu o carro em apostas e veio chorar."
    )
    await ana.conversation("c2").reply(
        "Quanto àquela confidência da semana passada sobre um vizinho, rogo que a esqueça inteiramente."
    )
    pack = str(render(await ana.conversation("c3").context("o que houve com o vizinho?"), "markdown"))

    assert "Evaristo" not in pack
    assert "Evaristo" not in await known(ana)


async def test_a_thing_is_taken_off_a_list_of_which_no_memory_came(ana: UserMemory, chat: Conversation) -> None:
    """The turn that listed it is hidden, and its siblings are kept."""
    await chat.append("user", "to buy: smoker fuel, queen excluder, entrance reducers, a new hive tool")
    reply = await chat.reply("queen excluder can come off the list, had one behind the mower all along")
    pack = str(render(await ana.conversation("c2").context("what do I have to buy?"), "markdown"))

    assert ["taken_off"] == [action.kind for action in reply.deeds]
    assert "to buy: smoker fuel, entrance reducers, a new hive tool" == await known(ana)
    assert "excluder" not in pack


@pytest.mark.parametrize(
    ("text", "wish", "gone", "left"),
    [
        ("pra horta eu quero plantar: salsa, capuchinha (a muda é da Nadir) e coentro",
         "da lista da horta pode tirar aquela da muda da Nadir", "capuchinha", ("salsa", "coentro")),
        ("Names we like for the new litter: Bramble, Quill, Tansy and Pewter.",
         "About the litter names: forget Quill, my wife hates it.", "Quill", ("Bramble", "Tansy")),
    ],
)  # fmt: skip
async def test_one_thing_is_taken_off_a_list(
    ana: UserMemory, text: str, wish: str, gone: str, left: tuple[str, ...]
) -> None:
    """Its siblings stay, and no pack tells the turn in which it was named."""
    chat = ana.conversation("c1")
    await chat.reply(text)
    await chat.reply(wish)
    pack = str(render(await ana.conversation("c2").context(left[0]), "markdown"))

    assert gone not in await known(ana)
    assert [word in await known(ana) for word in left] == [True] * len(left)
    assert gone not in pack.replace(wish, "")


@pytest.mark.parametrize("seed", range(3))
async def test_a_timeline_is_a_replay(rememora: Rememora, clock: SetClock, seed: int) -> None:
    """Whatever was remembered and restored: the values of the timeline are those that held, in their order."""
    chance, ana = random.Random(seed), rememora.user("ana", tenant="acme")
    texts: list[str] = []
    for day in range(12):
        clock.now = MIDDAY + timedelta(days=day)
        value = f"R$ {chance.randint(1, 5)}"
        await ana.remember("operating.rent", value)
        if not texts or texts[-1] != value:
            texts.append(value)
    held = await ana.memories.timeline("operating.rent")

    assert texts == [item.value for item in held]
    assert [item.until for item in held[:-1]] == [item.since for item in held[1:]]
    assert held[-1].until is None


async def test_a_timeline_of_a_subject_and_attribute(ana: UserMemory) -> None:
    """By whom and what it is about; an unknown memory is an error that says so."""
    await ana.remember("user.location", "Recife")
    await ana.remember("user.location", "Olinda")

    assert ["Recife", "Olinda"] == [held.value for held in await ana.memories.timeline("me", "location")]
    with pytest.raises(NotFound, match="memory"):
        await ana.memories.timeline("user.nothing")


async def test_forgetting_takes_the_whole_line(ana: UserMemory, chat: Conversation) -> None:
    """What was changed and then forgotten is told nowhere, under whatever key it stood."""
    await chat.reply("Our warehouse rent is 2,400 a month.")
    await chat.reply("The warehouse rent went up to 2,900 a month.")
    (memory,) = [item for item in (await ana.memories.list()).items if "2,900" in str(item.value)]
    shown = str(render(await ana.conversation("c2").context("what is the warehouse rent?"), "markdown"))
    await ana.forget(memory.id)
    pack = str(render(await ana.conversation("c3").context("what is the warehouse rent?"), "markdown"))

    assert "formerly" in shown
    assert not any(value in pack for value in ("2,400", "2,900"))


LONG_LIST = (
    "Convidados da festa de formatura da minha irmã: Ana Beatriz Fontoura, Bruno Carvalhal, Carla Dornelles, "
    "Davi Eleutério, Elisa Fagundes e Fábio Guerreiro"
)


async def test_the_rest_of_a_long_list_stays_whole(ana: UserMemory, chat: Conversation) -> None:
    """Nothing is cut where one thing is taken off."""
    await chat.reply(LONG_LIST)
    await chat.reply("tira o Bruno Carvalhal da lista de convidados")
    left = await known(ana)

    assert "Bruno" not in left
    assert all(
        name in left for name in ("Ana Beatriz Fontoura", "Carla Dornelles", "Davi", "Elisa", "Fábio Guerreiro")
    )


@pytest.mark.parametrize(
    "rule",
    [
        "quando a gente fechar com a prefeitura, o plano vira o Copaíba",
        "se passar de 15 alunos, a turma muda de sala",
        "once we hit 50 seats, the plan becomes Redwood",
    ],
)
async def test_a_rule_is_kept_whole(ana: UserMemory, rule: str) -> None:
    """Neither half of it is a fact of its own."""
    await ana.conversation("c1").reply(rule)

    assert [rule] == [memory.value for memory in (await ana.memories.list()).items]


async def test_a_summary_that_retells_a_past_value_says_so(
    rememora: Rememora, chat: Conversation, ana: UserMemory, clock: SetClock
) -> None:
    """What an old conversation came to does not tell a model what no longer holds as if it did."""
    past = "O turno da cozinha começa às 9h30"
    await chat.reply(past)
    for number in range(40):
        await chat.append("user", f"conversa {number} sobre o tempo que faz lá fora")
        await chat.append("assistant", f"resposta {number}")
    await rememora.settle()
    summary = await chat.summary()
    clock.now = MIDDAY + timedelta(days=20)
    await ana.conversation("c2").reply("mudou: o turno da cozinha agora começa às 7h15")
    pack = str(render(await chat.context("o que combinamos?", budget=4_000), "markdown"))
    lines = [line for line in pack.splitlines() if "9h30" in line]

    assert summary is not None
    assert "9h30" in summary.text
    assert lines
    assert all("no longer true since" in line or "formerly" in line for line in lines)


async def test_a_question_puts_nothing_in_doubt(tmp_path: Path) -> None:
    """Without the encoder as well: who asks for the accountant says nothing of him."""
    plain = Settings.load({"store.url": str(tmp_path / "words"), "recall.embedder": "none", **CALM}, environ={})
    async with Rememora.open(settings=plain, background=False) as rememora:
        ana = rememora.user("ana", tenant="acme")
        for text in ("Guarda que o contador é o Paulo", "Quem é o contador?"):
            await ana.conversation("c1").reply(text)
        known = (await ana.memories.list()).items

    assert [("o contador é o Paulo", None)] == [(memory.value, memory.doubted_at) for memory in known]


async def test_a_statement_after_a_question_is_no_answer_to_it(ana: UserMemory, chat: Conversation) -> None:
    """It is kept with its own turn as its source, so that forgetting it hides that turn and no other."""
    reply = await chat.reply("o Rubens diz que saiu daqui com camisa manchada")
    await chat.reply("e tem a Tainá pedindo pra pagar fiado")
    (kept,) = (await ana.memories.list()).items
    await ana.memories.forget(kept.id)
    contents = [hit.content for hit in await ana.recall("Tainá Rubens fiado camisa manchada", limit=20)]

    assert "?" in reply.text
    assert "Tainá" in str(kept.evidence)
    assert [] == [text for text in contents if "Tainá" in text]
    assert any("Rubens" in text for text in contents)
