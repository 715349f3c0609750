"""Every number that the ranking uses, in one place, each with its reason; `bench/recall.py` measures them."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from rememora.settings.section import Section


class Weights(Section, frozen=True, kw_only=True, cache_hash=True):
    """How much each ingredient of recall's ranking counts; 0 turns an ingredient off."""

    title = "weights"
    saturation: Annotated[
        float, Meta(ge=0, le=10, description="A turn is short: one mention says almost as much as three.")
    ] = 0.6
    length: Annotated[
        float, Meta(ge=0, le=1, description="How much a long turn pays for its length, which says little.")
    ] = 0.3
    words_before: Annotated[
        float, Meta(ge=0, le=10, description="A turn is understood with the question before it.")
    ] = 0.4
    words_two_before: Annotated[
        float, Meta(ge=0, le=10, description="And, more faintly, with the turn before that.")
    ] = 0.15
    words_after: Annotated[float, Meta(ge=0, le=10, description="And with the answer after it.")] = 0.3
    leaning_until: Annotated[
        float, Meta(ge=0, le=1e9, description="Content words up to which a turn leans on its neighbours wholly.")
    ] = 20.0
    alone_from: Annotated[
        float, Meta(ge=0, le=2e9, description="Content words from which a turn speaks for itself.")
    ] = 60.0
    assisted: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="Between a user and an assistant the neighbour mostly repeats: it counts for this share.",
        ),
    ] = 0.5
    kin: Annotated[
        float, Meta(ge=0, le=1, description="`allergies` and `allergic` have different stems and one beginning.")
    ] = 0.2
    coverage: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="From 0, where the best match counts 1, to 1: as much of the question as it covers.",
        ),
    ] = 0.5
    vector: Annotated[
        float,
        Meta(
            ge=0, le=10, description="Meaning beside words: it decides paraphrases, and alone is the weaker judge."
        ),
    ] = 0.85
    vector_before: Annotated[float, Meta(ge=0, le=10, description="What the meaning of the turn before adds.")] = (
        0.3
    )
    vector_after: Annotated[float, Meta(ge=0, le=10, description="What the meaning of the turn after adds.")] = 0.2
    conversation: Annotated[
        float, Meta(ge=0, le=10, description="The best turns of a conversation vouch for its other turns.")
    ] = 0.3
    conversation_voices: Annotated[int, Meta(ge=1, le=100, description="How many of them do.")] = 3
    speaker: Annotated[
        float, Meta(ge=0, le=10, description="A question about a person is answered by that person.")
    ] = 0.6
    echo: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="Facts about a user come from the user: an assistant's turn mostly repeats or asks.",
        ),
    ] = 0.5
    asking: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="What is asked is not yet known: the share that a turn loses which is all question.",
        ),
    ] = 0.4
    filler: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="A turn of few words is mostly said in passing: the share it loses without content.",
        ),
    ] = 0.6
    retold: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="A summary or an episode tells again what messages said: the share it loses to them.",
        ),
    ] = 0.4
    time: Annotated[float, Meta(ge=0, le=10, description="A question with a date in it is about that time.")] = 0.4
    latest: Annotated[
        float,
        Meta(ge=0, le=10, description="`today`, `still`, `currently` ask for the newest of several answers."),
    ] = 0.45
    recency: Annotated[
        float, Meta(ge=0, le=10, description="Of two turns that fit alike, the newer more often still holds.")
    ] = 0.02
    importance: Annotated[
        float, Meta(ge=0, le=10, description="What was marked important wins between equals.")
    ] = 0.1
    superseded: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="A turn whose memory was replaced stays findable, below the turn that replaced it.",
        ),
    ] = 0.4
    update_words: Annotated[
        int,
        Meta(
            ge=1,
            le=100,
            description="Words that a turn which tells of a change (`agora`, `now`) shares with what it changes.",
        ),
    ] = 2
    update_share: Annotated[
        float, Meta(ge=0, le=1, description="And the share of the shorter one's words that they are.")
    ] = 0.15
    update_short: Annotated[
        int,
        Meta(
            ge=0,
            le=100,
            description="Words of a short statement: it replaces an older one from which it differs in one word.",
        ),
    ] = 4
    update_holders: Annotated[
        int,
        Meta(
            ge=0,
            le=100,
            description="Rows that say a word which names what a turn leaves behind (`left Acme`), at the most.",
        ),
    ] = 3
    update_places: Annotated[
        int,
        Meta(
            ge=0,
            le=100,
            description="Among how many of the best they change places: by default one more than are wanted.",
        ),
    ] = 6
    repeat: Annotated[
        float,
        Meta(ge=0, le=1, description="The same words twice are one answer: the share that the second loses."),
    ] = 0.5
    reranker: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="The say of a reranker, where there is one; none that was tried beat this ranking.",
        ),
    ] = 0.5
    pool_each: Annotated[
        int, Meta(ge=1, le=1000, description="How many rows reach the second look for each that is wanted.")
    ] = 8
    pool_least: Annotated[int, Meta(ge=1, le=100_000, description="And at the least.")] = 120
