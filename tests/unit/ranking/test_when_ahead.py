"""Times that lie ahead lift nothing, and times just now are today."""

from __future__ import annotations

import pytest
from tests.looped import looped
from tests.unit.ranking.times import on, rows, span

AHEAD = """
pra onde vou viajar em julho?
em julho pra onde vou?
o que vamos fazer no Natal?
o que vou fazer na sexta?
o que a Ana vai fazer no fim de semana?
quais são meus planos para dezembro?
o que tenho marcado pra sexta-feira?
a festa de dezembro será onde?
quando é a festa de dezembro?
o que pretendo estudar no inverno?
o que eu disse que vou fazer em agosto?
minha próxima viagem em setembro
o que faremos no dia 25?
what are my plans for December?
where am I traveling in July?
what will I do on Friday?
where are we going to spend Christmas?
what's my next trip in August?
what am I going to do this weekend?
what did I say about my plans for August?
what do I have scheduled for June 5?
when is my flight in July?
who is coming for Christmas?
what did I say about next quarter?
o que combinamos pro próximo semestre?
""".strip().splitlines()
BEHIND = """
onde viajei em julho?                                 2025-07-01  2025-08-01
para onde eu ia viajar em julho?                      2025-07-01  2025-08-01
o que eu disse em julho que vou fazer?                2025-07-01  2025-08-01
o que eu disse ontem que vou fazer em julho?          2026-05-19  2026-05-20
o que eu disse semana passada que vou fazer?          2026-05-11  2026-05-18
na semana passada o que falei que vou fazer na sexta? 2026-05-15  2026-05-16
o que vou entregar este mês?                          2026-05-01  2026-06-01
o que vai bem desde março?                            2026-03-01  2026-05-21
what did I say in December about my plans for July?   2025-12-01  2026-01-01
who was going to the gym in April?                    2026-04-01  2026-05-01
what did I do next in March?                          2026-03-01  2026-04-01
será que comprei o carro em março?                    2026-03-01  2026-04-01
"""
NOW = """
o que eu falei há pouco?                              2026-05-20  2026-05-21
o que eu disse agora ha pouco?                        2026-05-20  2026-05-21
o que falei há meia hora?                             2026-05-20  2026-05-21
o que falei há 10 minutos?                            2026-05-20  2026-05-21
what did I say half an hour ago?                      2026-05-20  2026-05-21
what did I say just now?                              2026-05-20  2026-05-21
what did I say ninety minutes ago?                    2026-05-20  2026-05-21
o que eu pedi trasanteontem?                          2026-05-17  2026-05-18
o que falei há um mês e meio?                         2026-03-21  2026-04-21
what did I say a month and a half ago?                2026-03-21  2026-04-21
o que falei há pouco mais de um mês?                  2026-04-05  2026-05-06
"""
NONE = """
estou um pouco cansado
moro aqui há pouco tempo
há pouco leite na geladeira?
comprei na 25 de março
o que sei da Vila 7 de Setembro?
""".strip().splitlines()


@looped("text", AHEAD)
def test_a_time_that_lies_ahead_is_none(text: str) -> None:
    """Whoever asks where they will go in July does not mean the July before."""
    assert on(text) is None


@looped(("text", "since", "until"), rows(BEHIND))
def test_a_plan_beside_a_time_does_not_push_it_ahead(text: str, since: str, until: str) -> None:
    """The verb before a time tells when it is; what is told from today or since then is no guess."""
    assert span(since, until) == on(text)


@looped(("text", "since", "until"), rows(NOW))
def test_moments_ago_are_today(text: str, since: str, until: str) -> None:
    """Half an hour ago, and times with a half in them."""
    assert span(since, until) == on(text)


@pytest.mark.parametrize("text", NONE)
def test_a_little_and_a_street_are_no_times(text: str) -> None:
    """`Há pouco tempo` is nobody knows when, and streets have names of days."""
    assert on(text) is None
