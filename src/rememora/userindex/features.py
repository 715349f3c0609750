"""Encode the features that the ranking reads of an item: computed once from its text, stored with its index entry.

Bytes are laid out so that those of many items become columns without a loop: a head of fixed size, the mark of
each token, how often each is said, who speaks and is called where somebody is, and the tokens.
"""

from __future__ import annotations

import sys
from array import array
from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from struct import Struct
from typing import Final

import msgspec

from rememora.domain.hit import IndexItem
from rememora.language import language_of_text, tokens
from rememora.language.packs import CODES
from rememora.userindex.listening import ASSISTANT, Heard, listen
from rememora.userindex.marks import mark_of, mark_of_token
from rememora.userindex.rows import Row, row_of
from rememora.userindex.style import NO_CHANGE, asking_share, change_told
from rememora.userindex.version import MARK, VERSION

NOT_TOLD: Final = 0


COUNT_MOST: Final = 63
"""More than so often is not told apart."""
HEAD: Final = Struct("<BBbbIIfffiidqqqq")
MARK_BYTES: Final = 4
"""Bytes of the number that a token is looked up by."""
# Where they stand in it.
_IMPORTANCE, _AT = 8, 11
HEARD, OF_ASSISTANT, PLACED, NAMED = 1, 2, 4, 8
BETWEEN: Final = "\n"
Told = tuple[str, tuple[str, ...]]


class Features(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Compute the features of a text that do not depend on a question."""

    # Its tokens in their order, as often as they are said.
    words: Sequence[str]
    # How many content words it has: of a text that does not say its language, some have two stems.
    length: int
    language: int
    asking: float
    change: int
    # Numbers for what it says in other words, and for its very text.
    saying: int
    text: int
    heard: Heard | None


def read(row: Row) -> Features:
    """Read the text of a row."""
    searched, said = row.searched, row.kind == "message"
    words, language = tokens(searched), language_of(row.text)
    known = language if searched == row.text else language_of(searched)
    return Features(
        words=words,
        # Lengths stay comparable where the language is unclear: they are counted as of one language.
        length=len(words) if known else len(tokens(searched, "pt")),
        language=language,
        asking=asking_share(row.text) if said else 0.0,
        change=change_told(row.text) if said else NO_CHANGE,
        saying=mark_of(" ".join(words)) if words else 0,
        text=mark_of(searched),
        heard=listen(row.text, role=row.role, name=row.speaker) if said else None,
    )


def pack(row: Row) -> bytes:
    """Read the text of a row, and give what there is to keep of it."""
    features = read(row)
    counted, heard = Counter(features.words), features.heard
    rest = b"" if heard is None or not (heard.speaker or heard.called) else _packed(heard)
    head = HEAD.pack(
        VERSION,
        _flags(row, heard),
        features.language,
        features.change,
        len(counted),
        len(rest),
        features.length,
        features.asking,
        row.importance,
        0 if heard is None else heard.words,
        0 if heard is None else heard.mine,
        row.at.timestamp(),
        row.position or 0,
        features.saying,
        features.text,
        mark_of(row.id),
    )
    marks = array("I", map(mark_of_token, counted))
    # Stored in one byte order, since a store may be moved between machines.
    if sys.byteorder == "big":
        marks.byteswap()
    counts = bytes(min(count, COUNT_MOST) for count in counted.values())
    return head + marks.tobytes() + counts + rest + BETWEEN.join(counted).encode()


def pack_items(items: Sequence[IndexItem]) -> list[bytes]:
    """Read each of some items of the store."""
    return [pack(row_of(item.key.name, item, shared=False)) for item in items]


def renew(packed: bytes, *, importance: float, at: datetime) -> bytes:
    """Update packed features with the item's present facts; the text is the same."""
    fields = list(HEAD.unpack_from(packed))
    fields[_IMPORTANCE], fields[_AT] = importance, at.timestamp()
    return HEAD.pack(*fields) + packed[HEAD.size :]


def is_current(packed: bytes | None) -> bool:
    """Return whether bytes are of this version."""
    return packed is not None and packed[:1] == MARK


def _flags(row: Row, heard: Heard | None) -> int:
    placed = PLACED if row.position is not None else 0
    if heard is None:
        return placed
    return placed | HEARD | OF_ASSISTANT * (heard.role == ASSISTANT) | NAMED * heard.named


def _packed(heard: Heard) -> bytes:
    return msgspec.msgpack.encode((heard.speaker, heard.called))


def language_of(text: str) -> int:
    """The place of a text's language among all, from 1; `NOT_TOLD` where it does not say."""
    language = language_of_text(text)
    return NOT_TOLD if language is None else 1 + CODES.index(language)
