"""Feasts and holidays that questions name."""

from __future__ import annotations

import pytest
from tests.looped import looped
from tests.unit.ranking.times import on, rows, span

FEASTS = """
o que combinamos na sexta-feira santa?          2026-04-03  2026-04-04
o que combinamos na sexta feira santa?          2026-04-03  2026-04-04
what did we eat on Good Friday?                 2026-04-03  2026-04-04
o que fiz na quarta-feira de cinzas?            2026-02-18  2026-02-19
o que fiz na terça de carnaval?                 2026-02-17  2026-02-18
o que fiz na semana santa?                      2026-03-29  2026-04-06
o que fiz no domingo de páscoa?                 2026-04-05  2026-04-06
what did I do on Easter Monday?                 2026-04-06  2026-04-07
no Corpus Christi o que eu fiz?                 2025-06-19  2025-06-20
o que eu comprei na Black Friday?               2025-11-28  2025-11-29
what did I buy on Black Friday 2024?            2024-11-29  2024-11-30
what did I buy on Cyber Monday?                 2025-12-01  2025-12-02
what did I do on New Year's Day?                2026-01-01  2026-01-02
what did I do on New Year’s Day?                2026-01-01  2026-01-02
what did I do on Memorial Day?                  2025-05-26  2025-05-27
what did I do on Christmas Eve?                 2025-12-24  2025-12-25
o que rolou no feriado de Tiradentes?           2026-04-21  2026-04-22
o que fiz na véspera de Natal?                  2025-12-24  2025-12-25
na virada do ano o que combinei?                2025-12-31  2026-01-02
o que fiz no dia do trabalho?                   2026-05-01  2026-05-02
o que fiz no Natal retrasado?                   2024-12-24  2024-12-26
o que fiz no carnaval passado?                  2026-02-14  2026-02-19
o que fiz no carnaval de 24?                    2024-02-10  2024-02-15
what did we do the Christmas before last?       2024-12-24  2024-12-26
"""
NONE = """
quem foi Tiradentes?
fomos a Tiradentes de carro
a good friend of mine
my new black shoes
""".strip().splitlines()


@looped(("text", "since", "until"), rows(FEASTS))
def test_feasts_are_where_the_calendar_has_them(text: str, since: str, until: str) -> None:
    """The last one that has begun."""
    assert span(since, until) == on(text)


@pytest.mark.parametrize("text", NONE)
def test_what_only_shares_a_word_with_a_feast_is_none(text: str) -> None:
    """A town and a friend."""
    assert on(text) is None
