"""Secrets and health are refused whoever asks; mentions without a value are not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stdnum import luhn
from tests.looped import looped

from rememora.domain.verdict import Origin, Refuse, Save
from rememora.gate import evaluate, load_policy
from rememora.gate.sensitive import find_sensitive
from rememora.reading.normalised import normalise

SENSITIVE = {
    "sensitive.cpf": ["cpf 111.111.111-11", "529.982.247-25", "anota 52998224725"],
    "sensitive.card": ["meu cartão é 4111 1111 1111 1111", "4242424242424242"],
    "sensitive.password": [
        "a senha do painel é Lua@2024",
        "password: hunter2",
        "salva minha senha: Gato!20",
        "a senha do cofre é maçã verde trinta",
        "use hunter2!x to get into the admin account, that's the password",
        "Verao#2024 é a senha do painel novo",
        "the wifi password is correct horse battery staple",
        "our guest wifi: network Blue Heron, password otter lamp seven",
        "a senha dele é o nome da cachorra, Mel2019",
        "la contraseña de mi hermana es su cumpleaños, 14mayo90",
        "uso girassol como senha em tudo",
        "everything uses the same password, sunflower",
    ],
    "sensitive.secret": [
        "AKIAFAKEFAKEFAKE0000",
        "token da api: sk-fake-0000000000abcdef",
        "o cvv é 123",
        "código de segurança 3 4 5 do cartão",
        "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "client_secret: 8f14e45fceea167a5a36dedd4bea2543",
        "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQ\n-----END PRIVATE KEY-----",
        "my wallet seed phrase is ripple canyon orbit velvet tuna gossip anchor maple tiger lunch cradle dawn",
        "o pin do meu cartão é quatro sete um nove",
        "so the gate code is four four one nine",
        "a combinação do cadeado é 4-8-15",
        "o token do banco é 884 221",
        "my mother's maiden name is Castellane, that's my bank security answer",
        "a resposta da pergunta secreta do banco é Ferrugem",
        "the passphrase for the laptop disk: my llama eats green trains",
        "as doze palavras da carteira: cavalo janela rio pedra lua pente folha navio trigo areia sino porta",
        "para entrar en la oficina marcas 3 3 9 1 almohadilla",
        "o cadeado da bicicleta é 7 7 2",
        "three digits on the back are 518",
        "the 2fa code is 884 221",
        "token 2fa 884221",
        "my code 2fa 884221 came in",
        "o cartão da firma exp 12/29",
        "as palavras da minha wallet cavalo janela rio pedra lua pente folha navio trigo areia sino porta",
    ],
    "sensitive.document": [
        "RG 00.000.000-0",
        "SSN 078-05-1120",
        "anota o 12345678Z da Carmen",
        "X1234567L",
        "NHS number 943 476 5919",
        "my SIN number is 046 454 286",
    ],
    "sensitive.bank": [
        "agência 0001 conta 12345-6",
        "routing 000000000 account 1234567890",
        "recebo em ES91 2100 0418 4502 0005 1332 hoje",
        "manda para DE89370400440532013000",
        "chave pix aleatória 7d9f0335-8dcc-4054-9bf9-0dbd61d36906",
    ],
    "sensitive.health": [
        "sou bipolar e tomo lítio",
        "minha funcionária está com câncer",
        "she was diagnosed with lupus",
        "dad's insulin dose went up to 20 units",
        "Carla's chemo starts on Monday",
        "I have depression",
        "meu pai faz diálise",
        "soy diabético",
        "my dad takes statins",
        "tomo enalapril e captopril",
        "meu pai toma rivaroxabana",
        "tô tomando losartana de manhã",
        "my wife is on warfarin since the spring",
        "mi madre toma atorvastatina por la noche",
        "he takes empagliflozin now",
        "meu pai tá com a glicose alta",
        "le quitaron un tumor del pulmón",
        "o Édson do almoxarifado voltou a beber",
        "minha irmã tem transtorno obsessivo",
        "he goes to NA meetings on Tuesdays",
        "my sister struggles with her mental health",
        "he suffers from mental health trouble",
    ],
    "sensitive.personal": [
        "sou católica, salva aí",
        "o Pedro do estoque é gay",
        "eu voto no PT desde 2002",
        "I'm a member of the teachers' union",
        "me declaro negro",
        "sou do candomblé, guarda isso",
        "remember that my boss is a devout muslim",
        "guarda minha impressão digital",
        "somos evangélicos, então domingo é culto",
        "we're Muslim and fast during Ramadan",
        "mi familia es judía ortodoxa",
        "estoy afiliado al sindicato",
        "my brother has a criminal record",
        "o Pedro do estoque é trans",
        "ela é queer",
        "voto al partido verde",
        "siempre voto por el partido de mi padre",
    ],
}


@looped(("code", "text"), [(code, text) for code, texts in SENSITIVE.items() for text in texts])
def test_sensitive_content_is_refused(code: str, text: str) -> None:
    """Each kind of sensitive content is refused under its own code."""
    verdict = evaluate(text)

    assert isinstance(verdict, Refuse)
    assert verdict.sensitive
    assert code == verdict.reason


@looped(("code", "text"), [(code, text) for code, texts in SENSITIVE.items() for text in texts])
def test_a_rule_alone_knows_sensitive_content(code: str, text: str) -> None:
    """The words of the packs are enough: no reader is asked."""
    secret = find_sensitive(normalise(text), load_policy())

    assert secret is not None
    assert code == secret.code


@looped("text", ["item code", "código do item", "código del producto", "código de vuelo", "código de descuento"])
def test_codes_that_everybody_may_know_are_ordinary(text: str) -> None:
    """The reader takes their figures for a secret's; the rule says that they are none."""
    assert load_policy().one("sensitive", "access", "ordinary").search(normalise(text).folded)


NOT_MEDICINES = [
    "mi hermana siempre me animaba mucho",
    "meu tio Francilino tem uma loja",
    "sou de Centralina",
    "tenho um capril",
    "my birthday is in April",
    "minhas tias assopram velas",
    "uso xarope de glicose no fondant",
]


@looped("text", NOT_MEDICINES)
def test_ordinary_words_that_end_like_medicines_are_not_sensitive(text: str) -> None:
    assert find_sensitive(normalise(text), load_policy()) is None


HARMLESS = [
    "não lembro a senha",
    "esqueci minha senha, como recupero?",
    "nosso CNPJ é 00.000.000/0001-00 pra emitir as notas",
    "o Wesley é o motorista novo, zap dele 43 98888-0002",
    "somos uma clínica oncológica, tratamos câncer de pele",
    "vendemos doces para diabéticos",
    "o pedido 4512 chegou",
    "o pedido 12345678Z chegou",
    "a peça 12345678A acabou",
    "o lote ES91 2100 0418 4502 acabou",
    "a senha do cofre quem sabe é o gerente",
    "a senha é responsabilidade da TI",
    "the password is stored in the vault",
    "our password policy is strict",
    "minha avó dizia que senha boa é senha curta",
    "the seed phrase is written on a paper in the safe at my parents house",
    "O modelo B12 é o password manager da equipe",
    "meu dia é assim: um café, dois pães e três abraços",
    "my dad's restaurant opens at nine",
    "my flight code is LA 8045 at 9:40",
    "my zip code is 94110",
    "o código do produto é 4471, cor azul",
    "my project is called Insulin, a build tool",
    "o cofre é 500 reais mais caro",
    "la clave del éxito es dormir bien",
    "the key to a good risotto is patience",
    "a senha do restaurante chamou rápido, era a 45",
    "we sell software to churches",
    "o código do item é 4471",
    "el código del producto es 4471",
    "el código de vuelo es 8045",
    "el código de descuento es 2024",
    "the item code is 4471 and the gate is open",
    "sou viciado em café",
    "she is addicted to coffee and netflix",
    "quase tive um infarto com a conta",
    "please pass the message: tomorrow we close early",
]


def test_mentions_and_business_facts_are_not_sensitive() -> None:
    """A secret without its value, a CNPJ, a business contact and a trade are not sensitive, save two of them."""
    refused = [text for text in HARMLESS if evaluate(text).label == "sensitive"]

    assert len(refused) <= 2, refused


@looped("text", HARMLESS)
def test_no_rule_takes_a_mention_for_a_secret(text: str) -> None:
    """What the patterns of secrets find is refused whatever the reader says: they must not find these."""
    assert find_sensitive(normalise(text), load_policy()) is None


@looped(
    "text",
    [
        "nosso público é evangélico",
        "a escola é católica",
        "I'm Christian, nice to meet you",
        "o logo é preto",
        "nossa empresa é filiada ao sindicato patronal",
        "voto na opção 2",
        "vira à direita depois da igreja",
    ],
)
def test_a_trade_a_name_and_a_colour_are_nobodys_belief(text: str) -> None:
    """What is said of an audience, a school, a colour or a turn is no sensitive data of a person."""
    assert "sensitive" != evaluate(text).label


@pytest.mark.parametrize("text", ["esquece que eu tenho diabetes", "forget that I'm gay", "apaga o meu CPF daí"])
def test_who_wants_it_forgotten_is_heard(text: str) -> None:
    """A wish to forget something sensitive is carried out, not refused."""
    assert "forget" == evaluate(text).label


@pytest.mark.parametrize("origin", [Origin.TOOL, Origin.DOCUMENT])
def test_nobody_else_has_it_forgotten(origin: Origin) -> None:
    """Not by what a tool or a document says."""
    assert evaluate("esquece que eu tenho diabetes", origin=origin).label in ("sensitive", "quarantine")


def test_insisting_is_not_enough() -> None:
    """Sensitive content passes only if the person insists and the tenant allows it."""
    text = "anota aí: meu cpf é 529.982.247-25"

    assert evaluate(text, insists=True).label == "sensitive"
    assert evaluate(text, allow_sensitive=True).label == "sensitive"
    assert isinstance(evaluate(text, insists=True, allow_sensitive=True), Save)


@given(st.integers(min_value=10**14, max_value=10**15 - 1))
@settings(max_examples=100, deadline=None)
def test_every_number_with_its_luhn_digit_is_a_card(stem: int) -> None:
    """Fifteen digits and their check digit are refused as a card; exactly one check digit fits."""
    fitting = [digit for digit in range(10) if luhn.is_valid(f"{stem}{digit}")]

    assert len(fitting) == 1
    assert evaluate(f"{stem}{fitting[0]}").label == "sensitive"


@pytest.mark.parametrize(
    "text",
    [
        "I am shifting every last hive down to the meadow",
        "My hives are all up on the ridge",
        "Esterilizo meu material na autoclave da Jussara",
    ],
)
def test_a_word_that_begins_like_a_term_is_none(text: str) -> None:
    """A hive is no HIV, and who sterilises tools is not sterile."""
    assert "sensitive" != evaluate(text).label


@pytest.mark.parametrize(
    "text",
    [
        "My brother has HIV",
        "My dad had two strokes last year",
        "Minha mãe teve dois AVCs",
        "A dona Cida é alérgica a nozes",
        "Tenho doenças autoimunes",
    ],
)
def test_terms_are_found_also_in_the_plural(text: str) -> None:
    """The end of a word counts, and its plural is the same word."""
    assert "sensitive" == evaluate(text).label


@pytest.mark.parametrize(
    "text", ["Patient Mr. Oduya has hep C so we flagged his chart", "meu sócio está com hep B"]
)
def test_short_names_of_diseases_are_health(text: str) -> None:
    """People abbreviate: nobody says "hepatitis C" of a chart."""
    verdict = evaluate(text)

    assert isinstance(verdict, Refuse)
    assert verdict.sensitive
