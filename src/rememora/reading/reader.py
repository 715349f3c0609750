"""Reads one message: its acts, its statements, and their subjects.

The network assigns an act to each word. Here words become *parts* (runs of words with one act inside
one sentence), and parts that state something become *statements*. A sentence is the unit: clauses that state
something side by side stay together, because the second often leaves out its subject.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import msgspec
import numpy as np

from rememora.caches import person_cache
from rememora.language import fold
from rememora.language.sentences import ends_sentence
from rememora.language.wordlists import PARTICLES, TITLES, is_idle
from rememora.reading.encoders import on_change
from rememora.reading.labels import ACTS, ATTRIBUTES, LABELS, SUBJECTS
from rememora.reading.name_network import load_name_network
from rememora.reading.names import person_chance
from rememora.reading.network import Outputs, load_network
from rememora.reading.results import FACTS, STATED, AttributeValue, MessageReading, SentencePart, Statement
from rememora.reading.tokens import Floats, Token, TokenFeatures, describe, encoded_words, tokenise


class SubjectName(NamedTuple):
    """A name that something is told of, and the chance that it is a person's."""

    start: int
    end: int
    person: float


CONTEXT_TOKENS: Final = 28
CONTEXT_CHARACTERS: Final = 240
READ_TOKENS: Final = 400
_SENTENCE_END = re.compile(r"[.!?…;\n]")
_SHOUTED = re.compile(r"(?<![^\W_])[A-ZÀ-ÖØ-Þ]++(?:,? [A-ZÀ-ÖØ-Þ]++(?![^\W_]))++")
_SHOUTED_LETTERS = 8
_BEGINS_PART = 0.5
_VALUE = 0.5
_NAMED = 0.5
_PERSON = 0.5
_WORTH_KEEPING = 0.6
_LEAST_FACT = 0.15
_HEADINGS = ("passing", "chat", "request")
"""Acts that the heading of a list is read as; a wish such as "anota aí:" is none."""
_HEADING_WORDS = 10
_SHORT_WORDS = 3
_REACHED_WORDS = 3


def context_of(before: Sequence[str]) -> str:
    """The end of the last two turns, which a message may lean on; each turn begins with its role."""
    return "\n".join(turn.partition(": ")[2][-CONTEXT_CHARACTERS:] for turn in before[-2:])


def read_message(text: str, before: Sequence[str] = ()) -> MessageReading:
    """Read a message that was said after some turns; the same words in the same place are read once."""
    return _read(text, context_of(before))


@person_cache(maxsize=256)
def _read(text: str, context: str) -> MessageReading:
    network = load_network()
    calm = lower_shouted(text)
    tokens = tokenise(calm)[:READ_TOKENS]
    if not tokens:
        return MessageReading(
            text=text, labels=tuple(float(name == "reject") for name in LABELS), parts=(), statements=()
        )
    said, encoded = tokenise(context)[-CONTEXT_TOKENS:], encoded_words(tokens)
    described = describe(calm, tokens, network.vocabulary)
    outputs = network.read(joined(describe(context, said, network.vocabulary), described), len(said), encoded)
    parts = tuple(_parts(text, tokens, outputs))
    values = tuple(_values(text, tokens, outputs))
    kinds = load_name_network().tags(described, outputs, encoded) if (outputs.names > _NAMED).any() else None
    names = () if kinds is None else tuple(_names(text, tokens, outputs, kinds))
    people = frozenset(text[name.start : name.end] for name in names if name.person >= _PERSON)
    return MessageReading(
        text=text,
        labels=tuple(outputs.label.tolist()),
        parts=parts,
        statements=tuple(_statements(text, parts, values, names, float(outputs.label[LABELS.index("save")]))),
        names=tuple(text[name.start : name.end] for name in names),
        people=people,
        attributes=tuple((outputs.attribute * outputs.value[:, None]).max(axis=0).tolist()),
    )


on_change(_read.cache_clear)


@person_cache(maxsize=8)
def word_states(text: str) -> Floats | None:
    """Each word of a text as the encoder sees it and as the network does, a row each; None without an encoder."""
    network, tokens = load_network(), tokenise(text)[:READ_TOKENS]
    encoded = encoded_words(tokens) if tokens else None
    if encoded is None:
        return None
    hidden = network.read(describe(text, tokens, network.vocabulary), 0, encoded).hidden
    states: Floats = np.concatenate([encoded, hidden], axis=1)
    states.flags.writeable = False
    return states


on_change(word_states.cache_clear)


def lower_shouted(text: str) -> str:
    """The text with runs of words in capitals in small letters, letter for letter.

    "FULTON SIGNED" says what "Fulton signed" does; the network knows capitals as signs of names and of codes.
    """
    return _SHOUTED.sub(_lowered, text)


def _lowered(match: re.Match[str]) -> str:
    small = match[0].lower()
    return small if len(small) == len(match[0]) >= _SHOUTED_LETTERS else match[0]


def joined(first: TokenFeatures, second: TokenFeatures) -> TokenFeatures:
    """Return the tokens of the context and of the message as one row of tokens."""
    if not first.words:
        return second
    return TokenFeatures(
        words=first.words + second.words,
        vectors=np.concatenate([first.vectors, second.vectors]),
        shapes=np.concatenate([first.shapes, second.shapes]),
    )


def _sentences(text: str, tokens: Sequence[Token]) -> list[int]:
    """The number of the sentence that each token is in; a dot inside a number or an address ends none."""
    numbers, number = [], 0
    for at, token in enumerate(tokens):
        before = tokens[at - 1] if at else None
        if before is not None:
            gap = text[before.end : token.start]
            mark = _SENTENCE_END.fullmatch(before.text) is not None and gap != ""
            number += (mark and ends_sentence(text, before.start)) or "\n" in gap
        numbers.append(number)
    return numbers


def _parts(text: str, tokens: Sequence[Token], outputs: Outputs) -> Iterator[SentencePart]:
    """Runs of words inside a sentence whose acts agree; a part begins where the network says so."""
    sentences = _sentences(text, tokens)
    later = range(1, len(tokens))
    begins = (at for at in later if sentences[at] != sentences[at - 1] or outputs.starts[at] > _BEGINS_PART)
    cuts = [0, *begins]
    parts: list[tuple[int, int, Floats]] = []
    for first, end in zip(cuts, [*cuts[1:], len(tokens)], strict=True):
        words = [at for at in range(first, end) if tokens[at].text[0].isalnum()] or list(range(first, end))
        chances = _average(outputs.act, words)
        same = parts and sentences[parts[-1][0]] == sentences[first]
        if same and _alike(parts[-1][2], chances):
            start, _, old = parts.pop()
            # Chances of a joined part are the average of its pieces by their length.
            weight = (first - start) / (end - start)
            parts.append((start, end, old * weight + chances * (1 - weight)))
        else:
            parts.append((first, end, chances))
    for first, end, chances in parts:
        yield SentencePart(
            start=tokens[first].start,
            end=tokens[end - 1].end,
            act=ACTS[int(chances.argmax())],
            chances=tuple(chances.tolist()),
            sentence=sentences[first],
        )


def _average(chances: Floats, words: Sequence[int]) -> Floats:
    """Return the mean row of some words; `mean` costs three times as much for so few."""
    average: Floats = np.add.reduce(chances[words], axis=0) / len(words)
    return average


def _alike(one: Floats, other: Floats) -> bool:
    """Return whether two neighbouring parts are one: the same act, or both statements of the same certainty."""
    acts = {ACTS[int(one.argmax())], ACTS[int(other.argmax())]}
    return len(acts) == 1 or acts <= FACTS


def _values(text: str, tokens: Sequence[Token], outputs: Outputs) -> Iterator[AttributeValue]:
    """Runs of words that are values; a name is one value from its first part to its last."""
    run: list[int] = []
    for at in range(len(tokens) + 1):
        joined = at < len(tokens) and _joins_name(tokens, at, run)
        inside = at < len(tokens) and (outputs.value[at] > _VALUE or joined)
        if joined and not _is_of_one_kind(tokens, outputs, run[-1], at + 1):
            inside = False
        if run and (not inside or (outputs.begins[at] > _BEGINS_PART and not _is_one_name(text, tokens, at))):
            yield _value(text, tokens, run, outputs)
            run = []
        if inside:
            run.append(at)


def _is_one_name(text: str, tokens: Sequence[Token], at: int) -> bool:
    """Return whether a token continues the name before it: "Carla Menezes", "Silva" after "João Pedro da"."""
    before = tokens[at - 1]
    named = before.text[0].isupper() or before.text in PARTICLES
    return named and tokens[at].text[0].isupper() and text[before.end : tokens[at].start] == " "


def _is_titled(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a token belongs to a name behind a title: the dot of "Dr. Wanjala", and what follows it."""
    dot = at if tokens[at].text == "." else at - 1
    titled = 0 < dot < len(tokens) - 1 and tokens[dot].text == "." and fold(tokens[dot - 1].text) in TITLES
    return titled and tokens[dot + 1].text[0].isupper()


def _is_of_one_kind(tokens: Sequence[Token], outputs: Outputs, name: int, first: int) -> bool:
    """Return whether the capitals from a token on are read as the name before them, not as a firm or a place.

    "João Pedro da Silva" is one name, "Rafael da Construtora Lima" a name and where he works.
    """
    kind = outputs.attribute[name].argmax()
    for at in range(first, len(tokens)):
        if not tokens[at].text[0].isupper() and tokens[at].text not in PARTICLES:
            break
        if tokens[at].text[0].isupper() and outputs.attribute[at].argmax() != kind:
            return False
    return True


def _is_capital_inside(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a token has a capital that does not come from opening a sentence."""
    return tokens[at].text[0].isupper() and _SENTENCE_END.fullmatch(tokens[at - 1].text) is None


def _joins_name(tokens: Sequence[Token], at: int, run: Sequence[int]) -> bool:
    """Return whether a token joins two parts of one name: "João Pedro da Silva"."""
    if not run or run[-1] != at - 1 or at + 1 >= len(tokens):
        return False
    before, after = tokens[at - 1].text, tokens[at + 1].text
    return tokens[at].text in PARTICLES and before[0].isupper() and after[0].isupper()


def _value(text: str, tokens: Sequence[Token], run: Sequence[int], outputs: Outputs) -> AttributeValue:
    attribute, subject = _average(outputs.attribute, run), _average(outputs.subject, run)
    start, end = tokens[run[0]].start, tokens[run[-1]].end
    return AttributeValue(
        start=start,
        end=end,
        text=text[start:end],
        attribute=ATTRIBUTES[int(attribute.argmax())] or "other",
        sure=float(attribute.max()),
        subject=SUBJECTS[int(subject.argmax())],
        subject_sure=float(subject.max()),
    )


def _names(text: str, tokens: Sequence[Token], outputs: Outputs, kinds: Floats) -> Iterator[SubjectName]:
    """Return the spans of the names that something is told of, each whole."""
    start = None
    for at in range(len(tokens) + 1):
        inside = at < len(tokens) and outputs.names[at] > _NAMED
        if inside and start is None:
            start = at
        elif not inside and start is not None:
            first, last = _whole_name(text, tokens, start, at - 1)
            person = person_chance(kinds[first : last + 1])
            yield SubjectName(tokens[first].start, tokens[last].end, person)
            start = None


def _whole_name(text: str, tokens: Sequence[Token], first: int, last: int) -> tuple[int, int]:
    """Extend a name to the words that belong to it: "Linha" before "Torta", "sócio" after "meu"."""
    # A word that opens a sentence has a capital whatever it is: "Ontem Maria veio".
    while first > 1 and _is_one_name(text, tokens, first) and _is_capital_inside(tokens, first - 1):
        first -= 1
    while last + 1 < len(tokens) and (
        _is_one_name(text, tokens, last + 1)
        or _joins_name(tokens, last + 1, [last])
        or _is_titled(tokens, last + 1)
    ):
        last += 1
    if first == last and is_idle(fold(tokens[first].text)) and last + 1 < len(tokens):
        last += tokens[last + 1].text[0].isalpha()
    return first, last


def _statements(
    text: str,
    parts: Sequence[SentencePart],
    values: Sequence[AttributeValue],
    names: Sequence[SubjectName],
    label: float,
) -> Iterator[Statement]:
    """The parts that state something, with the values and the subject that stand in each."""
    for part in _with_successor([*_fact_parts(text, parts, label)], values):
        inside = tuple(value for value in values if part.start <= value.start < part.end)
        subject, meant = _subject(text, part, inside, names)
        best = max(inside, key=lambda value: value.sure, default=None)
        yield Statement(
            start=part.start,
            end=part.end,
            text=text[part.start : part.end],
            act=part.act,
            sure=part.chance(*STATED) if part.act == "doubt" else part.chance(*FACTS),
            values=inside,
            subject=subject,
            attribute=best.attribute if best else "other",
            of_person=any(text[name.start : name.end] == subject and name.person >= _PERSON for name in names),
            meant=meant,
        )


def _fact_parts(text: str, parts: Sequence[SentencePart], label: float) -> Iterator[SentencePart]:
    """Parts that state something; where none does and the whole message seems worth keeping, the likeliest one."""
    stated = [part for part in parts if part.act in STATED]
    if not stated and parts and label >= _WORTH_KEEPING:
        # The network is surer about a whole message than about its parts: if the whole is worth keeping,
        # something in it is.
        best = max(parts, key=lambda part: part.chance(*FACTS))
        stated = [msgspec.structs.replace(best, act="tell")] if best.chance(*FACTS) >= _LEAST_FACT else []
    for part in stated:
        before = next((earlier for earlier in reversed(parts) if earlier.end <= part.start), None)
        if before is not None and before.sentence == part.sentence and part.act in FACTS:
            yield msgspec.structs.replace(part, start=_reach_back(text, before, part))
        else:
            yield part


def _with_successor(parts: Sequence[SentencePart], values: Sequence[AttributeValue]) -> Iterator[SentencePart]:
    """Join what ended with what took its place: "A Ottilia parou; quem toca agora é o Thales" is one statement.

    Alone, the first half names somebody without saying that it is over for them. An end is a change that gives no
    value.
    """
    ended: SentencePart | None = None
    for part in parts:
        if ended is not None and part.act in FACTS and part.sentence == ended.sentence + 1:
            yield msgspec.structs.replace(part, start=ended.start, act=ended.act)
            ended = None
            continue
        if ended is not None:
            yield ended
        is_end = part.act == "change" and not any(part.start <= value.start < part.end for value in values)
        ended = part if is_end else None
        if not is_end:
            yield part
    if ended is not None:
        yield ended


def _reach_back(text: str, before: SentencePart, part: SentencePart) -> int:
    """Extend a statement to what names it: the heading of a list, or the words beside a word or two."""
    head = text[before.start : part.start]
    lists = head.rstrip().endswith(":") and "," in text[part.start : part.end]
    if lists and before.act in _HEADINGS and len(head.split()) <= _HEADING_WORDS:
        return before.start
    if len(text[part.start : part.end].split()) > _SHORT_WORDS:
        return part.start
    words = [*re.finditer(r"\S+", text[before.start : part.start])][-_REACHED_WORDS:]
    return before.start + words[0].start() if words else part.start


def _subject(
    text: str, part: SentencePart, values: Sequence[AttributeValue], names: Sequence[SubjectName]
) -> tuple[str, bool]:
    """Return the subject of a part, by the vote of its values; a name in the part itself counts for `named`."""
    if not values:
        return "", False
    votes: dict[str, float] = {}
    for value in values:
        votes[value.subject] = votes.get(value.subject, 0.0) + value.subject_sure
    winner = max(votes, key=lambda subject: votes[subject])
    if winner in ("me", "company"):
        return winner, False
    inside = [text[name.start : name.end] for name in names if part.start <= name.start < part.end]
    if inside:
        # "o contador é o Paulo": whoever has a name of their own is meant, rather than what they are.
        return next((name for name in inside if name != name.lower()), inside[0]), False
    earlier = [text[name.start : name.end] for name in names if name.end <= part.start]
    return (earlier[-1] if earlier else ""), winner == "meant" or not earlier
