"""Days of the week and weekends that questions name."""

from __future__ import annotations

import pytest
from tests.looped import looped
from tests.unit.ranking.times import on, rows, span

DAYS = """
o que falei no sábado retrasado?                      2026-05-09  2026-05-10
o que falei terça retrasada?                          2026-05-12  2026-05-13
o que falei na sexta-feira retrasada?                 2026-05-08  2026-05-09
what did I say the Tuesday before last?               2026-05-12  2026-05-13
what did I say the Saturday before last?              2026-05-09  2026-05-10
what did I say three Fridays ago?                     2026-05-01  2026-05-02
what did I say two Saturdays back?                    2026-05-09  2026-05-10
o que falei há três sextas?                           2026-05-01  2026-05-02
o que falei dois sábados atrás?                       2026-05-09  2026-05-10
o que falei ha duas segundas-feiras?                  2026-05-11  2026-05-12
o que marcamos para a última sexta do mês passado?    2026-04-24  2026-04-25
o que fiz na última sexta de abril?                   2026-04-24  2026-04-25
o que fiz na primeira segunda de abril?               2026-04-06  2026-04-07
o que fiz no segundo sábado do mês passado?           2026-04-11  2026-04-12
o que fiz na primeira sexta do mês?                   2026-05-01  2026-05-02
na primeira sexta deste mês o que fiz?                2026-05-01  2026-05-02
what did I do on the last Friday of April?            2026-04-24  2026-04-25
what did I do on the first Monday in March?           2026-03-02  2026-03-03
what did I do on the third Thursday of last month?    2026-04-16  2026-04-17
what did I do on the first Sunday of the month?       2026-05-03  2026-05-04
o que eu falei segunda?                               2026-05-18  2026-05-19
o que eu falei sexta passada?                         2026-05-15  2026-05-16
o que eu falei pro João quinta?                       2026-05-14  2026-05-15
o que eu pedi terça no restaurante?                   2026-05-19  2026-05-20
com quem falei segunda sobre o carro?                 2026-05-18  2026-05-19
quem veio sexta?                                      2026-05-15  2026-05-16
segunda eu falei o quê?                               2026-05-18  2026-05-19
segunda, o que eu disse?                              2026-05-18  2026-05-19
na tarde de sexta o que falei?                        2026-05-15  2026-05-16
o que falei quinta agora?                             2026-05-14  2026-05-15
o que falei sexta de manhã?                           2026-05-15  2026-05-16
onde almocei na segunda feira?                        2026-05-18  2026-05-19
onde almocei na 6ª feira?                             2026-05-15  2026-05-16
na sexta o que eu disse que vou comprar?              2026-05-15  2026-05-16
"""
NIGHTS = """
o que falei sexta à noite?                            2026-05-15  2026-05-16T06:00
o que falei sexta a noite?                            2026-05-15  2026-05-16T06:00
o que falei na noite de sábado?                       2026-05-16  2026-05-17T06:00
what did I say the night before last?                 2026-05-18  2026-05-19T06:00
what did I say last Tuesday night?                    2026-05-19  2026-05-20T06:00
"""
WEEKENDS = """
o que falei no fds?                                   2026-05-16  2026-05-18
o que falei no fds passado?                           2026-05-16  2026-05-18
o que falei nesse findi?                              2026-05-16  2026-05-18
o que falei no fds retrasado?                         2026-05-09  2026-05-11
what did I say the weekend before last?               2026-05-09  2026-05-11
what did I say on the weekend of May 2?               2026-05-02  2026-05-04
what did I say on the weekend of May 1st?             2026-05-02  2026-05-04
o que fiz no fim de semana do dia 2?                  2026-05-02  2026-05-04
o que fiz no fim de semana de 2 de maio?              2026-05-02  2026-05-04
o que fiz no fim de semana de Páscoa?                 2026-04-04  2026-04-06
what did I do the first weekend of April?             2026-04-04  2026-04-06
o que fiz no último fim de semana de abril?           2026-04-25  2026-04-27
what did I do the week of May 4?                      2026-05-04  2026-05-11
what did I do in the week of April 15?                2026-04-13  2026-04-20
o que fiz na semana do dia 4 de maio?                 2026-05-04  2026-05-11
o que fiz na semana do Natal?                         2025-12-22  2025-12-29
o que fiz nos primeiros dias de abril?                2026-04-01  2026-04-06
o que fiz no último dia de abril?                     2026-04-30  2026-05-01
what did I do the last three days of April?           2026-04-28  2026-05-01
"""
NONE = """
preciso da segunda via do boleto
pedi a segunda via do boleto
qual foi a segunda opção que te falei?
pela segunda vez
fiquei com a segunda
comprei carne de segunda?
a sexta série
o que falei na quarta série?
na sexta opção que falei
fui na Quinta da Boa Vista
ficou em quarta colocação
perdi segunda chance
o que fiz no fim de semana do casamento?
how was my first Monday at the new job?
""".strip().splitlines()


@looped(("text", "since", "until"), rows(DAYS))
def test_days_of_the_week_are_found_with_and_without_their_preposition(text: str, since: str, until: str) -> None:
    """The last one, the one before, the third last, the first of a month."""
    assert span(since, until) == on(text)


@pytest.mark.parametrize(("text", "since", "until"), rows(NIGHTS))
def test_a_night_of_a_weekday_lasts_until_six(text: str, since: str, until: str) -> None:
    """Wherever `noite` stands."""
    assert span(since, until) == on(text)


@looped(("text", "since", "until"), rows(WEEKENDS))
def test_weekends_and_weeks_of_a_date_are_around_it(text: str, since: str, until: str) -> None:
    """Saturday and Sunday; Monday to Sunday."""
    assert span(since, until) == on(text)


@looped("text", NONE)
def test_ordinals_are_no_days(text: str) -> None:
    """`Segunda` to `sexta` also count things."""
    assert on(text) is None
