"""Which words of a message are things that may be topics."""

from __future__ import annotations

from tests.looped import looped

from rememora.knowledge.topics import topics
from rememora.language import detect

THINGS = {
    "quero ver o estoque de farinha": ["estoque", "farinha"],
    "me ajuda com a planilha de vendas": ["planilha", "vendas"],
    "preciso de ajuda com o boleto": ["boleto"],
    "me ajuda a responder o fornecedor": ["fornecedor"],
    "gostaria de saber mais sobre a nova campanha": ["campanha"],
    "preciso de uma resposta para o cliente": ["cliente"],
    "obrigada pela ajuda, bom dia": [],
    "o jantar de sexta": ["jantar"],
    "qual o melhor horário para postar no Instagram?": ["instagram"],
    "como faço para pagar o aluguel?": ["aluguel"],
    "o pedido do cliente atrasou": ["pedido", "cliente"],
    "amanhã cedo falo com a Carla": ["carla"],
    "Quero. Preciso. Ajuda!": [],
    "can you check the shipping": ["shipping"],
    "it was an amazing day with the kids": ["kids"],
    "that is such an exciting game": [],
    "graças a Deus deu certo": [],
    "i need help with the invoice for Dana": ["invoice", "dana"],
    "thanks for your help": [],
    "inventory is low": ["inventory"],
    "I'm thinking about running a marathon": ["marathon"],
    "need a reply to an angry customer": ["customer"],
    "remind me to call the plumber at noon": ["plumber"],
    "I have a question about my visa": ["visa"],
    "thank you for the update": [],
    "let's talk about the wedding": ["wedding"],
    "Call Dana on Monday": ["dana"],
}


@looped("text", THINGS)
def test_things_are_told_from_what_is_asked_of_them(text: str) -> None:
    """A thing stands behind an article or the like, or is a name; no request, greeting or time is one."""
    assert THINGS[text] == [item.word for item in topics(text, detect(text)) if item.thing]
