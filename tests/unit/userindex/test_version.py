"""The version of features: whoever changes what is read of a text, or its bytes, must raise it."""

from __future__ import annotations

from datetime import UTC, datetime
from hashlib import sha256

from rememora.language.wordlists import INFORMAL, STOP
from rememora.userindex.features import pack
from rememora.userindex.rows import Row
from rememora.userindex.version import DIGEST

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
SAID = (
    "Ana: mudei de emprego, agora trabalho na Acme",
    "Hey Ana! I no longer drink coffee, switched to tea. What about you?",
    "Bom dia, Bia. A reunião foi remarcada para quinta às 15h30, custa R$ 1.250,00",
    "vc viu q o pedido nº 4711 chegou? blz, obg",
    "The meetings were moved to 3/4; my flight is BA-287.",
    "São Paulo, maçã, avô e avó; naïve café, l'été",
    "correndo corríamos corremos corrida running ran runners",
    "日本語のテキスト и русский",
    "",
)


def sample() -> list[Row]:
    """Turns of both sides, a memory, and every word of the lists that decide what a token is."""
    turns = [
        Row(id=f"message/c/{place}", text=text, at=AT, conversation="c", position=place, role=role)
        for place, (text, role) in enumerate((text, role) for text in SAID for role in ("user", "assistant"))
    ]
    lists = [" ".join(sorted(words)) for table in (STOP, INFORMAL) for words in table.values()]
    known = [
        Row(id=f"memory//{place}", text=text, also="cidade", at=AT, kind="memory", importance=0.5)
        for place, text in enumerate((*SAID, *lists))
    ]
    return [*turns, *known]


def test_what_is_read_of_a_text_changes_with_the_version_alone() -> None:
    """Stored features of another reading would rank beside those of this one; raised, all are made anew."""
    result = sha256(b"".join(map(pack, sample()))).hexdigest()[:32]

    assert DIGEST == result, f"raise VERSION in userindex/version.py, and set DIGEST to {result}"
