"""Numbers that questions say in words, and years of two figures."""

from __future__ import annotations

import pytest
from tests.looped import looped
from tests.unit.ranking.times import on, rows, span

COUNTED = """
o que falei há quinze dias?                     2026-05-05  2026-05-06
o que falei ha vinte dias?                      2026-04-30  2026-05-01
o que falei há trinta dias?                     2026-04-20  2026-04-21
o que falei faz vinte e cinco dias?             2026-04-25  2026-04-26
o que falei quatorze dias atrás?                2026-05-06  2026-05-07
o que falei nos últimos trinta dias?            2026-04-20  2026-05-21
o que falei nas ultimas vinte e quatro horas?   2026-05-19  2026-05-21
what did I say twenty days ago?                 2026-04-30  2026-05-01
what did I say twenty-one days ago?             2026-04-29  2026-04-30
what did I say thirty days ago?                 2026-04-20  2026-04-21
what did I say in the last fifteen days?        2026-05-05  2026-05-21
what did I say over the past forty five days?   2026-04-05  2026-05-21
"""
DATED = """
o que discutimos no dia primeiro de abril?      2026-04-01  2026-04-02
o que discutimos em primeiro de abril?          2026-04-01  2026-04-02
o que discutimos no dia 1º de abril?            2026-04-01  2026-04-02
o que discutimos dia primeiro?                  2026-05-01  2026-05-02
o que discutimos no dia dez?                    2026-05-10  2026-05-11
o que eu falei no dia vinte e cinco de março?   2026-03-25  2026-03-26
o que eu falei em dois de maio?                 2026-05-02  2026-05-03
o que falei dia quinze de marco de 2024?        2024-03-15  2024-03-16
o que falei no dia primeiro do mês passado?     2026-04-01  2026-04-02
what did I say on the first of April?           2026-04-01  2026-04-02
what did I say on April first?                  2026-04-01  2026-04-02
what did I say on the twenty-first of March?    2026-03-21  2026-03-22
what did we do on the fourth of July?           2025-07-04  2025-07-05
what did I say on the third of last month?      2026-04-03  2026-04-04
what did I say on May the fourth?               2026-05-04  2026-05-05
what did I say December twenty-fifth?           2025-12-25  2025-12-26
o que fiz entre os dias dez e quinze de maio?   2026-05-10  2026-05-16
"""
YEARS = """
o que falamos em dezembro de 24?                2024-12-01  2025-01-01
o que falamos em dezembro de 24 sobre a casa?   2024-12-01  2025-01-01
o que falamos em 3 de maio de 25?               2025-05-03  2025-05-04
o que falamos entre março e maio de 24?         2024-03-01  2024-06-01
o que falamos no segundo semestre de 24?        2024-07-01  2025-01-01
quando nasceu, em maio de 98?                   1998-05-01  1998-06-01
what did we say in December '24?                2024-12-01  2025-01-01
what did we say in December ’24?                2024-12-01  2025-01-01
"""
NO_YEARS = """
o que falei em maio de 25 pessoas?              2026-05-01  2026-06-01
o que pedi em março de 15 em 15 dias?           2026-03-01  2026-04-01
o que fiz em abril de 10h as 12h?               2026-04-01  2026-05-01
what did I say on April 24?                     2026-04-24  2026-04-25
"""
NONE = """
paguei quinze reais
comprei vinte e cinco laranjas
quem chegou em primeiro de todos?
um dia dois amigos meus brigaram
o primeiro de muitos
the first of many
we may first try it
twenty questions
what did April first tell me?
""".strip().splitlines()


@looped(("text", "since", "until"), rows(COUNTED))
def test_numbers_in_words_count_as_figures_do(text: str, since: str, until: str) -> None:
    """Twenty days and 20 days are one time."""
    assert span(since, until) == on(text)


@looped(("text", "since", "until"), rows(DATED))
def test_days_of_a_month_are_said_in_words(text: str, since: str, until: str) -> None:
    """`Dia primeiro`, `the fourth of July`."""
    assert span(since, until) == on(text)


@looped(("text", "since", "until"), rows(YEARS))
def test_two_figures_after_a_month_are_a_year(text: str, since: str, until: str) -> None:
    """`Dezembro de 24`; what would lie ahead is of the century before."""
    assert span(since, until) == on(text)


@pytest.mark.parametrize(("text", "since", "until"), rows(NO_YEARS))
def test_two_figures_that_count_something_are_no_year(text: str, since: str, until: str) -> None:
    """So many people, every 15 days, at ten, on the 24th."""
    assert span(since, until) == on(text)


@looped("text", NONE)
def test_numbers_beside_no_time_are_none(text: str) -> None:
    """Money, fruit, the first of many."""
    assert on(text) is None
