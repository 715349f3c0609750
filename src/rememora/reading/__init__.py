"""Reads what a message says: its acts, its statements, and whom they are about.

The network needs numpy, which is loaded with the first message and not with the package. A host may choose another
reader (`reading.reader`), one for the whole process: the gate reads messages in many places that know no settings.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from importlib import import_module
from threading import Lock
from typing import TYPE_CHECKING

from rememora.caches import person_cache
from rememora.errors import Conflict
from rememora.reading.results import MessageReader, MessageReading, NameSpan

if TYPE_CHECKING:
    from rememora.reading.explained import MessageWords

logger = logging.getLogger(__name__)
BUILTIN = "builtin"


def read_message(text: str, before: Sequence[str] = ()) -> MessageReading:
    """Read a message that was said after some turns, each with its role before it (`user: …`)."""
    return _chosen.read(text, tuple(before))


def read_builtin(text: str, before: Sequence[str] = ()) -> MessageReading:
    """Read a message with the network of the package, whichever reader is chosen."""
    reading: MessageReading = import_module("rememora.reading.reader").read_message(text, before)
    return reading


def weigh_words(text: str, before: Sequence[str] = ()) -> MessageWords | None:
    """Weigh the words of a message for what was read in it; None where another reader was chosen."""
    if _chosen.read is not read_builtin:
        return None
    weighed: MessageWords = import_module("rememora.reading.explained").weigh_words(text, before)
    return weighed


def read_names(text: str) -> tuple[NameSpan, ...]:
    """Read every name of a text, and what each is the name of, with the network of the package."""
    names: tuple[NameSpan, ...] = import_module("rememora.reading.name_reader").read_names(text)
    return names


class _Chosen:
    """The reader of this process, and which open memories hold it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._name = BUILTIN
        self._holders: set[object] = set()
        self.read: Callable[[str, tuple[str, ...]], MessageReading] = read_builtin

    def hold(self, holder: object, name: str, reader: MessageReader | None) -> None:
        """Choose a reader, or hold the one that is chosen; `Conflict` while others hold another."""
        with self._lock:
            if self._holders and name != self._name:
                raise Conflict(
                    f"reading.reader = {name!r}: one reader serves a process, and {self._name!r} is in use; "
                    "close what uses it first"
                )
            if not self._holders:
                self._name, self.read = name, read_builtin if reader is None else _guarded(name, reader)
            self._holders.add(holder)

    def release(self, holder: object) -> None:
        """Let go of the reader; the last holder brings the built-in one back."""
        with self._lock:
            self._holders.discard(holder)
            if not self._holders:
                self._name, self.read = BUILTIN, read_builtin


def hold_reader(name: str, reader: MessageReader | None) -> Callable[[], None]:
    """Have this process read with `reader` (None for the built-in one); returns what lets go of it."""
    holder = object()
    _chosen.hold(holder, name, reader)
    return lambda: _chosen.release(holder)


def _guarded(name: str, reader: MessageReader) -> Callable[[str, tuple[str, ...]], MessageReading]:
    """A plugin's reader: each message is read once, and by the built-in one where the plugin fails."""

    @person_cache(maxsize=256)
    def read(text: str, before: tuple[str, ...]) -> MessageReading:
        try:
            spoken: object = reader(text, before)
            if isinstance(spoken, MessageReading):
                return spoken
            fault = f"returned {type(spoken).__name__}"
        except Exception as error:
            # A message is stored whatever a stranger's code does with it; its words are not logged.
            fault = type(error).__name__
        logger.warning("the reader %r failed, and the built-in one reads instead: %s", name, fault)
        return read_builtin(text, before)

    return read


_chosen = _Chosen()
