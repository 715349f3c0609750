"""The built-in responder: it says what the pack holds, in the language of the question, and no more."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.looped import looped

from rememora.adapters.responder import BuiltinResponder, compose
from rememora.domain.context import QUIET, SECTIONS, ContextPack, Item
from rememora.domain.prompt import Prompt
from rememora.domain.scope import Scope
from rememora.language import detect
from rememora.language.labels import fact_sentence
from rememora.turn import used_memories

NOW = datetime(2026, 10, 12, tzinfo=UTC)
NAME = Item(section="profile", key="user.name", text="Ana", kind="memory", id="m1")
COMPANY = Item(section="profile", key="tenant.name", text="Acme", kind="memory", id="m2")
PLACE = Item(section="profile", key="user.location", text="Recife", kind="memory", id="m3")
BUDGET = "O orçamento de outubro é R$ 12.000"
SAID = Item(section="related", text=BUDGET, kind="message", role="user", at=NOW, score=2.0)


def pack_of(query: str, *items: Item) -> ContextPack:
    return ContextPack(
        scope=Scope("acme", "ana", "c1"),
        query=query,
        language=detect(query),
        modality="chat",
        items=items,
        tokens=0,
        budget=3000,
        built_at=NOW,
    )


@looped(
    ("query", "answer"),
    [
        ("Oi", "Olá, Ana! Em que posso ajudar a Acme hoje?"),
        ("Oi, tudo bem?", "Olá, Ana! Em que posso ajudar a Acme hoje?"),
        ("Good morning!", "Hello, Ana! What can I do for Acme today?"),
        ("Qual é o meu nome?", "Pelo que lembro: seu nome é Ana."),
        ("What is my name?", "As far as I remember: your name is Ana."),
        ("Hi, what is my company?", "As far as I remember: your company is Acme."),
        ("Onde eu moro?", "Pelo que lembro: você mora em Recife."),
        (
            "Qual o orçamento de outubro?",
            "Pelo que lembro: em 12/10/2026 você disse “O orçamento de outubro é R$ 12.000”",
        ),
    ],
)
def test_it_answers_from_what_is_known(query: str, answer: str) -> None:
    """By name, with the fact, and with the day on which something was said."""
    assert answer == compose(pack_of(query, NAME, COMPANY, PLACE, SAID))


@pytest.mark.parametrize("query", ["Qual é a placa do meu carro?", "What is my shoe size?"])
def test_it_says_when_it_does_not_know(query: str) -> None:
    """Nothing is made up, and nothing unrelated is offered."""
    answer = compose(pack_of(query, NAME, COMPANY))

    assert answer.startswith(("Não guardei nada", "I did not keep anything"))


def test_it_tells_what_it_knows_of_the_person() -> None:
    """Every memory of the pack, one a line."""
    answer = compose(pack_of("O que você sabe sobre mim?", NAME, COMPANY))

    assert ["Isto é o que sei sobre você:", "- seu nome é Ana.", "- sua empresa é Acme."] == answer.splitlines()


def test_what_was_done_is_said_and_what_is_open_is_asked_with_the_greeting() -> None:
    """Deeds are the answer; a question that waits is asked once more at the next hello, not at every turn."""
    done = Item(section="done", text="Guardei: user.location = Recife.", kind="saved")
    item = Item(section="questions", text="Posso guardar isto?", kind="question")

    assert "Guardei: user.location = Recife." == compose(pack_of("Moro em Recife", done, item))
    assert "Olá! Em que posso ajudar?\n\nPosso guardar isto?" == compose(pack_of("Oi", item))
    assert "Posso" not in compose(pack_of("Onde eu moro?", PLACE, item))


@pytest.mark.parametrize(("key", "text"), [("metric.nps", "64"), ("metric.promotores", "67")])
def test_what_is_known_is_not_said_again_as_mentioned(key: str, text: str) -> None:
    """Neither by its name with an older value, nor with the same value under another name."""
    known = Item(section="memories", key="kpis.nps", text="NPS 67", kind="memory", id="m9")
    mentioned = Item(section="entities", key=key, text=text, kind="entity")

    assert "Pelo que lembro: NPS: NPS 67." == compose(pack_of("Qual é o NPS?", known, mentioned))


def test_an_episode_is_told_only_where_no_message_says_it() -> None:
    """The words themselves come before what was made of them."""
    retold = Item(section="related", text=BUDGET, kind="episode", at=NOW, score=2.0)

    assert "em 12/10/2026 conversamos: " in compose(pack_of("Qual o orçamento de outubro?", retold))
    assert "conversamos" not in compose(pack_of("Qual o orçamento de outubro?", retold, SAID))


def test_what_was_not_kept_is_answered_as_such() -> None:
    """A masked turn speaks to the question: the answer says that it was not kept, and nothing of it."""
    said = Item(
        section="recent", text="a senha do wifi é [•••]", kind="message", role="user", at=NOW, reason=QUIET
    )

    assert compose(pack_of("Qual é a senha do wifi?", said)).startswith("Não guardei isso")


items = st.lists(
    st.builds(
        Item,
        section=st.sampled_from(SECTIONS),
        text=st.text(min_size=1, max_size=80),
        kind=st.sampled_from(["memory", "message", "entity"]),
        id=st.sampled_from(["a", "b", None]),
        key=st.sampled_from([None, "user.name", "prefs.x"]),
        role=st.sampled_from([None, "user", "assistant", "tool"]),
        at=st.sampled_from([None, NOW]),
    ),
    max_size=8,
)


@given(st.text(min_size=1, max_size=60), items)
async def test_any_pack_has_an_answer_and_the_stream_says_the_same(query: str, held: list[Item]) -> None:
    """It never fails, never answers with nothing, and streams what it answers."""
    pack = pack_of(query, *held)
    prompt = Prompt(instructions="", messages=())
    whole = await BuiltinResponder().answer(prompt, pack)
    pieces = [piece async for piece in BuiltinResponder().stream(prompt, pack)]

    assert whole == "".join(pieces)
    assert whole.strip() or all(not item.text.strip() for item in pack.section("done"))


@pytest.mark.parametrize(
    ("answer", "item", "used"),
    [
        ("Você mora em Recife.", PLACE, ("m3",)),
        ("Você mora em Olinda.", PLACE, ()),
        ("Tudo bem.", Item(section="memories", text="PDF", kind="memory", id="m4", score=1.0), ("m4",)),
        ("PDF", Item(section="entities", text="PDF", kind="entity", id="e1"), ()),
    ],
)
def test_used_memories_are_echoed_or_called_for(answer: str, item: Item, used: Any) -> None:
    """A memory counts as used where the answer repeats it, or the question called for it."""
    assert used == used_memories(pack_of("Onde moro?", item), answer)


BIRTHDAY = Item(section="profile", key="user.birthday", text="03-12", kind="memory", id="m6")


@looped(
    ("query", "answer"),
    [
        ("Quando é meu aniversário?", "Pelo que lembro: seu aniversário é 12 de março."),
        ("When is my birthday?", "As far as I remember: your birthday is March 12."),
        ("¿Cuándo es mi cumpleaños?", "Por lo que recuerdo: tu cumpleaños es 12 de marzo."),
    ],
)
def test_a_month_and_a_day_are_told_as_a_date(query: str, answer: str) -> None:
    """Readers disagree on which of two numbers is the month; an answer with its name has used the memory."""
    pack = pack_of(query, BIRTHDAY)

    assert answer == compose(pack)
    assert ("m6",) == used_memories(pack, answer)


@pytest.mark.parametrize("text", ["13-40", "1990-03-12", "12/03", "em março"])
def test_another_value_of_a_birthday_is_told_as_it_is(text: str) -> None:
    """Only `MM-DD` is ours."""
    assert f"your birthday is {text}" == fact_sentence("user.birthday", text, text, "en")


AGE = Item(section="profile", key="user.age", text="34", kind="memory", id="m4")
PHONE = Item(section="profile", key="user.phone", text="+55 11 98765-4321", kind="memory", id="m5")


@looped(
    ("query", "answer"),
    [
        ("qual é meu telefone?", "Pelo que lembro: seu telefone é +55 11 98765-4321."),
        ("Qual é o meu número de celular?", "Pelo que lembro: seu telefone é +55 11 98765-4321."),
        ("quantos anos eu tenho?", "Pelo que lembro: sua idade é 34."),
        ("How old am I?", "As far as I remember: your age is 34."),
        ("Qual é meu nome completo?", "Pelo que lembro: seu nome é Ana."),
        ("What is my full name?", "As far as I remember: your name is Ana."),
    ],
)
def test_a_person_asks_for_a_fact_in_their_own_words(query: str, answer: str) -> None:
    """In either language, whatever the key is called."""
    assert answer == compose(pack_of(query, NAME, PLACE, AGE, PHONE))


@pytest.mark.parametrize(
    "query",
    ["como chama meu cachorro?", "What is my dog's name?", "onde mora minha mãe?", "quantos anos tem meu filho?"],
)
def test_what_is_asked_of_somebody_else_is_not_answered_with_the_person(query: str) -> None:
    """The dog's name is not the person's, and the mother's town not theirs."""
    nothing = {"pt": "Não guardei nada", "en": "I did not keep anything"}[detect(query)]

    assert compose(pack_of(query, NAME, PLACE, AGE, PHONE)).startswith(nothing)


@looped(
    ("query", "lists"),
    [
        ("O que você lembra sobre mim?", True),
        ("quais informações você tem sobre mim?", True),
        ("me mostra tudo que você guardou", True),
        ("O que você sabe de mim?", True),
        ("What have you saved about me?", True),
        ("Show me my memories", True),
        ("what do you know about me", True),
        ("O que você lembra da reunião?", False),
        ("Show me my invoices", False),
    ],
)
def test_all_that_is_known_can_be_asked_for_in_many_ways(query: str, lists: bool) -> None:
    """Each lists it; a question about something else does not."""
    head = {"pt": "Isto é o que sei sobre você:", "en": "This is what I know about you:"}[detect(query)]

    assert lists is compose(pack_of(query, NAME, AGE)).startswith(head)


def test_a_talk_is_retold_without_who_said_each_line() -> None:
    """An episode begins with its title, which is its first line, and tells who spoke."""
    text = "Vendo flores em Iracema\nuser: Vendo flores em Iracema\nuser: fecho às 18"
    episode = Item(section="related", text=text, kind="episode", at=NOW, score=2.0)

    answer = compose(pack_of("O que você sabe das flores?", episode))

    assert answer == "Pelo que lembro: em 12/10/2026 conversamos: “Vendo flores em Iracema · fecho às 18”"


def test_a_joke_is_not_answered_with_a_word_in_common() -> None:
    """Nothing is told without a question, but what speaks to most of the words."""
    joke = "se eu ficasse rica comprava um orçamento só de orquídeas"

    assert BUDGET not in compose(pack_of(joke, SAID))
    assert BUDGET in compose(pack_of("me fala do orçamento de outubro", SAID))
