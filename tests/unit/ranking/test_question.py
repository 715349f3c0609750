"""What a question asks for: a time and nothing else, or things of a time; which of its words are looked for."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from tests.looped import looped

from rememora.language import detect
from rememora.language.parsed import parse_text
from rememora.ranking.question import ParsedQuestion, understand
from rememora.ranking.rank import RankQuery, rank
from rememora.settings.weights import Weights
from rememora.userindex.rows import Row
from rememora.userindex.user_index import UserIndex

NOW = datetime(2026, 5, 20, 20, tzinfo=UTC)


def asked(text: str) -> ParsedQuestion:
    return understand(parse_text(text), now=NOW, spoken=(detect(text),))


@looped(
    "text",
    [
        "o que eu disse ontem?",
        "O que te contei anteontem?",
        "o que conversamos na semana passada?",
        "sobre o que a gente falou no sábado?",
        "o que aconteceu em fevereiro?",
        "o que rolou no começo de março?",
        "o que eu fiz semana retrasada?",
        "o que eu falei até ontem?",
        "quais as novidades de ontem?",
        "me lembra o que eu disse na segunda",
        "resume a conversa da semana passada",
        "e ontem?",
        "what did I say yesterday?",
        "what happened last Friday?",
        "what did we talk about on Saturday?",
        "what did I do two weeks ago?",
        "what did I tell you in early March?",
        "remind me what I said on Monday",
        "summarize last week",
        "what's new since yesterday?",
    ],
)
def test_a_question_may_ask_for_nothing_but_a_time(text: str) -> None:
    """What is left besides the time is how one asks."""
    assert asked(text).of_time


@looped(
    "text",
    [
        "o que eu comprei ontem?",
        "o que a minha mãe disse ontem?",
        "quem ganhou a final em março?",
        "qual foi a conta de ontem?",
        "o que eu disse?",
        "o que aconteceu?",
        "what did I buy yesterday?",
        "what did my sister say last week?",
        "what did I say?",
        "how was the start of the race in March?",
    ],
)
def test_a_question_about_something_is_not_one_about_a_time(text: str) -> None:
    """Nor is one that names no time."""
    assert not asked(text).of_time


@pytest.mark.parametrize(
    ("text", "looked_for", "not_looked_for"),
    [
        ("comi o quê na semana passada?", "com", "pass"),
        ("o que comprei no começo de março?", "compr", "comec"),
        ("quem ganhou a final em março?", "final", ""),
        ("comecei o curso semana passada?", "comec", "pass"),
    ],
)
def test_what_is_said_of_a_time_is_not_looked_for(text: str, looked_for: str, not_looked_for: str) -> None:
    """`Passada` would find `passei mal`; the same word said of something else is looked for."""
    terms = asked(text).terms

    assert looked_for in terms
    assert not_looked_for not in terms


def told(*turns: tuple[str, int, str]) -> UserIndex:
    return UserIndex(
        Row(
            id=f"{role} {days}",
            text=text,
            at=NOW - timedelta(days=days),
            conversation=f"c{days}",
            position=0,
            role=role,
        )
        for text, days, role in turns
    )


@pytest.fixture
def index() -> UserIndex:
    """A talk today, one yesterday, and older ones."""
    return told(
        ("Hoje deixei o notebook no conserto.", 0, "user"),
        ("O boleto do IPTU veio com o valor errado.", 1, "user"),
        ("Anotado!", 1, "assistant"),
        ("Passei mal no rodízio.", 9, "user"),
        ("Falei com o contador sobre o imposto.", 60, "user"),
    )


@pytest.mark.parametrize(
    "text", ["o que eu disse ontem?", "o que conversamos ontem?", "what did I say yesterday?"]
)
def test_who_asks_for_a_time_is_told_what_is_of_it(index: UserIndex, text: str) -> None:
    """By words alone, none of which any turn says; what came soon after stands behind."""
    ids = [hit.id for hit in rank(index, RankQuery(text=text, now=NOW))]

    assert "user 1" == ids[0]
    assert {"user 1", "assistant 1"} <= {*ids[:3]}
    assert "user 60" not in ids


def test_a_time_that_counts_for_nothing_answers_nothing(index: UserIndex) -> None:
    """`weights.time` is off: what is left are the words."""
    ranking = rank(index, RankQuery(text="o que eu falei ontem?", now=NOW), weights=Weights(time=0))

    assert ["user 60"] == [hit.id for hit in ranking]


def test_what_came_soon_after_says_a_quarter(index: UserIndex) -> None:
    """People still speak of it, but not as of that day."""
    hits = rank(index, RankQuery(text="o que eu disse ontem?", now=NOW))
    words = {hit.id: hit.parts["words"] for hit in hits}

    assert 0.25 * words["user 1"] == pytest.approx(words["user 0"])


@pytest.mark.parametrize(("text", "is_echo"), [("o que a Lia achou da praia?", False), ("como é a praia?", True)])
def test_an_assistant_that_is_asked_about_by_its_name_is_no_echo(text: str, is_echo: bool) -> None:
    """Who is called `Lia` is meant by it."""
    calls = [("Oi Lia! Tudo bem?", days, "user") for days in (9, 8, 7)]
    index = told(*calls, ("A praia é linda no inverno.", 5, "assistant"), ("Fui na praia.", 4, "user"))
    parts = {hit.id: hit.parts for hit in rank(index, RankQuery(text=text, now=NOW))}

    assert is_echo == ("echo" in parts["assistant 5"])
