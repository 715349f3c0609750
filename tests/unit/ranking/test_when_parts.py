"""Parts of a year that questions name: quarters, halves, fortnights, seasons."""

from __future__ import annotations

from tests.looped import looped
from tests.unit.ranking.times import on, rows, span

PARTS = """
what did I say last quarter?                          2026-01-01  2026-04-01
quanto vendemos no último trimestre?                  2026-01-01  2026-04-01
o que decidimos no trimestre passado?                 2026-01-01  2026-04-01
o que decidimos no trimestre retrasado?               2025-10-01  2026-01-01
what did we decide the quarter before last?           2025-10-01  2026-01-01
what did we decide this quarter?                      2026-04-01  2026-07-01
o que decidimos neste trimestre?                      2026-04-01  2026-07-01
quanto vendemos no último trimestre de 2025?          2025-10-01  2026-01-01
quanto vendemos no ultimo trimestre do ano passado?   2025-10-01  2026-01-01
what did we sell in the last quarter of 2024?         2024-10-01  2025-01-01
what did we sell in the first quarter?                2026-01-01  2026-04-01
what did we sell in the 3rd quarter of 2025?          2025-07-01  2025-10-01
what did we decide in Q1?                             2026-01-01  2026-04-01
what did we decide in Q3 2025?                        2025-07-01  2025-10-01
quanto vendemos no 1º trimestre?                      2026-01-01  2026-04-01
o que ficou acertado no semestre passado?             2025-07-01  2026-01-01
o que ficou acertado no último semestre?              2025-07-01  2026-01-01
o que ficou acertado neste semestre?                  2026-01-01  2026-07-01
what did I study last semester?                       2025-07-01  2026-01-01
como fui no bimestre passado?                         2026-03-01  2026-05-01
o que falei na quinzena passada?                      2026-05-01  2026-05-16
o que falei na quinzena retrasada?                    2026-04-16  2026-05-01
o que falei nesta quinzena?                           2026-05-16  2026-06-01
o que falei na última quinzena?                       2026-05-05  2026-05-21
o que falei na segunda quinzena de abril?             2026-04-16  2026-05-01
o que falei há uma quinzena?                          2026-04-28  2026-05-13
what did I order a fortnight ago?                     2026-04-29  2026-05-14
what did I order in the last fortnight?               2026-05-06  2026-05-21
what did we sell in the first half of the year?       2026-01-01  2026-07-01
what did we sell in the first half of 2025?           2025-01-01  2025-07-01
what did we sell in the second half of last year?     2025-07-01  2026-01-01
quanto vendemos na primeira metade do ano?            2026-01-01  2026-07-01
o que fiz na primeira quinzena do mês?                2026-05-01  2026-05-16
o que fiz no fim do semestre passado?                 2025-11-01  2026-01-01
nos primeiros três meses do ano o que fiz?            2026-01-01  2026-04-01
what did I do in the last two months of 2025?         2025-11-01  2026-01-01
o que fiz nos primeiros 10 dias de abril?             2026-04-01  2026-04-11
"""
SEASONS = """
quanto gastei no verão?                         2026-05-20  2025-12-21  2026-03-21
quanto gastei no verao?                         2026-05-20  2025-12-21  2026-03-21
quanto gastei no verão?                         2026-01-10  2025-12-21  2026-03-21
o que fizemos no verão passado?                 2026-05-20  2025-12-21  2026-03-21
o que fizemos no verão passado?                 2026-01-10  2024-12-21  2025-03-21
o que fizemos no último verão?                  2026-05-20  2025-12-21  2026-03-21
o que fizemos no verão retrasado?               2026-05-20  2024-12-21  2025-03-21
o que fizemos no inverno passado?               2026-05-20  2025-06-21  2025-09-21
onde fui no inverno de 2025?                    2026-05-20  2025-06-21  2025-09-21
onde fui no verão de 2025?                      2026-05-20  2024-12-21  2025-03-21
onde fui no verão de 24?                        2026-05-20  2023-12-21  2024-03-21
onde fui na primavera?                          2026-05-20  2025-09-21  2025-12-21
o que falei no outono?                          2026-05-20  2026-03-21  2026-06-21
como foi o inverno?                             2026-05-20  2025-06-21  2025-09-21
o que mudou desde o verão?                      2026-05-20  2025-12-21  2026-05-21
o que comprei no fim do verão?                  2026-05-20  2026-02-19  2026-03-21
what did we do in the spring?                   2026-05-20  2026-03-01  2026-06-01
where did I go this spring?                     2026-05-20  2026-03-01  2026-06-01
what did we do last spring?                     2026-05-20  2025-03-01  2025-06-01
what did we do last summer?                     2026-05-20  2025-06-01  2025-09-01
what did we do last summer?                     2026-10-20  2026-06-01  2026-09-01
what did we do the summer before last?          2026-05-20  2024-06-01  2024-09-01
what did I say last fall?                       2026-05-20  2025-09-01  2025-12-01
what did I do in autumn?                        2026-05-20  2025-09-01  2025-12-01
where did I go in the winter of 2025?           2026-05-20  2024-12-01  2025-03-01
where did I go in the summer of last year?      2026-05-20  2025-06-01  2025-09-01
what did I do over the winter?                  2026-05-20  2025-12-01  2026-03-01
what did I buy in late summer 2025?             2026-05-20  2025-08-01  2025-09-01
what did I do in the summer when it rained?     2026-05-20  2025-06-01  2025-09-01
where did we go during summer break?            2026-05-20  2025-06-01  2025-09-01
in early spring what did I plant?               2026-05-20  2026-03-01  2026-04-01
""".strip().splitlines()
NONE = """
where did I buy spring onions?
did I like the spring rolls?
what did I write in Spring Boot?
when did I fall asleep?
did she fall in love?
what did I pack for summer camp?
which winter coat did I buy?
how do I spend time in summer?
what do I like to do in the winter?
how was the hot spring?
o que eu gosto de fazer no verão?
quando começou o horário de verão?
comprei roupa de inverno?
a rua da Primavera
what happened in the second quarter of the game?
o que houve no primeiro trimestre da gravidez?
como foi o terceiro semestre?
a quarter of a cup
""".strip().splitlines()


@looped(("text", "since", "until"), rows(PARTS))
def test_parts_of_years_are_those_of_the_calendar(text: str, since: str, until: str) -> None:
    """The last quarter is the one before this, the last of a year its fourth."""
    assert span(since, until) == on(text)


@looped("row", SEASONS)
def test_seasons_are_those_of_where_the_language_is_spoken(row: str) -> None:
    """In Portuguese of the south, in English of the north; the last that has begun, or that is over."""
    text, today, since, until = row.rsplit(maxsplit=3)

    assert span(since, until) == on(text.strip(), today)


@looped("text", NONE)
def test_what_only_sounds_like_a_part_of_a_year_is_none(text: str) -> None:
    """Things, habits, falling, the quarters of a game."""
    assert on(text) is None
