"""The extractive summariser: keeps the important sentences verbatim, deterministically and without a model.

A summary is lines of `role: sentence`, oldest first, under a line of topics. The next fold reads those lines
again and lets them compete with new ones, so that an old decision outlives a newer pleasantry.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Final

import msgspec

from rememora.caches import person_cache
from rememora.domain.episode import heading, topics_of
from rememora.domain.message import Message
from rememora.history.sentences import (
    SAME_SHARE,
    Sentence,
    accepts,
    clip,
    compiled,
    cues,
    is_yes_or_no,
    same_thing,
    see,
    split_sentences,
)
from rememora.language import count_tokens, detect, fold
from rememora.language.packs import CODES, replies_of
from rememora.language.wordlists import is_stop

LEAST_WORTH = 0.9
ACCEPTED_WORTH = 3.0
ANSWER_WORTH = 0.5
KEPT_BEFORE_WORTH = 0.5
TOLD_WORTH = 1.5
MOST_TOPICS = 10
TOPIC_SENTENCES = 3
TITLE_CHARACTERS = 80
SHORTEST_LINE_TOKENS = 6
BARE_YES_WORDS = 4
SHORT_ANSWER_WORDS = 3
_LINE: Final = r"^(user|assistant|tool): (.+)$"
_ACCEPTED: Final = tuple(replies_of(code).told.accepted for code in CODES)
_LONG_WORD: Final = r"[^\W\d_]{5,}"


class Gist(msgspec.Struct, frozen=True):
    """Title and summary of a run of turns."""

    title: str
    summary: str


def condense(before: str, messages: Sequence[Message], *, max_tokens: int) -> str:
    """Summarise the summary so far and the messages after it, within `max_tokens`."""
    old = _read_back(before)
    said = _sentences(messages, after=old)
    fresh = said[len(old) :]
    topics = _topics(topics_of(before.partition("\n")[0]), filter(_is_worthy, fresh))
    over = [topics] if topics and count_tokens(topics) <= max_tokens // 4 else []
    kept = _fit(_select(said, max_tokens=max_tokens), heading=over, max_tokens=max_tokens)
    return "\n".join([*over, *kept])


def gist(messages: Sequence[Message], *, max_tokens: int) -> Gist:
    """Return title and summary of a run of turns; the title is its weightiest sentence, if possible a user's."""
    ranked = _select(_sentences(messages), max_tokens=max_tokens)
    by_user = [sentence for sentence in ranked if sentence.role == "user"]
    best = next(iter(by_user or ranked), None)
    title = best.text if best is not None else " ".join(messages[0].content.split())
    lines = _fit(ranked, heading=(), max_tokens=max_tokens)
    return Gist(clip(title, TITLE_CHARACTERS), "\n".join(lines))


def opening(messages: Sequence[Message]) -> str:
    """Return a cheap title: the user's first words, or those of the first speaker."""
    first = next((message for message in messages if message.role == "user"), messages[0])
    words = first.content.split(maxsplit=TITLE_CHARACTERS)[:TITLE_CHARACTERS]
    return clip(" ".join(words), TITLE_CHARACTERS)


def _sentences(messages: Sequence[Message], *, after: Sequence[Sentence] = ()) -> list[Sentence]:
    """Return the sentences of a summary so far and of later messages; answers are weighed with their questions."""
    seen = list(after)
    # A fold may end between a proposal and the answer to it: the last sentence of the summary may be that
    # proposal.
    proposal = [at for at in range(len(seen))[-1:] if _proposes(seen[at])]
    for message in messages:
        if message.role == "system":
            continue
        start = len(seen)
        seen += [
            see(text, role=message.role, place=place)
            for place, text in enumerate(split_sentences(message.content), start)
        ]
        if message.role == "assistant":
            proposal = [at for at in range(start, len(seen)) if _proposes(seen[at])]
        elif message.role == "user" and start < len(seen):
            # "Yes" says nothing by itself; what it accepted is what counts. Any other answer keeps the question
            # it answers.
            if proposal and accepts(message.content):
                _mark_accepted(seen, proposal, answer=start)
            else:
                _keep_question(seen, answer=start)
            proposal = []
    _keep_open_question(seen)
    return seen


def _keep_open_question(seen: list[Sentence]) -> None:
    """Keep the assistant's last question for the answer that is still to come."""
    question = _question_before(seen, len(seen))
    if question is not None:
        worth = max(seen[question].worth, LEAST_WORTH)
        seen[question] = msgspec.structs.replace(seen[question], worth=worth, filler=False)


def _proposes(sentence: Sentence) -> bool:
    accepted = sentence.text.endswith(_ACCEPTED)
    offers = not sentence.cues.isdisjoint(("recommendation", "offer")) and "courtesy" not in sentence.cues
    return sentence.role == "assistant" and offers and not accepted


def _mark_accepted(seen: list[Sentence], proposal: Sequence[int], *, answer: int) -> None:
    """Mark a recommendation that the user accepted as a decision, so that the bare yes can be dropped."""
    recommended = [at for at in proposal if "recommendation" in seen[at].cues]
    for at in recommended or proposal[-1:]:
        text = seen[at].text + replies_of(detect(seen[at].text)).told.accepted
        worth = seen[at].worth + ACCEPTED_WORTH
        seen[at] = msgspec.structs.replace(seen[at], text=text, worth=worth, filler=False)
    if len(seen[answer].words) <= BARE_YES_WORDS and not seen[answer].figures:
        seen[answer] = msgspec.structs.replace(seen[answer], filler=True)


def _keep_question(seen: list[Sentence], *, answer: int) -> None:
    """Give a short answer and its question the same worth: neither means anything alone."""
    said = seen[answer]
    question = _question_before(seen, answer)
    short = len(said.words) <= SHORT_ANSWER_WORDS and (not said.filler or is_yes_or_no(said.text))
    if question is None or not short:
        return
    said = msgspec.structs.replace(said, worth=said.worth + ANSWER_WORTH, filler=False)
    worth = max(seen[question].worth, said.worth)
    # Of a question of one word (`Qual o prazo?`) that word is all there is to know.
    seen[question] = msgspec.structs.replace(seen[question], worth=worth, filler=False, goes_with=said.place)
    seen[answer] = msgspec.structs.replace(said, goes_with=seen[question].place)


def _question_before(seen: Sequence[Sentence], answer: int) -> int | None:
    """Return the last question in the assistant's message right before."""
    for at in range(answer - 1, -1, -1):
        if seen[at].role != "assistant" or "courtesy" in seen[at].cues:
            return None
        if "?" in seen[at].text:
            return at
    return None


def _read_back(before: str) -> list[Sentence]:
    """Parse the lines of a summary into sentences; prose, as a model writes it, is split."""
    seen: list[Sentence] = []
    for line in before.splitlines():
        if topics_of(line):
            continue
        spoken = compiled(_LINE).match(line)
        texts = [spoken.group(2)] if spoken else split_sentences(line)
        # A line that was chosen once is likely worth keeping again; otherwise each fold would lose the oldest
        # facts.
        role, bonus = (spoken.group(1), KEPT_BEFORE_WORTH) if spoken else ("", TOLD_WORTH)
        for text in texts:
            sentence = see(text, role=role, place=len(seen))
            accepted = ACCEPTED_WORTH if text.endswith(_ACCEPTED) else 0.0
            seen.append(msgspec.structs.replace(sentence, worth=sentence.worth + bonus + accepted))
            if role == "user":
                _keep_question(seen, answer=len(seen) - 1)
    return seen


def _is_worthy(sentence: Sentence) -> bool:
    return not sentence.filler and sentence.worth >= LEAST_WORTH


def _select(sentences: Iterable[Sentence], *, max_tokens: int) -> list[Sentence]:
    """Select the sentences worth keeping, by weight and the newer first among equals; drop repetitions."""
    most = max_tokens // SHORTEST_LINE_TOKENS
    worthy = sorted(
        filter(_is_worthy, sentences), key=lambda sentence: (-round(sentence.worth, 6), -sentence.place)
    )
    kept: list[Sentence] = []
    texts: set[str] = set()
    places: set[int] = set()
    holders: dict[str, list[int]] = {}
    for sentence in worthy:
        if len(kept) >= most and sentence.goes_with not in places:
            continue
        repeated = sentence.text in texts or any(
            same_thing(sentence, kept[at]) for at in _sharing(sentence, kept, holders)
        )
        # `Sim` is another answer wherever it answers another question.
        if sentence.goes_with is not None or not repeated:
            for word in sentence.words:
                holders.setdefault(word, []).append(len(kept))
            texts.add(sentence.text)
            places.add(sentence.place)
            kept.append(sentence)
    return kept


def _sharing(sentence: Sentence, kept: Sequence[Sentence], holders: Mapping[str, Sequence[int]]) -> Iterator[int]:
    """Places of those that may say the same as a sentence of another text: they share enough words with it."""
    shared = Counter(at for word in sentence.words for at in holders.get(word, ()))
    words = len(sentence.words)
    return (at for at, count in shared.items() if count >= SAME_SHARE * min(words, len(kept[at].words)))


def _fit(ranked: Sequence[Sentence], *, heading: Sequence[str], max_tokens: int) -> list[str]:
    """Return as many lines as fit, by weight, in spoken order; a short answer stays with its question."""
    left = max_tokens - sum(map(_cost, heading))
    places = {sentence.place: sentence for sentence in ranked}
    chosen: dict[int, str] = {}
    for sentence in ranked:
        other = None if sentence.goes_with is None else places.get(sentence.goes_with)
        lines = {added.place: _line(added) for added in (other, sentence) if added and added.place not in chosen}
        cost = sum(map(_cost, lines.values()))
        if cost <= left:
            chosen |= lines
            left -= cost
    # The estimate of the whole may differ a little from the sum of its lines.
    while chosen and count_tokens("\n".join([*heading, *chosen.values()])) > max_tokens:
        chosen.popitem()
    return [chosen[place] for place in sorted(chosen)]


@person_cache(maxsize=4_096)
def _cost(line: str) -> int:
    """Return the tokens of a line; cached, because summary and episode weigh the same lines."""
    return count_tokens(line) + 1


def _line(sentence: Sentence) -> str:
    return f"{sentence.role}: {sentence.text}" if sentence.role else sentence.text


def _topics(known: Iterable[str], sentences: Iterable[Sentence]) -> str:
    """Return a line of recurring names and words, including those of the summary so far."""
    spelled = {fold(word): word for word in known}
    weights = Counter(dict.fromkeys(spelled, TOPIC_SENTENCES))
    text = ""
    for sentence in sentences:
        text = text or sentence.text
        # A name is a topic at its second mention; a plain word, which may be of any kind, at its third.
        for word in sentence.names:
            weights[fold(word)] += 1
            spelled[fold(word)] = word
        for word in _long_words(sentence.text) - _parts(sentence.names):
            folded = fold(word)
            weights[folded] += 1
            spelled.setdefault(folded, word)
    named = {fold(name) for name in spelled.values() if name != name.lower()}
    top = [
        spelled[key]
        for key, weight in weights.most_common()
        if weight >= TOPIC_SENTENCES - (key in named) and not any(key in name and key != name for name in named)
    ]
    return heading(top[:MOST_TOPICS], detect(text)) if top else ""


def _parts(names: Iterable[str]) -> set[str]:
    return {part for name in names for part in name.lower().replace("-", " ").split()}


def _long_words(text: str) -> set[str]:
    idle = _idle_words()
    return {
        word.lower()
        for word in compiled(_LONG_WORD).findall(text)
        if not (is_stop(folded := fold(word)) or folded in idle)
    }


@cache
def _idle_words() -> frozenset[str]:
    return frozenset(cues().filler | cues().when)
