"""Reads what other products export: conversations of ChatGPT and Claude, plain messages, and mem0's memories.

One conversation at a time, so that an export of any size fits; the ids of the other product are kept, so that an
import that was broken off goes on where it was.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from io import TextIOWrapper
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec

from rememora.domain.message import CONTENT_BYTES
from rememora.errors import InvalidInput

Form = Literal["auto", "rememora", "chatgpt", "claude", "jsonl", "messages", "mem0"]
Read = Callable[[int], None]
"""Told how many bytes of the file have been read."""

CHUNK_CHARACTERS = 1 << 18
HEAD_CHARACTERS = 1 << 16
NAME_CHARACTERS = 255
_ROLES = {"human": "user", "user": "user", "assistant": "assistant", "system": "system", "tool": "tool"}
_SPACES = " \t\r\n,"


class ExportedConversation(msgspec.Struct, frozen=True, kw_only=True):
    """A conversation of an export."""

    id: str
    title: str
    messages: list[dict[str, Any]]


class ExportedMemory(msgspec.Struct, frozen=True, kw_only=True):
    """A memory of an export: its text, its date, its owner, and the fields of that product beside them."""

    id: str
    text: str
    at: datetime | None = None
    user: str | None = None
    extras: Mapping[str, Any] = {}


def form_of(file: Path) -> Form:
    """Detect the product that wrote a file."""
    if file.suffix == ".jsonl":
        return "jsonl"
    with file.open(encoding="utf-8", errors="replace") as opened:
        head = opened.read(HEAD_CHARACTERS)
    # From the rarest mark to the commonest: messages of other products also have a "role" and a "content".
    if '"mapping"' in head:
        return "chatgpt"
    if '"chat_messages"' in head:
        return "claude"
    if '"memory"' in head and ('"results"' in head or head.lstrip().startswith("[")):
        return "mem0"
    if '"rememora"' in head or '"memories"' in head:
        return "rememora"
    if '"role"' in head and '"content"' in head:
        return "messages"
    forms = ", ".join(get_args(Form)[1:])
    raise InvalidInput("file", f"is not a known export; name its format, one of {forms}")


def conversations(file: Path, form: Form, *, read: Read) -> Iterator[ExportedConversation]:
    """The conversations of a file, one at a time."""
    if form == "jsonl":
        yield from _lines(file, read)
        return
    if form == "messages":
        yield _listed(file, read)
        return
    tell = _chatgpt if form == "chatgpt" else _claude
    for item in items(file, read=read):
        yield tell(item)


MEM0_EXTRAS = ("agent_id", "run_id", "actor_id", "role", "metadata", "expiration_date")
"""Fields of a row of mem0's that its own API gives back."""


def mem0_memories(file: Path, *, read: Read) -> Iterator[ExportedMemory]:
    """The memories of a mem0 export."""
    for item in items(file, read=read):
        text = item.get("memory") or item.get("text")
        if isinstance(text, str) and (plain := _plain(text)).strip():
            # Without an id of its own, a memory is known by what it says.
            id = item.get("id") or hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
            yield ExportedMemory(
                id=_name(id),
                text=plain,
                at=_moment(item.get("created_at")),
                user=_mem0_owner(item),
                extras={name: item[name] for name in MEM0_EXTRAS if item.get(name) not in (None, "", {})},
            )


def _mem0_owner(item: Mapping[str, Any]) -> str | None:
    """The user of a row; a row of an agent or a run alone belongs to nobody else."""
    if item.get("user_id"):
        return str(item["user_id"])
    return next((f"{kind}:{item[f'{kind}_id']}" for kind in ("agent", "run") if item.get(f"{kind}_id")), None)


def items(file: Path, *, read: Read) -> Iterator[dict[str, Any]]:
    """The objects of a JSON array, one at a time; of an object with one array in it, those."""
    decoder = json.JSONDecoder()
    with file.open("rb") as raw, TextIOWrapper(raw, encoding="utf-8") as opened:
        text = _more(opened, CHUNK_CHARACTERS)
        start = text.find("[")
        if start < 0:
            raise InvalidInput("file", "must contain a JSON list")
        text, grown = text[start + 1 :], CHUNK_CHARACTERS
        while True:
            text = text.lstrip(_SPACES)
            if text.startswith("]"):
                return
            try:
                item, end = decoder.raw_decode(text)
            except json.JSONDecodeError as error:
                more = _more(opened, grown)
                if not more:
                    raise InvalidInput("file", f"ends early or is not JSON ({error})") from None
                # Twice as much each time: a long item is not looked at over and over.
                text, grown = text + more, grown * 2
                continue
            except RecursionError:
                raise InvalidInput("file", "is nested too deeply") from None
            text, grown = text[end:], CHUNK_CHARACTERS
            read(raw.tell())
            if isinstance(item, dict):
                yield item


def _more(opened: TextIOWrapper, characters: int) -> str:
    """The next characters of a file."""
    try:
        return opened.read(characters)
    except UnicodeDecodeError as error:
        raise InvalidInput("file", f"is not UTF-8 ({error})") from None


def _fields(value: Any) -> Mapping[str, Any]:
    """An object of a file; what stands in its place in a damaged one has no fields."""
    return value if isinstance(value, dict) else {}


def _elements(value: Any) -> list[Any]:
    """A list of a file; what stands in its place in a damaged one has no elements."""
    return value if isinstance(value, list) else []


def _chatgpt(item: Mapping[str, Any]) -> ExportedConversation:
    """One conversation of ChatGPT: a tree of messages, of which the path to the current one was last seen."""
    nodes = {name: _fields(node) for name, node in _fields(item.get("mapping")).items()}
    path: list[Any] = []
    node = item.get("current_node") or _last_leaf(nodes)
    seen: set[str] = set()
    # From the last message up to the first: answers that were asked for again hang beside this path and are
    # left out. A damaged file may hold a circle.
    while isinstance(node, str) and node in nodes and node not in seen:
        seen.add(node)
        path.append(nodes[node].get("message"))
        node = nodes[node].get("parent")
    messages = [read for message in reversed(path) if (read := _chatgpt_message(_fields(message)))]
    id = item.get("conversation_id") or item.get("id") or item.get("title")
    return ExportedConversation(id=_name(id), title=str(item.get("title") or ""), messages=messages)


def _last_leaf(nodes: Mapping[str, Any]) -> str | None:
    leaves = [name for name, node in nodes.items() if not node.get("children")]
    return leaves[-1] if leaves else None


def _chatgpt_message(message: Mapping[str, Any]) -> dict[str, Any] | None:
    if _fields(message.get("metadata")).get("is_visually_hidden_from_conversation"):
        return None
    parts = _elements(_fields(message.get("content")).get("parts"))
    text = "\n".join(part for part in parts if isinstance(part, str))
    role = _fields(message.get("author")).get("role")
    return _message(message.get("id"), role, text, message.get("create_time"))


def _claude(item: Mapping[str, Any]) -> ExportedConversation:
    """One conversation of Claude: a list of messages, with the text in one piece or in several."""
    messages: list[dict[str, Any]] = []
    for entry in map(_fields, _elements(item.get("chat_messages"))):
        parts = [part for part in map(_fields, _elements(entry.get("content"))) if part.get("type") == "text"]
        texts = [part["text"] for part in parts if isinstance(part.get("text"), str)]
        # Older exports have the text in one field, newer ones in parts of which only some are text.
        text = entry.get("text") or "\n".join(texts)
        message = _message(entry.get("uuid"), entry.get("sender"), text, entry.get("created_at"))
        if message is not None:
            files = [*_elements(entry.get("attachments")), *_elements(entry.get("files"))]
            names = [_fields(file).get("file_name") for file in files]
            message["attachments"] = [{"name": name} for name in names if isinstance(name, str) and name]
            messages.append(message)
    return ExportedConversation(
        id=_name(item.get("uuid") or item.get("name")), title=str(item.get("name") or ""), messages=messages
    )


def _lines(file: Path, read: Read) -> Iterator[ExportedConversation]:
    """Lines of JSON, each a message; those of one conversation that follow each other go together."""
    current: ExportedConversation | None = None
    with file.open("rb") as opened:
        for number, line in enumerate(opened, 1):
            if not line.strip():
                continue
            conversation, message = _line(line, number, file.stem)
            read(opened.tell())
            # A file is read once and may be larger than memory, so a conversation that comes back later is a
            # second piece; `append_many` joins the two.
            if current is not None and current.id != conversation:
                yield current
                current = None
            if current is None:
                current = ExportedConversation(id=conversation, title="", messages=[])
            if message is not None:
                current.messages.append(message)
    if current is not None:
        yield current


def _listed(file: Path, read: Read) -> ExportedConversation:
    """One list of messages as chat APIs take them: a conversation named like its file."""
    conversation = ExportedConversation(id=_name(file.stem), title="", messages=[])
    for number, item in enumerate(items(file, read=read), 1):
        content = item.get("content")
        # Parts other than text (images, tool calls) carry nothing that can be remembered.
        if isinstance(content, list):
            texts = (part.get("text") for part in content if isinstance(part, dict))
            content = "\n".join(text for text in texts if isinstance(text, str))
        id = item.get("id") or f"{file.stem}-{number}"
        message = _message(id, item.get("role"), content, item.get("created_at"))
        if message is not None:
            conversation.messages.append(message)
    return conversation


def _line(line: bytes, number: int, stem: str) -> tuple[str, dict[str, Any] | None]:
    try:
        fields = msgspec.json.decode(line, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InvalidInput("file", f"line {number} is not a JSON object ({error})") from None
    thread = fields.get("conversation") or fields.get("conversation_id") or fields.get("session_id") or stem
    # Without an id of its own, a line is known by its number: taken in again, it is not doubled.
    id = fields.get("id") or f"{stem}-{number}"
    return _name(thread), _message(id, fields.get("role"), fields.get("content"), fields.get("created_at"))


def _message(id: Any, role: Any, text: Any, at: Any) -> dict[str, Any] | None:
    """A message as it is appended; None for what nobody said."""
    if not isinstance(role, str) or role not in _ROLES or not isinstance(text, str) or not text.strip():
        return None
    message: dict[str, Any] = {"role": _ROLES[role], "content": _plain(text)}
    if id:
        message["id"] = _name(id)
    moment = _moment(at)
    if moment is not None:
        message["created_at"] = moment
    return message


def _plain(text: str) -> str:
    """A text that can be stored, from one with signs that cannot, or too long a one."""
    return text.replace("\x00", "").encode("utf-8", "replace")[:CONTENT_BYTES].decode("utf-8", "ignore")


def _moment(value: Any) -> datetime | None:
    """Seconds since 1970, or ISO 8601; without a zone it is UTC."""
    try:
        # `True` is an `int` in Python, and no moment.
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value, UTC)
        if isinstance(value, str):
            moment = datetime.fromisoformat(value)
            return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None


def _name(value: Any) -> str:
    """An id that is allowed here, from one that may not be."""
    text = "".join(char for char in str(value or "imported") if char.isprintable())
    return text[:NAME_CHARACTERS] or "imported"
