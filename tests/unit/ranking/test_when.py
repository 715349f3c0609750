"""Times that questions name, read against the moment they are asked."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.looped import looped
from tests.unit.ranking.times import asked, day

from rememora.ranking.when import EVER, TimeSpan
from rememora.ranking.when.spans import easter

SUNDAY = "2026-11-15"
WEDNESDAY = "2026-05-20"
EVERYTHING = EVER.date().isoformat()
MOMENTS = st.datetimes(datetime(1990, 1, 1), datetime(2090, 1, 1), timezones=st.just(UTC))

# What is asked, on which day, since when and until when.
NAMED = """
what did I say today?                       2026-11-15  2026-11-15  2026-11-16
o que eu falei hoje?                        2026-11-15  2026-11-15  2026-11-16
hoje de manhã                               2026-11-15  2026-11-15  2026-11-16
o que ficou da reunião de hoje?             2026-11-15  2026-11-15  2026-11-16
this morning                                2026-11-15  2026-11-15  2026-11-16
esta tarde                                  2026-11-15  2026-11-15  2026-11-16
o que fiz ontem?                            2026-05-20  2026-05-19  2026-05-20
what did I do yesterday                     2026-05-20  2026-05-19  2026-05-20
ontem de manhã                              2026-11-15  2026-11-14  2026-11-15
anteontem                                   2026-05-20  2026-05-18  2026-05-19
antes de ontem                              2026-11-15  2026-11-13  2026-11-14
the day before yesterday                    2026-11-15  2026-11-13  2026-11-14
há 3 dias                                   2026-05-20  2026-05-17  2026-05-18
three days ago                              2026-05-20  2026-05-17  2026-05-18
a few days ago                              2026-11-15  2026-11-09  2026-11-15
uns dias atrás                              2026-11-15  2026-11-09  2026-11-15
a couple of weeks ago                       2026-11-15  2026-10-29  2026-11-05
umas duas semanas atrás                     2026-11-15  2026-10-29  2026-11-05
há umas duas semanas                        2026-11-15  2026-10-29  2026-11-05
faz um mês                                  2026-11-15  2026-10-01  2026-11-01
3 years ago                                 2026-11-15  2023-05-18  2024-05-17
na semana passada                           2026-05-20  2026-05-11  2026-05-18
last week                                   2026-05-20  2026-05-11  2026-05-18
semana retrasada                            2026-11-15  2026-10-26  2026-11-02
the week before last                        2026-11-15  2026-10-26  2026-11-02
nesta semana                                2026-05-20  2026-05-18  2026-05-25
desta semana                                2026-11-15  2026-11-09  2026-11-16
this week                                   2026-11-15  2026-11-09  2026-11-16
na última semana                            2026-11-15  2026-11-08  2026-11-16
in the past week                            2026-11-15  2026-11-08  2026-11-16
in the last week                            2026-11-15  2026-11-08  2026-11-16
nos últimos 3 dias                          2026-11-15  2026-11-12  2026-11-16
nos últimos dias                            2026-11-15  2026-11-10  2026-11-16
the last few days                           2026-11-15  2026-11-10  2026-11-16
in the last couple of weeks                 2026-11-15  2026-11-01  2026-11-16
nos últimos 3 meses                         2026-11-15  2026-08-17  2026-11-16
mês passado                                 2026-05-20  2026-04-01  2026-05-01
last month                                  2026-05-20  2026-04-01  2026-05-01
mês retrasado                               2026-11-15  2026-09-01  2026-10-01
deste mês                                   2026-11-15  2026-11-01  2026-12-01
no último mês                               2026-11-15  2026-10-16  2026-11-16
past month                                  2026-11-15  2026-10-16  2026-11-16
ano passado                                 2026-05-20  2025-01-01  2026-01-01
ano retrasado                               2026-11-15  2024-01-01  2025-01-01
this year                                   2026-11-15  2026-01-01  2027-01-01
no fim de semana passado                    2026-05-20  2026-05-16  2026-05-18
last weekend                                2026-11-15  2026-11-07  2026-11-09
fim de semana retrasado                     2026-11-15  2026-10-31  2026-11-02
no fim de semana                            2026-11-15  2026-11-14  2026-11-16
sexta passada                               2026-05-20  2026-05-15  2026-05-16
na sexta passada                            2026-11-15  2026-11-13  2026-11-14
na sexta                                    2026-11-15  2026-11-13  2026-11-14
na segunda eu fui aonde?                    2026-11-15  2026-11-09  2026-11-10
última sexta                                2026-11-15  2026-11-13  2026-11-14
entre segunda e quarta o que fiz?           2026-11-15  2026-11-09  2026-11-12
na terça-feira                              2026-11-15  2026-11-10  2026-11-11
no domingo                                  2026-11-15  2026-11-08  2026-11-09
last friday                                 2026-05-20  2026-05-15  2026-05-16
what did I eat on Friday?                   2026-11-15  2026-11-13  2026-11-14
na sexta da semana passada                  2026-11-15  2026-11-06  2026-11-07
on Sunday last week                         2026-11-15  2026-11-08  2026-11-09
dia 10                                      2026-11-15  2026-11-10  2026-11-11
no dia 20                                   2026-11-15  2026-10-20  2026-10-21
on the 10th                                 2026-11-15  2026-11-10  2026-11-11
dia 10 do mês passado                       2026-11-15  2026-10-10  2026-10-11
last May                                    2026-05-20  2025-05-01  2025-06-01
last May                                    2026-11-15  2026-05-01  2026-06-01
last March                                  2026-05-20  2026-03-01  2026-04-01
em maio passado                             2026-05-20  2025-05-01  2025-06-01
in May                                      2026-05-20  2026-05-01  2026-06-01
no dia 31                                   2026-05-20  2026-03-31  2026-04-01
on the 31st                                 2026-05-20  2026-03-31  2026-04-01
dia 30                                      2026-03-20  2026-01-30  2026-01-31
em março                                    2026-05-20  2026-03-01  2026-04-01
em novembro                                 2026-05-20  2025-11-01  2025-12-01
as contas de março                          2026-11-15  2026-03-01  2026-04-01
in November 2022                            2026-05-20  2022-11-01  2022-12-01
maio de 2023                                2026-05-20  2023-05-01  2023-06-01
03/2024                                     2026-11-15  2024-03-01  2024-04-01
março/2024                                  2026-11-15  2024-03-01  2024-04-01
set/25                                      2026-11-15  2025-09-01  2025-10-01
2024-03                                     2026-11-15  2024-03-01  2024-04-01
in May last year                            2026-11-15  2025-05-01  2025-06-01
May of last year                            2026-11-15  2025-05-01  2025-06-01
em maio do ano passado                      2026-11-15  2025-05-01  2025-06-01
em dezembro do ano retrasado                2026-11-15  2024-12-01  2025-01-01
between May and July                        2026-11-15  2026-05-01  2026-08-01
entre maio e julho                          2026-11-15  2026-05-01  2026-08-01
between May and July last year              2026-11-15  2025-05-01  2025-08-01
de maio a julho                             2026-11-15  2026-05-01  2026-08-01
from May to July                            2026-11-15  2026-05-01  2026-08-01
desde maio até julho                        2026-11-15  2026-05-01  2026-08-01
entre novembro e fevereiro                  2026-11-15  2025-11-01  2026-03-01
between August 11 and August 15 2023        2026-05-20  2023-08-11  2023-08-16
entre 10 e 15 de maio                       2026-11-15  2026-05-10  2026-05-16
between 2020 and 2022                       2026-11-15  2020-01-01  2023-01-01
before May                                  2026-11-15  1970-01-01  2026-05-01
antes de maio                               2026-11-15  1970-01-01  2026-05-01
before 2024                                 2026-11-15  1970-01-01  2024-01-01
até março                                   2026-11-15  1970-01-01  2026-04-01
o que fiz ate maio?                         2026-11-15  1970-01-01  2026-06-01
what I ate last Friday                      2026-11-15  2026-11-13  2026-11-14
since March                                 2026-11-15  2026-03-01  2026-11-16
desde março                                 2026-11-15  2026-03-01  2026-11-16
a partir de maio                            2026-11-15  2026-05-01  2026-11-16
desde a semana passada                      2026-11-15  2026-11-02  2026-11-16
after May 3rd                               2026-11-15  2026-05-04  2026-11-16
depois de 14/5                              2026-11-15  2026-05-15  2026-11-16
since March and before July                 2026-11-15  2026-03-01  2026-07-01
the week before August 3, 2023              2026-11-15  2023-07-27  2023-08-04
the Sunday before October 25, 2022          2026-11-15  2022-10-18  2022-10-26
last week, as mentioned on November 6, 2023 2026-11-15  2023-11-06  2023-11-07
on 25 May, 2022                             2026-05-20  2022-05-25  2022-05-26
on May 25th, 2022                           2026-05-20  2022-05-25  2022-05-26
25 de maio de 2022                          2026-05-20  2022-05-25  2022-05-26
2022-05-25                                  2026-05-20  2022-05-25  2022-05-26
2022-05-25T14:00:00Z                        2026-05-20  2022-05-25  2022-05-26
25/05/2022                                  2026-05-20  2022-05-25  2022-05-26
what happened on 5/14?                      2026-11-15  2026-05-14  2026-05-15
what happened on 3/4?                       2026-11-15  2026-03-04  2026-03-05
what happened on 14/5?                      2026-11-15  2026-05-14  2026-05-15
o que aconteceu em 14/5?                    2026-11-15  2026-05-14  2026-05-15
o que aconteceu em 3/4?                     2026-11-15  2026-04-03  2026-04-04
in 2022                                     2026-05-20  2022-01-01  2023-01-01
em 2024                                     2026-11-15  2024-01-01  2025-01-01
no começo do ano                            2026-11-15  2026-01-01  2026-05-03
no início do mês                            2026-11-15  2026-11-01  2026-11-11
no fim de maio                              2026-11-15  2026-05-22  2026-06-01
in the beginning of November 2022           2026-11-15  2022-11-01  2022-11-11
first week of May                           2026-11-15  2026-05-01  2026-05-08
na última semana de maio                    2026-11-15  2026-05-25  2026-06-01
the last two weeks of August 2023           2026-11-15  2023-08-18  2023-09-01
Q1 2024                                     2026-11-15  2024-01-01  2024-04-01
segundo semestre de 2025                    2026-11-15  2025-07-01  2026-01-01
no Natal                                    2026-11-15  2025-12-24  2025-12-26
last Christmas                              2026-11-15  2025-12-24  2025-12-26
no carnaval                                 2026-11-15  2026-02-14  2026-02-19
no dia das mães                             2026-11-15  2026-05-10  2026-05-11
no dia dos pais                             2026-11-15  2026-08-09  2026-08-10
on Valentine's Day                          2023-05-30  2023-02-14  2023-02-15
at Thanksgiving                             2023-05-30  2022-11-24  2022-11-25
on Mother's Day 2021                        2023-05-30  2021-05-09  2021-05-10
""".strip().splitlines()

NONE = """
may I ask?
set it out
quanto custa?
31/02
99/99/2020
the march of time
what may I do in set theory
this may be wrong
comprei no mar
quando fui ao Rio de Janeiro?
a loja da rua 25 de março
Avenida 9 de Julho
3 out of 5 people did it
step 1 may be wrong
o set de filmagem
a vista do mar 3
o que o Marco disse?
a irmã de Marco
na segunda vez
a quarta opção
moro na quinta casa
my second job
onde trabalho hoje?
where do I work today?
como é hoje em dia
what is on next Friday?
semana que vem
amanhã
toda sexta
every Monday
de segunda a sexta
from Monday to Friday
uma vez por semana
todo dia 10
moro em Natal
1/2 xícara de açúcar
open 24/7
nota 9/10
April's birthday
meus remédios de hoje
""".strip().splitlines()


@looped("row", NAMED)
def test_a_named_time_is_a_span_of_days(row: str) -> None:
    """Both languages, relative and absolute; a month without a year is the last one that has begun."""
    text, now, since, until = row.rsplit(maxsplit=3)

    assert TimeSpan(day(since), day(until)) == asked(text.strip(), day(now) + timedelta(hours=15.5))


@looped("text", ["", *NONE])
def test_words_that_only_look_like_times_are_none(text: str) -> None:
    """`may`, `set`, `mar` are words, what comes again is no time, and 31 February is no day."""
    assert asked(text, day(SUNDAY)) is None


@pytest.mark.parametrize("text", ["ontem à noite", "last night"])
def test_a_night_goes_on_after_midnight(text: str) -> None:
    """Who asks for last night also means what was said at two."""
    assert TimeSpan(day("2026-11-14"), day("2026-11-15T06:00")) == asked(text, day(SUNDAY))


def test_days_begin_where_the_person_is() -> None:
    """At half past ten at night in São Paulo it is tomorrow in London."""
    now = datetime(2026, 11, 16, 1, 30, tzinfo=UTC).astimezone(ZoneInfo("America/Sao_Paulo"))

    assert TimeSpan(day("2026-11-14T03:00"), day("2026-11-15T03:00")) == asked("o que comprei ontem?", now)


@pytest.mark.parametrize(("number", "date"), [(2024, (3, 31)), (2025, (4, 20)), (2026, (4, 5)), (2038, (4, 25))])
def test_easter_is_where_the_calendar_has_it(number: int, date: tuple[int, int]) -> None:
    """The feasts that move are counted from it."""
    assert date == easter(number)


WORDS = st.sampled_from(
    (
        *("may", "march", "março", "maio", "february", "ago", "friday", "sexta", "natal", "carnaval", "weekend"),
        *("in", "em", "last", "before", "antes", "de", "between", "entre", "and", "e", "a", "to", "until", "até"),
        *(
            "desde",
            "since",
            "after",
            "há",
            "atrás",
            "few",
            "couple",
            "of",
            "first",
            "primeira",
            "end",
            "fim",
            "no",
        ),
        *("week", "semana", "mês", "ano", "year", "years", "months", "quarter", "trimestre", "dia", "noite"),
        *(
            "verão",
            "winter",
            "semestre",
            "quinzena",
            "passado",
            "retrasado",
            "último",
            "primeiros",
            "meses",
            "fds",
        ),
        *(
            "fridays",
            "segunda",
            "vinte",
            "trinta",
            "twenty",
            "primeiro",
            "vou",
            "will",
            "days",
            "dias",
            "24",
            "fds",
        ),
        *("10", "29", "31", "999", "2024", "3/4", "29/02", "2024-02-29", "the", "hoje", "disse", "passada"),
    )
)
TIMELESS = st.sampled_from(("onde", "mora", "minha", "irmã", "what", "is", "my", "song", "cor", "in", "no"))


@given(st.lists(WORDS, max_size=12).map(" ".join), MOMENTS)
@example("300 years before 300 years ago", datetime(1990, 1, 1, tzinfo=UTC))
@example("29/02 até february", datetime(2024, 1, 30, tzinfo=UTC))
def test_every_span_begins_before_it_ends(text: str, now: datetime) -> None:
    """Whatever is said in whatever order: nothing raises, and no span is empty or inverted."""
    span = asked(text, now)

    assert span is None or span.since < span.until


@given(st.text(alphabet="0123456789/-abcdemarioyj ", max_size=40), MOMENTS)
def test_any_question_at_any_time_has_an_answer(text: str, now: datetime) -> None:
    """The same for letters and figures in any order."""
    span = asked(text, now)

    assert span is None or span.since < span.until


@given(
    st.lists(
        st.sampled_from(
            ["onde", "mora", "minha", "irmã", "what", "is", "my", "favourite", "song", "cor", "café", "trabalho"]
        )
    ),
    MOMENTS,
)
def test_words_without_time_find_none(words: list[str], now: datetime) -> None:
    """Most questions mean no time."""
    assert asked(" ".join(words), now) is None
