"""A new value takes the place of the old one inside the statement that it changes."""

import pytest

from rememora.statements.amended import Amendment, amended, is_covered
from rememora.statements.links import known
from rememora.statements.parts import without_part
from rememora.statements.values import values_of


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("the rent day is 5 May", ["5 May"]),
        ("the 3rd of June", ["3rd of June"]),
        ("the rent moved to the 5th of May", ["5th of May"]),
        ("moved to the 5th of may", ["5th of may"]),
        ("5 may do, on May 6", ["May 6"]),
        ("1º de maio", ["1º de maio"]),
    ],
)
def test_a_date_is_found_whole(text: str, dates: list[str]) -> None:
    """A month that is a verb too needs its capital or its day behind it."""
    assert dates == [value.text for value in values_of(text) if value.kind == "date"]


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        (
            "o ensaio é 14 de março no galpão",
            "adiaram pra 2 de abril",
            "o ensaio é 2 de abril no galpão",
        ),
        # Who left makes way for who is there now, and not the place beside.
        (
            "na Holambra é o Cleber, 3333-1212, e no viveiro a Irma",
            "o Cleber saiu, agora é a Naira",
            "na Holambra é a Naira, 3333-1212, e no viveiro a Irma",
        ),
        # What is denied makes way, whatever stands beside it.
        ("our rep is Todd, 555-0193", "it's Tad, not Todd", "our rep is Tad, 555-0193"),
        ("a Ana e a Bia cuidam do caixa", "quem cuida é a Bel, não a Bia", "a Ana e a Bel cuidam do caixa"),
        ("a banca é 3 de dezembro", "agora é dia 9", "a banca é 9 de dezembro"),
        ("corte 40, barba 30, os dois 65", "a barba foi pra 35", "corte 40, barba 35, os dois 65"),
        ("sala 4, 12 cadeiras, 300 reais", "subiu pra 340", "sala 4, 12 cadeiras, 340 reais"),
        ("sala 4, 12 cadeiras, 300 reais", "são 15 cadeiras", "sala 4, 15 cadeiras, 300 reais"),
        ("bolo P 30, M 45, G 60", "o M agora é 50", "bolo P 30, M 50, G 60"),
        ("a meta é 80 mil", "baixou pra 65", "a meta é 65 mil"),
        ("a visita eu cobro oitenta reais", "a visita agora é cem", "a visita eu cobro cem reais"),
        (
            "o aluguel é dois mil e quinhentos e o condomínio oitenta",
            "o condomínio foi pra cento e vinte",
            "o aluguel é dois mil e quinhentos e o condomínio cento e vinte",
        ),
        (
            "ninety five on weekdays, one forty on weekends",
            "weekends are one fifty",
            "ninety five on weekdays, one fifty on weekends",
        ),
        ("rent is nine hundred and fifty a month", "rent went up to 990", "rent is 990 a month"),
        (
            "piano is Mondays, swim is Wednesdays",
            "swim moved to Fridays",
            "piano is Mondays, swim is Fridays",
        ),
        (
            "$32 a head on weekdays, $38 on weekends, 8+ people get 15% off",
            "weekends are going up to 41 btw",
            "$32 a head on weekdays, $41 on weekends, 8+ people get 15% off",
        ),
        ("doors open at 10:30", "it's 10:15, not 10:30", "doors open at 10:15"),
        (
            "the plumber is Abner, 555-0171, the sweep is Lotte, 555-0188",
            "Lotte's number is 555-0190",
            "the plumber is Abner, 555-0171, the sweep is Lotte, 555-0190",
        ),
    ],
)
def test_puts_a_value_of_the_same_kind_where_the_words_beside_it_say(old: str, new: str, text: str) -> None:
    result = amended(old, new)
    assert result is not None
    assert (text, True) == (result.text, result.whole)


def test_takes_the_name_that_comes_for_the_name_that_goes_with_its_article() -> None:
    result = amended("quem despacha é o Ademar", "o Ademar saiu, entrou a Josiane")
    assert result == Amendment("quem despacha é a Josiane", whole=True, replaced=("ademar",))


def test_does_not_take_a_school_for_the_child_that_a_pronoun_takes_up() -> None:
    assert amended("Aria has a cat", "Aria changed schools, she is at Linden Park now") is None


def test_keeps_a_new_statement_that_says_more_than_its_value() -> None:
    result = amended("somos 3 na loja", "somos 4, contando a Neuza que entrou semana passada")
    assert result is not None
    assert ("somos 4 na loja", False) == (result.text, result.whole)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("são 48 apartamentos", "tem 3 vagas"),
        ("a caixa leva 6, a cesta leva 6", "agora são 8"),
        ("gosto de café", "agora é chá"),
        ("moro em Lages", "trabalho em Tubarão"),
        ("camarão do Elielson", "o Elielson me deu o contato de um atravessador, Tonico, 91 98844-1212"),
    ],
)
def test_leaves_a_statement_alone_where_no_value_has_its_place(old: str, new: str) -> None:
    assert amended(old, new) is None


def test_tells_a_statement_that_names_all_of_the_older_one() -> None:
    assert is_covered("a banca é 3 de dezembro", "a banca passou pra 9 de dezembro")
    assert not is_covered("a banca de mestrado é 3 de dezembro", "a banca passou pra 9 de dezembro")


def test_finds_each_kind_of_value_once() -> None:
    text = "a Lia chega às 18 na quinta, 6 de maio, com 12 caixas, 48 99911-2020 ou lia@casa.example"
    assert ["name", "time", "weekday", "date", "figure", "phone", "email"] == [
        value.kind for value in values_of(text)
    ]


@pytest.mark.parametrize(
    "new", ["a Jussara foi embora do prédio, se mudou pra Floripa", "Jussara left, she went to Floripa"]
)
def test_a_place_that_somebody_went_to_takes_nobodys_place(new: str) -> None:
    """The neighbour does not become a town."""
    assert amended("guardo minhas ferramentas no depósito da Jussara", new) is None


def test_the_pronoun_that_both_statements_share_shows_no_place_for_a_name() -> None:
    """A capital letter can name a size ("G"); "I" names nothing, and a car is no ward."""
    assert None is amended("I work Sundays, and I drive a grey Skoda", "I moved to the ICU last month")


@pytest.mark.parametrize(
    ("old", "new", "left"),
    [
        ("I've got a dog named Biscuit, he's 7, and a cat, Pickle", "Biscuit the dog died", "a cat, Pickle"),
        ("I work nights at the clinic, and I live with my brother", "no more nights at the clinic", "I live with"),
    ],
)
def test_what_is_left_of_a_statement_opens_with_no_joint_or_pronoun(old: str, new: str, left: str) -> None:
    """A clause that takes up the one that goes ("he's 7") goes with it, and "and" joins nothing any more."""
    assert without_part(known(old), known(new)).startswith(left)


def test_a_denied_day_is_meant_by_its_number() -> None:
    """The preposition before it need not be the same."""
    change = amended("guias até o dia 12 e notas até o dia 20", "guias até o dia 8 em vez do 12")

    assert change is not None
    assert "guias até o dia 8 e notas até o dia 20" == change.text
