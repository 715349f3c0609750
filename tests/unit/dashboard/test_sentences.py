"""Plain words for names, scores, hits and questions, as the pages show them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from rememora.dashboard import sentences
from rememora.dashboard.questions import QuestionForm, answered_text, question_form
from rememora.dashboard.words import Language, text
from rememora.domain.hit import Hit
from rememora.domain.memory import Proposal
from rememora.domain.question import About, Asks, questions_of

NOW = datetime(2026, 11, 17, tzinfo=UTC)


@pytest.mark.parametrize(
    ("actor", "language", "shown"),
    [
        ("owner:ana@sol.com", "pt", "ana@sol.com (dono)"),
        ("owner:ana@sol.com", "en", "ana@sol.com (owner)"),
        ("marina", "pt", "marina"),
        ("agent:7", "pt", "agent:7"),
        ("self", "pt", "a própria pessoa"),
    ],
)
def test_who_did_something_has_a_name_and_a_role(actor: str, language: Language, shown: str) -> None:
    """A role stands in words; a name that only looks like one stays."""
    assert shown == sentences.actor_text(actor, language)


def test_a_time_zone_is_told_by_its_city() -> None:
    """The tag of the database is nobody's word for it."""
    assert "Seu fuso horário é o de Sao Paulo." == sentences.fact_text("user.timezone", "America/Sao_Paulo", "pt")


@pytest.mark.parametrize(
    ("key", "value", "language", "shown"),
    [
        ("user.location", "Olinda", "pt", "Você mora em Olinda."),
        ("user.location", "Rio de Janeiro", "pt", "Você mora no Rio de Janeiro."),
        ("user.location", "Rio Branco", "pt", "Você mora em Rio Branco."),
        ("user.location", "na zona sul", "pt", "Você mora na zona sul."),
        ("user.location", "Lisbon", "en", "You live in Lisbon."),
        ("prefs.short_answers", True, "pt", "Você prefere respostas curtas."),
        ("prefs.short_answers", False, "pt", "Respostas curtas: não."),
        ("user.name", {"first": "Ana"}, "pt", "Seu nome: first: Ana."),
        ("user.children", "Lia e Davi", "pt", "Seus filhos: Lia e Davi."),
        ("user.location", "{value} {0}", "en", "You live in {value} {0}."),
    ],
)
def test_a_fact_is_told_as_its_language_says_it(key: str, value: object, language: Language, shown: str) -> None:
    """As a sentence where its pack has one, with the word that its place takes; else as its name and value."""
    assert shown == sentences.fact_text(key, value, language)


def test_a_score_is_written_as_its_language_does() -> None:
    """A comma in Portuguese, a point in English."""
    assert ("0,539", "0.539") == (sentences.score_text(0.53912, "pt"), sentences.score_text(0.53912, "en"))


def test_a_mention_is_told_by_its_value_and_type() -> None:
    """Only mentions among the hits of a search are stored in other words than they were said in."""
    mention = hit("entity", "person person tadeu: Tadeu", {"value": "Tadeu", "type": "person"})
    odd = hit("entity", "boat nina: Nina", {"value": "Nina", "type": "boat"})

    assert "Tadeu (pessoa)" == sentences.hit_text(mention, "pt")
    assert "Nina (boat)" == sentences.hit_text(odd, "pt")
    assert "Bom dia" == sentences.hit_text(hit("message", "Bom dia", {}), "pt")


def test_a_question_offers_what_it_asks() -> None:
    """A yes to forgetting does not read as a yes to keeping."""
    query = question_form(proposal("forget", Asks(form="forget", about=(About(quote="a chave"),))), "en")

    assert ("Yes, forget it", "No, go on remembering") == (query.yes, query.no)
    assert query.words


def test_a_choice_offers_each_candidate() -> None:
    """As buttons, by number; none of them is an answer too."""
    about = (About(key="user.name", value="Ana"), About(key="user.age", value=30))
    query = question_form(proposal("forget", Asks(form="which_forget", about=about)), "en")

    assert (
        QuestionForm(
            text="Which of these should I forget?",
            no="None of these",
            choices=("your name is Ana", "your age is 30"),
        )
        == query
    )


@pytest.mark.parametrize(
    ("candidates", "page"), [(("m1",), "/me/memory/m1/erase"), (("m1", "m2"), "/me"), ((), "/me/erase")]
)
def test_an_erasure_is_done_on_its_own_page(candidates: tuple[str, ...], page: str) -> None:
    """No button here erases: the page that asks for the word does."""
    query = question_form(
        proposal("erase", Asks(form="erase", counts={"memories": 1, "conversations": 2}), candidates), "en"
    )

    assert ("", page, False) == (query.yes, query.erases, query.words)


@pytest.mark.parametrize(
    ("kind", "said", "name"),
    [
        ("save", "no", "ask.said_no_save"),
        ("forget", "no", "ask.said_no"),
        ("confirm", "no", "ask.said_no_confirm"),
        ("save", "yes", "ask.kept"),
        ("forget", "yes", "done.forgotten"),
        ("suppress", "yes", "done.hushed"),
    ],
)
def test_an_answer_says_what_it_did(kind: Any, said: str, name: str) -> None:
    """Kept, left alone, forgotten or not mentioned."""
    query = proposal(kind, Asks(form=kind, about=(About(quote="x"),)))

    assert text("pt", name) == answered_text(query, said, "pt", changed=True)


def test_an_answer_to_a_closed_question_is_told() -> None:
    """Answered in the conversation meanwhile, or on another page."""
    assert text("en", "ask.before") == answered_text(None, "yes", "en", changed=False)


def proposal(kind: Any, asks: Asks, candidates: tuple[str, ...] = ("m1",)) -> Proposal:
    """A question of a kind."""
    return Proposal(
        tenant="acme",
        user="ana",
        id="p1",
        kind=kind,
        asks=asks,
        questions=questions_of(asks),
        candidates=candidates,
        reason="x",
        created_at=NOW,
        expires_at=NOW,
    )


def hit(kind: Any, content: str, metadata: dict[str, Any]) -> Hit:
    """Something that a search found."""
    return Hit(
        content=content,
        score=0.5,
        similarity=0.5,
        parts={},
        kind=kind,
        id="h1",
        conversation=None,
        created_at=NOW,
        metadata=metadata,
    )
