"""Defines what the reader asks of a sentence encoder: numbers for each word that depend on the words around it.

The reader's own network has seen some ten thousand messages. An encoder that was trained on a web of texts knows
that "dá um sumiço nisso" is near "apaga isso"; its view of each word is one more input of the network.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from rememora.reading.tokens import Floats, Token


def words_of(tokens: Sequence[Token]) -> list[tuple[str, bool]]:
    """Return tokens as an encoder takes them."""
    ends = [-1, *(token.end for token in tokens)]
    return [(token.text, token.start == end) for token, end in zip(tokens, ends, strict=False)]


class WordEncoder(Protocol):
    """Gives each word of some texts a row of numbers, the texts apart from each other.

    A word is its text and whether it stands right behind the word before it, without a space.
    """

    def __call__(self, texts: Sequence[Sequence[tuple[str, bool]]], /) -> Floats: ...


class _Encoders:
    """The encoders that open memories lend to the reader of this process; the first one is used."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._lent: list[tuple[object, WordEncoder]] = []
        self._changed: list[Callable[[], None]] = []

    @property
    def current(self) -> WordEncoder | None:
        """The encoder in use, if any."""
        lent = self._lent
        return lent[0][1] if lent else None

    def lend(self, encoder: WordEncoder) -> Callable[[], None]:
        """Let the reader use an encoder; returns what takes it back."""
        holder = object()
        with self._lock:
            self._lent = [*self._lent, (holder, encoder)]
            first = len(self._lent) == 1
        if first:
            self._tell()

        def take_back() -> None:
            with self._lock:
                self._lent = [lent for lent in self._lent if lent[0] is not holder]
                last = not self._lent
            if last:
                self._tell()

        return take_back

    def on_change(self, forget: Callable[[], None]) -> None:
        """Call a function whenever the reader gains its first encoder or loses its last."""
        self._changed.append(forget)

    def _tell(self) -> None:
        for forget in self._changed:
            forget()


_encoders = _Encoders()
lend_encoder = _encoders.lend
on_change = _encoders.on_change


def current_encoder() -> WordEncoder | None:
    """Return the encoder that an open memory has lent to the reader, if any."""
    return _encoders.current
