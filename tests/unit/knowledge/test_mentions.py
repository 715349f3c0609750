"""What the rules find in a text, in both languages, and that no text can upset them."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st
from tests.looped import looped

from rememora.knowledge.mentions import mentions

TYPES = {"campaign", "metric", "threshold", "person", "organization", "product", "place", "date"}
PIECES = st.sampled_from(
    [
        *(
            "margem",
            "meta",
            "CAC",
            "ROAS",
            "R$",
            "1.234,56",
            "10%",
            "de",
            "é",
            "no máximo",
            "campanha",
            '"Volta"',
            "Ana",
        ),
        *(
            "a",
            "o",
            "12/05/2026",
            "31/02",
            "maio",
            "May 3",
            "Padaria Sol",
            "Ltda.",
            "em",
            "Campinas",
            "4,5x",
            "$",
            "k",
        ),
        *("me chamo", "Dra.", "\n", "ǅ", "İ", "ß", "é", "\x00", "I'm", "”", "“", "…", "田中", "🙂", "9" * 40),
    ]
)

EXAMPLES: dict[str, dict[str, str]] = {
    "Me chamo Ana Ribeiro e sou dona da Padaria Sol, em Campinas.": {
        "person.ana_ribeiro": "Ana Ribeiro",
        "organization.padaria_sol": "Padaria Sol",
        "place.campinas": "Campinas",
    },
    "I'm Kevin, and I run growth at Brightlane, a scheduling startup in Austin.": {
        "person.kevin": "Kevin",
        "organization.brightlane": "Brightlane",
        "place.austin": "Austin",
    },
    "Falei com o seu Osvaldo e com a Dra. Helena Prado da Silva.": {
        "person.osvaldo": "Osvaldo",
        "person.helena_prado_da_silva": "Helena Prado da Silva",
    },
    "A academia Corpo Aceso e a Moinho Paulista Ltda assinaram.": {
        "organization.corpo_aceso": "Corpo Aceso",
        "organization.moinho_paulista_ltda": "Moinho Paulista Ltda",
    },
    "We moved from Slack to Google Ads reports.": {"product.slack": "Slack", "product.google_ads": "Google Ads"},
    "O ticket médio atual é de R$ 1.234,56 e a margem está em 18%.": {
        "metric.ticket_medio": "R$ 1.234,56",
        "metric.margem": "18%",
    },
    "Nosso CAC é R$ 32,10 e o ROAS bateu 4,5x": {"metric.cac": "R$ 32,10", "metric.roas": "4,5x"},
    "O custo por lead da Corpo Aceso fechou em R$ 11,40": {"metric.cpl": "R$ 11,40"},
    "Our churn went from 4.2% to 6.8%.": {"metric.churn": "6.8%"},
    "The budget for the launch is $18,000.": {"metric.orcamento": "$18,000"},
    "Quero uma meta de 30% de margem": {"threshold.margem": "30%"},
    "A meta de faturamento é R$ 45.000 por mês": {"threshold.faturamento": "R$ 45.000"},
    "Gaste no máximo R$ 500 por dia": {"threshold.limite": "≤ R$ 500"},
    "I need at least 20% margin": {"threshold.margem": "≥ 20%"},
    "Paguei 900 reais ao eletricista": {"metric.valor_900_reais": "900 reais"},
    "Cancelem a campanha Dia das Mães.": {"campaign.dia_das_maes": "Dia das Mães"},
    'A campanha vai chamar "Volta pra você".': {"campaign.volta_pra_voce": "Volta pra você"},
    "Entrega em 12/05/2026, revisão em 3/6.": {"date.2026-05-12": "2026-05-12", "date.--06-03": "--06-03"},
    "O lançamento é dia 24 de abril de 2026": {"date.2026-04-24": "2026-04-24"},
    "We will launch on June 12, 2026, the rest by 7/4/2026.": {
        "date.2026-06-12": "2026-06-12",
        "date.2026-07-04": "2026-07-04",
    },
}
NOTHING = [
    "ok, valeu!",
    "Bom dia! Tudo bem com você?",
    "Não sei ainda, talvez amanhã.",
    "31/02/2026 não existe, e 1.234 não é nada.",
    "Hello there, how are you today?",
    "Vi a ONU e o IBGE no jornal.",
    "The Monday after Easter works.",
]


@looped("text", EXAMPLES)
def test_what_is_found(text: str) -> None:
    """Exactly these things, under these keys, and nothing besides."""
    assert EXAMPLES[text] == {mention.key: mention.value for mention in mentions(text)}


@looped("text", NOTHING)
def test_what_is_not_there_is_not_found(text: str) -> None:
    """Capitals at the beginning, greetings and bare numbers are no entities."""
    assert [] == mentions(text)


def test_the_day_comes_first_in_portuguese_and_the_month_in_english() -> None:
    """The same digits are two dates; where only one reading exists, it is taken."""
    assert ["2026-05-12"] == [mention.value for mention in mentions("12/05/2026", "pt")]
    assert ["2026-12-05"] == [mention.value for mention in mentions("12/05/2026", "en")]
    assert ["2026-05-25"] == [mention.value for mention in mentions("25/05/2026", "en")]


def test_the_last_thing_said_of_a_key_counts() -> None:
    """Two values of one metric in one text: the later one."""
    (mention,) = mentions("A margem era 18%. Hoje a margem está em 21%.")

    assert ("metric.margem", "21%") == (mention.key, mention.value)


@given(
    text=st.one_of(
        st.text(max_size=400), st.lists(PIECES, max_size=40).map(" ".join), st.lists(PIECES).map("".join)
    )
)
def test_any_text_is_read(text: str) -> None:
    """Whatever the text: no error, the same answer twice, known types, sound keys, spans inside and apart."""
    result = mentions(text)

    assert result == mentions(text)
    assert all(item.type in TYPES and item.key.startswith(f"{item.type}.") for item in result)
    assert all(1 <= len(item.key) <= 255 and item.key.isprintable() and item.value for item in result)
    assert all(0 < item.confidence <= 1 for item in result)
    assert all(0 <= item.span[0] < item.span[1] <= len(text) for item in result)
    assert all(one.span[1] <= two.span[0] for one, two in pairwise(result))
    assert len({item.key for item in result}) == len(result)


@given(text=st.lists(PIECES, max_size=40).map(" ".join))
def test_a_name_stands_where_its_span_says(text: str) -> None:
    """The value of a name is the text of its span, letter for letter."""
    named = [item for item in mentions(text) if item.type in {"person", "organization", "place", "campaign"}]

    assert [item.value for item in named] == [text[item.span[0] : item.span[1]] for item in named]
