"""Contract checks for plugins: authors run them against what their factory makes, on a real embedded store.

Each check returns the broken laws as texts; an empty list means that the part keeps its contract:

    assert await check_embedder(make_embedder(Settings())) == []
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from string import Formatter
from typing import TYPE_CHECKING, Any, Final

import msgspec

from rememora.adapters.sql.store import Engine, SqlStore
from rememora.context.gather import PackRequest, Source
from rememora.domain.context import SECTIONS, Item, Situation
from rememora.domain.hit import ItemKey
from rememora.domain.message import NewMessage
from rememora.domain.receipt import ErasurePlan
from rememora.domain.scope import Scope
from rememora.engines import open_store
from rememora.errors import RememoraError
from rememora.gate import No, Unrelated, Value, Yes, evaluate, read_answer
from rememora.gate.pointing import bare_wish, silenced_topic
from rememora.gate.stated import SLOTS
from rememora.history import record
from rememora.language import packs
from rememora.language.detection import language_of_text
from rememora.language.parsed import parse_text
from rememora.plugins import faults_of
from rememora.ports.index import Embedded, EmbeddingModel, EmbeddingRun
from rememora.ports.outside import Embedder
from rememora.ports.store import Store, UnitOfWork
from rememora.ports.vectors import Vectors
from rememora.ranking.when import resolve
from rememora.reading.labels import ACTS, LABELS
from rememora.reading.parsed import parse_message
from rememora.reading.results import MessageReader, MessageReading
from rememora.settings import Settings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NOW: Final = datetime(2026, 3, 4, 12, tzinfo=UTC)
ANA, BIA = Scope("acme", "ana", "c1"), Scope("acme", "bia", "c1")
OTHER = Scope("other", "ana", "c1")
TEXTS: Final = ("bom dia", "the invoice is due on Friday", "🙂", "a" * 20_000, "ação e reação", "   ")
DIMENSION: Final = 16
RUN: Final = EmbeddingRun(number=1, model=EmbeddingModel("contract", DIMENSION), state="current")
_ROUNDING: Final = 1e-3

MakeVectors = Callable[[Store], Vectors]
"""Makes vectors of `DIMENSION` numbers that follow a store, in a fresh place."""


class _Laws:
    """Checked laws; those that did not hold are collected."""

    def __init__(self, made: object, protocol: type) -> None:
        self.broken = faults_of(made, protocol)

    @property
    def whole(self) -> bool:
        """Return whether the part has every member that the other laws need."""
        return not self.broken

    def hold(self, law: str, kept: bool) -> None:
        """Record a broken law."""
        if not kept:
            self.broken.append(law)


async def check_embedder(embedder: Embedder) -> list[str]:
    """Check vectors of odd and plain texts: count, order, length, type, and that they repeat."""
    import numpy as np

    laws = _Laws(embedder, Embedder)
    if not laws.whole:
        return laws.broken
    vectors = await embedder.embed(TEXTS)
    laws.hold("`name` is not empty", bool(embedder.name))
    laws.hold("no text gives no vector", list(await embedder.embed([])) == [])
    laws.hold("there is one vector per text", len(vectors) == len(TEXTS))
    laws.hold("a vector has `dimension` numbers", all(vector.shape == (embedder.dimension,) for vector in vectors))
    laws.hold("numbers are float32", all(vector.dtype == np.float32 for vector in vectors))
    # The rest compares numbers, which vectors of another shape do not have.
    if laws.broken:
        return laws.broken
    lengths = [float(np.linalg.norm(vector)) for vector in vectors]
    laws.hold("a vector has length 1", all(abs(length - 1) < _ROUNDING for length in lengths))
    alone = await asyncio.gather(*(embedder.embed([text]) for text in TEXTS[:3]))
    again = [bool(np.allclose(one[0], many, atol=_ROUNDING)) for one, many in zip(alone, vectors, strict=False)]
    laws.hold("a text has the same vector alone, among others and asked for at once", all(again))
    laws.hold("different texts have different vectors", not np.allclose(vectors[0], vectors[1], atol=_ROUNDING))
    answers = await embedder.embed(TEXTS[:1], query=True)
    laws.hold(
        "a question has a vector like a text", [answer.shape for answer in answers] == [(embedder.dimension,)]
    )
    return laws.broken


async def check_vectors(make: MakeVectors, *, exact: bool = True) -> list[str]:
    """Check a vector engine on a real store; an approximate one (`exact=False`) may miss some of the nearest."""
    store = await open_store(Settings.load({"store.url": ":memory:"}, environ={}), model=RUN.model.key)
    vectors = make(store)
    laws = _Laws(vectors, Vectors)
    try:
        if laws.whole:
            await _check_found(laws, store, vectors, exact=exact)
            await _check_gone(laws, store, vectors)
        return laws.broken
    finally:
        await vectors.close()
        await store.close()


async def _check_found(laws: _Laws, store: Store, vectors: Vectors, *, exact: bool) -> None:
    laid, (query, other) = _random(60), _random(2, seed=1)
    keys = await _put(store, ANA, laid)
    shared = await _put(store, ANA.shared().within("c9"), _random(2, seed=2))
    # Strangers hold the very vector that is asked for: an engine that mixes people up finds it first.
    for stranger in (BIA, OTHER):
        await _put(store, stranger, [query] * 5)
    known = {**dict(zip(keys, laid, strict=True)), **dict(zip(shared, _random(2, seed=2), strict=True))}
    hits = await vectors.nearest(ANA, query, limit=10)
    best = sorted(known, key=lambda key: -float(known[key] @ query))[:10]
    laws.hold("no more than `limit` are found", len(hits) <= 10)
    laws.hold("no other user's and no other tenant's items are found", {near.key for near in hits} <= known.keys())
    mine = [near for near in hits if near.key in known]
    right = all(abs(near.cosine - float(known[near.key] @ query)) < _ROUNDING for near in mine)
    laws.hold("each has the cosine of its vector with the question", right)
    laws.hold("the best come first", [*hits] == sorted(hits, key=lambda near: -near.cosine))
    if exact:
        laws.hold("the nearest are those of exact cosines", [near.key for near in hits] == best)
    everything = {near.key for near in await vectors.nearest(ANA, other, limit=100)}
    laws.hold("the tenant's shared items are found", set(shared) <= everything)
    nobody = await _keys(vectors, Scope("acme", "nobody"), query)
    laws.hold("an unknown user finds what is shared alone", nobody == set(shared))


async def _check_gone(laws: _Laws, store: Store, vectors: Vectors) -> None:
    (query,) = _random(1, seed=3)
    before = await _keys(vectors, BIA, query)
    # First what disappears one by one, then what changes, then whole users.
    dropped = [key for key in before if key.conversation == BIA.conversation][:2]
    await store.write(BIA, lambda work: work.index.drop(BIA, dropped))
    laws.hold("what is dropped is not found", await _keys(vectors, BIA, query) == before - {*dropped})
    (changed,) = [key for key in before - {*dropped} if key.conversation == BIA.conversation][:1]
    await store.write(BIA, lambda work: work.index.put(BIA, [changed]))
    laws.hold(
        "a changed item is not found until it has a new vector", changed not in await _keys(vectors, BIA, query)
    )
    await _embed(store, BIA, {changed: query})
    near = {neighbour.key: neighbour.cosine for neighbour in await vectors.nearest(BIA, query, limit=100)}
    laws.hold("a changed item has its new vector", abs(near.get(changed, 0.0) - 1) < _ROUNDING)
    kept = await _keys(vectors, ANA, query)
    laws.hold("`erase` says how many vectors went", await vectors.erase(ANA) > 0)
    laws.hold("what the store still has is found again after `erase`", await _keys(vectors, ANA, query) == kept)
    await store.write(ANA, lambda work: work.index.erase(ANA, ErasurePlan(person=True, history=True)))
    left = {key for key in await _keys(vectors, ANA, query) if key.conversation == ANA.conversation}
    laws.hold("nothing of an erased user is found", not left)
    laws.hold("erasing one user leaves the others", await _keys(vectors, BIA, query) != set())


async def check_reader(reader: MessageReader) -> list[str]:
    """Check what a reader returns for odd and plain messages."""
    laws = _Laws(reader, MessageReader)
    # Odd texts (empty, emoji, very long) as well as plain ones; each law is reported once.
    for text in TEXTS if laws.whole else ():
        spoken: object = reader(text, ("user: bom dia",))
        if not isinstance(spoken, MessageReading):
            laws.hold(f"a reader returns Spoken, not {type(spoken).__name__}", False)
            break
        laws.hold(f"there is a chance for each of {len(LABELS)} labels", len(spoken.labels) == len(LABELS))
        fits = all(len(part.chances) == len(ACTS) and part.act in ACTS for part in spoken.parts)
        laws.hold("a part has a known act, and a chance for each act", fits)
        spans = [(part.start, part.end) for part in spoken.parts]
        spans += [(stated.start, stated.end) for stated in spoken.statements]
        laws.hold("spans lie inside the text", all(0 <= start <= end <= len(text) for start, end in spans))
    return list(dict.fromkeys(laws.broken))


async def check_layer(source: Source, *, scope: Scope = ANA) -> list[str]:
    """Check that a layer answers a request in both languages with items that fit a pack."""
    laws = _Laws(source, Source)
    for language in ("pt", "en") if laws.whole else ():
        request = PackRequest(scope=scope, query="oi", language=language, now=NOW, situation=Situation())
        items: Sequence[object] = await source(request)
        fitting = [item for item in items if isinstance(item, Item) and item.section in SECTIONS]
        laws.hold("a layer gives items of known sections", len(fitting) == len(items))
        laws.hold("an item has text and a kind", all(item.text and item.kind for item in fitting))
    return list(dict.fromkeys(laws.broken))


async def check_engine(engine: Engine) -> list[str]:
    """Check that an engine opens, keeps tenants separate, and rolls failed work back."""
    laws = _Laws(engine, Engine)
    if not laws.whole:
        return laws.broken
    await engine.open()
    store = SqlStore(engine)
    try:
        await _say(store, ANA, "hello")
        laws.hold("a message is read back", await _said(store, ANA) == ["hello"])
        laws.hold("another tenant sees nothing of it", await _said(store, OTHER) == [])
        laws.hold("an error reaches its caller", await _fails(store, ANA))
        laws.hold("what failed is taken back", await _said(store, ANA) == ["hello"])
        # Three people of two tenants at once: an engine that loses a write under contention loses one here.
        many = [_say(store, scope, str(turn)) for scope in (ANA, BIA, OTHER) for turn in range(8)]
        await asyncio.gather(*many)
        laws.hold(
            "concurrent writes are all kept",
            [len(await _said(store, owner)) for owner in (ANA, OTHER)] == [9, 8],
        )
        laws.hold("an undamaged store is intact", (await engine.integrity()).intact)
    except RememoraError as error:
        laws.hold(f"ordinary work succeeds: {error.message}", False)
    finally:
        await store.close()
    return laws.broken


class _StopWork(Exception):
    """Raised to end a unit of work on purpose."""


def check_language(code: str) -> list[str]:
    """Check an installed language pack: its files, its keys compared with English, and its cases."""
    if code not in packs.CODES:
        return [f"no language pack is installed under {code!r} ({', '.join(packs.CODES)})"]
    try:
        # Loading is the check: each file of a pack is decoded and refused by its field.
        packs.words_of(code), packs.calendar_of(code), packs.control_of(code), packs.questions_of(code)
        broken = [*_key_faults(code)]
    except RememoraError as error:
        return [error.message]
    lines = (packs.folder_of(code) / "cases.jsonl").read_text("utf-8").splitlines()
    cases = [json.loads(line) for line in lines]
    failed = [fault for case in cases if (fault := _case_fault(case, code))]
    enough = cases and 1 - len(failed) / len(cases) >= packs.words_of(code).bar
    return broken if enough else [*broken, *(failed or ["cases.jsonl has no case"])]


def _case_fault(case: Mapping[str, Any], code: str) -> str:
    """Return how a case is read instead; empty if it is read as expected."""
    for kind in CASE_READERS.keys() & case:
        if (actual := CASE_READERS[kind](case["text"], code)) != case[kind]:
            return f"{case['text']!r}: {kind} is {actual!r}, not {case[kind]!r}"
    return ""


_CASES_ASKED: Final = datetime(2026, 11, 17, 15, tzinfo=UTC)


def _span_of(text: str, code: str) -> list[str] | None:
    meant = resolve(parse_text(text), now=_CASES_ASKED, language=code)
    return None if meant is None else [str(meant.span.since.date()), str(meant.span.until.date())]


def _answer_of(text: str) -> str:
    answer = read_answer(text)
    if isinstance(answer, Value):
        return answer.text
    return {Yes: "yes", No: "no", Unrelated: "other"}[type(answer)]


CASE_READERS: Final[Mapping[str, Callable[[str, str], Any]]] = {
    "language": lambda text, _: language_of_text(text),
    "span": _span_of,
    "wish": lambda text, _: bare_wish(parse_message(text)),
    "hushed": lambda text, _: silenced_topic(parse_message(text)),
    "answer": lambda text, _: _answer_of(text),
    "slots": lambda text, _: {fact.key: fact.value for fact in evaluate(text).facts if fact.key in SLOTS},
    "label": lambda text, _: evaluate(text).label,
}
"""Fields that a case of a language pack may expect, each with its reader; times are as of 17 November 2026."""


def _key_faults(code: str) -> list[str]:
    """Compare the keys of a pack, and the places in its sentences, with those of English."""
    mine, english = packs.attributes_of(code), packs.attributes_of("en")
    tables = ("labels", "words", "family", "own", "spaces", "asked_by")
    pairs = {f"attributes.toml: {name}": (getattr(mine, name), getattr(english, name)) for name in tables}
    pairs["reasons.toml"] = packs.reasons_of(code), packs.reasons_of("en")
    faults = [
        f"{name} has other keys than English: {', '.join(sorted(keys.keys() ^ other.keys()))}"
        for name, (keys, other) in pairs.items()
        if keys.keys() != other.keys()
    ]
    said, other_said = _places(packs.replies_of(code)), _places(packs.replies_of("en"))
    return faults + [
        f"replies.toml: {name} has other places than English"
        for name in said
        if said[name] != other_said.get(name)
    ]


def _places(replies: msgspec.Struct) -> dict[str, list[str]]:
    """Return the placeholders of each sentence; a date format has none."""
    said = {
        f"{part}.{name}": text
        for part, table in msgspec.to_builtins(replies).items()
        for name, text in table.items()
        if name != "day"
    }
    return {
        name: sorted(field for _, field, _, _ in Formatter().parse(text) if field) for name, text in said.items()
    }


async def _fails(store: Store, scope: Scope) -> bool:
    """Remove a conversation in a unit of work that fails; tell whether the failure was raised."""

    def work(unit: UnitOfWork) -> None:
        unit.messages.remove(scope)
        raise _StopWork

    try:
        await store.write(scope, work)
    except _StopWork:
        return True
    return False


def _random(count: int, seed: int = 0) -> list[NDArray[np.float32]]:
    """Make unit vectors that are the same in each run."""
    import numpy as np

    drawn = np.random.default_rng(seed).standard_normal((count, DIMENSION)).astype(np.float32)
    return list(drawn / np.linalg.norm(drawn, axis=1, keepdims=True))


async def _say(store: Store, scope: Scope, *texts: str) -> list[ItemKey]:
    drafts = [NewMessage(role="user", content=text) for text in texts]
    stored = await record.append(store, scope, drafts, clock=lambda: NOW, settings=Settings())
    return [ItemKey("message", message.id, message.conversation) for message in stored]


async def _said(store: Store, scope: Scope) -> list[str]:
    messages = await store.read(scope, lambda work: work.messages.after(scope, limit=100, seq=0))
    return [message.content for message in messages]


async def _put(store: Store, scope: Scope, vectors: Sequence[NDArray[np.float32]]) -> list[ItemKey]:
    """Index some messages, each with its vector."""
    keys = await _say(store, scope, *(f"<{place}>" for place in range(len(vectors))))
    await _embed(store, scope, dict(zip(keys, vectors, strict=True)))
    return keys


async def _embed(store: Store, scope: Scope, vectors: Mapping[ItemKey, NDArray[np.float32]]) -> None:
    """Embed the items that wait for a vector."""
    waiting = await store.read(scope, lambda work: work.index.waiting(scope, limit=1000))
    embedded = [
        Embedded(key=item.key, number=item.number, vector=vectors[item.key].tobytes())
        for item in waiting
        if item.key in vectors
    ]
    await store.write(scope, lambda work: work.index.embed(scope, embedded, run=RUN))


async def _keys(vectors: Vectors, scope: Scope, vector: NDArray[np.float32]) -> set[ItemKey]:
    return {near.key for near in await vectors.nearest(scope, vector, limit=100)}
