"""Every number that the ranking uses, in one place, each with its reason; `bench/recall.py` measures them."""

from __future__ import annotations

import msgspec


class Weights(msgspec.Struct, frozen=True, kw_only=True):
    """How much each ingredient of the ranking counts; 0 turns an ingredient off."""

    # Words. A turn is short: one mention says almost as much as three, and its length says little.
    saturation: float = 0.6
    length: float = 0.3
    # A turn is understood with the turns around it: the question before it, the answer after it.
    words_before: float = 0.4
    words_two_before: float = 0.15
    words_after: float = 0.3
    # A short turn leans on its neighbours wholly, a long one (in content words) speaks for itself.
    leaning_until: float = 20.0
    alone_from: float = 60.0
    # Between a user and an assistant the neighbour mostly repeats: it counts for this share.
    assisted: float = 0.5
    # `allergies` and `allergic` have different stems and one beginning.
    kin: float = 0.2
    # Between 0 (best match always counts 1) and 1 (a match counts as much of the question as it covers).
    coverage: float = 0.5

    # Meaning. Beside words it decides paraphrases; alone it is the weaker judge.
    vector: float = 0.8
    vector_before: float = 0.3
    vector_after: float = 0.2

    # The best turns of a conversation vouch for its other turns.
    conversation: float = 0.3
    conversation_voices: int = 3

    # A question about a person is answered by that person.
    speaker: float = 0.6
    # Facts about a user come from the user: an assistant's turn mostly repeats or asks.
    echo: float = 0.4
    # What is asked is not yet known: loses this share where a whole turn is a question.
    asking: float = 0.3
    # A turn of few words is mostly said in passing: without content it loses this share.
    filler: float = 0.4
    # A question with a date in it is about that time.
    time: float = 0.4
    # `today`, `still`, `currently` ask for the newest of several answers.
    latest: float = 0.3
    # Of two turns that fit alike, the newer more often still holds.
    recency: float = 0.02
    # What was marked important wins between equals.
    importance: float = 0.1
    # A turn whose memory a newer one replaced stays findable, below the turn that replaced it.
    superseded: float = 0.4
    # Of two facts that contradict each other the newer holds. It says that something changed (`agora`, `instead`),
    # and has so many words, and this share of the shorter one's, in common with the older; of two statements that
    # are short, one word that is asked about is enough, and a newer one that differs in one word needs to say no
    # more. They change places among so many of the best only: what is found stays found.
    update_words: int = 2
    update_share: float = 0.15
    update_short: int = 4
    update_places: int = 5
    # The same words twice are one answer.
    repeat: float = 0.5

    # A reranker reads question and text together, but none that was tried beat this ranking: half of the say.
    reranker: float = 0.5

    # How many rows reach the second look, per wanted row and at least.
    pool_each: int = 8
    pool_least: int = 120
