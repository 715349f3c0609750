"""What speaks for a row, against the formulas written out: neighbours in meaning, voices, a second judge."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from rememora.ranking.rank import Ranked, RankQuery, blend, rank
from rememora.settings.weights import Weights
from rememora.userindex.rows import Row
from rememora.userindex.style import asking_share
from rememora.userindex.user_index import UserIndex

NOW = datetime(2026, 5, 20, tzinfo=UTC)
TEXTS = ("café", "café pão", "café pão leite", "café pão leite queijo")
SAID = st.lists(
    st.tuples(
        st.sampled_from(TEXTS),
        st.sampled_from(["", "c1", "c2"]),
        st.integers(-4, 4).map(lambda quarters: quarters / 4),
    ),
    min_size=1,
    max_size=8,
)


def pointing(cosine: float) -> np.ndarray:
    return np.array([cosine, (1 - cosine * cosine) ** 0.5], dtype=np.float32)


def shelf_of(said: list[tuple[str, str, float]]) -> UserIndex:
    """Turns of conversations; what is in none stands alone."""
    return UserIndex(
        Row(
            id=str(place),
            text=text,
            at=NOW + timedelta(minutes=place),
            kind="message" if conversation else "memory",
            conversation=conversation,
            position=place if conversation else None,
            vector=pointing(cosine),
        )
        for place, (text, conversation, cosine) in enumerate(said)
    )


def ranked(index: UserIndex, weights: Weights) -> dict[int, Ranked]:
    query = RankQuery(text="café", now=NOW, vector=pointing(1), limit=50)
    return {int(hit.id): hit for hit in rank(index, query, weights=weights)}


def around(said: list[tuple[str, str, float]], place: int) -> tuple[float, float]:
    """The cosines of the turns before and after; who stands alone has his own around him."""
    conversation = said[place][1]
    if not conversation:
        return said[place][2], said[place][2]
    items = [(at, item[2]) for at, item in enumerate(said) if item[1] == conversation]
    before = [cosine for at, cosine in items if at < place]
    after = [cosine for at, cosine in items if at > place]
    return (before or [0.0])[-1], (after or [0.0])[0]


@given(SAID)
def test_meaning_is_heard_with_that_of_the_turns_around_it(said: list[tuple[str, str, float]]) -> None:
    """By short turns; long ones are heard by themselves for as much more."""
    weights = Weights(leaning_until=1, alone_from=3)
    heard = []
    for place, (text, _, cosine) in enumerate(said):
        lean = min(1, max(0, (3 - len(text.split())) / 2))
        before, after = around(said, place)
        heard.append(cosine * (1 + (1 - lean) * 0.5) + lean * (0.3 * before + 0.2 * after))
    low, high = min(0, *heard), max(heard)
    # What cancels out to nothing has no measure.
    assume(high - low > 1e-3)
    meant = [weights.vector * (item - low) / (high - low) for item in heard]
    hits = ranked(shelf_of(said), weights)

    assert {place: meant[place] for place in hits} == pytest.approx(
        {place: hit.parts.get("meaning", 0) for place, hit in hits.items()}, abs=1e-3
    )
    assert {place: max(0, said[place][2]) for place in hits} == pytest.approx(
        {place: hit.similarity for place, hit in hits.items()}, abs=1e-3
    )


@given(SAID, st.sampled_from([1, 3]))
def test_the_best_of_a_conversation_vouch_for_its_turns(said: list[tuple[str, str, float]], voices: int) -> None:
    """Voices that it lacks say as little as the last; who stands alone vouches for himself."""
    weights = Weights(conversation_voices=voices)
    hits = ranked(shelf_of(said), weights)
    mine = {place: hit.parts.get("words", 0) + hit.parts.get("meaning", 0) for place, hit in hits.items()}
    vouched = {}
    for place in hits:
        theirs = sorted((mine[hit] for hit in hits if said[hit][1] == said[place][1]), reverse=True)
        loud = (theirs + [min(mine.values())] * voices)[:voices] if said[place][1] else [mine[place]]
        vouched[place] = weights.conversation * sum(loud) / len(loud)

    assert vouched == pytest.approx({place: hit.parts["conversation"] for place, hit in hits.items()}, abs=1e-4)


def test_what_has_next_to_nothing_in_common_has_nothing() -> None:
    """A cosine that is hardly a number is measured by nothing: no score is infinite."""
    index = UserIndex([Row(id="a", text="café", at=NOW, vector=np.array([1e-40, 1], dtype=np.float32))])
    (hit,) = rank(index, RankQuery(text="café", now=NOW, vector=pointing(1)))

    assert "meaning" not in hit.parts


def test_what_lifts_a_row_lifts_it_among_those_that_are_looked_at() -> None:
    """Of two rows with the same words, and a second look for one, the one that tells gets it."""
    rows = [
        Row(id=text, text=text, at=NOW, conversation=text, position=0)
        for text in ("o prazo do relatório?", "o prazo do relatório")
    ]
    query = RankQuery(text="prazo do relatório", now=NOW, limit=1)

    assert ["o prazo do relatório"] == [
        hit.id for hit in rank(UserIndex(rows), query, weights=Weights(pool_each=1, pool_least=1))
    ]


@pytest.mark.parametrize(
    ("text", "share"), [("Tudo certo.", 0), ("Tudo certo?", 1), ("", 0), ("Sim. Mas qual?", 10 / 14)]
)
def test_the_share_of_a_turn_that_asks(text: str, share: float) -> None:
    """A turn that tells and asks is half a question."""
    assert share == pytest.approx(asking_share(text), abs=0.05)


def test_a_reranker_that_likes_the_same_words_twice_likes_them_once() -> None:
    """What is repeated stays behind what is said once, whatever a second judge thinks of it."""
    hits = [
        Ranked(id="first", score=1.0, similarity=0.5, parts={"words": 1.0}),
        Ranked(id="other", score=0.6, similarity=0.5, parts={"words": 0.6}),
        Ranked(id="again", score=0.5, similarity=0.5, parts={"words": 1.0, "repeat": -0.5}),
    ]

    assert ["first", "other", "again"] == [hit.id for hit in blend(hits, [1.0, 0.8, 1.0], share=0.5)]
