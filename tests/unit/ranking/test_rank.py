"""The ranking: laws that hold for any index, and what each ingredient is for, in small histories."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random

import msgspec
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.looped import looped

from rememora.ranking.rank import RankQuery, blend, rank
from rememora.settings.weights import Weights
from rememora.userindex.rows import Row
from rememora.userindex.user_index import Filter, UserIndex

NOW = datetime(2026, 5, 20, tzinfo=UTC)
TEXTS = st.lists(
    st.sampled_from(
        [
            "a reunião é na sexta",
            "o orçamento subiu para 6.200",
            "ela odeia roxo",
            "Caroline: I went camping",
            "ok",
            "você viu o relatório?",
            "",
            "🎉",
            "the budget is 4,500",
        ]
    ),
    min_size=1,
    max_size=12,
)


def talk(*said: str, conversation: str = "c1", start: datetime = NOW, role: str = "") -> list[Row]:
    """Turns of a conversation, user and assistant in turn."""
    return [
        Row(
            id=f"{conversation}:{place}",
            text=text,
            at=start + timedelta(minutes=place),
            conversation=conversation,
            position=place,
            role=role or ("user" if place % 2 == 0 else "assistant"),
        )
        for place, text in enumerate(said)
    ]


def ids(index: UserIndex, text: str, **query: object) -> list[str]:
    return [hit.id for hit in rank(index, msgspec.structs.replace(RankQuery(text=text, now=NOW), **query))]


def vector(*values: float) -> np.ndarray:
    return np.array(values, dtype=np.float32)


@settings(deadline=None)  # the first example loads the stemmer
@given(TEXTS, st.text(max_size=60), st.integers(0, 30), st.booleans())
def test_any_query_on_any_shelf_is_answered_in_order_and_explained(
    texts: list[str], text: str, limit: int, embedded: bool
) -> None:
    """At most `limit` rows, each once, best first, parts adding up to the score, similarity 0 to 1."""
    rows = [msgspec.structs.replace(row, vector=vector(1, place)) for place, row in enumerate(talk(*texts))]
    query = RankQuery(text=text, now=NOW, limit=limit, vector=vector(1, 0.5) if embedded else None)
    hits = rank(UserIndex(rows), query)

    assert len(hits) <= limit
    assert len({hit.id for hit in hits}) == len(hits)
    assert sorted((hit.score for hit in hits), reverse=True) == [hit.score for hit in hits]
    for hit in hits:
        assert hit.score == pytest.approx(sum(hit.parts.values()), rel=1e-3, abs=1e-5)
        assert 0 <= hit.similarity <= 1


@given(TEXTS, st.data())
def test_filters_are_exact(texts: list[str], data: st.DataObject) -> None:
    """Nothing that a filter excludes is found, whatever the words say."""
    rows = [
        msgspec.structs.replace(row, kind=data.draw(st.sampled_from(["message", "memory"])), vector=vector(1, 1))
        for row in talk(*texts) + talk(*texts, conversation="c2", start=NOW - timedelta(days=9))
    ]
    within = Filter(
        kinds=data.draw(st.none() | st.sets(st.sampled_from(["message", "memory", "episode"]))),
        conversations=data.draw(st.none() | st.sets(st.sampled_from(["c1", "c2", "c3"]))),
        exclude_conversation=data.draw(st.sampled_from([None, "c1", "c3"])),
        since=data.draw(st.sampled_from([None, NOW])),
        until=data.draw(st.sampled_from([None, NOW])),
    )
    by_id = {row.id: row for row in rows}
    query = RankQuery(text=" ".join(texts), now=NOW, vector=vector(1, 0), limit=50, within=within)

    for hit in rank(UserIndex(rows), query):
        row = by_id[hit.id]
        assert within.kinds is None or row.kind in within.kinds
        assert within.conversations is None or row.conversation in within.conversations
        assert row.conversation != within.exclude_conversation
        assert within.since is None or row.at >= within.since
        assert within.until is None or row.at <= within.until


@given(st.floats(0, 1))
def test_min_similarity_is_exact(least: float) -> None:
    """Every row at least as near as asked, and all of those, are found."""
    rows = [
        msgspec.structs.replace(row, vector=vector(1, place / 4))
        for place, row in enumerate(talk(*["budget"] * 5, role="user"))
    ]
    index = UserIndex(rows)
    everything = rank(index, RankQuery(text="budget", now=NOW, vector=vector(1, 0), limit=9))
    ranking = rank(index, RankQuery(text="budget", now=NOW, vector=vector(1, 0), limit=9, min_similarity=least))

    assert {hit.id for hit in everything if hit.similarity >= least} == {hit.id for hit in ranking}


@given(
    st.lists(st.sampled_from(["add", "add", "remove", "embed", "note"]), max_size=50),
    st.randoms(use_true_random=False),
)
def test_a_shelf_with_a_past_ranks_like_a_new_one(acts: list[str], random: Random) -> None:
    """Through additions, replacements and removals in any order, nothing stays behind and nothing is lost.

    Nor does it matter who asked in between.
    """
    pick = random.choice
    rows = talk("Ana: a reunião é sexta", "oi, Ana! Tudo bem?", "o café subiu", "vi o café", "a reunião mudou")
    rows += talk(
        "Ana: Oi Bia! a reunião", "Ana: é sexta", "Ana: Oi Bia! bom dia", "Bia: a reunião", conversation="c2"
    )
    rows += talk("Ana: o café é sexta", "Bom dia, Ana! Enviei agora, Ana.", role="assistant", conversation="c3")
    rows[-2] = msgspec.structs.replace(rows[-2], speaker="Ana")
    texts = ("quando é a reunião com a Ana?", "o que a Bia disse do café?")
    queries = [RankQuery(text=text, now=NOW, vector=vector(1, 1), limit=20) for text in texts]
    index, kept = UserIndex(dimension=2), {}
    for act in acts:
        row = pick(rows)
        if act == "add":
            kept[row.id] = row
            index.add(row)
        elif act == "remove":
            kept.pop(row.id, None)
            index.remove([row.id])
        elif row.id in kept:
            changed = {"vector": vector(1, 2)} if act == "embed" else {"superseded": True, "importance": 1.0}
            kept[row.id] = msgspec.structs.replace(kept[row.id], **changed)
            index.embed(row.id, vector(1, 2)) if act == "embed" else index.note(kept[row.id])
        for query in queries:
            rank(index, query)
    fresh = UserIndex(kept.values(), dimension=2)
    for query in queries:
        ranking, expected = rank(index, query), rank(fresh, query)

        assert {hit.id: pytest.approx(hit.score, rel=1e-4) for hit in expected} == {
            hit.id: hit.score for hit in ranking
        }
    assert len(index) == len(kept)


@given(TEXTS, TEXTS, st.integers(0, 11))
def test_a_shelf_that_was_saved_goes_on_as_the_one_it_was_made_of(
    first: list[str], more: list[str], gone: int
) -> None:
    """Opened again, added to and taken from, it answers as if it had never been put away."""
    index, again = UserIndex(talk(*first), holds_vectors=False), UserIndex(holds_vectors=False)
    index.remove([f"c1:{gone}"])
    again.restore({name: part.copy() for name, part in index.state().items()})
    for item in (index, again):
        for row in talk(*more, conversation="c2", role="assistant"):
            item.add(row)
        item.remove([f"c1:{gone + 1}", "c2:0"])
    query = RankQuery(text="quando é a reunião com a Caroline sobre o orçamento?", now=NOW, limit=9)

    assert len(index) == len(again)
    assert [(hit.id, hit.parts) for hit in rank(index, query)] == [
        (hit.id, hit.parts) for hit in rank(again, query)
    ]


def test_the_rows_of_what_is_gone_are_taken_again() -> None:
    """Gaps that removals leave are filled without a trace."""
    rows = talk(*[f"assunto {number} do projeto" for number in range(600)])
    index = UserIndex(rows)
    index.remove([row.id for row in rows[:400]])

    assert 200 == len(index)
    assert [row.id for row in rows[400:]] == index.ids(Filter(conversations=["c1"]))
    assert ids(index, "assunto 450", limit=1) == ["c1:450"]
    assert ids(index, "assunto 5") != ["c1:5"]

    for row in talk(*[f"tema {number} da obra" for number in range(300)], conversation="c2"):
        index.add(row)

    assert 600 == index.size
    assert ids(index, "tema 250", limit=1) == ["c2:250"]
    assert ids(index, "assunto 450", limit=1) == ["c1:450"]


def test_nothing_speaks_for_nothing() -> None:
    """No shared word and no vector: no hit."""
    assert ids(UserIndex(talk("o café subiu")), "helicóptero") == []
    assert ids(UserIndex(), "café") == []
    assert ids(UserIndex(talk("o café subiu")), "") == []


@looped("query", ['"', "a AND (b OR", "x" * 10_000, "%_*", "'; drop table", "猫", "🎉", "é", "\x00"])
def test_a_query_is_words_and_never_syntax(query: str) -> None:
    """Operators, quotes, signs of one letter and very long texts are searched, not obeyed."""
    index = UserIndex([*talk("a 猫 tem 🎉", role="user"), *talk("é isso", conversation="c2")])

    assert set(ids(index, query)) <= {"c1:0", "c2:0"}


@pytest.mark.parametrize(("query", "expected"), [("猫", "c1:0"), ("🎉", "c1:0"), ("orcamento", "c2:0")])
def test_scripts_signs_and_missing_accents_are_found(query: str, expected: str) -> None:
    """What can be written can be found."""
    index = UserIndex([*talk("a 猫 tem 🎉"), *talk("Orçamentos aprovados", conversation="c2")])

    assert expected == ids(index, query, limit=1)[0]


def test_an_answer_is_found_by_the_words_of_its_question() -> None:
    """`sage` says nothing of soup; the turn before it does."""
    index = UserIndex(
        talk(
            "hello",
            "hi",
            "what spice is in the soup?",
            "some sage for flavour",
            "nice",
            "bye",
            "see you",
            "ok",
            role="user",
        )
    )

    assert "c1:3" in ids(index, "which spice did you put into the soup", limit=2)


def test_a_question_about_a_person_is_answered_by_that_person() -> None:
    """Same words, two speakers."""
    said = [("Ana", "I love pottery"), ("Bia", "I love pottery")]
    rows = [
        msgspec.structs.replace(row, speaker=name)
        for (name, _), row in zip(said, talk(*(text for _, text in said)), strict=True)
    ]

    assert ids(UserIndex(rows), "does Ana love pottery", limit=1) == ["c1:0"]
    assert ids(UserIndex(rows), "does Bia love pottery", limit=1) == ["c1:1"]


def test_facts_about_a_user_come_from_the_user_unless_the_assistant_is_asked_about() -> None:
    """The assistant's echo ranks below the user's words; asked what it recommended, above."""
    index = UserIndex(talk("quero uma pousada em Paraty", "recomendo uma pousada em Paraty"))

    assert ids(index, "pousada em Paraty", limit=1) == ["c1:0"]
    assert ids(index, "que pousada em Paraty você me recomendou?", limit=1) == ["c1:1"]


def test_a_question_is_not_an_answer() -> None:
    """Of two turns with the same words, the one that tells comes first."""
    rows = [*talk("o prazo do relatório?"), *talk("o prazo do relatório", conversation="c2")]

    assert ids(UserIndex(rows), "prazo do relatório", limit=1) == ["c2:0"]


def test_a_time_in_the_question_lifts_what_was_said_then() -> None:
    """`em março` means the talk of March."""
    rows = [
        *talk("fechamos a campanha", conversation="march", start=datetime(2026, 3, 10, tzinfo=UTC)),
        *talk("fechamos a campanha", conversation="april", start=datetime(2026, 4, 10, tzinfo=UTC)),
    ]

    assert ids(UserIndex(rows), "que campanha fechamos em março?", limit=1) == ["march:0"]


def test_the_newest_comes_first_when_the_present_is_asked_for() -> None:
    """Two values of one fact: `atualmente` wants the newer."""
    rows = [
        *talk("a verba é de 4.500", conversation="old", start=NOW - timedelta(days=60)),
        *talk("a verba é de 6.200", conversation="new", start=NOW - timedelta(days=2)),
    ]

    assert ids(UserIndex(rows), "qual é a verba atualmente?") == ["new:0", "old:0"]


def test_a_superseded_memory_ranks_below_the_one_that_replaced_it() -> None:
    """It stays findable."""
    rows = [
        Row(id="old", kind="memory", text="verba 6.200", at=NOW, superseded=True, importance=1.0),
        Row(id="new", kind="memory", text="verba 6.200 reais", at=NOW),
    ]

    assert ids(UserIndex(rows), "verba 6.200") == ["new", "old"]


def test_importance_decides_between_equals() -> None:
    """Same words, one marked important."""
    rows = [
        Row(id="plain", kind="memory", text="verba alta", at=NOW),
        Row(id="vital", kind="memory", text="verba alta", at=NOW, importance=1.0),
    ]

    assert ids(UserIndex(rows), "verba")[0] == "vital"


def test_the_same_words_twice_make_room_for_others() -> None:
    """A repeated message does not fill the answer."""
    rows = [*talk("a verba subiu", "a verba subiu", "a verba subiu", "sobre a verba falamos ontem", role="user")]

    assert "c1:3" in ids(UserIndex(rows), "verba subiu", limit=2)


def test_meaning_finds_what_no_word_does() -> None:
    """Without a shared word the nearest vector is the answer."""
    rows = talk("o felino dormiu", "a bolsa caiu", role="user")
    index = UserIndex()
    for row, values in zip(rows, [vector(1, 0), vector(0, 1)], strict=True):
        index.add(msgspec.structs.replace(row, vector=values.tobytes()))

    assert ids(index, "gato", vector=vector(0.9, 0.1), limit=1) == ["c1:0"]


@given(st.floats(0, 1), st.floats(0, 0.5))
def test_fusion_is_monotone_in_meaning(near: float, nearer_by: float) -> None:
    """Coming nearer to the question never lowers a row, all else equal."""

    def place(cosine: float) -> int:
        index = UserIndex(talk("a verba", "o prazo", "a verba do prazo", role="user"))
        for name, value in (("c1:0", 0.9), ("c1:1", cosine), ("c1:2", 0.0)):
            index.embed(name, vector(value, (1 - value * value) ** 0.5))
        return ids(index, "verba do prazo", vector=vector(1, 0)).index("c1:1")

    assert place(min(1.0, near + nearer_by)) <= place(near)


@pytest.mark.parametrize("question", ["quem fornece a farinha?", "quem mói a farinha?"])
def test_what_has_no_vector_yet_is_not_behind_what_is_merely_nearest(question: str) -> None:
    """The nearest of rows that have little in common with the question does not hide the answer just written."""
    rows = talk("Oi! Prefiro respostas curtas.", "Fico à disposição.")
    rows = [msgspec.structs.replace(row, vector=vector(0.2, 1)) for row in rows]
    rows.append(Row(id="new", text="fornecedor de farinha", at=NOW))

    assert "new" == ids(UserIndex(rows), question, vector=vector(1, 0))[0]


def test_a_turn_stands_before_what_was_made_of_it() -> None:
    """An episode that tells of a short turn among others is found after it, by which part is told."""
    rows = talk("moro em Olinda", "certo", "trabalho em Recife", role="user")
    text = "moro em Olinda, trabalho em Recife, gosto de frevo e de praia"
    index = UserIndex([*rows, Row(id="episode", text=text, at=NOW, kind="episode")])
    first, *others = rank(index, RankQuery(text="onde moro? Olinda", now=NOW))

    assert "c1:0" == first.id
    assert ["episode"] == [hit.id for hit in others if "retold" in hit.parts]
    assert not any("retold" in hit.parts for hit in rank(UserIndex(rows), RankQuery(text="Olinda", now=NOW)))


def test_a_reranker_has_its_share_of_the_say() -> None:
    """With all of it, its order stands; with none, nothing changes; its part is explained."""
    said = UserIndex(talk("verba alta", "verba", "verba baixa", role="user"))
    hits = rank(said, RankQuery(text="verba alta", now=NOW))
    opinions = [0.0, 0.5, 1.0]

    assert [hit.id for hit in hits] == [hit.id for hit in blend(hits, opinions, share=0)]
    assert [hit.id for hit in reversed(hits)] == [hit.id for hit in blend(hits, opinions, share=1)]
    for hit in blend(hits, opinions, share=0.5):
        assert hit.score == pytest.approx(sum(hit.parts.values()), rel=1e-3)


def test_weights_are_all_at_rest_when_off() -> None:
    """With every lift off, the score is words alone."""
    off = Weights(
        vector=0,
        conversation=0,
        speaker=0,
        echo=0,
        filler=0,
        asking=0,
        time=0,
        latest=0,
        recency=0,
        importance=0,
        repeat=0,
    )
    (hit,) = rank(UserIndex(talk("a verba subiu")), RankQuery(text="verba de maio", now=NOW), weights=off)

    assert set(hit.parts) == {"words"}


def test_a_shelf_knows_its_size_in_memory() -> None:
    """More rows and vectors are more bytes."""
    small = UserIndex(talk("a verba subiu"), dimension=8)
    large = UserIndex(talk(*["a verba subiu"] * 300), dimension=512)

    assert 0 < small.nbytes < large.nbytes
