"""Wishes that something is not kept: every verb and every pointing word counts."""

from __future__ import annotations

from tests.looped import looped

from rememora.domain.verdict import Save
from rememora.gate import evaluate, load_policy
from rememora.gate.intents import declines
from rememora.reading.normalised import normalise

WRITTEN = [
    "não guarda isso",
    "não precisa anotar isto",
    "por favor não registra essa conversa",
    "nunca memoriza esta parte",
    "não armazena nada do que eu falei",
    "me ajuda com o texto, sem salvar isso",
    "prefiro que você não anote nada",
    "não guarda",
    "do not save this",
    "never record anything",
    "don't memorize any of this",
    "don't note down that",
    "I'd rather you didn't store it",
    "no, don't record",
]
BORNE = [
    "não lembra disso",
    "não precisa lembrar desta conversa",
    "nunca lembra nada disso",
    "do not remember this",
    "never remember any of that",
    "don't remember anything",
]


@looped("text", WRITTEN)
def test_a_wish_that_nothing_be_written_is_read(text: str) -> None:
    """Verbs of writing down, in both languages."""
    assert declines(normalise(text), load_policy(), "written")


@looped("text", BORNE)
def test_a_wish_that_nothing_be_borne_in_mind_is_read(text: str) -> None:
    """Verbs that also ask for what is known to be forgotten."""
    assert declines(normalise(text), load_policy(), "borne")


@looped("text", ["meu CEP é 94110, não guarda isso", "I live in Lisbon, I'd rather you didn't store it"])
def test_nothing_of_such_a_message_is_kept(text: str) -> None:
    """What stands beside the wish is not kept either."""
    assert not isinstance(evaluate(text), Save)


@looped("text", ["eu não anoto isso", "I don't store this", "não salva isso na planilha"])
def test_what_somebody_does_is_no_such_wish(text: str) -> None:
    """Nor is a file that is not to be saved somewhere."""
    assert not declines(normalise(text), load_policy(), "written")
