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

FIGURES: dict[str, dict[str, str]] = {
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
    "Gaste no máximo R$ 500 por dia": {"threshold.limit": "≤ R$ 500"},
    "I need at least 20% margin": {"threshold.margem": "≥ 20%"},
    "Paguei 900 reais ao eletricista": {"metric.amount_900_reais": "900 reais"},
    "Contratei a Claro por R$ 99,90.": {"metric.amount_r_99_90": "R$ 99,90"},
    "We signed with Northwind Logistics for $48,000 a year.": {"metric.amount_48_000": "$48,000"},
    "A campanha Volta às Aulas teve CPA de R$ 23,40 e ROAS de 4,2x.": {
        "metric.cpa": "R$ 23,40",
        "metric.roas": "4,2x",
    },
    "Preciso renovar o contrato com a Vivo até 30/09.": {"date.--09-30": "--09-30"},
    "I'm flying to Tokyo with Keiko on the 22nd of November.": {"date.--11-22": "--11-22"},
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
    "The Monday after Easter works.",
    "Cancelei a consulta de segunda.",
    "Contratei um Eletricista.",
]


def figures(text: str) -> dict[str, str]:
    """What is found in a text beside names."""
    return {item.key: item.value for item in mentions(text) if item.type in ("metric", "threshold", "date")}


@looped("text", FIGURES)
def test_which_figures_and_dates_are_found(text: str) -> None:
    """Exactly these, under these keys."""
    assert FIGURES[text] == figures(text)


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
