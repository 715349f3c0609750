"""Every number that the ranking uses, each with its reason; `bench/recall.py` measures them."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from rememora.settings.section import Section


class Weights(Section, frozen=True, kw_only=True, cache_hash=True):
    """Weight of each component of the ranking; 0 turns a component off."""

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
    words_before: Annotated[float, Meta(ge=0, le=10, description="Weight of the words of the previous turn.")] = (
        0.4
    )
    words_two_before: Annotated[
        float, Meta(ge=0, le=10, description="Weight of the words of the turn before that.")
    ] = 0.15
    words_after: Annotated[float, Meta(ge=0, le=10, description="Weight of the words of the next turn.")] = 0.3
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
            description="In a dialogue with an assistant the neighbour mostly repeats: it counts for this share.",
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
            description="At 0 the best match scores 1; at 1 it scores the share of the question that it covers.",
        ),
    ] = 0.5
    vector: Annotated[
        float,
        Meta(ge=0, le=10, description="Weight of vector similarity relative to words: it finds paraphrases."),
    ] = 0.85
    vector_before: Annotated[
        float, Meta(ge=0, le=10, description="Weight of the similarity of the previous turn.")
    ] = 0.3
    vector_after: Annotated[float, Meta(ge=0, le=10, description="Weight of the similarity of the next turn.")] = (
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
            description="Share that an assistant's turn loses: facts about a user come from the user.",
        ),
    ] = 0.5
    asking: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="Share that a turn loses if it only asks: a question holds no answer.",
        ),
    ] = 0.4
    filler: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="Share that a turn without content words loses: short turns are mostly small talk.",
        ),
    ] = 0.6
    retold: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="Share that a summary or an episode loses: it repeats what messages said.",
        ),
    ] = 0.4
    time: Annotated[
        float, Meta(ge=0, le=10, description="Boost of turns from the time that the question names.")
    ] = 0.4
    latest: Annotated[
        float,
        Meta(
            ge=0,
            le=10,
            description="Boost of the newest turn when the question says `today`, `still` or `currently`.",
        ),
    ] = 0.45
    recency: Annotated[
        float,
        Meta(
            ge=0,
            le=10,
            description="Boost of newer turns: of two equal matches, the newer more often still holds.",
        ),
    ] = 0.02
    importance: Annotated[float, Meta(ge=0, le=10, description="Boost of what was marked important.")] = 0.1
    superseded: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="Share that a turn with a replaced memory loses: it ranks below its replacement.",
        ),
    ] = 0.4
    update_words: Annotated[
        int,
        Meta(
            ge=1,
            le=100,
            description="Minimum words that a turn announcing a change (`agora`, `now`) shares with an older one.",
        ),
    ] = 2
    update_share: Annotated[
        float, Meta(ge=0, le=1, description="Minimum share of the shorter text that these words make up.")
    ] = 0.15
    update_short: Annotated[
        int,
        Meta(
            ge=0,
            le=100,
            description="Maximum words of a statement that replaces an older one differing in one word.",
        ),
    ] = 4
    update_holders: Annotated[
        int,
        Meta(
            ge=0,
            le=100,
            description="Maximum rows with a word that names what a turn leaves behind (`left Acme`).",
        ),
    ] = 3
    update_places: Annotated[
        int,
        Meta(
            ge=0,
            le=100,
            description="Number of best hits within which such turns are reordered.",
        ),
    ] = 6
    repeat: Annotated[
        float,
        Meta(ge=0, le=1, description="Share that a repeated text loses: the same words twice are one answer."),
    ] = 0.5
    reranker: Annotated[
        float,
        Meta(
            ge=0,
            le=1,
            description="Weight of a reranker, if there is one; no tested reranker beat this ranking.",
        ),
    ] = 0.5
    pool_each: Annotated[
        int, Meta(ge=1, le=1000, description="Rows that reach the second stage per requested hit.")
    ] = 8
    pool_least: Annotated[
        int, Meta(ge=1, le=100_000, description="Minimum number of rows that reach the second stage.")
    ] = 120
