"""Which messages ask for shorter or longer answers, and which only speak of something short or long."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from tests.looped import looped

from rememora.knowledge.answer_length import asks_shorter

SHORTER = [
    "resposta curta, por favor",
    "responde curto",
    "seja breve",
    "seja mais objetivo",
    "make it concise",
    "keep your answers short",
    "short answer please",
    "pode encurtar?",
    "menos texto",
    "sem textão",
    "só o essencial",
    "fala menos",
    "resumo por favor",
    "resuma",
    "less detail",
    "can you summarize",
    "pode resumir? muito longo",
    "mais curto, por favor",
    "too long, be brief",
    "resume isso, por favor",
    "responde mais curto",
    "quero respostas mais curtas",
    "prefiro respostas objetivas",
    "suas respostas estão muito longas",
    "essa resposta ficou longa demais",
    "vai direto ao ponto",
    "me responde em uma linha",
    "pode ser mais breve?",
    "Please be brief",
    "keep it short",
    "keep it short and sweet",
    "Could you be more concise?",
    "shorter please",
    "your answers are too long",
    "I prefer short answers.",
    "Your answers should be shorter",
    "tl;dr please",
    "give me a shorter answer",
    "explica em poucas palavras",
    "ficou muito longo",
    "Quero que você seja mais direto",
    "get to the point",
    "answer briefly",
    "Oi! Pode mandar respostas mais curtas?",
    "please keep replies short",
]
LONGER = [
    "mais detalhes, por favor",
    "can you elaborate on this?",
    "explica melhor isso",
    "explique com mais detalhe",
    "quero o passo a passo completo",
    "desenvolve mais",
    "give me the long version",
    "quero respostas mais completas",
    "seja mais detalhado",
    "I want longer answers",
    "be more detailed",
    "make it longer",
    "responde mais completo",
    "Can you explain it in more depth?",
    "go deeper please",
    "preciso de uma explicação mais detalhada",
    "give me more details about the plan",
    "Quero mais detalhes do relatório",
]
NEITHER = [
    "Can you tell me more about the wedding?",
    "a reunião foi muito longa",
    "The drive was too long",
    "um vestido mais curto",
    "é um vestido mais curto",
    "my hair is longer now",
    "o contrato está muito longo",
    "update my resume",
    "I sent my resume to them",
    "quero um vestido mais curto",
    "o caminho mais curto é pela praia",
    "the line was too long at the bank",
    "recebi uma resposta curta do fornecedor",
    "he gave a short answer",
    "escreve uma resposta curta pro cliente",
    "write a short reply to the customer",
    "a viagem foi bem mais longa",
    "we briefly met in Boston",
    "In short, we lost the client.",
    "espero que a reunião seja breve",
    "meu chefe foi direto ao ponto",
    "meu chefe mandou um textão",
    "o cliente pediu mais detalhes",
    "I need to be there in one hour",
    "the movie was too long",
    "cortei o cabelo mais curto",
    "the shorter route is closed",
    "o curso é mais completo",
    "comprei um kit mais completo",
    "preciso de um prazo mais longo",
    "I no longer work there",
    "how much longer will it take?",
    "It won't be long",
    "a fila ficou muito longa",
    "faz um resumo do contrato",
    "resume o livro pra mim",
    "summarize the report",
    "as calças ficaram compridas",
    "Meeting will be brief",
    "quero ver as vendas",
    "minha chefe gosta de respostas curtas",
]


@looped("text", SHORTER)
def test_shorter_answers_are_asked_for(text: str) -> None:
    """An answer that should be short, or a word to the assistant to be so."""
    assert asks_shorter(text) is True


@looped("text", LONGER)
def test_longer_answers_are_asked_for(text: str) -> None:
    """An answer that should be longer, or a word to the assistant to say more."""
    assert asks_shorter(text) is False


@looped("text", NEITHER)
def test_other_things_are_short_and_long(text: str) -> None:
    """A drive, a dress, a contract, another person's answer, and a text for somebody else."""
    assert asks_shorter(text) is None


def test_who_asks_for_both_asks_for_neither() -> None:
    """Nothing is to be learned of `shorter, but with more details`."""
    assert asks_shorter("mais curto, por favor. quero mais detalhes") is None


@given(st.text(max_size=2_000))
def test_any_text_is_read(text: str) -> None:
    """Whatever is written, there is an answer, and it is the same twice."""
    assert asks_shorter(text) is asks_shorter(text)
