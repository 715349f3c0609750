"""Judges a text before it is written: orders to the agent, secrets with their value, anybody's health.

Only rules that need nothing but the text are asked here. What the gate refuses or holds for other reasons is added
by the transaction that stores its verdict.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from rememora.domain.message import Attachment, Message, NewMessage, Role
from rememora.domain.prompt import BUILTIN
from rememora.domain.visibility import MASK, VISIBLE, Reason, VisibilityVerdict
from rememora.gate.orders import find_order, reads_as_order
from rememora.gate.pointing import asks_for_silence, declined
from rememora.gate.policy import Policy, load_policy
from rememora.gate.sensitive import Secret, find_mention, find_secret, find_sensitive, names_health
from rememora.language.phrases import phrase
from rememora.reading.normalised import NormalisedText, normalise
from rememora.reading.parsed import parse_message

Finder = Callable[[NormalisedText, Policy], Secret | None]

PIECE = 4_000
"""Longer texts are looked through piece by piece, each with the end of the one before."""
OVERLAP = 400
AT_ONCE = 4_000
"""Characters that are judged on the event loop itself; more are judged in a thread."""
MASKED_AT_MOST = 40
CLOSE_TOGETHER = 300
_RUN = re.compile(r"([^\w\s])\1{31,}")
_FIGURES = re.compile(r"(?:[^\s\d]*\d\S*)(?: [^\s\d]?\d\S*)*")
_BLANK = "!?!?!"
"""Stands for a secret while the others are looked for: no rule takes it for a value."""
_ID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?:\.answer(?:\.\d+)?)?")
"""An id that the store gave, as every answer carries them: it says nothing."""
_SEVERAL_WORDS = re.compile(r"\S\s+\S")
_FIGURE = re.compile(r"\d")
_VALUE = re.compile(r"[^\s,;:!?\"'()]{4,}(?<!\.)")
WISH_CHARACTERS = 120
_AND_MORE = re.compile(r"[,;:.!?] *\w+ \w+ \w+")
_REMINDS = phrase(r"\W*{reminds}", re.IGNORECASE)
_PARTY: frozenset[Role] = frozenset({"tool"})


async def judge_drafts(drafts: Sequence[NewMessage]) -> list[VisibilityVerdict]:
    """Judge each message; in a thread where there is much to read, or the trained reader reads."""
    if sum(len(draft.content) for draft in drafts) > AT_ONCE or any(draft.role in _PARTY for draft in drafts):
        return await asyncio.to_thread(lambda: [judge_message(draft) for draft in drafts])
    return [judge_message(draft) for draft in drafts]


def judge_message(message: NewMessage | Message) -> VisibilityVerdict:
    """Judge one message: what it says, and what it carries."""
    if message.role == "system":
        # The host's own instructions: no window and no search holds them, and they are orders by nature.
        return _secret(message.content, find_secret) or VISIBLE
    # What an assistant tells of an illness is anybody's knowledge, unless it answers what a person told of one.
    find = find_secret if message.role == "assistant" else find_sensitive
    plain = _squeezed(message.content)
    readings = [_read(piece) for piece in pieces(plain)]
    verdict = _judge(plain, readings, third_party=message.role in _PARTY, find=find)
    if verdict.hidden is None and message.role in _PARTY and reads_as_order(plain, load_policy()):
        verdict = VisibilityVerdict("order")
    attached = _carried(message)
    if attached and (carried := judge_text(attached, find=find)).hidden is not None:
        # What is said may be shown masked, what came with it is not shown at all.
        shown = verdict.shown or message.content if carried.hidden == "secret" else None
        verdict = verdict if verdict.hidden == "order" else VisibilityVerdict(carried.hidden, shown)
    if verdict.hidden is not None:
        return verdict
    about = _about_memory(message)
    echoes = message.role == "assistant" and _may_echo(plain, readings)
    return VisibilityVerdict(about.hidden, may_echo=True) if echoes else about


def judge_text(text: str, *, third_party: bool = True, find: Finder = find_sensitive) -> VisibilityVerdict:
    """An order hides a text whole; what `find` finds leaves it masked."""
    plain = _squeezed(text)
    return _judge(plain, [_read(piece) for piece in pieces(plain)], third_party=third_party, find=find)


def _judge(
    plain: str, readings: Sequence[NormalisedText], *, third_party: bool, find: Finder
) -> VisibilityVerdict:
    policy = load_policy()
    for reading in readings:
        # All readings (as written, with disguises undone) for orders first: an order hides the whole message, a
        # secret only masks its place.
        if _is_order(reading, policy, third_party=third_party):
            return VisibilityVerdict("order")
    for reading in readings:
        if find(reading, policy):
            return VisibilityVerdict("secret", mask(plain, find))
    return VISIBLE


def judge_value(*values: object, third_party: bool = True, find: Finder = find_sensitive) -> Reason | None:
    """Return why none of these values may be shown; every text in them is read, at any depth."""
    text = "\n".join(filter(None, (part for value in values for part in _texts(value))))
    return judge_text(text, third_party=third_party, find=find).hidden if text else None


def _may_echo(plain: str, readings: Sequence[NormalisedText]) -> bool:
    """Tell whether an answer could repeat a secret or somebody's health: it has a figure, or a word of health."""
    policy = load_policy()
    return _FIGURE.search(plain) is not None or any(names_health(reading, policy) for reading in readings)


def judge_echo(text: str, question: str, shown: str | None) -> VisibilityVerdict:
    """Mask an answer to a `question` with a secret, `shown` masked: words about health, and what it repeats."""
    if shown is None or len(text) > AT_ONCE:
        return VisibilityVerdict("secret")
    verdict = judge_text(text, third_party=False, find=find_mention)
    if verdict.hidden == "order" or (verdict.hidden == "secret" and verdict.shown is None):
        return verdict
    # Words of the question that its masked form lacks are the secret: they are masked in the answer too.
    plain, kept = verdict.shown or text, set(_VALUE.findall(shown))
    secret = [word for word in dict.fromkeys(_VALUE.findall(question)) if word not in kept]
    for word in secret[:MASKED_AT_MOST]:
        plain = plain.replace(word, MASK)
    return VISIBLE if plain == text else VisibilityVerdict("secret", plain)


def pieces(text: str) -> Iterator[str]:
    """A text in parts short enough to be read at once."""
    if len(text) <= PIECE:
        yield text
        return
    for start in range(0, len(text), PIECE - OVERLAP):
        yield text[start : start + PIECE]


def mask(text: str, find: Finder = find_sensitive) -> str | None:
    """Mask every secret in a text; None where they cannot all be separated."""
    policy = load_policy()
    # One secret at a time, because masking moves the places of the others. A text with more is hidden whole.
    for _ in range(MASKED_AT_MOST):
        span = next(_spans(text, policy, find), None)
        if span is None:
            shown = text.replace(_BLANK, MASK)
            return shown if shown.replace(MASK, "").strip() else None
        start, end, value = span
        hidden = _covered(text[start:end]) if value is None else text[start:value] + _BLANK
        # Nothing could be covered: going on would find the same place forever.
        if hidden == text[start:end]:
            return None
        text = f"{text[:start]}{hidden}{text[end:]}"
    return None


def _covered(text: str) -> str:
    """Blank the value in what a rule found: what has digits, else its last word, else all of it."""
    if (masked := _FIGURES.sub(_BLANK, text)) != text:
        return masked
    before, _, _ = text.rstrip().rpartition(" ")
    return f"{before} {_BLANK}" if before and _BLANK not in text else _BLANK


def _spans(text: str, policy: Policy, find: Finder) -> Iterator[tuple[int, int, int | None]]:
    """Where each piece of a text has its first secret, and from where on all of that is its value, if known."""
    at = 0
    for piece in pieces(text):
        reading = _read(piece)
        if evidence := find(reading, policy):
            span = reading.span(evidence.start, evidence.end)
            value = None if evidence.value is None else at + reading.span(evidence.value, evidence.end).start
            yield at + span.start, at + span.end, value
        at += PIECE - OVERLAP


def _secret(text: str, find: Finder) -> VisibilityVerdict | None:
    policy = load_policy()
    if next(_spans(text, policy, find), None) is None:
        return None
    return VisibilityVerdict("secret", mask(text))


def _read(piece: str) -> NormalisedText:
    """A text as the certain rules read it: what was stammered is no matter to them, and takes long to find."""
    return normalise(piece, voice=False)


def _is_order(reading: NormalisedText, policy: Policy, *, third_party: bool) -> bool:
    order = find_order(reading, policy, third_party=third_party)
    if order is None or third_party:
        return order is not None
    # Signs that are weak or far apart make an order of a tool's output, and of a person's words only by verdict.
    return not order.weak and (order.family == "encoded" or order.end - order.start <= CLOSE_TOGETHER)


def _about_memory(message: NewMessage | Message) -> VisibilityVerdict:
    """Tell whether a message speaks about memory alone: a wish to forget, or what the built-in responder tells."""
    builtin = message.role == "assistant" and message.metadata.get("model") == BUILTIN
    wish = message.role == "user" and _only_asks(message.content)
    return VisibilityVerdict("echo") if builtin or wish else VISIBLE


def _only_asks(text: str) -> bool:
    """Tell whether a message asks memory for silence and tells nothing beside it."""
    if len(text) > WISH_CHARACTERS or _AND_MORE.search(text) or _REMINDS.match(text):
        return False
    message = parse_message(text)
    return asks_for_silence(message) or declined(message)


def _carried(message: NewMessage | Message) -> str:
    """Text that came with a message: descriptions, file names, values of metadata."""
    if not message.attachments and not message.metadata:
        return ""
    texts = [*_texts(message.attachments), *_texts(message.metadata)]
    worded = (text for text in texts if _SEVERAL_WORDS.search(text) or len(text) > len(MASK) * 2)
    return "\n".join(text for text in worded if _ID.fullmatch(text) is None)


def _texts(value: object) -> Iterable[str]:
    if isinstance(value, str):
        return (value,)
    if isinstance(value, Attachment):
        return tuple(filter(None, (value.name.replace("_", " "), value.description, value.url)))
    if isinstance(value, Mapping):
        return [part for pair in value.items() for side in pair for part in _texts(side)]
    if isinstance(value, Sequence | set | frozenset):
        items: Iterable[Any] = value
        return [part for item in items for part in _texts(item)]
    return ()


def _squeezed(text: str) -> str:
    """A text without long runs of one sign: they say nothing, and take long to read."""
    return _RUN.sub(r"\1\1\1", text)
