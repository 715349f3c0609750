"""From when and until when a statement says it is true."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from tests.looped import looped

from rememora.domain.memory import MemoryDraft
from rememora.knowledge.pending import draft_fields, draft_of
from rememora.knowledge.validity import validity_of

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)


@looped(
    ("text", "since", "until"),
    [
        ("moro aqui desde março", "2026-03-01", None),
        ("desde outubro uso o Bling", "2025-10-01", None),
        ("working there since 2019", "2019-01-01", None),
        ("a partir de janeiro fechamos às 20h", "2027-01-01", None),
        ("a partir de 15/04 o preço é 30", "2026-04-15", None),
        ("starting in June the fee is 40", "2026-06-01", None),
        ("trabalho lá até sexta", None, "2026-03-14"),
        ("the offer holds until Friday", None, "2026-03-14"),
        ("o contrato vale até 2027", None, "2028-01-01"),
        ("fico até 30 de abril", None, "2026-05-01"),
        ("aberto das 9h até as 18h", None, None),
        ("desde criança gosto de café", None, None),
        ("até 31/02 pago", None, None),
        ("Moro em Recife", None, None),
    ],
)
def test_what_the_words_name(text: str, since: str | None, until: str | None) -> None:
    """Dates, months, years and weekdays; hours of a day are no such time, nor is a day that does not exist."""
    validity = validity_of(text, now=NOW)

    assert (since, until) == tuple(
        None if moment is None else moment.date().isoformat() for moment in (validity.since, validity.until)
    )


def test_a_wish_waits_for_an_answer_with_its_times() -> None:
    since = datetime(2026, 3, 1, tzinfo=UTC)
    wish = MemoryDraft(key="user.city", value="Olinda", valid_from=since, valid_to=since + timedelta(days=30))
    assert wish == draft_of(draft_fields(wish))
