"""The turn, end to end: store the message, act on it, build the context, ask the model, store the answer.

The message is durable before any model is asked. A turn is a task of its own: when the caller goes away, an
unstreamed answer is still finished and stored, and a streamed one is stored as far as it came, marked partial.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Coroutine, Mapping, Sequence
from functools import partial
from typing import Any, TypedDict, TypeVar

import msgspec

from rememora.cancellation import run_to_end
from rememora.context.count import Counter, remembering
from rememora.context.gather import Gatherer
from rememora.context.layers import ACROSS
from rememora.context.mission import mission_items
from rememora.context.pack import PackOptions, build, done, situation_of
from rememora.context.render import prompt
from rememora.domain.check import check_name
from rememora.domain.context import (
    ContextPack,
    Item,
    MemoryAction,
    Placement,
    Reply,
    ReplyPart,
    Situation,
    UnstoredReply,
)
from rememora.domain.ids import new_id
from rememora.domain.message import CONTENT_BYTES, Attachment, Message, Modality, NewMessage, attachments_of
from rememora.domain.prompt import Prompt
from rememora.domain.rights import Actor
from rememora.domain.scope import Scope
from rememora.errors import Conflict, InvalidInput, ModelUnavailable, NotFound
from rememora.history import record
from rememora.language import count_tokens, tokens
from rememora.language.labels import told_value
from rememora.ports.missions import MissionStore
from rememora.ports.outside import Clock
from rememora.ports.responder import Responder
from rememora.ports.store import Store
from rememora.ports.window import WindowCache
from rememora.settings import Settings
from rememora.tenancy import idempotency

ECHO_SHARE = 0.6
"""Share of a memory's words that an answer must repeat to count as having used it."""


def used_memories(pack: ContextPack, answer: str) -> tuple[str, ...]:
    """Return the given memories that the question asked for or the answer repeats, in the order of the pack."""
    said = set(tokens(answer, pack.language))
    telling = (item for item in pack.items if item.memory_ids)
    used = (item.memory_ids for item in telling if item.score > 0 or _echoed(item, said, pack))
    return tuple(dict.fromkeys(id for ids in used for id in ids))


def _echoed(item: Item, answered: set[str], pack: ContextPack) -> bool:
    # Answers tell some values in other words: `03-12` as a date.
    forms = {item.text, told_value(item.key or "", item.text, pack.language)}
    words = [set(tokens(form, pack.language)) for form in forms]
    return any(form and len(form & answered) >= ECHO_SHARE * len(form) for form in words)


DONE = 200


async def done_once(
    store: Store,
    scope: Scope,
    question: Message,
    act: Callable[[], Awaitable[Sequence[MemoryAction]]],
    *,
    clock: Clock,
) -> Sequence[MemoryAction]:
    """Act once for a message, and return the same on a retry: a retried "yes" must not answer a new question."""
    key = hashlib.sha256(f"{scope.conversation}\n{question.id}".encode()).hexdigest()
    fingerprint = hashlib.sha256(question.content.encode()).digest()

    async def write_down() -> tuple[int, bytes]:
        return DONE, msgspec.json.encode(tuple(await act()))

    _, body, _ = await idempotency.once(
        store, scope, f"deeds-{key}", fingerprint=fingerprint, act=write_down, clock=clock
    )
    return msgspec.json.decode(body, type=tuple[MemoryAction, ...])


logger = logging.getLogger(__name__)

T = TypeVar("T")
Act = Callable[[Scope, Message, Actor], Awaitable[Sequence[MemoryAction]]]
"""Does what a message asks of memory itself, and reports what it did."""
ActsFirst = Callable[[Scope, Message], Awaitable[bool]]
"""Decides whether a message must be acted on before it is answered."""

ANSWERS_TO_ONE = 9
LONGEST_KEY = 200
GRACE_SECONDS = 5.0


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """One message to the agent, and options for the answer."""

    text: str
    key: str | None = None
    modality: Modality = "chat"
    channel: str = "chat"
    attachments: tuple[Attachment, ...] = ()
    budget: int | None = None
    situation: Situation = Situation()
    claimed: Situation = Situation()
    instructions: str | None = None
    placement: Placement | None = None
    mission: str | None = None
    """The mission that the turn belongs to; its memory is part of the context."""
    actor: Actor | None = None
    """The speaker and their rights; by default the user, without rights beyond their own memory."""

    def __post_init__(self) -> None:
        if self.key is not None and len(check_name("key", self.key)) > LONGEST_KEY:
            raise InvalidInput("key", f"must have at most {LONGEST_KEY} characters")
        if self.mission is not None:
            check_name("mission", self.mission)


class ReplyOptions(TypedDict, total=False):
    """Options of a reply, apart from its question."""

    modality: Modality
    attachments: Sequence[Attachment | Mapping[str, Any]]
    budget: int
    """Token budget of the context."""
    situation: Situation | Mapping[str, Any]
    """The host's view of the moment: mode, plan, quotas, operations, tasks, artifacts."""
    claimed: Situation | Mapping[str, Any]
    """A situation claimed by a caller who may not set it: the model gets it as data."""
    instructions: str
    """The host's own instructions for this turn, instead of those of the settings."""
    placement: Placement
    """Position of recalled text in the prompt."""
    mission: str
    """The mission that the turn belongs to; `NotFound` if this user has none with that id."""


class TurnSteps(msgspec.Struct, frozen=True, kw_only=True):
    """Steps around an answer: actions on memory, the mission's memory, cached windows."""

    act: Act | None = None
    acts_first: ActsFirst | None = None
    reads: bool = False
    """Adds the message to those that a language model reads later, in the worker."""
    missions: MissionStore | None = None
    cache: WindowCache | None = None


class StartedTurn(msgspec.Struct, frozen=True, kw_only=True):
    """A turn whose question is stored, and what the model will be given."""

    scope: Scope
    turn: Turn
    asked: Message
    attempt: int
    pack: ContextPack
    deeds: tuple[MemoryAction, ...]


class TurnRunner:
    """Runs turns, and tracks those in progress, so that none is lost when the store is closed."""

    def __init__(
        self,
        *,
        settings: Settings,
        store: Store,
        clock: Clock,
        gatherer: Gatherer,
        responder: Responder,
        counter: Counter = count_tokens,
        steps: TurnSteps | None = None,
    ) -> None:
        self.settings = settings
        self.store = store
        self.clock = clock
        self.gatherer = gatherer
        self.responder = responder
        self.counter = remembering(counter)
        self.steps = steps or TurnSteps()
        self._running: set[asyncio.Task[Any]] = set()

    def pack_options(self, query: str, *, budget: int | None, **how: Any) -> PackOptions:
        """Return the options of a pack, with this store's budget and token counter."""
        usual = self.settings.context
        budget = usual.budget if budget is None else budget
        return PackOptions(query=query, budget=budget, counter=self.counter, least_worth=usual.least_worth, **how)

    async def append(self, scope: Scope, draft: NewMessage, *, channel: str = "chat") -> Message:
        """Store one message at the end of its conversation."""
        stored = await record.append(
            self.store,
            scope,
            [draft],
            clock=self.clock,
            settings=self.settings,
            channel=channel,
            later=record.Later(read=self.steps.reads),
            cache=self.steps.cache,
        )
        return stored[0]

    def keep(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Run `work` to its end, even if its caller stops waiting."""
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._finished)
        return task

    async def settle(self) -> None:
        """Wait until every turn in progress, and the work it leaves, is done."""
        while self._running:
            await asyncio.wait(self._running)

    async def close(self) -> None:
        """Give turns in progress a moment to end; partial answers of streams are stored."""
        if self._running:
            await asyncio.wait(self._running, timeout=GRACE_SECONDS)
        for task in list(self._running):
            task.cancel()
        while self._running:
            await asyncio.wait(self._running)
        await self.gatherer.close()
        await self.responder.close()

    def _finished(self, task: asyncio.Task[Any]) -> None:
        self._running.discard(task)
        if not task.cancelled():
            task.exception()


def turn_of(
    text: str, *, actor: Actor, key: str | None, channel: str, modality: Modality, wishes: ReplyOptions
) -> Turn:
    """Validate a turn as the caller requested it."""
    return Turn(
        actor=actor,
        text=text,
        key=key,
        modality=wishes.get("modality", modality),
        channel=channel,
        attachments=attachments_of(wishes.get("attachments", ())),
        budget=wishes.get("budget"),
        situation=situation_of(wishes.get("situation")),
        claimed=situation_of(wishes.get("claimed"), field="claimed"),
        instructions=wishes.get("instructions"),
        placement=wishes.get("placement"),
        mission=wishes.get("mission"),
    )


async def reply(turns: TurnRunner, scope: Scope, turn: Turn) -> Reply:
    """Run one turn to its end; if the caller is cancelled, the turn is still finished and stored."""
    return await asyncio.shield(turns.keep(_reply(turns, scope, turn)))


async def stream(turns: TurnRunner, scope: Scope, turn: Turn) -> AsyncIterator[ReplyPart]:
    """Stream one turn; the last part carries the reply. Closing it early stores the answer so far."""
    pieces: asyncio.Queue[ReplyPart | None] = asyncio.Queue()
    pump = turns.keep(_pump(turns, scope, turn, pieces))
    try:
        while (piece := await pieces.get()) is not None:
            yield piece
        await pump
    finally:
        pump.cancel()
        await asyncio.wait([pump])


async def reply_unstored(turns: TurnRunner, scope: Scope, turn: Turn, said: Sequence[NewMessage]) -> UnstoredReply:
    """Answer from a person's memory, and store nothing; `said` are the turns before, oldest first."""
    earlier = tuple(
        Item(
            section="recent", text=new_message.content, kind="message", role=new_message.role, reason="said before"
        )
        for new_message in said
    )
    options = turns.pack_options(
        turn.text, budget=turn.budget, modality=turn.modality, beside=earlier, layers=ACROSS
    )
    # Only layers that follow the person: there is no stored conversation to summarise or to quote.
    pack = await build(turns.gatherer, scope.person(), options, now=turns.clock())
    instructions, seconds = turn.instructions, turns.settings.model.timeout_seconds
    written = prompt(
        pack,
        placement=turn.placement or turns.settings.context.placement,
        instructions=turns.settings.model.instructions if instructions is None else instructions,
    )
    await turns.responder.ready()
    try:
        async with asyncio.timeout(seconds):
            text = storable(await turns.responder.answer(written, pack))
    except TimeoutError:
        raise ModelUnavailable(f"no answer within {seconds} s") from None
    if not text:
        raise ModelUnavailable("the model returned an empty answer")
    return UnstoredReply(text=text, used_memories=used_memories(pack, text), pack=pack)


async def _reply(turns: TurnRunner, scope: Scope, turn: Turn) -> Reply:
    begun = await _begin(turns, scope, turn)
    if isinstance(begun, Reply):
        return begun
    seconds = turns.settings.model.timeout_seconds
    written = _prompt(turns, begun)
    await turns.responder.ready()
    try:
        async with asyncio.timeout(seconds):
            text = await turns.responder.answer(written, begun.pack)
    except TimeoutError:
        raise ModelUnavailable(f"no answer within {seconds} s") from None
    return await _save(turns, begun, text)


async def _pump(turns: TurnRunner, scope: Scope, turn: Turn, pieces: asyncio.Queue[ReplyPart | None]) -> None:
    """Carries the model's answer to the caller, and stores it even if either of them fails."""
    try:
        begun = await _begin(turns, scope, turn)
        if isinstance(begun, Reply):
            pieces.put_nowait(ReplyPart(text=begun.text))
            pieces.put_nowait(ReplyPart(reply=begun))
            return
        said: list[str] = []
        try:
            async for text in _timely(turns, begun):
                said.append(text)
                pieces.put_nowait(ReplyPart(text=text))
        except BaseException:
            # What the person has already seen is stored, marked as partial, also when they went away.
            if "".join(said).strip():
                await run_to_end(turns.keep(_save(turns, begun, "".join(said), partial=True)))
            raise
        done = await run_to_end(turns.keep(_save(turns, begun, "".join(said))))
        pieces.put_nowait(ReplyPart(reply=done))
    finally:
        pieces.put_nowait(None)


async def _timely(turns: TurnRunner, begun: StartedTurn) -> AsyncIterator[str]:
    """Yield the model's chunks, each within the timeout."""
    seconds = turns.settings.model.timeout_seconds
    await turns.responder.ready()
    words = turns.responder.stream(_prompt(turns, begun), begun.pack)
    try:
        while True:
            async with asyncio.timeout(seconds):
                # The timeout is for each chunk: a long answer may take long, a silent model may not.
                text = await anext(words, None)
            if text is None:
                return
            if text:
                yield text
    except TimeoutError:
        raise ModelUnavailable(f"no further output within {seconds} s") from None
    finally:
        if isinstance(words, AsyncGenerator):
            await words.aclose()


async def _begin(turns: TurnRunner, scope: Scope, turn: Turn) -> StartedTurn | Reply:
    """Store the question, act on it, and build the context; or find that the turn is already done."""
    asked_id = turn.key or new_id()
    answers = await _answers(turns, scope, asked_id) if turn.key is not None else []
    whole = [answer for answer in answers if not answer.metadata.get("partial")]
    # Before anything is stored: a turn of a mission that is not there is no turn. A repeat outlives its mission.
    about = () if whole else await about_mission(turns, scope, turn.mission)
    question = await _append(turns, scope, turn, id=asked_id)
    if whole or len(answers) == ANSWERS_TO_ONE:
        return _replayed(question, (whole or answers)[-1])
    deeds = await act_on_message(
        turns, scope, question, turn.actor or Actor(scope.user), once=turn.key is not None
    )
    return StartedTurn(
        scope=scope,
        turn=turn,
        asked=question,
        attempt=len(answers) + 1,
        pack=await _pack(turns, scope, turn, before=question.seq, extra=(*done(deeds), *about)),
        deeds=deeds,
    )


async def about_mission(turns: TurnRunner, scope: Scope, mission_id: str | None) -> tuple[Item, ...]:
    """Look up the mission of a turn and list its memory; `NotFound` if this user has none with that id."""
    if mission_id is None:
        return ()
    store = turns.steps.missions
    if store is None:
        raise NotFound("mission", mission_id)
    return mission_items(await store.get(scope.person(), mission_id))


async def _append(turns: TurnRunner, scope: Scope, turn: Turn, *, id: str) -> Message:
    draft = NewMessage(role="user", content=turn.text, id=id, modality=turn.modality, attachments=turn.attachments)
    return await turns.append(scope, draft, channel=turn.channel)


async def hear(turns: TurnRunner, scope: Scope, message: Message, actor: Actor) -> tuple[MemoryAction, ...]:
    """Act on a message that was stored outside of a turn, and pass it to the model reader as turns do."""
    if turns.steps.reads:
        now = turns.clock()
        await turns.store.write(scope, lambda work: record.note_unread(work, scope, [message], now=now))
    return await act_on_message(turns, scope, message, actor)


async def acts_first(turns: TurnRunner, scope: Scope, message: Message) -> bool:
    """Return whether a stored message must be acted on before it is answered."""
    decide = turns.steps.acts_first
    return turns.steps.act is not None and (decide is None or await decide(scope, message))


async def act_on_message(
    turns: TurnRunner, scope: Scope, question: Message, actor: Actor, *, once: bool = False
) -> tuple[MemoryAction, ...]:
    """Do what a stored message asks of memory itself; the actions are reported to the model."""
    act = turns.steps.act
    if act is None:
        return ()
    try:
        if once:
            do = partial(act, scope, question, actor)
            return tuple(await done_once(turns.store, scope, question, do, clock=turns.clock))
        return tuple(await act(scope, question, actor))
    except Exception as error:
        # Memory failing to do as it was told must not cost the person an answer.
        logger.warning("a request to memory failed: %s", type(error).__name__)
        return ()


async def _answers(turns: TurnRunner, scope: Scope, asked_id: str) -> list[Message]:
    """List earlier answers to this question, oldest first: none, a whole answer, or partial ones."""
    ids = [answer_id(asked_id, attempt) for attempt in range(1, ANSWERS_TO_ONE + 1)]
    stored = await turns.store.read(scope, lambda work: work.messages.with_ids(scope, ids))
    return [stored[id] for id in ids if id in stored]


async def _pack(
    turns: TurnRunner, scope: Scope, turn: Turn, *, before: int, extra: tuple[Item, ...]
) -> ContextPack:
    options = turns.pack_options(
        turn.text,
        budget=turn.budget,
        modality=turn.modality,
        situation=turn.situation,
        claimed=turn.claimed,
        before=before,
        beside=extra,
    )
    return await build(turns.gatherer, scope, options, now=turns.clock())


def _prompt(turns: TurnRunner, begun: StartedTurn) -> Prompt:
    instructions = begun.turn.instructions
    return prompt(
        begun.pack,
        placement=begun.turn.placement or turns.settings.context.placement,
        instructions=turns.settings.model.instructions if instructions is None else instructions,
    )


async def _save(turns: TurnRunner, begun: StartedTurn, text: str, *, partial: bool = False) -> Reply:
    """Store the answer; if another caller of the same turn was first, return theirs."""
    content = storable(text)
    if not content:
        raise ModelUnavailable("the model returned an empty answer")
    used = used_memories(begun.pack, content)
    metadata: dict[str, Any] = {"in_reply_to": begun.asked.id, "model": turns.responder.name}
    metadata |= {"used_memories": list(used)} if used else {}
    changed = [id for deed in begun.deeds for id in deed.memories]
    metadata |= {"changed_memories": changed} if changed else {}
    metadata |= {"partial": True} if partial else {}
    metadata |= {"attempt": begun.attempt} if begun.attempt > 1 else {}
    # The id is made of the question, so that a second caller of the same turn collides instead of answering twice.
    id = answer_id(begun.asked.id, begun.attempt)
    draft = NewMessage(role="assistant", content=content, id=id, modality=begun.turn.modality, metadata=metadata)
    try:
        answer = await _answer(turns, begun, draft)
    except Conflict:
        return _replayed(begun.asked, (await _answers(turns, begun.scope, begun.asked.id))[-1])
    return Reply(
        asked=begun.asked,
        answer=answer,
        used_memories=used,
        deeds=begun.deeds,
        partial=partial,
        pack=begun.pack,
    )


async def _answer(turns: TurnRunner, begun: StartedTurn, draft: NewMessage) -> Message:
    """Store the answer, unless this turn erased the person: then nothing more is written about them."""
    if not any(receipt.kind == "person" for deed in begun.deeds for receipt in deed.receipts):
        return await turns.append(begun.scope, draft)
    fields = {"role": draft.role, "content": draft.content, "id": draft.id, "metadata": draft.metadata}
    return msgspec.structs.replace(begun.asked, seq=begun.asked.seq + 1, created_at=turns.clock(), **fields)


def answer_id(asked_id: str, attempt: int) -> str:
    """Return the id of an answer, derived from its question's; a retry after a partial answer is numbered."""
    return f"{asked_id}.answer" if attempt == 1 else f"{asked_id}.answer.{attempt}"


def storable(text: str) -> str:
    """Return an answer that can be stored: without invalid characters, and within the size limit."""
    plain = text.replace("\x00", "").encode("utf-8", "ignore")[:CONTENT_BYTES].decode("utf-8", "ignore")
    return "" if plain.isspace() else plain


def _replayed(question: Message, answer: Message) -> Reply:
    used = tuple(answer.metadata.get("used_memories", ()))
    partial = bool(answer.metadata.get("partial"))
    return Reply(asked=question, answer=answer, used_memories=used, partial=partial, replayed=True)
