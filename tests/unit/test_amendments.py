"""A statement with what changed it behind it, in the words that were said."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rememora.language.amended import Amendment, extends, parts_of, spoken, with_parts
from rememora.language.labels import fact_sentence
from rememora.statements.amendments import LONGEST, amended, covers
from rememora.statements.corrected import put_right, with_value

DAY = date(2026, 4, 2)
words = st.text(
    st.characters(codec="utf-8", categories=["L", "N", "P", "Zs"]) | st.sampled_from("→:- "),
    min_size=1,
    max_size=80,
).map(str.strip)
days = st.dates(date(2020, 1, 1), date(2030, 1, 1))


def test_a_change_stands_behind_what_it_changes_with_its_day() -> None:
    text = amended("alugo um Onix por 690 a semana", "troquei, agora tô de HB20", DAY)

    assert text == "alugo um Onix por 690 a semana → 2026-04-02: troquei, agora tô de HB20"
    assert parts_of(text) == (
        "alugo um Onix por 690 a semana",
        [Amendment("2026-04-02", "troquei, agora tô de HB20")],
    )
    assert spoken(text) == "alugo um Onix por 690 a semana; troquei, agora tô de HB20"
    key = "user.tool_s1a2b3c4"
    assert " → 2 de abril: troquei" in fact_sentence(key, text, text, "pt")
    assert " → April 2: troquei" in fact_sentence(key, text, text, "en")


def test_a_change_that_says_an_earlier_one_again_takes_its_place() -> None:
    """A price that changes every month does not grow without end."""
    text = "corte 40, barba 30"
    for month, price in enumerate((35, 38, 41), 1):
        grown = amended(text, f"a barba foi pra {price}", date(2026, month, 1))
        assert grown is not None
        text = grown

    assert text == "corte 40, barba 30 → 2026-03-01: a barba foi pra 41"


def test_a_change_that_was_told_already_changes_nothing() -> None:
    """A message that fills a slot and says why is put behind a statement once."""
    text = amended("trabalho na clínica", "mudei pra Floripa e saí da clínica.", DAY)

    assert text is not None
    assert amended(text, "saí da clínica", DAY) == text


def test_both_statements_stay_where_one_would_be_too_long_to_read() -> None:
    assert amended("a" * LONGEST, "agora é outra coisa", DAY) is None


@given(first=words, changes=st.lists(st.tuples(words, days), max_size=4))
def test_no_word_of_anybody_is_lost_or_made_up(first: str, changes: list[tuple[str, date]]) -> None:
    """What was said first, and every change that no later one says again, stands to the letter in its order."""
    text = parts_of(first)[0]
    for change, day in changes:
        grown = amended(text, change, day)
        if grown is not None:
            said, kept = parts_of(grown)
            assert said == parts_of(text)[0]
            if grown == text:
                continue
            assert kept[-1].day == day.isoformat()
            assert grown == with_parts(said, kept)
            assert [one for one in parts_of(text)[1] if not covers(kept[-1].text, one.text)] == kept[:-1]
            assert extends(grown, text)
            text = grown


@given(text=words)
def test_a_persons_own_arrow_is_no_change(text: str) -> None:
    """Words that look like a change of another day stay words of the change they were said in."""
    grown = amended("moro em Olinda", f"{text} → 2020-01-01: moro em Recife", DAY)

    assert grown is not None
    assert [change.day for change in parts_of(grown)[1]] == ["2026-04-02"]


@pytest.mark.parametrize(
    ("old", "new", "all_of_it"),
    [
        ("a banca é 3 de dezembro", "a banca passou pra 9 de dezembro", True),
        ("O turno da cozinha começa às 9h30", "o turno da cozinha agora começa às 7h15", True),
        ("a banca de mestrado é 3 de dezembro", "a banca passou pra 9 de dezembro", False),
        # One time is not both ends of a range, and one of two things is not both.
        ("Abrimos das 9 às 18", "agora fecha às 21h", False),
        ("uso o Trello e o Jira", "não uso mais o Jira", False),
        ("We deliver on Mondays and Thursdays", "we deliver on Fridays now", True),
        ("aceitamos Pix e Visa", "aceitamos só Pix", False),
        ("Trabalho na Acme e na Beta", "saí da Beta", False),
    ],
)
def test_only_a_statement_that_says_everything_anew_replaces(old: str, new: str, all_of_it: bool) -> None:
    assert covers(new, old) is all_of_it


@given(text=words)
def test_a_statement_covers_itself_or_says_nothing(text: str) -> None:
    assert covers(text, text) or not covers("", text)


@pytest.mark.parametrize(
    ("old", "said", "right"),
    [
        ("our rep is Todd, 555-0193", "it's Tad, not Todd", "our rep is Tad, 555-0193"),
        ("a Ana e a Bia cuidam do caixa", "quem cuida é a Bel, não a Bia", "a Ana e a Bel cuidam do caixa"),
        ("doors open at 10:30", "it's 10:15, not 10:30", "doors open at 10:15"),
        ("o ensaio é 14 de março no galpão", "é 2 de abril", "o ensaio é 2 de abril no galpão"),
        ("a banca é 3 de dezembro", "é dia 9", "a banca é 9 de dezembro"),
        ("a taxa é R$ 480 por mês", "são 515", "a taxa é R$ 515 por mês"),
    ],
)
def test_a_wrong_value_is_put_right_where_no_guess_is_needed(old: str, said: str, right: str) -> None:
    result = put_right(old, said)

    assert result is not None
    assert (result.text, result.whole) == (right, True)


@pytest.mark.parametrize(
    ("old", "said"),
    [
        ("corte 40, barba 30", "é 35"),
        ("moro em Lages", "trabalho em Tubarão"),
        ("a Jussara guarda minhas ferramentas", "é a Marta"),
    ],
)
def test_a_value_that_may_be_of_several_is_not_put_anywhere(old: str, said: str) -> None:
    assert put_right(old, said) is None


@pytest.mark.parametrize(
    ("said", "again"),
    [
        ("não abre mais aos sábados", "abre mais aos sábados"),
        ("agora tô de HB20", "voltei pro Onix"),
    ],
)
def test_a_change_that_says_otherwise_is_no_repetition(said: str, again: str) -> None:
    text = amended("alugo um Onix", said, DAY)

    assert text is not None
    assert (amended(text, again, DAY) or "").endswith(again)


def test_a_change_back_to_what_was_is_told() -> None:
    """Only what was said last is a repetition."""
    text = "alugo um Onix → 2026-04-02: agora tô de HB20 → 2026-05-02: voltei pro Onix"

    assert (amended(text, "agora tô de HB20", date(2026, 6, 1)) or "").endswith("2026-06-01: agora tô de HB20")


def test_a_correction_leaves_the_days_of_changes() -> None:
    """The day of a change is no number of anybody."""
    text = "a Marta atende no balcão → 2026-04-02: agora atende no 97777-2222"
    right = put_right(text, "é 98888-7777")

    assert right is not None
    assert right.text == "a Marta atende no balcão → 2026-04-02: agora atende no 98888-7777"
    assert with_value("Alugo um Onix → 2026-04-02: troquei de carro", "700") == ""


def test_no_day_that_is_none_makes_a_change() -> None:
    assert parts_of("Meta → 2026-13-01: b") == ("Meta → 2026-13-01: b", [])
