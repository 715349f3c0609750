"""Acts of a person on their page: correct, confirm, hush, forget, restore, answer, erase; verbs of the API."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable

import msgspec
from starlette.responses import Response

from rememora.dashboard import sentences
from rememora.dashboard.answering import PageRequest, Pages
from rememora.dashboard.client import card_of, categories_of, held_value, telling
from rememora.dashboard.frame import SAFE
from rememora.dashboard.questions import answered_text
from rememora.dashboard.visitor import drop_link
from rememora.dashboard.words import text, texts
from rememora.domain.memory import Memory, Outcome
from rememora.domain.receipt import ErasureArguments, Receipt
from rememora.domain.rights import USER
from rememora.errors import InvalidInput, MemoryRefused
from rememora.handles.user import UserMemory
from rememora.knowledge.opt_outs import PAUSED, UNWANTED

Change = Callable[[UserMemory, Memory], Awaitable[object]]


def add_routes(pages: Pages) -> None:
    """Routes of what changes something."""
    pages.own("/me/memory/{id}/correct", correct, method="POST")
    pages.own("/me/memory/{id}/hush", hush, method="POST")
    pages.own("/me/memory/{id}/forget", forget, method="POST")
    pages.own("/me/memory/{id}/restore", restore, method="POST")
    pages.own("/me/memory/{id}/confirm", confirm, method="POST")
    pages.own("/me/memory/{id}/erase", ask_erase)
    pages.own("/me/memory/{id}/erase", erase, method="POST")
    pages.own("/me/questions/{id}", answer, method="POST")
    pages.own("/me/pause", pause, method="POST")
    pages.own("/me/not-kept", set_unwanted, method="POST")
    pages.own("/me/erase", ask_erase_all)
    pages.own("/me/erase", erase_all, method="POST")
    pages.open("/me/receipt", show_receipt_form)
    pages.own("/me/receipt", check_receipt, method="POST")
    pages.own("/me/receipt/file", receipt_file, method="POST")
    pages.open("/me/leave", leave, method="POST")


async def correct(request: PageRequest) -> Response:
    """Put the right value in place of the wrong one."""
    person, id = request.visitor.person(request.rememora), request.named("id")
    value = request.form.get("value", "").strip()
    memory = await person.memories.get(id)
    if not value:
        raise InvalidInput("value", "must not be empty")
    if memory.status != "active" or str(memory.value) == value:
        # Sent twice, or nothing changed: show how it stands.
        return await _acted(request, await _standing(person, memory), "corrected")
    try:
        outcome = await person.memories.correct(id, value, why="corrected on the page")
    except MemoryRefused as refused:
        return await _not_corrected(request, id, refused.reason, value)
    if outcome.memory is None:
        return await _not_corrected(request, id, outcome.verdict.reason if outcome.verdict else "", value)
    return await _acted(request, outcome.memory, "corrected")


async def _not_corrected(request: PageRequest, id: str, reason: str, typed: str) -> Response:
    """The memory as it was, with what was typed and why the gate does not take it."""
    card = await card_of(request, id)
    return request.page(
        "memory.html", status=422, card=card, acted="", refused=reason, typed=typed, **telling(request)
    )


async def _standing(person: UserMemory, memory: Memory) -> Memory:
    """The memory that stands under the key now."""
    if memory.status == "active":
        return memory
    active = [
        item for item in (await person.memories.list(prefix=memory.key, limit=100)).items if item.key == memory.key
    ]
    return active[0] if active else memory


async def hush(request: PageRequest) -> Response:
    """Keep it, and never mention it."""
    return await _change(
        request, "hushed", lambda memory: memory.suppressed, lambda p, m: p.memories.suppress(m.id)
    )


async def forget(request: PageRequest) -> Response:
    """Delete it softly; it can be restored."""
    return await _change(
        request, "forgotten", lambda memory: memory.status == "deleted", lambda p, m: p.forget(m.id)
    )


async def restore(request: PageRequest) -> Response:
    """Let it be known and mentioned again."""
    return await _change(
        request,
        "restored",
        lambda memory: memory.status == "active" and not memory.suppressed,
        lambda p, m: p.memories.restore(m.id),
    )


async def confirm(request: PageRequest) -> Response:
    """Take the doubt from it: it still holds."""
    return await _change(
        request, "confirmed", lambda memory: memory.doubted_at is None, lambda p, m: p.memories.confirm(m.id)
    )


async def _change(request: PageRequest, done: str, stands: Callable[[Memory], bool], change: Change) -> Response:
    """Do one thing to one memory; asked for twice, it is done once."""
    person = request.visitor.person(request.rememora)
    memory = await person.memories.get(request.named("id"))
    if not stands(memory):
        await change(person, memory)
        memory = await person.memories.get(memory.id)
    return await _acted(request, memory, done)


async def _acted(request: PageRequest, memory: Memory, done: str) -> Response:
    """The memory as it stands now: its line where a part was asked for, else its page."""
    if request.visitor.partial:
        return request.page("line.html", memory=memory, acted=done)
    return request.to(f"/me/memory/{memory.id}?done={done}")


async def answer(request: PageRequest) -> Response:
    """Answer a question that waits: yes, no, or other words."""
    person, id = request.visitor.person(request.rememora), request.named("id")
    said, language = request.form.get("reply", ""), request.visitor.language
    reply = {"yes": text(language, "yes"), "no": text(language, "no")}.get(said)
    words = reply or request.form.get("choice") or request.form.get("words", "").strip()
    if not words:
        raise InvalidInput("words", "must not be empty")
    waiting = {proposal.id: proposal for proposal in await person.proposals.list()}
    proposal = waiting.get(id)
    outcome = Outcome() if proposal is None else await person.proposals.answer(id, words)
    if not request.visitor.partial:
        return request.to("/me")
    return request.page(
        "answered.html",
        # Still open, or followed by another question: asked again instead of thanked for.
        proposal=outcome.question,
        wrong=_not_taken(request, outcome, id),
        memories=outcome.memories,
        answer=answered_text(proposal, said, language, changed=bool(outcome.memories)),
    )


def _not_taken(request: PageRequest, outcome: Outcome, id: str) -> str:
    """Say why an answer was not taken; empty where it was."""
    if outcome.question is None or outcome.question.id != id:
        return ""
    if outcome.verdict is not None:
        return sentences.reason_text(request.rememora.policy, outcome.verdict.reason, request.visitor.language)
    return text(request.visitor.language, "ask.unclear")


async def pause(request: PageRequest) -> Response:
    """Let nothing new be remembered, or let it be again."""
    person = request.visitor.person(request.rememora)
    pausing, paused = request.form.get("paused") == "yes", await held_value(person, PAUSED) is True
    if pausing and not paused:
        await person.remember(PAUSED, True)
    elif paused and not pausing:
        await person.forget(PAUSED)
    return request.to("/me/data")


async def set_unwanted(request: PageRequest) -> Response:
    """Name the kinds of things that are not to be kept; what is kept already stays."""
    person = request.visitor.person(request.rememora)
    chosen = [name for name in categories_of(request) if request.form.get(f"kind.{name}")]
    held = await held_value(person, UNWANTED)
    if chosen and chosen != held:
        await person.remember(UNWANTED, chosen)
    elif held and not chosen:
        await person.forget(UNWANTED)
    return request.to("/me/data")


async def ask_erase(request: PageRequest) -> Response:
    """Ask for the word that confirms an erasure of one memory."""
    memory = await request.visitor.person(request.rememora).memories.get(request.named("id"))
    return await _confirmation(request, {"memory": memory.id}, memory=memory)


async def erase(request: PageRequest) -> Response:
    """Erase one memory permanently."""
    return await _erase(request, {"memory": request.named("id")})


async def ask_erase_all(request: PageRequest) -> Response:
    """Ask for the word that confirms an erasure of everything."""
    return await _confirmation(request, {"person": True}, memory=None)


async def erase_all(request: PageRequest) -> Response:
    """Erase everything about the person permanently."""
    return await _erase(request, {"person": True})


async def _confirmation(
    request: PageRequest, what: ErasureArguments, *, memory: Memory | None, wrong: bool = False, status: int = 200
) -> Response:
    scope = request.visitor.person(request.rememora).scope
    consent = await request.rememora.credentials.ask_to_confirm(scope, _fingerprint(what))
    return request.page("erase.html", status=status, memory=memory, token=consent.token, wrong=wrong)


async def _erase(request: PageRequest, what: ErasureArguments) -> Response:
    """Erase once the word was typed, with the confirmation that the form carries and that is used up here."""
    person = request.visitor.person(request.rememora)
    if request.form.get("word", "").strip().lower() not in _words():
        named = what.get("memory")
        memory = await person.memories.get(named) if named else None
        return await _confirmation(request, what, memory=memory, wrong=True, status=422)
    await request.rememora.credentials.confirm(person.scope, request.form.get("token", ""), _fingerprint(what))
    receipt = await person.erase(**what)
    return request.page("receipt.html", receipt=receipt, written=_written(receipt), report=None, broken=False)


def _words() -> set[str]:
    """The word to type, in either language."""
    return {texts(language)["erase.word"].lower() for language in ("pt", "en")}


def _fingerprint(what: ErasureArguments) -> bytes:
    return hashlib.sha256(b"page " + msgspec.json.encode(what, order="sorted")).digest()


def _written(receipt: Receipt) -> str:
    return msgspec.json.format(msgspec.json.encode(receipt), indent=2).decode()


async def show_receipt_form(request: PageRequest) -> Response:
    """Ask for a receipt to check."""
    return request.page("receipt.html", receipt=None, written="", report=None, broken=False)


async def check_receipt(request: PageRequest) -> Response:
    """Check a receipt against the store: whether it is genuine, and whether nothing of it is left."""
    caller, written = request.visitor.caller, request.form.get("receipt", "")
    assert caller is not None
    try:
        receipt = msgspec.json.decode(written, type=Receipt)
    except msgspec.MsgspecError:
        return request.page("receipt.html", status=422, receipt=None, written=written, report=None, broken=True)
    company = request.rememora.tenant(caller.tenant, acting=str(caller.user), rights=USER)
    report = await company.audit.verify_receipt(receipt)
    return request.page("receipt.html", receipt=receipt, written=written, report=report, broken=False)


async def receipt_file(request: PageRequest) -> Response:
    """A receipt as a file."""
    try:
        receipt = msgspec.json.decode(request.form.get("receipt", ""), type=Receipt)
    except msgspec.MsgspecError:
        raise InvalidInput("receipt", "must be a receipt") from None
    headers = {**SAFE, "Content-Disposition": 'attachment; filename="rememora-receipt.json"'}
    return Response(_written(receipt), media_type="application/json", headers=headers)


async def leave(request: PageRequest) -> Response:
    """Take the link out of this browser."""
    response = request.to("/")
    drop_link(response, request.visitor)
    return response
