"""The words by which Portuguese and English name times, folded, and the patterns made of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Final


def numbered(names: Iterable[str], start: int) -> dict[str, int]:
    """The words of each line with its number, counted from `start`."""
    return {name: number for number, line in enumerate(names, start=start) for name in line.split()}


def either(names: Iterable[str]) -> str:
    """A pattern that matches any of the words, the longest first."""
    return "|".join(sorted(names, key=len, reverse=True))


def number_of(text: str) -> int:
    """How many a word or a figure says; 0 where it does not say exactly."""
    return int(text) if text.isdigit() else NUMBERS[text]


# `marzo` stands for `março`, told apart from the name Marco before the text is folded.
MONTHS: Final[Mapping[str, int]] = numbered(
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
_ORDINAL_DAYS: Final = ("segunda", "terca", "quarta", "quinta", "sexta")
WEEKDAYS: Final[Mapping[str, int]] = {
    **numbered(["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"], start=0),
    **{f"{name}{ending}": at for at, name in enumerate(_ORDINAL_DAYS) for ending in ("-feira", " feira", "")},
    **{f"{at + 2}a{between}feira": at for at in range(5) for between in "- "},
    "sabado": 5,
    "domingo": 6,
}
WEEKDAYS_MANY: Final[Mapping[str, int]] = {
    **{f"{name}s": at for name, at in WEEKDAYS.items() if "feira" not in name},
    **{f"{name}s{between}feiras": at for at, name in enumerate(_ORDINAL_DAYS) for between in "- "},
}
"""What is counted: three Fridays ago."""
ORDINALS_TOO: Final = frozenset(_ORDINAL_DAYS)
CARDINALS: Final[Mapping[str, int]] = numbered(
    (
        "two dois duas",
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
        "thirteen treze",
        "fourteen quatorze catorze",
        "fifteen quinze",
        "sixteen dezesseis",
        "seventeen dezessete",
        "eighteen dezoito",
        "nineteen dezenove",
    ),
    start=2,
)
NUMBERS: Final[Mapping[str, int]] = {
    **numbered(
        (
            "few some several alguns algumas poucos poucas varios varias uns umas",
            "one um uma a an",
            "couple",
        ),
        start=0,
    ),
    **CARDINALS,
}
FEW: Final = 5
"""What is taken for some, which are nobody knows how many."""
ORDINALS: Final[Mapping[str, int]] = numbered(
    (
        "first primeiro primeira primeiros primeiras",
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
        (1 / 60, "minute minutes minuto minutos"),
        (1, "hour hours hora horas"),
        (24, "day days dia dias"),
        (7 * 24, "week weeks semana semanas"),
        (14 * 24, "fortnight fortnights"),
        (15 * 24, "quinzena quinzenas"),
        (30 * 24, "month months mes meses"),
        (60 * 24, "bimestre bimestres"),
        (91 * 24, "quarter quarters trimestre trimestres"),
        (182 * 24, "semester semesters semestre semestres"),
        (365 * 24, "year years ano anos"),
        (3652 * 24, "decade decades decada decadas"),
    )
    for name in names.split()
}
PARTS: Final[Mapping[str, int]] = {"bimestre": 2, "quarter": 3, "trimestre": 3, "semestre": 6, "semester": 6}
"""How many months a part of a year has."""
SEASONS: Final[Mapping[str, tuple[int, int]]] = {
    "spring": (3, 1),
    "summer": (6, 1),
    "autumn": (9, 1),
    "fall": (9, 1),
    "winter": (12, 1),
    "outono": (3, 21),
    "inverno": (6, 21),
    "primavera": (9, 21),
    "verao": (12, 21),
}
"""Month and day on which seasons begin: in English those of the north by months, in Portuguese of the south."""

MONTH: Final = f"(?P<month>{either(MONTHS)})"
WEEKDAY: Final = f"(?P<weekday>{either(WEEKDAYS)})"
COUNT: Final = rf"(?P<count>[1-3]?\d{{1,2}}|{either(NUMBERS)})(?: of| de)?"
UNIT: Final = f"(?P<unit>{either(UNITS)})"
YEAR: Final = r"(?P<year>(?:19|20)\d\d)"
ORDINAL: Final = f"(?P<ordinal>{either(ORDINALS)})"
THIS: Final = r"(?:this|d?est[ea]|nest[ea]|d?ess[ea]|ness[ea])"
WEEKEND: Final = "(?:weekend|(?:fim|final) de semana|fds|findi)"

NO_TIME: Final = (
    r"\bhoje em dia\b|\b(?:a partir de|from) (?:hoje|today|now)\b|\bde hoje em diante\b|\b24/7\b"
    r"|\brio de janeiro\b|\bquinta da boa vista\b"
    rf"|\b(?:rua|avenida|av\.?|praca|escola|hospital|bairro|vila|largo|alameda) (?:\w+ de )?(?:{either(MONTHS)})\b"
    # Only streets are feminine: `comprei na 25 de março`.
    rf"|\b(?:na|da|pela) \d\d? de (?:{either(MONTHS)})\b"
    r"|\b(?:tomorrow|amanha)\b|\bmay (?:be|have|not|also|need|help)\b"
    rf"|\b(?:next|coming|every|each|other|per|proxim[oa]s?|tod[oa]s?|cada|por)(?: (?:os|as))?"
    rf" (?:{either((*UNITS, *MONTHS, *WEEKDAYS))}|{WEEKEND})\b(?: \d\d?\b)?"
    rf"|\b(?:{either((*UNITS, *MONTHS, *WEEKDAYS))}|{WEEKEND}) que vem\b"
    rf"|\b(?:{either(WEEKDAYS)}) (?:to|through|a|until) (?:{either(WEEKDAYS)})\b"
)
"""What is still to come, comes again and again, or is no time at all."""

BEFORE_MONTHS: Final = (
    r"\b(?:in|last|of|since|until|till|during|early|late|mid|before|after|by|for|between|from"
    r"|em|desde|entre|ultimo|(?:antes|depois|partir|comeco|inicio|meados|fim|final|mes) de)[ -]$"
    rf"|\b(?:{either(MONTHS)})(?: \d\d?)?(?: (?:de )?\d{{4}})? (?:and|to|through|until|e|a|ou|or) $"
)
AFTER_MONTHS: Final = r" (?:of )?(?:last|this) year\b| (?:do|deste|desse) ano\b"
BEFORE_YEARS: Final = (
    r"\b(?:in|of|during|since|before|after|until|till|by|between|from|early|late|mid"
    r"|em|de|do|desde|entre|ano)[ -]$"
    r"|\b(?:19|20)\d\d ?(?:and|to|through|until|e|a|-) ?$"
)
PAST_TENSE: Final = (
    r"\b(?:did|was|were|said|told|have i|had|i've|bought|ate|went|came|made|met|saw|took|spent|fell|happened"
    r"|disse|fiz|fui|foi|vi|tive|comi|bebi"
    r"|pedi|li|ouvi|vendi|perdi|recebi|escrevi|esqueci|conheci|decidi|resolvi|vim|veio|trouxe|pus|vendemos"
    r"|combinamos|falamos|conversamos|decidimos|fizemos|marcamos|aconteceu|teve|houve"
    r"|(?!estou)\w{3,}(?:ei|ou|aram|eram|iram))\b"
)
