"""Every number that the ranking uses, in one place, each with its reason; `bench/recall.py` measures them."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from rememora.settings.section import Section


class Weights(Section, frozen=True, kw_only=True, cache_hash=True):
    """Weight of each ingredient of recall's ranking; 0 turns an ingredient off."""

    title = "weights"
    saturation: Annotated[
        float,
        Meta(
            ge=0,
            le=10,
            description="BM25 term saturation: in short turns one mention says almost as much as three.",
        ),
    ] = 0.6
    length: Annotated[float, Meta(ge=0, le=1, description="BM25 length normalisation.")] = 0.3
    words_before: Annotated[float, Meta(ge=0, le=10, description="Share of the words of the turn before.")] = 0.4
    words_two_before: Annotated[
        float, Meta(ge=0, le=10, description="Share of the words of the turn two before.")
    ] = 0.15
    words_after: Annotated[float, Meta(ge=0, le=10, description="Share of the words of the turn after.")] = 0.3
    leaning_until: Annotated[
        float, Meta(ge=0, le=1e9, description="Content words up to which a turn depends fully on its neighbours.")
    ] = 20.0
    alone_from: Annotated[
        float, Meta(ge=0, le=2e9, description="Content words from which a turn is independent of its neighbours.")
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
        float,
        Meta(
            ge=0,
            le=1,
            description="Share for words with another stem and the same beginning (`allergies`, `allergic`).",
        ),
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
        Meta(ge=0, le=10, description="Weight of vector similarity against words: it decides paraphrases."),
    ] = 0.85
    vector_before: Annotated[
        float, Meta(ge=0, le=10, description="Share of the similarity of the turn before.")
    ] = 0.3
    vector_after: Annotated[float, Meta(ge=0, le=10, description="Share of the similarity of the turn after.")] = (
        0.2
    )
    conversation: Annotated[
        float, Meta(ge=0, le=10, description="Boost of a turn by the best turns of its conversation.")
    ] = 0.3
    conversation_voices: Annotated[
        int, Meta(ge=1, le=100, description="Number of best turns that count for the boost.")
    ] = 3
    speaker: Annotated[
        float, Meta(ge=0, le=10, description="Boost of turns by the person the question is about.")
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
        float, Meta(ge=0, le=1, description="Minimum share of the shorter text's words that they make up.")
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
            description="Number of best hits among which they are reordered.",
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
            description="Weight of a reranker, if there is one; none that was tried beat this ranking.",
        ),
    ] = 0.5
    pool_each: Annotated[int, Meta(ge=1, le=1000, description="Rows of the second stage per requested hit.")] = 8
    pool_least: Annotated[int, Meta(ge=1, le=100_000, description="Least number of rows of the second stage.")] = (
        120
    )
