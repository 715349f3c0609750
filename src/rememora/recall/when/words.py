"""The words by which Portuguese and English name times, folded, and the patterns made of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Final


def _numbered(names: Iterable[str], start: int) -> dict[str, int]:
    return {name: number for number, line in enumerate(names, start=start) for name in line.split()}


def either(names: Iterable[str]) -> str:
    """A pattern that matches any of the words, the longest first."""
    return "|".join(sorted(names, key=len, reverse=True))


def number_of(text: str) -> int:
    """How many a word or a figure says; 0 where it does not say exactly."""
    return int(text) if text.isdigit() else NUMBERS[text]


# `marzo` stands for `março`, told apart from the name Marco before the text is folded.
MONTHS: Final[Mapping[str, int]] = _numbered(
    (
        "january jan janeiro",
        "february feb fevereiro fev",
        "march mar marco marzo",
        "april apr abril abr",
        "may maio mai",
        "june jun junho",
        "july jul julho",
        "august aug agosto ago",
        "september sept sep setembro set",
        "october oct outubro out",
        "november nov novembro",
        "december dec dezembro dez",
    ),
    start=1,
)
FIGURE_ONLY: Final = frozenset({"out", "set", "mar", "mai", "ago", "dez"})
"""Words of every day that are months only beside a figure."""
COMPANY: Final = frozenset(
    {"may", "march", "marco", "april", "june", "sep", "jun", "jul", "abr", "dec", "jan", "oct"}
)
"""Words, or names of people, that are months beside a figure or after a word that goes before times."""
WEEKDAYS: Final[Mapping[str, int]] = _numbered(
    (
        "monday segunda-feira segunda",
        "tuesday terca-feira terca",
        "wednesday quarta-feira quarta",
        "thursday quinta-feira quinta",
        "friday sexta-feira sexta",
        "saturday sabado",
        "sunday domingo",
    ),
    start=0,
)
ORDINALS_TOO: Final = frozenset({"segunda", "terca", "quarta", "quinta", "sexta"})
NUMBERS: Final[Mapping[str, int]] = _numbered(
    (
        "few some several alguns algumas poucos poucas varios varias uns umas",
        "one um uma a an",
        "two dois duas couple",
        "three tres",
        "four quatro",
        "five cinco",
        "six seis",
        "seven sete",
        "eight oito",
        "nine nove",
        "ten dez",
        "eleven onze",
        "twelve doze",
    ),
    start=0,
)
FEW: Final = 5
"""What is taken for some, which are nobody knows how many."""
ORDINALS: Final[Mapping[str, int]] = _numbered(
    (
        "first primeiro primeira",
        "second segundo segunda",
        "third terceiro terceira",
        "fourth quarto quarta",
        "last ultimo ultima ultimos ultimas",
    ),
    start=1,
)
LAST: Final = 5
UNITS: Final[Mapping[str, timedelta]] = {
    name: timedelta(hours=hours)
    for hours, names in (
        (1, "hour hours hora horas"),
        (24, "day days dia dias"),
        (7 * 24, "week weeks semana semanas"),
        (30 * 24, "month months mes meses"),
        (365 * 24, "year years ano anos"),
    )
    for name in names.split()
}
# Month and day on which they begin, and how many days they last.
FEASTS: Final[Mapping[str, tuple[int, int, int]]] = {
    "natal": (12, 24, 2),
    "christmas": (12, 24, 2),
    "ano novo": (12, 31, 2),
    "reveillon": (12, 31, 2),
    "new year's eve": (12, 31, 2),
    "halloween": (10, 31, 1),
    "sao joao": (6, 23, 2),
    "valentine's day": (2, 14, 1),
    "valentines day": (2, 14, 1),
    "dia dos namorados": (6, 12, 1),
    "dia das criancas": (10, 12, 1),
    "independence day": (7, 4, 1),
    "finados": (11, 2, 1),
}
# Days from Easter on which they begin, and how many they last.
MOVING_FEASTS: Final[Mapping[str, tuple[int, int]]] = {
    "carnaval": (-50, 5),
    "carnival": (-50, 5),
    "pascoa": (-2, 3),
    "easter": (-2, 3),
}
# Month, day of the week (0 is Monday), and which one of that month.
WEEKDAY_FEASTS: Final[Mapping[str, tuple[int, int, int]]] = {
    "mother's day": (5, 6, 2),
    "mothers day": (5, 6, 2),
    "dia das maes": (5, 6, 2),
    "father's day": (6, 6, 3),
    "fathers day": (6, 6, 3),
    "dia dos pais": (8, 6, 2),
    "thanksgiving": (11, 3, 4),
    "labor day": (9, 0, 1),
}

MONTH: Final = f"(?P<month>{either(MONTHS)})"
WEEKDAY: Final = f"(?P<weekday>{either(WEEKDAYS)})"
COUNT: Final = rf"(?P<count>[1-3]?\d{{1,2}}|{either(NUMBERS)})(?: of| de)?"
UNIT: Final = f"(?P<unit>{either(UNITS)})"
YEAR: Final = r"(?P<year>(?:19|20)\d\d)"
ORDINAL: Final = f"(?P<ordinal>{either(ORDINALS)})"
FEAST: Final = f"(?P<feast>{either((*FEASTS, *MOVING_FEASTS, *WEEKDAY_FEASTS))})"

NO_TIME: Final = (
    r"\bhoje em dia\b|\b(?:a partir de|from) (?:hoje|today|now)\b|\bde hoje em diante\b|\b24/7\b"
    r"|\b(?:black|good) friday\b|\brio de janeiro\b"
    rf"|\b(?:rua|avenida|av\.?|praca|escola|hospital|bairro) (?:\w+ de )?(?:{either(MONTHS)})\b"
    r"|\b(?:tomorrow|amanha)\b|\bmay (?:be|have|not|also|need|help)\b"
    rf"|\b(?:next|coming|every|each|other|per|proxim[oa]s?|tod[oa]s?|cada|por)(?: (?:os|as))?"
    rf" (?:{either((*UNITS, *MONTHS, *WEEKDAYS))}|weekend|(?:fim|final) de semana)\b(?: \d\d?\b)?"
    rf"|\b(?:{either((*UNITS, *MONTHS, *WEEKDAYS))}) que vem\b"
    rf"|\b(?:{either(WEEKDAYS)}) (?:to|through|a|until) (?:{either(WEEKDAYS)})\b"
)
"""What is still to come, comes again and again, or is no time at all."""

BEFORE_MONTHS: Final = (
    r"\b(?:in|last|of|since|until|till|during|early|late|mid|before|after|by|for|between|from"
    r"|em|desde|entre|ultimo|(?:antes|depois|partir|comeco|inicio|meados|fim|final|mes) de)[ -]$"
    rf"|\b(?:{either(MONTHS)})(?: \d\d?)?(?: (?:de )?\d{{4}})? (?:and|to|through|until|e|a|ou|or) $"
)
AFTER_MONTHS: Final = r" (?:of )?(?:last|this) year\b| (?:do|deste|desse) ano\b| passado\b"
BEFORE_YEARS: Final = (
    r"\b(?:in|of|during|since|before|after|until|till|by|between|from|early|late|mid"
    r"|em|de|do|desde|entre|ano)[ -]$"
    r"|\b(?:19|20)\d\d ?(?:and|to|through|until|e|a|-) ?$"
)
BEFORE_ORDINALS: Final = (
    r"\b(?:na|nesta|nessa|naquela|desta|dessa|daquela|da|ultima|desde|desde a|until|until a|esta|essa|entre) $"
    rf"|\b(?:{either(WEEKDAYS)}) (?:e|ou) $"
)
AFTER_ORDINALS: Final = (
    r"(?:[^\w -]|$| (?:passada|retrasada|de manha|cedo|eu|nos|a|o|as|os|que|e|ou|no|na|nos|nas|em|com|de|do|da"
    r"|para|pra|sobre|quando|ele|ela|voce|ontem|foi|teve)\b)"
)
PAST_TENSE: Final = (
    r"\b(?:did|was|were|said|told|have i|had|i've|bought|ate|went|happened|disse|fiz|fui|foi|vi|tive|comi|bebi"
    r"|pedi|li|combinamos|falamos|conversamos|decidimos|fizemos|marcamos|aconteceu|teve|houve"
    r"|(?!estou)\w{3,}(?:ei|ou|aram|eram|iram))\b"
)
