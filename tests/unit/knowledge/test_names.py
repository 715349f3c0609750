"""Which names are people's, firms' and places', where one ends and the next begins, and what is no name."""

from __future__ import annotations

from tests.looped import looped

from rememora.knowledge.mentions import mentions

PLACES = {
    "Moro em São Paulo": ["place.sao_paulo"],
    "São Paulo é grande": ["place.sao_paulo"],
    "a filial de São Paulo vende bem": ["place.sao_paulo"],
    "Trabalho em São José dos Campos": ["place.sao_jose_dos_campos"],
    "Vou para São Pedro da Aldeia amanhã": ["place.sao_pedro_da_aldeia"],
    "Minha mãe mora em Santa Rita do Sapucaí": ["place.santa_rita_do_sapucai"],
    "Nasci em Santo Antônio de Jesus": ["place.santo_antonio_de_jesus"],
    "Fui ao Rio de Janeiro": ["place.rio_de_janeiro"],
    "Sou de Lins e vim de Araxá": ["place.lins", "place.araxa"],
    "I live in San Marcos": ["place.san_marcos"],
    "We moved to St. Albans last year": ["place.st_albans"],
    "She is from Belo Horizonte": ["place.belo_horizonte"],
    "I'm originally from Uppsala": ["place.uppsala"],
    "A loja fica na Rua Augusta": ["place.rua_augusta"],
    "São Roque tem vinho": [],
}
APART = {
    "Ana e Carlos vão": ["person.ana", "person.carlos"],
    "Talked to Anna and Bob Jones yesterday": ["person.anna", "person.bob_jones"],
    "Falei com a Maria Silva da Acme Ltda": ["person.maria_silva", "organization.acme_ltda"],
    "O João da Petrobras ligou": ["person.joao", "organization.petrobras"],
    "Encontrei o João da Silva": ["person.joao_da_silva"],
    "A Bruna do Marketing aprovou": ["person.bruna"],
    "Encontrei Maria na rua": ["person.maria"],
    "Anna's boss is Dr Patel": ["person.anna", "person.patel"],
    "Contratamos a Barros e Filhos Ltda": ["organization.barros_e_filhos_ltda"],
    "I bought it from Johnson & Johnson": ["organization.johnson_johnson"],
    "A Andrade e Silva Advogados respondeu": ["organization.andrade_e_silva_advogados"],
    "Moro em Santos e Lins": ["place.santos", "place.lins"],
}
NO_PEOPLE = [
    "I am Happy today",
    "This is Important",
    "I'm Tired of this",
    "I'm Brazilian",
    "Sou a Favor disso",
    "Sou o Máximo",
    "Sou a Responsável pelo caixa",
    "devo à Nubank",
]
FIRMS = {
    "nossa empresa se chama Doce Lar": ["organization.doce_lar"],
    "my company is called Sweet Home": ["organization.sweet_home"],
    "sou sócia da Girassol": ["organization.girassol"],
    "Dr. Patel at Google": ["person.patel", "organization.google"],
    "A Vale S.A. subiu": ["organization.vale_s_a"],
}
PEOPLE = {
    "me chamo marina": ["person.marina"],
    "oi, sou a marina, tudo bem?": ["person.marina"],
    "I'm Kaito, from the design team": ["person.kaito"],
    "A Dalila ligou.": ["person.dalila"],
    "meu sócio é o Zaqueu": ["person.zaqueu"],
    "my sister is called Ottilie": ["person.ottilie"],
}


@looped("text", [*PLACES, *APART, *FIRMS, *PEOPLE])
def test_each_name_is_what_it_is(text: str) -> None:
    """Places are no people, two people are two, a firm is one, and each is told by what the sentence says."""
    expected = {**PLACES, **APART, **FIRMS, **PEOPLE}[text]

    assert expected == [mention.key for mention in mentions(text)]


@looped("text", NO_PEOPLE)
def test_a_capital_makes_nobody(text: str) -> None:
    """How somebody is, what somebody does and whom somebody owes are no people."""
    assert [] == [mention.key for mention in mentions(text) if mention.type == "person"]
