"""A message compared with known statements, word by word and all of them at once."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.looped import looped

from rememora.adapters.offline import OfflineEmbedder
from rememora.caches import forget_people
from rememora.reading import read_message
from rememora.reading.encoders import lend_encoder
from rememora.statements import planner
from rememora.statements.amendments import amended, covers
from rememora.statements.comparison import (
    MEMBERS,
    _look_around,
    compare_words,
    compared_words,
    load_comparison,
)
from rememora.statements.links import features, known, load_links, meaning_features
from rememora.statements.meaning import Meaning
from rememora.statements.touching import CANDIDATES, touch_chances

KNOWN = (
    "a loja abre das 9 às 18 de segunda a sexta",
    "meu contador é o Valdir",
    "o aluguel vence dia 10",
    "a Bia cuida do caixa",
)
CHANGE = "agora a gente fecha às 21h"
GOSSIP = (
    "the dentist moved to Elm Street",
    "my sister is secretly seeing her boss",
    "we pay 40 a month for the gym",
)
THINGS = (
    *("as bicicletas", "as tintas", "a barraca", "os vinis", "as caixas"),
    *("o freezer", "as cadeiras", "a prancha", "os livros", "as malas"),
)
DAY = date(2026, 4, 2)
SAID = (
    *(*KNOWN, *GOSSIP, CHANGE),
    *("o aluguel agora vence dia 15", "o Valdir saiu, agora é a Marta", "a Bia foi pro estoque"),
    *("uso o Trello e o Jira", "não uso mais o Jira", "our rep is Todd, 555-0193", "it's Tad, not Todd"),
)
WISH = "erase the gossip about the affair at her office"


@pytest.fixture
def meaning() -> Iterator[Meaning]:
    """The bundled encoder, lent to the reader as an open memory does."""
    embedder = OfflineEmbedder()
    take_back = lend_encoder(embedder.encode_words)
    yield Meaning(embedder.embed_now)
    take_back()


def test_without_an_encoder_no_words_are_compared() -> None:
    """A store without the bundled encoder compares whole statements alone."""
    assert compared_words(CHANGE) is None


def test_each_word_is_projected_for_each_network(meaning: Meaning) -> None:
    words = compared_words(CHANGE)

    assert words is not None
    assert MEMBERS == len(words)
    assert {(7, 64)} == {word.shape for word in words}


def test_a_text_without_words_is_not_compared(meaning: Meaning) -> None:
    assert compared_words("  ") is None


def test_an_erasure_empties_what_was_projected(meaning: Meaning) -> None:
    """Projected words are a person's words."""
    compared_words(CHANGE)
    forget_people()

    assert 0 == compared_words.cache_info().currsize


def test_the_padding_of_short_statements_changes_nothing(meaning: Meaning) -> None:
    """A statement is as likely beside a long one of the same kind as it was, word by word."""
    weights = load_comparison()._members[0]
    said, *others = [words[0] for text in (CHANGE, *KNOWN) if (words := compared_words(text)) is not None]
    together = compare_words(weights, said, others)
    alone = np.concatenate([compare_words(weights, said, [other]) for other in others])

    np.testing.assert_allclose(together, alone, atol=1e-5)


def test_the_place_of_a_statement_among_the_others_does_not_matter(meaning: Meaning) -> None:
    """With the same features, the statements may stand in any order."""
    weights, rng = load_comparison()._members[0], np.random.default_rng(1)
    rows = rng.normal(size=(5, weights["round0.look.weight"].shape[0])).astype(np.float32)
    order = [3, 0, 4, 1, 2]

    np.testing.assert_allclose(
        _look_around(weights, "round0", rows)[order], _look_around(weights, "round0", rows[order]), atol=1e-5
    )


def test_statements_are_judged_beside_each_other(meaning: Meaning) -> None:
    """With the same features, a described statement has another chance beside its twin than without it."""
    texts = [*GOSSIP, "my other sister has an affair with her manager"]
    said, others = known(WISH), [known(text) for text in texts]
    rows = np.concatenate(
        [features(read_message(WISH), said, others), meaning_features(meaning, load_links().space, said, others)],
        axis=1,
    )
    mine, theirs = compared_words(WISH), [words for text in texts if (words := compared_words(text)) is not None]
    assert mine is not None
    alone = load_comparison().chances(mine, theirs[:3], rows[:3])
    crowded = load_comparison().chances(mine, theirs, rows)

    assert int(np.argmax(alone[:, 0])) == 1
    assert alone[1, 0] != pytest.approx(crowded[1, 0], abs=1e-3)
    assert ((alone >= 0) & (alone <= 1)).all()


def test_a_change_finds_the_statement_that_it_changes(meaning: Meaning) -> None:
    """New closing hours touch the hours, and nothing else."""
    effects = planner.plan(
        read_message(CHANGE), known(CHANGE), [known(text) for text in KNOWN], act="change", meaning=meaning
    )

    assert [0] == [effect.place for effect in effects]


def test_plain_words_about_one_person_do_not_touch_another(meaning: Meaning) -> None:
    """The same words are a new address of the same person, and no news of somebody else."""
    before, said = "a Ana mora na rua das Flores em Olinda", "a Ana agora mora na rua das Flores em Recife"

    def touched(subject: str) -> list[int]:
        statement = known(said, attribute="place", subject=subject)
        others = [known(before, attribute="place", subject="ana")]
        return [
            effect.place
            for effect in planner.plan(read_message(said), statement, others, act="tell", meaning=meaning)
        ]

    assert [0] == touched("ana") == touched("")
    assert [] == touched("bia")


def test_a_change_needs_no_word_of_what_it_changes(meaning: Meaning) -> None:
    """Two sold leave fewer cows, which the message does not name."""
    said = "e vendi duas das mais velhas, ficaram 21"
    others = ("Tenho 23 vacas no leite", *KNOWN)
    effects = planner.plan(
        read_message(said), known(said), [known(text) for text in others], act="change", meaning=meaning
    )

    assert [0] == [effect.place for effect in effects]


@looped(
    ("said", "other", "rests"),
    [
        ("Dentist on 18 March at 8:40.", "The twins turn 7 on 3 March", False),
        ("a partir de abril vou abrir na segunda também", "a Lívia vai ao dentista dia 23 de abril às 9h", False),
        ("we moved house, we live out in Penhallow now", "I bike to the bakery in six minutes", True),
        (
            "mudamos a sede da ONG pro centro, na rua do Mercado Velho",
            "o depósito fica do lado da sede, levo as caixas em 5 minutos",
            True,
        ),
    ],
)
def test_what_shares_a_word_with_a_change_is_in_doubt_only_if_it_rests_on_it(
    meaning: Meaning, said: str, other: str, rests: bool
) -> None:
    """The comparison looks again at what whole statements find."""
    places = planner.doubted(read_message(said), known(said), [known(other)], meaning=meaning)

    assert rests == bool(places)


def test_of_many_statements_that_rest_on_a_change_none_is_left_out(meaning: Meaning) -> None:
    """More than the comparison looks at together are looked at in groups."""
    said = known("a Jussara foi embora do prédio")
    rests = [known(f"guardo {thing} no depósito da Jussara") for thing in THINGS]

    assert [*range(len(THINGS))] == sorted(planner.doubted(read_message(said.text), said, rests, meaning=meaning))


def test_a_second_price_is_not_in_doubt_beside_the_one_that_changed(meaning: Meaning) -> None:
    """The replaced statement is compared too; alone, the other price seems to be meant."""
    said, old, other = (
        known("The warehouse rent went up to 2,900 a month."),
        known("Our warehouse rent is 2,400 a month"),
        known("Our van lease is 600 a month"),
    )

    assert [] == planner.doubted(read_message(said.text), said, [other], [old])


def test_a_statement_that_rests_on_somebody_who_left_is_not_replaced(meaning: Meaning) -> None:
    """Doubt is likelier than a new value: where the tools are kept is not what was said."""
    said = "a Jussara foi embora do prédio, se mudou pra Floripa"
    others = ("guardo minhas ferramentas no depósito da Jussara, que é minha vizinha", "O cachorro se chama Thor")
    effects = planner.plan(
        read_message(said), known(said), [known(text) for text in others], act="change", meaning=meaning
    )

    assert [] == effects


def test_a_change_amends_what_it_says_only_in_part_anew(meaning: Meaning) -> None:
    """The price of honey changes; that of the other bees, which stands in the same statement, is not lost."""
    said = "o potinho da uruçu foi pra 52, o vidro subiu demais"
    others = (
        "o ensaio é na quinta",
        "o pote de 250g da uruçu vendo a 45 e o da jandaíra a 60",
    )
    effects = planner.plan(
        read_message(said), known(said), [known(text) for text in others], act="change", meaning=meaning
    )

    assert [(1, "amend")] == [(effect.place, effect.kind) for effect in effects]


def test_a_statement_that_says_everything_anew_replaces(meaning: Meaning) -> None:
    said = "a banca passou pra 9 de dezembro"
    others = ("a banca é 3 de dezembro", "o ensaio é na quinta")
    effects = planner.plan(
        read_message(said), known(said), [known(text) for text in others], act="change", meaning=meaning
    )

    assert [(0, "replace")] == [(effect.place, effect.kind) for effect in effects]


def test_what_was_wrong_is_put_right_and_what_has_changed_is_amended(meaning: Meaning) -> None:
    said, others = "it's Tad, not Todd", ("our rep is Todd, 555-0193", "we close at noon")
    kinds = {
        act: [
            effect.kind
            for effect in planner.plan(
                read_message(said), known(said), [known(text) for text in others], act=act, meaning=meaning
            )
        ]
        for act in ("correct", "change")
    }

    assert {"correct": ["correct"], "change": ["amend"]} == kinds


def test_a_request_that_fits_two_statements_alike_means_neither_for_sure(meaning: Meaning) -> None:
    """Both debts are offered, and none is forgotten on a guess."""
    wish = "apaga aquilo que eu contei da dívida"
    texts = ("tô devendo 300 pro Beto da padaria", "tô devendo 300 pra Lia da padaria", "o cachorro é o Thor")
    meant = planner.meant(
        read_message(wish), known(wish), [known(text) for text in texts], meaning, described=True
    )

    assert ((), {0, 1}) == (meant.sure, set(meant.possible[:2]))


def test_a_statement_that_is_not_compared_is_not_touched(meaning: Meaning) -> None:
    """Of many alike, the likeliest by their words are compared; the others keep no chance of the plain network."""
    texts = [f"o aluguel da loja {number} vence dia {number}" for number in range(1, 29)]
    wish = "esquece o aluguel da loja"
    chances = touch_chances(read_message(wish), known(wish), [known(text) for text in texts], meaning)

    assert CANDIDATES == np.count_nonzero(chances[:, 0])


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    said=st.lists(st.sampled_from(SAID), min_size=2, max_size=6, unique=True),
    act=st.sampled_from(["tell", "change", "correct"]),
)
def test_no_statement_loses_a_word_that_the_next_one_does_not_say_again(
    meaning: Meaning, said: list[str], act: str
) -> None:
    """Whatever is told after whatever: only what is said anew in full is replaced, all other words stay."""
    *before, new = said
    effects = planner.plan(
        read_message(new), known(new), [known(text) for text in before], act=act, meaning=meaning
    )

    assert len({effect.place for effect in effects}) == len(effects)
    for effect in effects:
        old = before[effect.place]
        if effect.kind == "replace":
            assert covers(new, old)
        elif effect.kind == "amend":
            assert (amended(old, new, DAY) or "").startswith(f"{old} → ")
